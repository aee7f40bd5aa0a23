"""A slow web of many hosts on loopback addresses that writes down who was asked when.

    python benchmarks/polite_server.py HOSTS LATENCY_S --log FILE [--kb 8] [--gzip]

Prints its port when it listens, ends with its standard input, and then writes the log: one line a
page with host number, when the request had come and when the answer was sent (monotonic seconds).
"""

import argparse
import asyncio
import gc
import gzip
import random
import sys
import time
from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n%b\r\n"
ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def page(number: int, kilobytes: int, packed: bool) -> bytes:
    """An answer: words and links, about as compressible as pages are."""
    words = random.Random(number)
    body = b"<html><head><title>A page</title></head><body>"
    while len(body) < 1_000 * kilobytes:
        text = " ".join(f"{words.getrandbits(12):x}" for _ in range(40))
        body += f"<p>{text} <a href='/{words.randrange(999)}'>{text[:20]}</a></p>\n".encode()
    if not packed:
        return HEAD % (len(body), b"") + body
    data = gzip.compress(body, 6, mtime=0)
    return HEAD % (len(data), b"Content-Encoding: gzip\r\n") + data


def address(host: int) -> str:
    """The loopback address of a host by its number."""
    return f"127.{100 + host // 62_500}.{host // 250 % 250}.{host % 250 + 1}"


class Peer(asyncio.Protocol):
    """One connection; a request is answered after the latency."""

    pages: tuple[bytes, ...] = ()
    latency = 0.0
    served = 0

    def __init__(self, host: int, log: list[tuple[int, float, float]]) -> None:
        self.host = host
        self.log = log
        self.head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        came = time.monotonic()
        self.head += data
        if self.head.endswith(b"\r\n\r\n"):
            is_page = not self.head.startswith(b"GET /robots.txt ")
            self.head = b""
            if not self.latency:
                self.answer(came, is_page)
                return
            asyncio.get_running_loop().call_later(self.latency, self.answer, came, is_page)

    def answer(self, came: float, is_page: bool) -> None:
        if is_page:
            self.log.append((self.host, came, time.monotonic()))
        self.transport.write(self.next_page() if is_page else ROBOTS)  # type: ignore[attr-defined]

    def next_page(self) -> bytes:
        """One of some pages, all hosts' pages taking turns."""
        Peer.served += 1
        return self.pages[Peer.served % len(self.pages)]


async def serve(hosts: int, log: list[tuple[int, float, float]]) -> None:
    """Listens until standard input ends."""
    loop = asyncio.get_running_loop()
    port, servers = 0, []
    for host in range(hosts):
        server = await loop.create_server(
            lambda host=host: Peer(host, log), address(host), port, backlog=16
        )
        port = server.sockets[0].getsockname()[1]
        servers.append(server)
    print(port, flush=True)
    gc.freeze()
    gc.disable()
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser(description="A slow web of many hosts on loopback.")
    parser.add_argument("hosts", type=int)
    parser.add_argument("latency", type=float)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--kb", type=int, default=8, help="size of a page")
    parser.add_argument("--different", type=int, default=300, help="pages that differ")
    parser.add_argument("--gzip", action="store_true", help="pages are sent compressed")
    options = parser.parse_args()
    Peer.pages = tuple(page(n, options.kb, options.gzip) for n in range(options.different))
    Peer.latency = options.latency
    log: list[tuple[int, float, float]] = []
    asyncio.run(serve(options.hosts, log))
    options.log.write_text("".join(f"{host} {came} {sent}\n" for host, came, sent in log))


if __name__ == "__main__":
    main()
