"""The page of one run, and what it asks for while it is looked at."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi import Path as PathPart

from crawl_ops.web import tables
from crawl_ops.web.pages import Offset, Pages, Text
from crawl_ops.web.progress import progress

URL_MOST = 4_000


def run_router(pages: Pages) -> APIRouter:
    """Routes below /run/{dag_id}/{run_id}, for those who may read the run."""
    may_read = Depends(pages.access.may_read_run)
    router = APIRouter(prefix="/run/{dag_id}/{run_id}", dependencies=[may_read])
    _add_page(router, pages)
    _add_crawl(router, pages)
    _add_questions(router, pages)
    return router


def _add_page(router: APIRouter, pages: Pages) -> None:
    @router.get("")
    def run_page(request: Request, dag_id: str, run_id: str) -> Response:
        return pages.html(request, "run.html", "../../", run=pages.run(dag_id, run_id))

    @router.get("/progress")
    async def run_progress(dag_id: str, run_id: str) -> Any:
        return await pages.ask(
            dag_id,
            run_id,
            ("progress",),
            lambda found, config: progress(found, config, pages.clock()),
        )


def _add_crawl(router: APIRouter, pages: Pages) -> None:
    @router.get("/hosts")
    async def run_hosts(
        dag_id: str, run_id: str, part: Text = "", order: Text = "host", offset: Offset = 0
    ) -> Any:
        if order not in tables.HOST_ORDERS:
            raise HTTPException(422, f"order: one of {', '.join(tables.HOST_ORDERS)}")
        return await pages.ask(
            dag_id,
            run_id,
            ("hosts", part, order, offset),
            lambda found, config: tables.hosts(found, config, part, order, offset),
        )

    @router.get("/segments")
    async def run_segments(dag_id: str, run_id: str) -> Any:
        return await pages.ask(
            dag_id, run_id, ("segments",), lambda found, _: tables.segments(found)
        )

    @router.get("/segments/{name}")
    async def run_segment(
        dag_id: str, run_id: str, name: Annotated[str, PathPart(max_length=100)]
    ) -> Any:
        return await pages.ask(
            dag_id, run_id, ("segment", name), lambda found, _: tables.segment(found, name)
        )

    @router.get("/configuration")
    async def run_configuration(dag_id: str, run_id: str) -> Any:
        return await pages.ask(
            dag_id, run_id, ("configuration",), lambda found, _: tables.configuration(found)
        )


def _add_questions(router: APIRouter, pages: Pages) -> None:
    @router.get("/url")
    async def run_url(
        dag_id: str, run_id: str, url: Annotated[str, Query(min_length=1, max_length=URL_MOST)]
    ) -> Any:
        return await pages.ask(
            dag_id,
            run_id,
            ("url", url),
            lambda found, config: tables.url_story(found, config, url, pages.clock()),
        )

    @router.get("/search")
    async def run_search(dag_id: str, run_id: str, query: Text = "*", offset: Offset = 0) -> Any:
        return await pages.ask(
            dag_id,
            run_id,
            ("search", query, offset),
            lambda found, _: tables.index_hits(found, query, offset),
        )
