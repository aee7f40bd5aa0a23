"""A slow web of many hosts on loopback addresses that writes down who was asked when.

    python benchmarks/polite_server.py HOSTS LATENCY_S [--log FILE]

Prints its port when it listens, ends with its standard input, and then writes the log: one line a
page with host number, when the request had come and when the answer was sent (monotonic seconds).
"""

import argparse
import asyncio
import gc
import sys
import time
from pathlib import Path

BODY = b"<html><title>page</title><p>" + b"some words of a page " * 400
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
)
ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def address(host: int) -> str:
    """The loopback address of a host by its number."""
    return f"127.{100 + host // 62_500}.{host // 250 % 250}.{host % 250 + 1}"


class Peer(asyncio.Protocol):
    """One connection; a request is answered after the latency."""

    def __init__(self, host: int, latency: float, log: list[tuple[int, float, float]]) -> None:
        self.host = host
        self.latency = latency
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
            asyncio.get_running_loop().call_later(self.latency, self.answer, came, is_page)

    def answer(self, came: float, is_page: bool) -> None:
        if is_page:
            self.log.append((self.host, came, time.monotonic()))
        self.transport.write(ANSWER if is_page else ROBOTS)  # type: ignore[attr-defined]


async def serve(hosts: int, latency: float, log: list[tuple[int, float, float]]) -> None:
    """Listens until standard input ends."""
    loop = asyncio.get_running_loop()
    port, servers = 0, []
    for host in range(hosts):
        server = await loop.create_server(
            lambda host=host: Peer(host, latency, log), address(host), port, backlog=16
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
    options = parser.parse_args()
    log: list[tuple[int, float, float]] = []
    asyncio.run(serve(options.hosts, options.latency, log))
    options.log.write_text("".join(f"{host} {came} {sent}\n" for host, came, sent in log))


if __name__ == "__main__":
    main()
