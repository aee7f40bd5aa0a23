"""The Airflow plugin: the pages in the API server, a tab on every run, an entry in the menu.

Every process of Airflow loads plugins, each task's too; what the pages need is imported when the
API server is first asked for one.
"""

import asyncio
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

if TYPE_CHECKING:
    from fastapi import FastAPI

PREFIX = "/crawl"


class LazyApp:
    """An ASGI application that is made when it is first asked for something."""

    def __init__(self) -> None:
        self._app: FastAPI | None = None
        self._lock = threading.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._app is None:
            # In a thread: imports take a second or two, and others wait for this loop.
            await asyncio.to_thread(self._make)
        assert self._app is not None  # noqa: S101
        await self._app(scope, receive, send)

    def _make(self) -> None:
        with self._lock:
            if self._app is None:
                self._app = _made()


def _made() -> "FastAPI":
    from crawl_ops.web.airflow_pages import make_app

    return make_app()


def _base() -> str:
    """The path below which Airflow is served."""
    return urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")


def _view(**what: Any) -> dict[str, Any]:
    static = f"{_base()}{PREFIX}/static"
    return {"icon": f"{static}/icon.svg", "icon_dark_mode": f"{static}/icon_dark.svg", **what}


class CrawlPlugin(AirflowPlugin):
    """What Airflow loads by the entry point airflow.plugins."""

    name = "crawl"
    fastapi_apps: list[Any] = [  # noqa: RUF012  (so Airflow declares it)
        {"app": LazyApp(), "url_prefix": PREFIX, "name": "Crawl"}
    ]
    external_views: list[Any] = [  # noqa: RUF012  (so Airflow declares it)
        _view(
            name="Crawl",
            href=f"{_base()}{PREFIX}/run/{{DAG_ID}}/{{RUN_ID}}",
            destination="dag_run",
            url_route="crawl",
        ),
        _view(
            name="Crawls",
            href=f"{_base()}{PREFIX}/runs",
            destination="nav",
            category="browse",
            url_route="crawls",
        ),
    ]
