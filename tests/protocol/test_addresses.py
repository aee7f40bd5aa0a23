"""Which addresses may be connected to, and that nothing else is."""

import socket

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.addresses import AddressFilter
from crawl_ops.protocol.answer import FetchRequest

OK = b"HTTP/1.1 200 OK\r\n\r\nbody"


def refused(address: str, *, include: str = "", exclude: str = "") -> bool:
    return AddressFilter(include.split(), exclude.split()).refusal(address) is not None


def test_nutchs_facts(vectors):
    for case in vectors("rules.jsonl"):
        match case["op"]:
            case "cidr-contains":
                assert refused(case["ip"], exclude=case["cidr"]) is case["expected"], case
            case "cidr-parse":
                with pytest.raises(ConfigError):
                    AddressFilter([], [case["cidr"]])
            case "ip-in-class":
                assert refused(case["ip"], exclude=case["class"]) is case["expected"], case
            case "ip-filter":
                conf = case["conf"]
                accepted = [
                    not refused(
                        ip,
                        include=conf["http.filter.ipaddress.include"],
                        exclude=conf["http.filter.ipaddress.exclude"],
                    )
                    for ip in case["ips"]
                ]
                assert accepted == case["expected"]["accepted"], case


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.5.4", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.9",
        "203.0.113.5", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe",
        "2002:7f00:1::", "2002:a00:1::1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
        "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "100::1",
        "2001::1",
    ],
)  # fmt: skip
def test_private_is_all_that_is_not_public(address):
    assert refused(address, exclude="private")


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1",
     "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::808:808"],
)  # fmt: skip
def test_public_addresses_are_not_private(address):
    assert not refused(address, exclude="private")


@pytest.mark.parametrize("word", ["linklocal", "LINKLOCAL", "169.254.0.0/16", "169.254.169.254"])
def test_an_ipv4_address_in_ipv6_clothes(word):
    assert refused("::ffff:169.254.169.254", exclude=word)
    assert not refused("::ffff:9.9.9.9", exclude=word)


def test_include_lets_only_those_in():
    assert not refused("10.1.2.3", include="10.0.0.0/8 ::1")
    assert not refused("::ffff:10.1.2.3", include="10.0.0.0/8")
    assert refused("11.1.2.3", include="10.0.0.0/8")
    assert refused("10.1.2.3", include="10.0.0.0/8", exclude="10.1.0.0/16")


@pytest.mark.parametrize("exclude", ["private", "localhost", "loopback", "127.0.0.0/8"])
@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "localhost"])
def test_a_refused_address_is_never_connected(serve, client, exclude, host):
    server = serve(OK)
    http = client(**{"http.filter.ipaddress.exclude": exclude})
    answer = http.fetch(FetchRequest(server.url(host=host)))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.endswith("is refused by http.filter.ipaddress.exclude")
    assert answer.reason.startswith("address ")
    assert server.connections == 0


def test_the_reason_names_the_address(client):
    answer = client(**{"http.filter.ipaddress.exclude": "private"}).fetch(
        FetchRequest("http://10.0.0.1/")
    )
    assert answer.reason == "address 10.0.0.1 is refused by http.filter.ipaddress.exclude"


def names(monkeypatch, table: dict[str, list[list[str]]]) -> list[str]:
    """Look-ups answer from `table`, each time with the next list; the names asked for."""
    asked: list[str] = []

    def getaddrinfo(host, port, *args, **kwargs):
        asked.append(host)
        if host not in table:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        answers = table[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (
                socket.AF_INET6 if ":" in ip else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (ip, port or 0, 0, 0) if ":" in ip else (ip, port or 0),
            )
            for ip in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def test_rebinding_does_not_help(serve, client, monkeypatch):
    good, bad = serve(OK, "127.0.0.5"), serve(OK, "127.0.0.6")
    asked = names(monkeypatch, {"evil.example": [["127.0.0.5"], ["127.0.0.6"]]})
    http = client(**{"http.filter.ipaddress.exclude": "127.0.0.6"})
    first = http.fetch(FetchRequest(good.url(host="evil.example")))
    again = http.fetch(FetchRequest(bad.url(host="evil.example")))
    assert first.ip_address == "127.0.0.5"
    assert again.reason.startswith("connect refused: 127.0.0.5")
    assert (asked, bad.connections) == (["evil.example"], 0)


def test_of_several_addresses_only_allowed_ones_are_tried(serve, client, monkeypatch):
    server = serve(OK, "127.0.0.7")
    names(monkeypatch, {"mixed.example": [["127.0.0.6", "127.0.0.8", "127.0.0.7"]]})
    http = client(**{"http.filter.ipaddress.exclude": "127.0.0.6"})
    answer = http.fetch(FetchRequest(server.url(host="mixed.example")))
    assert (answer.status, answer.ip_address) == (ProtocolStatus.SUCCESS, "127.0.0.7")


def test_a_dead_name_is_asked_for_once(client, monkeypatch):
    asked = names(monkeypatch, {})
    http = client()
    reasons = {http.fetch(FetchRequest(f"http://dead.example/{n}")).reason for n in range(50)}
    assert reasons == {"dns: dead.example: name or service not known"}
    assert asked == ["dead.example"]


def test_the_address_of_a_url(client, monkeypatch):
    names(monkeypatch, {"a.example": [["127.0.0.9", "::1"]]})
    http = client()
    assert http.ip_address_of("http://a.example:81/x") == "127.0.0.9"
    assert http.ip_address_of("http://b.example/") is None
    assert http.ip_address_of("nonsense") is None


@pytest.mark.parametrize("label", ["a" * 64, "a..b", "-" * 300])
def test_a_name_that_cannot_be_one(client, label):
    answer = client().fetch(FetchRequest(f"http://{label}.invalid/"))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith(("dns: ", "bad url"))


def test_nobody_listens(client):
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    answer = client().fetch(FetchRequest(f"http://127.0.0.1:{port}/"))
    assert answer.reason == f"connect refused: 127.0.0.1 port {port}"
    assert answer.ip_address is None


def test_a_full_backlog_is_a_connect_timeout(client):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        where = full.getsockname()
        holders = []
        for _ in range(4):
            holder = socket.socket()
            holder.setblocking(False)
            holder.connect_ex(where)
            holders.append(holder)
        answer = client(timeout=200).fetch(FetchRequest(f"http://127.0.0.1:{where[1]}/"))
        for holder in holders:
            holder.close()
    assert answer.reason == f"connect timeout: 127.0.0.1 port {where[1]}"


def test_words_are_told_when_a_rule_is_none():
    with pytest.raises(ConfigError, match="localhost, loopback, multicast, private, sitelocal"):
        AddressFilter([], ["homenet"])
