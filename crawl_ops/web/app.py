"""The pages as a FastAPI application; who may see them is decided by dependencies it is given."""

from collections.abc import Callable
from datetime import datetime

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, JSONResponse

from crawl_ops.errors import CrawlError, NotFoundError
from crawl_ops.web.bounded import Answers, BusyError
from crawl_ops.web.headers import with_headers
from crawl_ops.web.history_routes import history_router
from crawl_ops.web.pages import HERE, Access, Pages
from crawl_ops.web.run_routes import run_router
from crawl_ops.web.runs import Runs

STATIC = {
    "charts.js": "text/javascript",
    "crawl.css": "text/css",
    "dom.js": "text/javascript",
    "history.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "icon_dark.svg": "image/svg+xml",
    "run.js": "text/javascript",
    "run_panels.js": "text/javascript",
    "theme.js": "text/javascript",
    "uplot.min.css": "text/css",
    "uplot.min.js": "text/javascript",
}


def create_app(
    runs: Runs, access: Access, clock: Callable[[], datetime], answers: Answers | None = None
) -> FastAPI:
    """The application. Every route, static files too, wants `access.signed_in`."""
    app = FastAPI(
        title="crawl_ops",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(access.signed_in)],
    )
    pages = Pages(runs, access, clock, answers or Answers())
    app.middleware("http")(with_headers)
    app.add_exception_handler(CrawlError, _told)
    app.add_exception_handler(BusyError, _told)
    app.include_router(run_router(pages))
    app.include_router(history_router(pages))
    app.get("/static/{name}")(_static)
    return app


async def _told(_: Request, error: Exception) -> JSONResponse:
    """An error as one line for people."""
    status = 422
    if isinstance(error, BusyError):
        status = 503
    elif isinstance(error, NotFoundError):
        status = 404
    return JSONResponse({"detail": str(error)}, status)


async def _static(name: str) -> Response:
    if name not in STATIC:
        raise HTTPException(404, "There is no such file.")
    headers = {"Cache-Control": "private, max-age=300"}
    return FileResponse(HERE / "static" / name, media_type=STATIC[name], headers=headers)
