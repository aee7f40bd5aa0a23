"""The page across runs."""

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from crawl_ops.config.load import load
from crawl_ops.errors import CrawlError, NotFoundError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.web.history import history
from crawl_ops.web.pages import Pages, Text
from crawl_ops.web.runs import LIMITS, Run, Runs, crawl_of, token_of

RUNS_LOOKED_AT = 200


def history_router(pages: Pages) -> APIRouter:
    """Routes below /runs. What they tell is of the DAGs only that may be read."""
    router = APIRouter(prefix="/runs")
    dag_ids = Annotated[Any, Depends(pages.access.dag_ids)]

    @router.get("")
    def runs_page(request: Request) -> Response:
        return pages.html(request, "runs.html", "")

    @router.get("/crawls")
    async def crawls(allowed: dag_ids) -> Any:
        found = await pages.answers.of(
            ("crawls", _key(allowed)), lambda: _crawls(pages.runs, allowed)
        )
        return {"crawls": [_named(token, *entry) for token, entry in found.items()]}

    @router.get("/history")
    async def crawl_history(allowed: dag_ids, crawl: Text) -> Any:
        def ask() -> Any:
            found = _crawls(pages.runs, allowed)
            if crawl not in found:
                raise NotFoundError("There is no such crawl.")
            opened, runs = found[crawl]
            return history(opened, load(None, LIMITS), runs, pages.changes)

        return await pages.answers.of(("history", _key(allowed), crawl), ask)

    return router


def _named(token: str, crawl: CrawlDir, runs: list[Run]) -> dict[str, Any]:
    return {
        "token": token,
        "name": crawl.root.name,
        "dags": sorted({run.dag_id for run in runs}),
    }


def _key(allowed: Iterable[str] | None) -> frozenset[str] | None:
    return None if allowed is None else frozenset(allowed)


def _crawls(runs: Runs, allowed: Iterable[str] | None) -> dict[str, tuple[CrawlDir, list[Run]]]:
    """Crawl folders by token, newest first, with their runs as far as those may be seen."""
    found: dict[str, tuple[CrawlDir, list[Run]]] = {}
    for run in runs.recent(allowed, RUNS_LOOKED_AT):
        try:
            crawl = crawl_of(run).crawl
        except CrawlError:
            continue
        found.setdefault(token_of(crawl), (crawl, []))[1].append(run)
    return found
