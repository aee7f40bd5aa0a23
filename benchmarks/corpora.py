"""How many of other projects' facts hold, by kind, with the bound that each kind has to reach.

python benchmarks/corpora.py [--misses]

The facts are the data files of the tests, which hold every one of them too. Exit 1 when a kind is
below its bound. --misses lists what is decided otherwise, and because of what.
"""

import argparse
import base64
import itertools
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape as xml_escape

sys.path.insert(0, str(Path(__file__).parents[1]))

from crawl_ops.config.load import load
from crawl_ops.parse.charset import declared_charset, encoding_name
from crawl_ops.parse.html import HtmlParser
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.parsers import Parsers
from crawl_ops.parse.robots_tags import Directives, header_directives, meta_directives
from crawl_ops.parse.sitemap import locations
from crawl_ops.protocol.robots_file import RobotsFile, product_tokens
from crawl_ops.protocol.robots_match import escape, path_of
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.hosts import Domains, ascii_host
from crawl_ops.urls.resolve import join

HERE = Path(__file__).resolve().parents[1]
Fact = dict[str, Any]
BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}
RULE_FILES = {"host": "hosts", "protocol": "protocols", "slash": "slashes"}


class Verdict(NamedTuple):
    """Whether one fact holds; if not, what it is about and why it is decided otherwise."""

    holds: bool
    about: str = ""
    because: str = ""


Kind = Callable[[], Iterator[Verdict]]


def facts(room: str, name: str, **wanted: object) -> list[Fact]:
    """The lines of a data file that have these values."""
    file = HERE / "tests" / room / "data" / f"{name}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    for row in rows:
        if "bytes" in row:
            row["bytes"] = base64.b64decode(row["bytes"])
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def told(fact: Fact, found: object, expected: object, about: object) -> Verdict:
    because = fact.get("differs", {})
    because = because.get("because", "") if isinstance(because, dict) else str(because)
    return Verdict(found == expected, f"{about}: {found!r}, not {expected!r}", because)


# urls


def wpt(web: bool) -> Iterator[Verdict]:
    for fact in facts("urls", "wpt_parse"):
        base = fact["base"] or "about:blank"
        is_web = (fact["href"] or fact["url"].strip() or base).lower().startswith("http") or (
            fact["href"] is None and base.startswith("http")
        )
        if is_web or not web:
            yield told(fact, join(base, fact["url"]), fact["href"], fact["url"])


def hosts() -> Iterator[Verdict]:
    for fact in facts("urls", "wpt_host_to_ascii"):
        yield told(fact, ascii_host(fact["host"]), fact["ascii"], fact["host"])


def psl() -> Iterator[Verdict]:
    domains = Domains(private_suffixes=True)
    for fact in facts("urls", "public_suffix"):
        wanted = fact["domain"] or fact["host"].lower()  # without a domain, the host stands for it
        yield told(fact, domains.domain_of(fact["host"]), wanted, fact["host"])


