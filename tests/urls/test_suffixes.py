"""The public suffix list is read without tldextract: the answers are those of tldextract."""

import pytest
from tldextract import TLDExtract

from crawl_ops.urls import suffixes
from crawl_ops.urls.hosts import Domains, ascii_host

RULES = suffixes._RULE.findall(suffixes._text())
SPECIAL = [r for r in RULES if not r.isascii() or r[0] in "*!" or r.count(".") > 2]
ODD = [
    "localhost", "a.b.test", "xn--zzzz", "a.xn--", "xn--85x722f.xn--55qx5d.cn",
    "a_b.co.uk", "CO.UK", "b.CO.uk.", "a..", "com..", "*.ck", "!www.ck", "www.ck", "a.ck", "a..com",
]  # fmt: skip


@pytest.mark.parametrize("private", [False, True])
def test_domains_and_suffixes_are_those_of_tldextract(private):
    extract = TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=private
    ).extract_str
    mine = Domains(private)
    hosts = set(ODD)
    for rule in [*SPECIAL[::2], *RULES[::29]]:
        base = rule.lstrip("!").replace("*.", "w.")
        names = (base, f"a.{base}", f"b.a.{base}", base.partition(".")[2])
        hosts.update(*((name, ascii_host(name) or name) for name in names if name))
    assert len(hosts) > 2_000
    for host in hosts:
        plain = host.lower().rstrip(".")
        found = extract(plain)
        last = f"{found.domain}.{found.suffix}" if found.domain else plain
        wanted = last if found.suffix else ".".join(plain.rsplit(".", 2)[-2:])
        assert mine.domain_of(host) == wanted, host
        suffix = (ascii_host(found.suffix) or found.suffix) if found.suffix else None
        assert mine.suffix_of(host) == suffix, host
