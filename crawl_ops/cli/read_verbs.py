"""The verbs that read what is in a crawl."""

import sys
from itertools import islice
from typing import Annotated, Any, NoReturn

import typer

from crawl_ops.cli.arguments import COUNT_MAX
from crawl_ops.cli.dump import FORMATS, Selection, write_dump
from crawl_ops.cli.invocation import Invocation, invocation, now, segment_name
from crawl_ops.cli.output import cell, on_terminal, write, write_json, write_table
from crawl_ops.errors import NotFoundError

ROWS_ON_TERMINAL = 1000
QUERY_BYTES = 4_000_000


def readdb(
    context: typer.Context,
    stats: Annotated[bool, typer.Option("--stats", help="Counts and extremes.")] = False,
    url: Annotated[str | None, typer.Option("--url", help="The record of one URL.")] = None,
    dump: Annotated[bool, typer.Option("--dump", help="All records.")] = False,
    format_: Annotated[
        str | None, typer.Option("--format", help="Of --dump: normal, csv or json.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Of --dump: only this status, as in db_gone.")
    ] = None,
    regex: Annotated[
        str | None, typer.Option(help="Of --dump: only URLs that this fits as a whole.")
    ] = None,
    retry: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=COUNT_MAX, help="Of --dump: only with so many retries or more."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=COUNT_MAX, help="Of --dump: so many records at most."),
    ] = None,
) -> None:
    """Read the crawldb: statistics, one record, or all."""
    from crawl_ops.jobs import readdb as job

    if [stats, url is not None, dump].count(True) != 1:
        raise typer.BadParameter("give one of --stats, --url URL, --dump")
    asked = invocation(context)
    if dump:
        form = format_ or ("json" if asked.json else "normal")
        if form not in FORMATS:
            raise typer.BadParameter(
                f"{form!r} is not {' or '.join(FORMATS)}", param_hint="--format"
            )
        selection = Selection(status=status, regex=regex, retry=retry, limit=limit)
        write_dump(selection.of(job.dump(asked.crawl(), asked.config())), form)
    elif url is not None:
        _one(asked, job.record(asked.crawl(), asked.config(), url), url, "in the crawldb")
    else:
        _fields(asked, job.stats(asked.crawl(), asked.config()))


def readlinkdb(
    context: typer.Context,
    url: Annotated[str, typer.Option("--url", help="Who links to this URL.")],
) -> None:
    """Read the linkdb: the links to one URL."""
    from crawl_ops.jobs import readlinkdb as job

    asked = invocation(context)
    crawl = asked.crawl()
    found = job.inlinks(crawl, asked.config(), url)
    if asked.json:
        write_json(found)
    elif found["inlinks"]:
        rows = [(link["url"], link["anchor"]) for link in found["inlinks"]]
        write_table(("from", "anchor"), rows, title=f"links to {cell(found['url'])}")
    if not found["inlinks"]:
        if crawl.table("linkdb").current().version:
            _missing(asked, url, f"no link to {url} is in the linkdb")
        _missing(asked, url, "there is no linkdb yet; the verb invertlinks makes it")


def readseg(
    context: typer.Context,
    segment: Annotated[
        str | None, typer.Argument(metavar="[SEGMENT]", help="Only this segment.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Segments with counts.")] = False,
    get: Annotated[
        str | None, typer.Option("--get", metavar="URL", help="The newest record of a URL.")
    ] = None,
) -> None:
    """Read segments: the list of them, or what they hold of one URL."""
    from crawl_ops.jobs import readseg as job

    if list_ == (get is not None):
        raise typer.BadParameter("give one of --list, --get URL")
    asked = invocation(context)
    if get is not None:
        name = segment_name(segment) if segment is not None else None
        found = job.get(asked.crawl(), asked.config(), get, name)
        _one(asked, found, get, f"in {name or 'any segment'}")
        return
    if segment is not None:
        segments = [job.summary(asked.crawl(), segment_name(segment))]
    else:
        segments = job.segments(asked.crawl(), asked.config())
    if asked.json:
        write_json(segments)
    else:
        columns = list(dict.fromkeys(key for one in segments for key in one))
        write_table(columns or ["segment"], [[one.get(key) for key in columns] for one in segments])


