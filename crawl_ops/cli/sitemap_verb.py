"""The verb that brings sitemaps into the crawldb."""

from typing import Annotated

import typer

from crawl_ops.cli.invocation import invocation, now
from crawl_ops.cli.job_verbs import watched


def sitemap(
    context: typer.Context,
    sitemaps: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[URL_OR_FILE]...",
            help="URLs of sitemaps; or files: sitemaps, or lists of URLs of sitemaps.",
        ),
    ] = None,
    from_hosts: Annotated[
        bool,
        typer.Option("--from-hosts", help="Also those of the hosts that the crawl knows."),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Change score and interval of known URLs.")
    ] = False,
    no_strict: Annotated[
        bool,
        typer.Option("--no-strict", "--noStrict", help="Locations may be anywhere."),
    ] = False,
    no_filter: Annotated[
        bool, typer.Option("--no-filter", "--noFilter", help="Do not filter locations.")
    ] = False,
    no_normalize: Annotated[
        bool, typer.Option("--no-normalize", "--noNormalize", help="Do not normalize locations.")
    ] = False,
) -> None:
    """Add what sitemaps name to the crawldb; makes the crawl folder if there is none."""
    from crawl_ops.jobs.sitemap import sitemap as job

    if not sitemaps and not from_hosts:
        raise typer.BadParameter("give a URL or a file, or --from-hosts", param_hint="URL_OR_FILE")
    changes = {
        "sitemap.url.overwrite.existing": True if overwrite else None,
        "sitemap.strict.parsing": False if no_strict else None,
        "sitemap.url.filter": False if no_filter else None,
        "sitemap.url.normalize": False if no_normalize else None,
    }
    asked = invocation(context)
    config = asked.config({name: value for name, value in changes.items() if value is not None})
    crawl = asked.crawl(create=True)
    watched(
        context,
        "sitemap",
        lambda stop, _: job(
            crawl, config, sitemaps or (), now, from_hosts=from_hosts, stop=stop.event
        ),
    )
