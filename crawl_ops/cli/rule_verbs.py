"""The verbs that ask the rules: URL normalizers and filters, robots.txt, properties."""

import difflib
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from crawl_ops.cli.invocation import invocation, now
from crawl_ops.cli.output import cell, write, write_json, write_table
from crawl_ops.errors import NotFoundError

Urls = Annotated[
    list[str], typer.Argument(metavar="URL...", help="URLs; - reads them from standard input.")
]
Scope = Annotated[
    str,
    typer.Option(
        help="Whose rules: default, inject, outlink, fetcher, crawldb, linkdb, indexer, partition, "
        "generate_host_count."
    ),
]
LINE_MAX = 1 << 16


def given_urls(urls: Iterable[str]) -> Iterator[str]:
    """The URLs of the command line, with those of standard input in place of -."""
    for url in urls:
        if url != "-":
            yield url
            continue
        while line := sys.stdin.buffer.readline(LINE_MAX):
            if text := line.decode("utf-8", "replace").strip():
                yield text


def normalize(context: typer.Context, urls: Urls, scope: Scope = "default") -> None:
    """Show what URLs become: normalizers, then filters."""
    from crawl_ops.urls.chain import UrlChain

    asked = invocation(context)
    chain = UrlChain(asked.config(), scope)
    for url in given_urls(urls):
        verdict = chain.judge(url)
        if asked.json:
            write_json(
                {"url": url, "normalized": verdict.url, "rejected_by": verdict.rejected_by}
                | ({"rule": verdict.rule} if verdict.rule else {})
                | {"changed_by": [name for name, _ in chain.changes(url)]}
            )
        elif verdict.url is not None:
            names = ", ".join(dict.fromkeys(name for name, _ in chain.changes(url)))
            write(cell(verdict.url) + (f"\tby {names}" * bool(names)))
        else:
            write(f"{cell(url)}\trejected by {verdict.rejected_by}: {cell(verdict.rule)}")


def filter_(context: typer.Context, urls: Urls, scope: Scope = "default") -> None:
    """Show whether filters accept URLs as they are, and the rule that decided."""
    from crawl_ops.urls.chain import UrlChain

    asked = invocation(context)
    chain = UrlChain(asked.config(), scope, normalize=False)
    for url in given_urls(urls):
        verdict = chain.judge(url)
        accepted = verdict.url is not None
        yes = chain.accepting(url) if accepted else []
        if asked.json:
            write_json(
                {
                    "url": url,
                    "accepted": accepted,
                    "rejected_by": verdict.rejected_by,
                    "rule": verdict.rule,
                    "accepted_by": [list(rule) for rule in yes],
                }
            )
        else:
            no = [(verdict.rejected_by, verdict.rule)] if verdict.rejected_by else []
            decided = "; ".join(f"{name}: {rule}" for name, rule in (no or yes))
            write(f"{'+' if accepted else '-'}{cell(url)}" + (f"\t{cell(decided)}" * bool(decided)))


def robots(context: typer.Context, urls: Urls) -> None:
    """Ask the robots.txt of URLs whether they may be fetched."""
    from crawl_ops.protocol.http import HttpProtocol
    from crawl_ops.protocol.robots import RobotsRules

    asked = invocation(context)
    config = asked.config()
    http = HttpProtocol(config)
    rules = RobotsRules(config, http)
    try:
        for url in given_urls(urls):
            answer = rules.of(url, now())
            verdict = answer.allows(url)
            found = {
                "url": url,
                "allowed": verdict.allowed,
                "crawl_delay": answer.crawl_delay_s,
                "sitemaps": list(answer.sitemaps),
                "rule": verdict.rule,
                "status": answer.http_status,
                "outcome": answer.outcome,
                "reason": answer.reason,
                "robots": f"{answer.origin}/robots.txt" if answer.origin else None,
            }
            if asked.json:
                write_json(found)
            else:
                write_table(("what", "value"), [(k, v) for k, v in found.items() if v is not None])
    finally:
        http.close()


def showproperties(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One property.")] = None,
) -> None:
    """Show the configuration in force."""
    from crawl_ops.config.properties import PROPERTIES

    asked = invocation(context)
    properties = asked.config().as_properties()
    if name is not None and name not in PROPERTIES:
        close = difflib.get_close_matches(name, PROPERTIES, n=1, cutoff=0.7)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise NotFoundError(f"there is no property {name!r}{hint}")
    shown = properties if name is None else {name: properties[name]}
    if asked.json:
        write_json(shown)
    else:
        write_table(("property", "value"), sorted(shown.items()))