def explain(
    context: typer.Context, url: Annotated[str, typer.Argument(metavar="URL", help="A URL.")]
) -> None:
    """Tell why a URL is or is not known, fetched, parsed, indexed."""
    from crawl_ops.jobs.explain import explain as job
    from crawl_ops.jobs.explain import never_seen

    asked = invocation(context)
    crawl = asked.crawl()
    story = job(crawl, asked.config_of(crawl), url, now())
    if asked.json:
        write_json(story)
    else:
        _tell(story)
    if never_seen(story):
        _missing(asked, url, f"{url} is not known to this crawl")


def _tell(story: dict[str, Any]) -> None:
    write(f"{cell(story['url'])}: {story['status'] or 'not known'}")
    if story["normalized"] != story["url"]:
        write(f"normalized: {cell(story['normalized']) or 'no, it is rejected'}")
    steps = ("time", "step", "outcome", "reason", "detail")
    write_table(steps, [[step.get(name) for name in steps] for step in story["steps"]])
    write(f"next fetch: {cell(story['next_fetch']) or 'never'}")


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, or * for all documents.")],
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Hits at most.")
    ] = 10,
) -> None:
    """Search the index."""
    from crawl_ops.index.search import is_there
    from crawl_ops.index.search import search as ask

    asked = invocation(context)
    where = asked.crawl().index_location
    found = ask(where, query, limit)
    hits = [
        {"url": hit.url, "title": hit.title, "score": hit.score, "snippet": hit.snippet}
        for hit in found.hits
    ]
    there = bool(hits) or is_there(where)
    if asked.json:
        write_json({"total": found.total, "hits": hits})
    if not there:
        _not_there(asked, "there is no search index yet; the verb index makes it")
    if asked.json:
        return
    if not found.total:
        write("nothing found")
        return
    rows = [
        (place, hit["title"], hit["url"], hit["snippet"]) for place, hit in enumerate(hits, start=1)
    ]
    write_table(("rank", "title", "url", "snippet"), rows, f"{found.total} found")


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="SQL; - reads standard input.")],
) -> None:
    """Ask the tables in SQL, read-only."""
    asked = invocation(context)
    text = _standard_input() if query == "-" else query
    rows = asked.crawl().query(asked.config(), text)
    if asked.json:
        for row in rows:
            write_json(row)
        return
    shown = list(islice(rows, 1))
    if not shown:
        return
    columns = list(shown[0])
    if not on_terminal():
        write_table(columns, (list(row.values()) for rest in (shown, rows) for row in rest))
        return
    shown += islice(rows, ROWS_ON_TERMINAL - 1)
    write_table(columns, [list(row.values()) for row in shown])
    if next(rows, None) is not None:
        write(f"(the first {ROWS_ON_TERMINAL:,} rows; pipe the output to have all)")


def views(context: typer.Context) -> None:
    """Print the views as SQL, for any DuckDB shell: as the crawl is now."""
    from crawl_ops.storage.ask import views_script

    asked = invocation(context)
    script = views_script(asked.crawl(), asked.config())
    if asked.json:
        write_json({"sql": script})
    else:
        write(script)


def _standard_input() -> str:
    given = sys.stdin.buffer.read(QUERY_BYTES + 1)
    if len(given) > QUERY_BYTES:
        raise typer.BadParameter(f"longer than {QUERY_BYTES:,} bytes", param_hint="standard input")
    try:
        return given.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(
            f"is not UTF-8 text (byte {error.start})", param_hint="standard input"
        ) from None


def _one(asked: Invocation, record: dict[str, Any] | None, url: str, where: str) -> None:
    if record is not None:
        _fields(asked, record)
        return
    if asked.json:
        write_json(None)
    _missing(asked, url, f"{url} is not {where}")


def _missing(asked: Invocation, url: str, message: str) -> NoReturn:
    """A URL was not found: it is no URL at all, or what the message says."""
    from crawl_ops.urls.chain import UrlChain

    verdict = UrlChain(asked.config(), filter=False).judge(url)
    _not_there(asked, f"{url!r:.300} {verdict.rule}" if verdict.url is None else message)


def _not_there(asked: Invocation, message: str) -> NoReturn:
    """Exit 1. With --json what was printed tells it already."""
    if asked.json:
        raise typer.Exit(1)
    raise NotFoundError(message)


def _fields(asked: Invocation, record: dict[str, Any]) -> None:
    if asked.json:
        write_json(record)
    else:
        write_table(("what", "value"), list(record.items()))
