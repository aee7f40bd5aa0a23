"""The verb crawl."""

from typing import Annotated

import typer

from crawl_ops.cli.arguments import COUNT_MAX
from crawl_ops.cli.invocation import invocation, now
from crawl_ops.cli.job_verbs import seed_source
from crawl_ops.cli.output import counted, write, write_json, write_table
from crawl_ops.cli.progress import progress_view
from crawl_ops.cli.stopping import stop_on_signals


def crawl(
    context: typer.Context,
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", min=1, max=100_000, help="Rounds at most.")
    ],
    seeds: Annotated[
        list[str] | None,
        typer.Option("--seeds", metavar="SEEDS", help="A seed file, a folder of them, or a URL."),
    ] = None,
    topn: Annotated[
        int | None,
        typer.Option(
            "--topn",
            "--topN",
            metavar="N",
            min=-1,
            max=COUNT_MAX,
            help="URLs of one round at most; -1: all.",
        ),
    ] = None,
    index: Annotated[
        bool, typer.Option("--index/--no-index", help="Fill the search index.")
    ] = True,
) -> None:
    """Run the whole cycle: inject, rounds, invertlinks, index, dedup.

    Run again, it goes on: pages that are not due are not fetched again.
    """
    from crawl_ops.cli.cycle import Cycle
    from crawl_ops.jobs.preflight import preflight

    asked = invocation(context)
    config = asked.config()
    given = seed_source(seeds) if seeds else None
    preflight(config, given)
    folder = asked.crawl(create=given is not None)
    with stop_on_signals() as stop:
        with progress_view() as view:
            outcome = Cycle(folder, config, view, stop, now).run(given, depth, topn, index)
        if asked.json:
            write_json(outcome.as_dict())
        else:
            write_table(("status", "urls"), sorted(outcome.stats.items()), title="crawldb")
            rounds, indexed = counted(outcome.rounds, "round"), counted(outcome.indexed, "document")
            write(f"{rounds}, {indexed} in the index")
            if outcome.held:
                write(outcome.held)
            if stop.exit_code:
                write("stopped before its end; the same command goes on from here")
    raise typer.Exit(stop.exit_code)
