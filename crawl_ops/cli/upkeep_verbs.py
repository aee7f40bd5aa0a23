"""The verbs that look after a crawl: what failed asked again, its quality, its old segments."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from crawl_ops.cli.cycle import OWN_RUNS
from crawl_ops.cli.invocation import invocation, now, segment_names
from crawl_ops.errors import NotFoundError

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir

FINDINGS = 1
RunId = Annotated[
    str | None, typer.Option("--run-id", metavar="ID", help="A run; none: the newest.")
]


def redo(
    context: typer.Context,
    run_id: RunId = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100_000, help="Only this depth of it.")
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="HOST", help="Only this host; may be repeated."),
    ] = None,
    lists: Annotated[
        list[int] | None,
        typer.Option("--list", metavar="K", min=0, max=999, help="Only this fetch list."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All its pages, not only what failed.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run/--no-dry-run", help="Whether it only tells.")
    ] = True,
) -> None:
    """Tell what of an earlier run would be asked again; --no-dry-run makes a segment of it."""
    from crawl_ops.jobs.generate import generate
    from crawl_ops.jobs.generating.wish import Again
    from crawl_ops.jobs.redo import redo as job

    asked = invocation(context)
    crawl, config, moment = asked.crawl(), asked.config(), now()
    again = Again(
        wanted_run(crawl, run_id), depth, tuple(lists or ()), tuple(hosts or ()), everything
    )
    if dry_run:
        asked.report(job(crawl, config, again, moment))
    else:
        own = own_run(moment)
        asked.report(generate(crawl, config, moment, run_id=own, depth=1, again=again))


def check(
    context: typer.Context,
    run_id: RunId = None,
    on_findings: Annotated[
        str, typer.Option(metavar="WHAT", help="warn, or stop: exit 1 where something is found.")
    ] = "warn",
) -> None:
    """Compare the crawl after a run with the crawl before it."""
    from crawl_ops.jobs.check import check as job

    if on_findings not in ("warn", "stop"):
        raise typer.BadParameter(f"{on_findings!r} is not warn or stop", param_hint="--on-findings")
    asked = invocation(context)
    crawl = asked.crawl()
    report = job(crawl, asked.config(), wanted_run(crawl, run_id), now())
    asked.report(report)
    if on_findings == "stop" and report.details["findings"]:
        raise typer.Exit(FINDINGS)


def retention(context: typer.Context) -> None:
    """Remove old segments that are in the crawldb, the linkdb and the index."""
    from crawl_ops.jobs.retention import retention as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), now()))


def mergesegs(
    context: typer.Context,
    segments: Annotated[
        list[str] | None, typer.Argument(metavar="[SEGMENT]...", help="Two or more, neighbours.")
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            min=0,
            max=36_500,
            help="All that are older, if finished.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what it would do.")] = False,
) -> None:
    """Merge finished segments into one that holds of each URL what its newest answer brought."""
    from crawl_ops.jobs.mergesegs import mergesegs as job

    if segments and days is not None:
        raise typer.BadParameter("goes without segments", param_hint="--older-than")
    asked = invocation(context)
    config = asked.config()
    if not segments and days is None and not config.crawl.segments_merge_days:
        raise typer.BadParameter("name segments, or say --older-than DAYS", param_hint="SEGMENT")
    names = segment_names(segments)
    asked.report(job(asked.crawl(), config, names, now(), days=days, dry_run=dry_run))


def wanted_run(crawl: "CrawlDir", given: str | None) -> str:
    """The run that is named, or the newest where none is. Raises NotFoundError."""
    if given is None:
        return newest_run(crawl)
    if not given.strip():
        raise typer.BadParameter(f"{given!r} names no run", param_hint="--run-id")
    return given


def newest_run(crawl: "CrawlDir") -> str:
    """The run that made the newest segment, or the newest of those that one stands for.

    Raises NotFoundError where no run made one.
    """
    from crawl_ops.storage.runs import newest_of

    for name in reversed(crawl.segments()):
        info = crawl.segment(name).info()
        if run_id := info.get("run_id"):
            return str(run_id)
        if (merged := info.get("merged")) and (run_id := newest_of(crawl.files, set(merged))):
            return run_id
    raise NotFoundError("no segment of this crawl was made by a run")


def own_run(moment: datetime) -> str:
    """A new run id of the command line's own."""
    return f"{OWN_RUNS}{moment:%Y%m%d%H%M%S}-{uuid.uuid4().hex[:8]}"