def normalizers() -> Iterator[Verdict]:
    substitutions = json.loads((HERE / "tests/urls/data/substitutions.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.txt"
        for fact in facts("urls", "normalize"):
            given: Fact = {"urlnormalizer.order": fact["order"]}
            given["urlnormalizer.basic.host.idn"] = fact.get("idn")
            given["urlnormalizer.basic.host.idna2008"] = fact.get("idna2008")
            if "substitutions" in fact:
                pairs = substitutions[fact["substitutions"]]
                given["urlnormalizer.regex.rules"] = _as_xml(pairs)
            if "lines" in fact:
                rules.write_text("\n".join(fact["lines"]))
                given[f"urlnormalizer.{RULE_FILES[fact['order'][0]]}.file"] = str(rules)
            chain = UrlChain(load(None, given), fact.get("scope", "default"), filter=False)
            yield told(fact, chain.normalize(fact["url"]), fact["normalized"], fact["url"])


def _as_xml(pairs: list[list[str]]) -> str:
    rules = "".join(
        f"<regex><pattern>{xml_escape(p)}</pattern><substitution>{xml_escape(s)}</substitution>"
        "</regex>"
        for p, s in pairs
    )
    return f"<regex-normalize>{rules}</regex-normalize>"


def filters() -> Iterator[Verdict]:
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.txt"
        for fact in facts("urls", "filter"):
            name = fact["filter"]
            given = {"urlfilter.order": name, **fact.get("properties", {})}
            if "rules" in fact:
                rules.write_text("\n".join(fact["rules"]))
                given[f"urlfilter.{name}.file"] = str(rules)
            judge = UrlChain(load(None, given), normalize=False).judge
            for accepted, group in ((True, "accepted"), (False, "refused")):
                for url in fact[group]:
                    yield told(fact, judge(url).url is not None, accepted, url)


# robots


def _robots(fact: Fact, agents: tuple[str, ...]) -> RobotsFile:
    if "robots_b64" in fact:
        content = base64.b64decode(fact["robots_b64"])
    elif "robots_hex" in fact:
        content = bytes.fromhex(fact["robots_hex"])
    else:
        content = fact["robots"].encode()
    return RobotsFile(content, agents, "http://domain.example/robots.txt")


def google() -> Iterator[Verdict]:
    for fact in facts("protocol", "robots_google"):
        if fact["kind"] == "allowed":
            found: object = _robots(fact, (fact["agent"].lower(),)).verdict(fact["url"]).allowed
            yield told(fact, found, fact["allowed"], fact["url"])
        else:
            found = path_of(fact["in"]) if fact["kind"] == "path" else escape(fact["in"])
            yield told(fact, found, fact["out"], fact["in"])


def robots(source: str) -> Iterator[Verdict]:
    for fact in facts("protocol", "robots", source=source):
        if fact["ask"] == "path":
            spellings = (fact["path"], fact["encoded"], fact["to_match"])
            for pattern, path in itertools.product(spellings, repeat=2):
                file = RobotsFile(f"User-agent: *\nDisallow: {pattern}".encode(), ())
                found: object = file.verdict(f"http://a.example{path}").allowed
                yield told(fact, found, False, pattern)
        elif fact["ask"] != "status":  # what a status means, a server has to be asked for
            file = _robots(fact, product_tokens(fact.get("agents", ())))
            if fact["ask"] == "allowed":
                found = file.verdict(fact["url"]).allowed
            elif fact["ask"] == "crawl_delay":
                found = file.crawl_delay_s
            else:
                sitemaps = list(file.sitemaps)
                found = len(sitemaps) if fact["ask"] == "sitemap_count" else sitemaps
            yield told(fact, found, fact["expected"], fact.get("url", fact["ask"]))


# pages


@cache
def _parsers(conf: str) -> Parsers:
    return Parsers(load(None, json.loads(conf)))


def _parse(
    content: bytes, url: str, conf: Fact | None = None, charset_hint: str | None = None
) -> Parsed:
    page = Page(url, content, url, "text/html", charset_hint)
    return _parsers(json.dumps(conf or {})).parse(page)


def sniffed() -> Iterator[Verdict]:
    for fact in facts("parse", "charsets", what="declaration"):
        content = fact["bytes"]
        mark = next((name for bom, name in BOMS.items() if content.startswith(bom)), None)
        found = mark or declared_charset(content) or "windows-1252"
        yield told(fact, found, fact["expected"], fact["id"])


def labels() -> Iterator[Verdict]:
    for fact in facts("parse", "charsets", what="label"):
        yield told(fact, encoding_name(fact["label"]), fact["expected"], fact["label"])


def _directives(found: Directives) -> Fact:
    return {"for_all": sorted(found.for_all), "for_me": sorted(found.for_me)}


def x_robots() -> Iterator[Verdict]:
    for fact in facts("parse", "head", what="header"):
        found = _directives(header_directives(fact["values"], fact["tokens"]))
        yield told(fact, found, fact["expected"], fact["values"])


def meta_robots() -> Iterator[Verdict]:
    parser = HtmlParser(load())
    for fact in facts("parse", "head", what="meta"):
        reader, _ = parser.read_markup(fact["html"].encode())
        found = _directives(meta_directives(reader.head.metas, fact["tokens"]))
        yield told(fact, found, fact["expected"], fact["html"])
    for fact in facts("parse", "head", what="page"):
        page, wanted = _parse(fact["html"].encode(), fact["url"]), fact["expected"]
        found = {"noindex": page.noindex, "nofollow": page.nofollow, "nocache": page.noarchive}
        yield told(fact, found, {name: wanted[name] for name in found}, fact["html"])


def refreshes() -> Iterator[Verdict]:
    why = "seconds are whole (WHATWG), and scripts are not looked into"
    for fact in facts("parse", "head", what="refresh"):
        page = _parse(fact["bytes"], fact["url"], charset_hint=fact["charset"])
        found = [page.refresh_s, page.refresh_url]
        yield told({**fact, "differs": why}, found, fact["expected"], fact["id"])
    for fact in facts("parse", "head", what="base"):
        page = _parse(fact["bytes"], fact["url"], charset_hint=fact["charset"])
        yield told(fact, page.base_url, join(fact["expected"], ""), fact["id"])


def sitemaps() -> Iterator[Verdict]:
    for fact in facts("parse", "sitemaps", what="document"):
        found = locations(
            fact["bytes"], fact["url"], strict=fact["strict"], lenient=fact["lenient"]
        )
        wanted = fact["expected"]
        if "throws" in wanted:
            yield told(fact, found.kind, "invalid", fact["name"])
            continue
        names = [location.url for location in found.locations]
        count = wanted.get("url_count", wanted.get("sitemap_count", len(names)))
        said = (
            found.kind == "index",
            len(names),
            set(wanted.get("sitemaps_contain", ())) - {*names},
        )
        yield told(fact, said, (wanted.get("is_index", False), count, set()), fact["name"])


def outlinks() -> Iterator[Verdict]:
    for fact in facts("parse", "nutch", op="html-outlinks"):
        page = _parse(fact["html"].encode(), fact["base"], fact.get("conf"), charset_hint="utf-8")
        # WHATWG: a URL without a path has "/" as its path.
        wanted = [[u + "/" * (u.count("/") == 2), anchor] for u, anchor in fact["expected"]]
        yield told(fact, [[link.url, link.anchor] for link in page.outlinks], wanted, fact["note"])
    for fact in facts("parse", "tree_construction"):
        page = _parse(fact["html"].encode(), "http://e.test/", charset_hint="utf-8")
        found = ["".join(link.anchor.split()) for link in page.outlinks]
        yield told(fact, found, ["".join(text.split()) for _, text in fact["links"]], fact["html"])


def texts() -> Iterator[Verdict]:
    why = "no tree builder: frames' fallbacks, CDATA in drawings, text astray in tables; no scripts"
    for fact in facts("parse", "nutch", op="html-text"):
        page = _parse(fact["html"].encode(), "http://e.test/", charset_hint="utf-8")
        yield told(fact, page.text.split(), fact["expected"].split(), fact["note"])
    for fact in facts("parse", "tree_construction"):
        page = _parse(fact["html"].encode(), "http://e.test/", charset_hint="utf-8")
        title, wanted = ("".join((fact[key] or "").split()) for key in ("title", "text"))
        found = "".join(page.text.split())
        found = found if wanted.startswith(title) else found.removeprefix(title)
        yield told({**fact, "differs": why}, found, wanted, fact["html"])


KINDS: tuple[tuple[str, float, Kind], ...] = (
    ("WPT url parsing, http and https", 100, lambda: wpt(True)),
    ("WPT url parsing, all", 100, lambda: wpt(False)),
    ("WPT host to ASCII", 100, hosts),
    ("html_sniff", 100, sniffed),
    ("label_to_encoding", 100, labels),
    ("public suffix list", 95, psl),
    ("X-Robots-Tag", 100, x_robots),
    ("meta robots", 100, meta_robots),
    ("meta refresh and base", 80, refreshes),
    ("sitemaps", 95, sitemaps),
    ("Nutch's normalizers", 97, normalizers),
    ("Nutch's filters", 97, filters),
    ("outlinks", 95, outlinks),
    ("texts", 95, texts),
    ("robots: Google's cases", 100, google),
    ("robots: crawler-commons", 97, lambda: robots("crawler-commons")),
    ("robots: RFC 9309", 100, lambda: robots("rfc9309")),
    ("robots: Nutch", 100, lambda: robots("nutch")),
    ("robots: Protego", 93, lambda: robots("protego")),
)


def main() -> int:
    """Print a line a kind; 0 when every kind reaches its bound."""
    parser = argparse.ArgumentParser(description="Facts of other projects that hold.")
    parser.add_argument("--misses", action="store_true", help="list those that do not")
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # Nutch's rule files have bad lines on purpose
    failed = False
    for name, bound, kind in KINDS:
        verdicts = list(kind())
        held = sum(verdict.holds for verdict in verdicts)
        share = 100 * held / len(verdicts)
        failed |= share < bound
        mark = "" if share >= bound else "  BELOW"
        print(
            f"{name:32} {held:5}/{len(verdicts):<5} {share:6.2f} %  (>= {bound}){mark}", flush=True
        )
        for verdict in verdicts:
            if given.misses and not verdict.holds:
                print(f"    {verdict.about!a:.200}: {verdict.because or 'no reason given'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
