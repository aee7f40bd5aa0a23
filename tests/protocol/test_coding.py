"""Content codings undone piece by piece."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.coding import CodingError, Decoding, codings_of

TEXT = b"".join(b"<p>%d alpha beta</p>" % n for n in range(2_000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


def decode(codings: list[str], data: bytes, step: int = 1_000) -> bytes:
    decoding = Decoding(codings)
    found = []
    for at in range(0, len(data), step):
        found.extend(decoding.feed(data[at : at + step]))
    assert decoding.is_finished()
    return b"".join(found)


@given(
    st.binary(max_size=3_000),
    st.lists(st.sampled_from(sorted(PACK)), max_size=4),
    st.integers(1, 900),
)
def test_what_was_packed_comes_out(data, codings, step):
    packed = data
    for coding in codings:
        packed = PACK[coding](packed)
    assert decode(codings, packed, step) == data


def test_raw_deflate():
    assert decode(["deflate"], raw_deflate(TEXT), 7) == TEXT


def test_members_and_frames_one_after_the_other():
    assert decode(["gzip"], gzip.compress(b"one ") + gzip.compress(b"two"), 3) == b"one two"
    assert (
        decode(["zstd"], zstandard.compress(b"one ") + zstandard.compress(b"two"), 600)
        == b"one two"
    )


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("junk", [b"\x00" * 20, b"junk after the end"])
def test_junk_after_the_end_is_left(coding, junk):
    assert decode([coding], PACK[coding](TEXT) + junk, 10_000_000) == TEXT


def test_a_wrong_checksum_is_forgiven():
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 0xFF
    assert decode(["gzip"], bytes(packed)) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_cut_short_gives_a_beginning(coding):
    packed = PACK[coding](TEXT)
    decoding = Decoding([coding])
    found = b"".join(decoding.feed(packed[: len(packed) * 2 // 3]))
    assert TEXT.startswith(found)
    assert not decoding.is_finished()


@pytest.mark.parametrize(("coding", "wbits"), [("gzip", 31), ("deflate", 15), ("deflate", -15)])
@pytest.mark.parametrize("step", [100, 100_000])
def test_broken_in_the_middle_gives_what_is_before(coding, wbits, step):
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(TEXT) + packer.flush(zlib.Z_FULL_FLUSH) + b"\x07 no such block"
    found: list[bytes] = []
    with pytest.raises(CodingError, match=f"broken {coding}"):
        collect(Decoding([coding]), packed, step, found)
    assert b"".join(found) == TEXT


def collect(decoding: Decoding, packed: bytes, step: int, found: list[bytes]) -> None:
    for at in range(0, len(packed), step):
        for piece in decoding.feed(packed[at : at + step]):
            found.append(piece)  # noqa: PERF402  (what came before an error counts)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_readable_text_under_a_false_label_is_text(coding):
    assert decode([coding], b"<html>plain text, no coding") == b"<html>plain text, no coding"


def test_bytes_under_a_false_label_are_broken():
    with pytest.raises(CodingError):
        decode(["gzip"], bytes(range(256)))


@pytest.mark.parametrize("coding", ["none", "utf-8", "identity", "text/html", "compress", "*"])
def test_an_unknown_coding_is_none(serve, client, coding):
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n".encode()
    answer = client().fetch(FetchRequest(serve(head + b"<p>text").url()))
    assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"<p>text")


def test_too_many_codings():
    Decoding(["gzip"] * 5)
    with pytest.raises(CodingError, match="more than 5"):
        Decoding(["gzip"] * 6)


def test_names_of_codings():
    assert codings_of(["GZip, br", " zstd ", ","]) == ["gzip", "br", "zstd"]


def test_transfer_codings_are_undone_too(serve, client):
    packed = gzip.compress(TEXT)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    assert client().fetch(FetchRequest(serve(head + body).url())).content == TEXT


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_cut_page(serve, client, coding):
    packed = PACK[coding](TEXT)
    cut = packed[: len(packed) // 2]
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(cut)}\r\n\r\n"
    server = serve(head.encode() + cut)
    answer = client().fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason == "short body: the compressed data has no end"
    answer = client(partial_truncated=True).fetch(FetchRequest(server.url()))
    if answer.content:  # br and zstd give whole blocks only
        assert (answer.status, answer.truncated) == (ProtocolStatus.SUCCESS, "disconnect")
    assert TEXT.startswith(answer.content)
    assert bool(answer.content) or coding in ("br", "zstd")
