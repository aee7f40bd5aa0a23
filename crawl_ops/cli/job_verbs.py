"""The verbs that run a job and print its report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from crawl_ops.cli.arguments import COUNT_MAX
from crawl_ops.cli.invocation import invocation, now, segment_name, segment_names
from crawl_ops.cli.progress import progress_view
from crawl_ops.cli.stopping import Stop, stop_on_signals
from crawl_ops.errors import StoppedError
from crawl_ops.model import JobReport

Segment = Annotated[str, typer.Argument(metavar="SEGMENT", help="Name or path of a segment.")]
Segments = Annotated[
    list[str], typer.Argument(metavar="SEGMENT...", help="Names or paths of segments.")
]
SomeSegments = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SEGMENT]...", help="Segments; none: all that were not yet done."),
]
Partition = Annotated[
    int | None, typer.Option(min=0, max=999, metavar="K", help="Only this fetch list, from 0.")
]
Depth = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=100_000, help="Depth in the run.")
]
AddDays = Annotated[
    float,
    typer.Option(
        "--add-days",
        "--adddays",
        metavar="N",
        min=-36_500,
        max=36_500,
        help="Days added to the current time, to fetch what is due later.",
    ),
]


def inject(
    context: typer.Context,
    seeds: Annotated[
        list[str],
        typer.Argument(metavar="SEEDS...", help="Seed file, folder of them, or URLs."),
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace records of URLs that are known.")
    ] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Change score, interval and metadata of known URLs.")
    ] = False,
) -> None:
    """Add seeds to the crawldb; makes the crawl folder if there is none."""
    from crawl_ops.jobs.inject import inject as job
    from crawl_ops.jobs.preflight import preflight

    asked = invocation(context)
    config = asked.config()
    given = seed_source(seeds)
    preflight(config, given, fetches=False)
    crawl = asked.crawl(create=True)
    asked.report(job(crawl, config, given, now(), overwrite=overwrite, update=update))


def seed_source(seeds: list[str]) -> Path | list[str]:
    """What inject is given: one path, or URLs."""
    if all("://" in seed for seed in seeds):
        return seeds
    if len(seeds) > 1:
        raise typer.BadParameter("give one file or folder, or URLs", param_hint="SEEDS")
    return Path(seeds[0])


def generate(
    context: typer.Context,
    topn: Annotated[
        int | None,
        typer.Option(
            "--topn",
            "--topN",
            metavar="N",
            min=-1,
            max=COUNT_MAX,
            help="URLs at most; -1: all that are due.",
        ),
    ] = None,
    num_fetchers: Annotated[
        int | None,
        typer.Option(
            "--num-fetchers", "--numFetchers", metavar="N", min=1, max=1000, help="Fetch lists."
        ),
    ] = None,
    add_days: AddDays = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Also URLs of segments that are not yet folded in.")
    ] = False,
    run_id: Annotated[
        str | None, typer.Option(help="With --depth: ask again for that run's segment.")
    ] = None,
    depth: Depth = None,
    redo: Annotated[
        str, typer.Option(help="What asking again for a folded depth takes: failed or all.")
    ] = "failed",
) -> None:
    """Make a segment of the URLs that are due."""
    from crawl_ops.jobs.generate import generate as job

    if redo not in ("failed", "all"):
        raise typer.BadParameter(f"{redo!r} is not failed or all", param_hint="--redo")
    asked = invocation(context)
    asked.report(
        job(
            asked.crawl(),
            asked.config(),
            now(),
            run_id=run_id,
            depth=depth,
            topn=topn,
            num_fetchers=num_fetchers,
            add_days=add_days,
            force=force,
            redo="all" if redo == "all" else "failed",
        )
    )


def fetch(context: typer.Context, segment: Segment, partition: Partition = None) -> None:
    """Fetch the URLs of a segment, politely. What is already there is not asked for again."""
    from crawl_ops.jobs.fetch import fetch as job

    asked = invocation(context)
    crawl, config, name = asked.crawl(), asked.config(), segment_name(segment)
    watched(
        context,
        f"fetch {name}",
        lambda stop, line: job(
            crawl, config, name, now, partition=partition, stop=stop.event, progress=line
        ),
    )


def parse(context: typer.Context, segment: Segment, partition: Partition = None) -> None:
    """Parse the fetched content of a segment."""
    from crawl_ops.jobs.parse import parse as job

    asked = invocation(context)
    crawl, config, name = asked.crawl(), asked.config(), segment_name(segment)
    watched(
        context,
        f"parse {name}",
        lambda stop, line: job(
            crawl, config, name, now(), partition=partition, stop=stop.event, progress=line
        ),
    )


def watched(
    context: typer.Context, what: str, run: Callable[[Stop, Callable[[str], None]], JobReport]
) -> None:
    """Run a job that can be stopped, show how it goes, print its report."""
    with stop_on_signals() as stop:
        with progress_view() as view:
            view.stage(what)
            try:
                report = run(stop, view.line)
            except StoppedError as stopped:
                view.note(str(stopped))
                raise typer.Exit(stop.exit_code or stopped.exit_code) from None
        invocation(context).report(report)


def updatedb(
    context: typer.Context,
    segments: Segments,
    additions: Annotated[
        bool | None,
        typer.Option("--additions/--no-additions", help="Whether new URLs are added."),
    ] = None,
) -> None:
    """Fold fetched and parsed segments into the crawldb and the hostdb."""
    from crawl_ops.jobs.updatedb import updatedb as job

    asked = invocation(context)
    names = segment_names(segments) or []
    asked.report(job(asked.crawl(), asked.config(), names, now(), additions_allowed=additions))


def invertlinks(context: typer.Context, segments: SomeSegments = None) -> None:
    """Add the links of segments to the linkdb."""
    from crawl_ops.jobs.invertlinks import invertlinks as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), segment_names(segments), now()))


def index(context: typer.Context, segments: SomeSegments = None) -> None:
    """Bring segments into the search index."""
    from crawl_ops.jobs.index import index as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), segment_names(segments), now()))


def dedup(
    context: typer.Context,
    group: Annotated[str | None, typer.Option(help="Compare within: none, host or domain.")] = None,
    compare_order: Annotated[
        str | None,
        typer.Option(
            "--compare-order",
            "--compareOrder",
            help="Criteria in order: score, fetchTime, httpsOverHttp, urlLength.",
        ),
    ] = None,
) -> None:
    """Mark duplicates in the crawldb and take them out of the index."""
    from crawl_ops.jobs.dedup import dedup as job

    asked = invocation(context)
    changes: dict[str, Any] = {
        "deduplication.group.mode": group,
        "deduplication.compare.order": compare_order,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    asked.report(job(asked.crawl(), asked.config(given), now()))


def clean(context: typer.Context) -> None:
    """Take pages that are gone, redirected or duplicates out of the index."""
    from crawl_ops.jobs.clean import clean as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), now()))


def vacuum(context: typer.Context) -> None:
    """Remove files that no kept version names, and leftovers of broken jobs."""
    from crawl_ops.jobs.vacuum import vacuum as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), now()))


def reconcile(
    context: typer.Context,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete what only the index has.")
    ] = False,
) -> None:
    """Compare the index with the crawldb."""
    from crawl_ops.jobs.reconcile import reconcile as job

    asked = invocation(context)
    asked.report(job(asked.crawl(), asked.config(), now(), delete=delete))


def warc(
    context: typer.Context,
    segments: Segments,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
) -> None:
    """Write segments as a WARC file."""
    from crawl_ops.jobs.warc import warc as job

    asked = invocation(context)
    names = segment_names(segments) or []
    asked.report(job(asked.crawl(), asked.config(), names, out, now()))
