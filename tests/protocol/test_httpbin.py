"""httpbin under gunicorn, over http and over https with a certificate authority of our own."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from crawl_ops.config.load import load
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots import RobotsRules

ADDRESS = "127.0.0.1"
STARTED = re.compile(r"Listening at: (\S+)")
START_S = 60
NOW = datetime(2026, 8, 1, tzinfo=UTC)


@dataclass
class Httpbin:
    """A running httpbin; `get` asks it with properties of its own."""

    origin: str

    def get(self, path: str, properties: dict | None = None, **request: object):
        given = {
            "http.agent.name": "testbot",
            "http.filter.ipaddress.exclude": "",
            "http.timeout": 10_000,
            **(properties or {}),
        }
        http = HttpProtocol(load(None, given))
        try:
            return http.fetch(FetchRequest(self.origin + path, **request))
        finally:
            http.close()


def started(folder: Path, *options: str) -> tuple[subprocess.Popen, str]:
    """gunicorn on a free port; it says itself which one."""
    log = folder / "gunicorn.log"
    command = [sys.executable, "-m", "gunicorn", "--bind", f"{ADDRESS}:0", "--threads", "8"]
    command += ["--worker-class", "gthread", "--worker-tmp-dir", str(folder), *options]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "httpbin:app"],
            stderr=output,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, "PYTHONWARNINGS": "ignore", "HOME": str(folder)},
        )
    wait = threading.Event()
    for _ in range(START_S * 10):
        text = log.read_text(errors="replace")
        found = STARTED.search(text)
        if found and "Booting worker" in text:
            return process, found[1]
        if process.poll() is not None:
            break
        wait.wait(0.1)
    process.kill()
    process.wait()
    raise AssertionError(log.read_text(errors="replace")[-2000:])


def stopped(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def httpbin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Httpbin]:
    process, origin = started(tmp_path_factory.mktemp("httpbin"))
    yield Httpbin(origin)
    stopped(process)


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Httpbin, Path]]:
    """httpbin over TLS, and the file of the authority that vouches for it."""
    folder = tmp_path_factory.mktemp("httpbin_tls")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    mine = authority.issue_cert(ADDRESS)
    mine.private_key_pem.write_to_path(folder / "key.pem")
    mine.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    process, origin = started(
        folder, "--certfile", str(folder / "cert.pem"), "--keyfile", str(folder / "key.pem")
    )
    yield Httpbin(origin.replace("http://", "https://")), folder / "ca.pem"
    stopped(process)


def body(answer) -> dict:
    return json.loads(answer.content)


def test_a_page(httpbin):
    answer = httpbin.get("/html")
    assert (answer.status, answer.http_status) == (ProtocolStatus.SUCCESS, 200)
    assert (answer.content_type, answer.charset_hint) == ("text/html", "utf-8")
    assert b"Herman Melville" in answer.content
    assert answer.ip_address == ADDRESS


def test_what_we_send(httpbin):
    headers = body(httpbin.get("/headers"))["headers"]
    assert headers["User-Agent"] == "testbot"
    assert headers["Accept-Encoding"] == "gzip, deflate, br, zstd"
    assert headers["Host"] == httpbin.origin.removeprefix("http://")
    assert "Cookie" not in headers
    assert body(httpbin.get("/cookies", cookie="a=1; b=2"))["cookies"] == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/redirect-to?url=%2Fget&status_code=301", "moved", "/get"),
        ("/redirect-to?url=%2Fget&status_code=302", "temp_moved", "/get"),
        ("/redirect-to?url=%2Fget&status_code=303", "temp_moved", "/get"),
        ("/redirect-to?url=%2Fget&status_code=307", "temp_moved", "/get"),
        ("/redirect-to?url=%2Fget&status_code=308", "moved", "/get"),
        ("/relative-redirect/2", "temp_moved", "/relative-redirect/1"),
        ("/absolute-redirect/2", "temp_moved", "/absolute-redirect/1"),
        ("/redirect/1", "temp_moved", "/get"),
        ("/cookies/set?a=1", "temp_moved", "/cookies"),
    ],
)
def test_redirects_are_told_and_not_followed(httpbin, path, status, location):
    answer = httpbin.get(path)
    assert (str(answer.status), answer.location) == (status, httpbin.origin + location)


def test_redirects_to_elsewhere(httpbin):
    answer = httpbin.get("/redirect-to?url=https%3A%2F%2Fb.example%2Fx%23top")
    assert answer.location == "https://b.example/x"
    nowhere = httpbin.get("/redirect-to?url=file%3A%2F%2F%2Fetc%2Fpasswd")
    assert (nowhere.location, nowhere.status) == (None, ProtocolStatus.TEMP_MOVED)
    assert "scheme" in nowhere.reason


def test_cookies_that_are_set_are_forgotten(httpbin):
    given = {"http.agent.name": "testbot", "http.filter.ipaddress.exclude": ""}
    http = HttpProtocol(load(None, given))
    set_ = http.fetch(FetchRequest(httpbin.origin + "/cookies/set?a=1"))
    assert any(name.lower() == "set-cookie" for name, _ in set_.headers)
    assert body(http.fetch(FetchRequest(httpbin.origin + "/cookies")))["cookies"] == {}
    http.close()


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (200, "success"),
        (201, "exception"),
        (204, "exception"),
        (301, "moved"),
        (304, "exception"),
        (400, "gone"),
        (401, "access_denied"),
        (403, "exception"),
        (404, "notfound"),
        (410, "gone"),
        (418, "exception"),
        (429, "exception"),
        (500, "exception"),
        (503, "exception"),
    ],
)
def test_status_codes(httpbin, code, status):
    answer = httpbin.get(f"/status/{code}")
    assert (answer.http_status, str(answer.status)) == (code, status)


@pytest.mark.parametrize(
    ("path", "said"), [("/gzip", "gzipped"), ("/deflate", "deflated"), ("/brotli", "brotli")]
)
def test_encodings(httpbin, path, said):
    answer = httpbin.get(path)
    assert body(answer)[said] is True
    assert answer.truncated is None


def test_charsets(httpbin):
    answer = httpbin.get("/encoding/utf8")
    assert (answer.content_type, answer.charset_hint) == ("text/html", "utf-8")
    assert "∮ E⋅da = Q" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/image/png", "image/png"),
        ("/image/jpeg", "image/jpeg"),
        ("/image/svg", "image/svg+xml"),
        ("/xml", "application/xml"),
        ("/json", "application/json"),
        ("/robots.txt", "text/plain"),
    ],
)
def test_media_types(httpbin, path, content_type):
    assert httpbin.get(path).content_type == content_type


def test_a_delay_is_waited_for_and_not_too_long(httpbin):
    assert httpbin.get("/delay/1").response_ms >= 1000
    late = httpbin.get("/delay/5", {"http.timeout": 300})
    assert late.status is ProtocolStatus.EXCEPTION
    assert "timeout" in late.reason
    assert late.response_ms < 3000


def test_a_drip_is_cut_at_the_time_limit(httpbin):
    slow = httpbin.get("/drip?duration=20&numbytes=20&delay=0", {"http.time.limit": 1.0})
    assert (slow.status, slow.truncated) == (ProtocolStatus.SUCCESS, "time")
    assert 0 < len(slow.content) < 20
    assert slow.response_ms < 5000
    fast = httpbin.get("/drip?duration=0.2&numbytes=20&delay=0")
    assert (len(fast.content), fast.truncated) == (20, None)


def test_bodies_are_cut_at_their_limit(httpbin):
    cut = httpbin.get("/bytes/5000?seed=1", {"http.content.limit": 100})
    assert (len(cut.content), cut.truncated) == (100, "length")
    assert httpbin.get("/stream-bytes/5000?seed=1&chunk_size=7").truncated is None
    lines = httpbin.get("/stream/20").content.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(20))


def test_conditional_requests(httpbin):
    known = datetime(2026, 1, 1, tzinfo=UTC)
    assert httpbin.get("/cache", modified_time=known).status is ProtocolStatus.NOTMODIFIED
    assert httpbin.get("/cache").status is ProtocolStatus.SUCCESS
    assert httpbin.get("/etag/x", etag='"x"').status is ProtocolStatus.NOTMODIFIED
    other = httpbin.get("/etag/x", etag='"y"')
    assert (other.status, other.etag) == (ProtocolStatus.SUCCESS, "x")


def test_passwords_go_to_their_host_only(httpbin, tmp_path):
    file = tmp_path / "auth.xml"
    port = httpbin.origin.rpartition(":")[2]
    file.write_text(
        '<auth-configuration><credentials username="u" password="p">'
        f'<authscope host="{ADDRESS}" port="{port}"/></credentials></auth-configuration>'
    )
    given = {"http.auth.file": str(file)}
    assert body(httpbin.get("/basic-auth/u/p", given))["authenticated"] is True
    assert httpbin.get("/basic-auth/u/other", given).status is ProtocolStatus.ACCESS_DENIED
    assert httpbin.get("/basic-auth/u/p").status is ProtocolStatus.ACCESS_DENIED
    file.write_text(file.read_text().replace(f'port="{port}"', 'port="1"'))
    assert httpbin.get("/basic-auth/u/p", given).status is ProtocolStatus.ACCESS_DENIED


def test_robots_txt(httpbin):
    config = load(None, {"http.agent.name": "testbot", "http.filter.ipaddress.exclude": ""})
    http = HttpProtocol(config)
    answer = RobotsRules(config, http).of(httpbin.origin + "/deny", NOW + timedelta(hours=1))
    assert not answer.allows(httpbin.origin + "/deny").allowed
    assert answer.allows(httpbin.origin + "/deny").rule == "Disallow: /deny"
    assert answer.allows(httpbin.origin + "/get").allowed
    http.close()


def test_a_certificate_nobody_vouches_for(secure):
    server, _ = secure
    lenient = server.get("/get")
    assert lenient.status is ProtocolStatus.SUCCESS
    strict = server.get("/get", {"http.tls.certificates.check": True})
    assert strict.status is ProtocolStatus.EXCEPTION
    assert strict.reason.startswith("tls: certificate verify failed")


def test_a_certificate_of_an_authority_we_trust(secure, monkeypatch):
    server, authority = secure
    plain = ssl.create_default_context

    def with_ours(*args, **options):
        context = plain(*args, **options)
        context.load_verify_locations(authority)
        return context

    monkeypatch.setattr(ssl, "create_default_context", with_ours)
    answer = server.get("/get", {"http.tls.certificates.check": True})
    assert answer.status is ProtocolStatus.SUCCESS
    assert body(answer)["url"].startswith("https://")
    wrong = Httpbin(server.origin.replace(ADDRESS, "localhost"))
    refused = wrong.get("/get", {"http.tls.certificates.check": True})
    assert "certificate verify failed" in refused.reason


def test_over_tls_too(secure):
    server, _ = secure
    assert server.get("/relative-redirect/1").location == server.origin + "/get"
    assert body(server.get("/gzip"))["gzipped"] is True
    slow = server.get("/drip?duration=20&numbytes=20&delay=0", {"http.time.limit": 1.0})
    assert (slow.truncated, slow.response_ms < 5000) == ("time", True)
