"""https: one context, certificates checked or not, reasons that say tls."""

import ssl
import warnings

import pytest
import trustme

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


def server_context(authority, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


@pytest.fixture
def trusted(authority, monkeypatch, tmp_path):
    """The authority among the system's, as an administrator would add it."""
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))


def test_an_unknown_authority_is_taken_without_checks(serve, client, authority):
    server = serve(OK, tls=server_context(authority, "other.example"))
    answer = client().fetch(FetchRequest(server.url()))
    assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"body")


def test_with_checks_it_is_not(serve, client, authority):
    server = serve(OK, tls=server_context(authority, "127.0.0.1"))
    answer = client(**{"http.tls.certificates.check": True}).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith("tls: certificate verify failed, ")
    assert server.requests == []


@pytest.mark.usefixtures("trusted")
def test_a_known_authority_is_taken_with_checks(serve, client, authority):
    server = serve(OK, tls=server_context(authority, "127.0.0.1"), keep=True)
    http = client(**{"http.tls.certificates.check": True})
    for _ in range(2):
        assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    assert server.connections == 1


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_another_name(serve, client, authority):
    server = serve(OK, tls=server_context(authority, "other.example"))
    answer = client(**{"http.tls.certificates.check": True}).fetch(FetchRequest(server.url()))
    assert answer.reason.startswith("tls: certificate verify failed, IP address mismatch")


def test_old_protocols_are_spoken_without_checks(serve, client, authority):
    context = server_context(authority, "127.0.0.1")
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
    server = serve(OK, tls=context)
    assert client().fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    answer = client(**{"http.tls.certificates.check": True}).fetch(FetchRequest(server.url()))
    assert answer.reason.startswith("tls: ")


def test_plain_http_on_a_tls_port_and_the_other_way_round(serve, client, authority):
    plain = serve(OK)
    answer = client(timeout=500).fetch(FetchRequest(f"https://127.0.0.1:{plain.port}/"))
    assert answer.reason.startswith("tls: ")
    secure = serve(OK, tls=server_context(authority, "127.0.0.1"))
    answer = client().fetch(FetchRequest(f"http://127.0.0.1:{secure.port}/"))
    assert answer.status is ProtocolStatus.EXCEPTION


def test_the_filter_holds_for_tls_too(serve, client, authority):
    server = serve(OK, tls=server_context(authority, "127.0.0.1"))
    answer = client(**{"http.filter.ipaddress.exclude": "private"}).fetch(
        FetchRequest(server.url())
    )
    assert answer.reason == "address 127.0.0.1 is refused by http.filter.ipaddress.exclude"
    assert server.connections == 0
