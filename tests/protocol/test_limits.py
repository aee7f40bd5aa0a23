"""Bytes, seconds, bombs: nothing is bounded by luck."""

import gzip
import itertools
import time
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def page(body: bytes, *, coding: str = "", chunked: bool = False) -> bytes:
    head = OK + (f"Content-Encoding: {coding}\r\n".encode() if coding else b"")
    if not chunked:
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    pieces = [body[at : at + 1024] for at in range(0, len(body), 1024)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [9_999, 10_000, 10_001, 65_536])
@pytest.mark.parametrize("how", ["plain", "chunked", "gzip", "br", "zstd", "deflate"])
def test_only_longer_bodies_are_truncated(serve, client, size, how):
    body = b"x" * size
    packed = {
        "plain": page(body),
        "chunked": page(body, chunked=True),
        "gzip": page(gzip.compress(body), coding="gzip"),
        "br": page(brotli.compress(body), coding="br"),
        "zstd": page(zstandard.compress(body), coding="zstd"),
        "deflate": page(zlib.compress(body), coding="deflate"),
    }[how]
    answer = client(content_limit=10_000).fetch(FetchRequest(serve(packed).url()))
    assert answer.status is ProtocolStatus.SUCCESS
    assert len(answer.content) == min(size, 10_000)
    assert answer.truncated == ("length" if size > 10_000 else None)


def test_a_negative_limit_is_none(serve, client):
    answer = client(content_limit=-1).fetch(FetchRequest(serve(page(b"x" * 3_000_000)).url()))
    assert (len(answer.content), answer.truncated) == (3_000_000, None)


def test_a_limit_of_zero(serve, client):
    answer = client(content_limit=0).fetch(FetchRequest(serve(page(b"x")).url()))
    assert (answer.content, answer.truncated) == (b"", "length")


def test_an_endless_body_stops_at_the_limit(serve, client):
    server = serve(
        lambda _r: itertools.chain([OK + b"\r\n"], itertools.repeat(b"0123456789" * 999))
    )
    answer = client(content_limit=100_000).fetch(FetchRequest(server.url()))
    assert (len(answer.content), answer.truncated) == (100_000, "length")


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "gzip, gzip", "zstd, br"])
def test_a_bomb_is_stopped_at_the_limit(serve, client, coding):
    pack = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}
    body = b"0" * (64 << 20)
    for name in coding.split(", "):
        body = pack[name](body)
    server = serve(page(body, coding=coding))
    http = client(content_limit=1_000_000)
    tracemalloc.start()
    answer = http.fetch(FetchRequest(server.url()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(answer.content), answer.truncated) == (1_000_000, "length")
    assert peak < 24 << 20


def drip(start: bytes, byte: bytes, every_s: float):
    def reply(_request):
        yield start
        while True:
            time.sleep(every_s)  # noqa: TID251  (a slow server is what is tested)
            yield byte

    return reply


@pytest.mark.parametrize(
    "start",
    [
        OK + b"\r\n<html>drip",
        OK + b"Content-Length: 100000\r\n\r\n<html>drip",
        OK + b"Transfer-Encoding: chunked\r\n\r\na\r\n<html>drip\r\n",
    ],
    ids=["to the end", "length", "chunk size"],
)
def test_a_dripping_body_is_kept_as_far_as_it_came(serve, client, start):
    server = serve(drip(start, b"0", 0.05))
    answer = client(time_limit=0.4).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.SUCCESS
    assert answer.content.startswith(b"<html>drip")
    assert answer.truncated == "time"
    assert 300 <= answer.response_ms < 5_000


@pytest.mark.parametrize("start", [b"HTTP/1.1 2", OK + b"X-Slow: ", b"\r\n", b""])
def test_dripping_headers_end_too(serve, client, start):
    answer = client(time_limit=0.4).fetch(FetchRequest(serve(drip(start, b"0", 0.05)).url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason == "time limit: 0.4 s for one page are over"
    assert answer.response_ms < 5_000


@pytest.mark.parametrize(
    "start",
    [OK + b"\r\n<html>drip", OK + b"Transfer-Encoding: chunked\r\n\r\na\r\n<html>drip\r\n"],
    ids=["to the end", "chunk size"],
)
def test_an_answer_that_is_too_slow_ends_long_before_its_time(serve, client, start):
    slow = client(min_throughput=10_000, min_throughput_after=0.3)
    answer = slow.fetch(FetchRequest(serve(drip(start, b"0", 0.05)).url()))
    assert (answer.status, answer.truncated) == (ProtocolStatus.SUCCESS, "time")
    assert answer.content.startswith(b"<html>drip")
    assert answer.reason.startswith("too slow: ")
    assert "less than 10000 a second (http.min.throughput)" in answer.reason
    assert 250 <= answer.response_ms < 5_000


def test_headers_that_are_too_slow_end_too(serve, client):
    slow = client(min_throughput=10_000, min_throughput_after=0.3)
    answer = slow.fetch(FetchRequest(serve(drip(OK + b"X-Slow: ", b"0", 0.05)).url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith("too slow: ")


@pytest.mark.parametrize("least", [0, 5])
def test_what_keeps_the_pace_is_read_to_its_end(serve, client, least):
    def reply(_request):
        yield OK + b"\r\n"
        for _ in range(10):
            time.sleep(0.02)  # noqa: TID251  (a slow server is what is tested)
            yield b"0123456789"

    patient = client(min_throughput=least, min_throughput_after=0.1)
    answer = patient.fetch(FetchRequest(serve(reply).url()))
    assert (len(answer.content), answer.truncated, answer.reason) == (100, None, None)


def test_silence_is_a_read_timeout(serve, client):
    answer = client(timeout=300).fetch(FetchRequest(serve(drip(b"", b"", 0.1)).url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason == "read timeout: nothing came for 0.3 s"


def test_silence_within_a_body(serve, client):
    server = serve(drip(OK + b"\r\nhalf", b"", 0.1))
    answer = client(timeout=300).fetch(FetchRequest(server.url()))
    assert answer.reason == "read timeout: nothing came for 0.3 s"
    answer = client(timeout=300, partial_truncated=True).fetch(FetchRequest(server.url()))
    assert (answer.content, answer.truncated) == (b"half", "disconnect")


def test_the_body_of_an_error_page_does_not_hold_us(serve, client):
    server = serve(drip(b"HTTP/1.1 404 X\r\n\r\n", b"0", 0.05))
    answer = client(timeout=400).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.NOTFOUND
    assert answer.response_ms < 5_000


def test_coded_bytes_that_decode_to_nothing_end_too(serve, client):
    head = OK + b"Content-Encoding: gzip\r\n\r\n"
    server = serve(lambda _r: itertools.chain([head], itertools.repeat(gzip.compress(b"") * 500)))
    answer = client(content_limit=1_000).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith("broken body: coded bytes without end")


def test_a_limit_of_ones_own_for_robots(serve, client):
    answer = client().fetch(FetchRequest(serve(page(b"x" * 50)).url()), content_limit=20)
    assert (len(answer.content), answer.truncated) == (20, "length")
