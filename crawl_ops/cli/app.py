"""All verbs as one typer application."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
import typer.core

from crawl_ops.cli import (
    crawl_verb,
    job_verbs,
    logs,
    read_verbs,
    rule_verbs,
    sitemap_verb,
    upkeep_verbs,
)
from crawl_ops.cli.invocation import Invocation
from crawl_ops.cli.output import write

NAME = "crawl-ops"
DIR = "crawl"

app = typer.Typer(
    name=NAME,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

VERBS: dict[str, Callable[..., None]] = {
    "crawl": crawl_verb.crawl,
    "inject": job_verbs.inject,
    "sitemap": sitemap_verb.sitemap,
    "generate": job_verbs.generate,
    "fetch": job_verbs.fetch,
    "parse": job_verbs.parse,
    "updatedb": job_verbs.updatedb,
    "invertlinks": job_verbs.invertlinks,
    "index": job_verbs.index,
    "dedup": job_verbs.dedup,
    "clean": job_verbs.clean,
    "readdb": read_verbs.readdb,
    "readlinkdb": read_verbs.readlinkdb,
    "readseg": read_verbs.readseg,
    "explain": read_verbs.explain,
    "search": read_verbs.search,
    "sql": read_verbs.sql,
    "views": read_verbs.views,
    "normalize": rule_verbs.normalize,
    "filter": rule_verbs.filter_,
    "robots": rule_verbs.robots,
    "warc": job_verbs.warc,
    "reconcile": job_verbs.reconcile,
    "redo": upkeep_verbs.redo,
    "check": upkeep_verbs.check,
    "retention": upkeep_verbs.retention,
    "mergesegs": upkeep_verbs.mergesegs,
    "vacuum": job_verbs.vacuum,
    "showproperties": rule_verbs.showproperties,
}


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as version_of

        write(f"{NAME} {version_of(NAME)}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    location: Annotated[str, typer.Option("--dir", metavar="DIR", help="The crawl folder.")] = DIR,
    properties: Annotated[
        list[str] | None,
        typer.Option("-D", metavar="NAME=VALUE", help="Set a property; may be repeated."),
    ] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="A crawl.toml.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
    version: Annotated[  # noqa: ARG001  (typer's callback answers it)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")
    ] = False,
    verbose: Annotated[
        int, typer.Option("-v", "--verbose", count=True, help="Log more; twice: every URL.")
    ] = 0,
) -> None:
    """Batch web crawling with the semantics of Apache Nutch.

    The options here may also stand behind the verb.
    """
    if not location.strip():
        raise typer.BadParameter("is empty", param_hint="--dir")
    logs.configure(verbose)
    context.obj = Invocation(location, _pairs(properties or []), config_file, json)


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="-D")
        pairs[name.strip()] = value
    return pairs


for _name, _function in VERBS.items():
    app.command(_name)(_function)


@cache
def command() -> typer.core.TyperGroup:
    """The application in the form that is run."""
    group = typer.main.get_command(app)
    if not isinstance(group, typer.core.TyperGroup):
        raise TypeError("an application with several verbs is a group")
    return group


def options_with_value(verb: str) -> frozenset[str]:
    """The options of a verb that take a value; none for what is no verb."""
    found = command().commands.get(verb)
    options = (p for p in found.params if p.param_type_name == "option") if found else ()
    return frozenset(
        name for option in options if not getattr(option, "is_flag", False) for name in option.opts
    )
