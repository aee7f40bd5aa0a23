"""What the routes share: who may see what, where runs are, and the answers that are still fresh."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.templating import Jinja2Templates

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.storage.reading import read_again
from crawl_ops.web.bounded import Answers
from crawl_ops.web.history import Changes
from crawl_ops.web.runs import Run, RunCrawl, Runs, config_of, crawl_of
from crawl_ops.web.tables import OFFSET_MOST

HERE = Path(__file__).parent
_templates = Jinja2Templates(HERE / "templates")  # escapes every value in .html

Text = Annotated[str, Query(max_length=300)]
Offset = Annotated[int, Query(ge=0, le=OFFSET_MOST)]
Question = Callable[[RunCrawl, CrawlConfig], Any]


@dataclass(frozen=True, slots=True)
class Access:
    """Who may see what, as dependencies. signed_in and may_read_run refuse; dag_ids gives the
    DAGs that may be read, None for all.
    """

    signed_in: Callable[..., Any]
    may_read_run: Callable[..., Any]
    dag_ids: Callable[..., Iterable[str] | None]


@dataclass(slots=True)
class Pages:
    """What the routes share."""

    runs: Runs
    access: Access
    clock: Callable[[], datetime]
    answers: Answers
    changes: Changes = field(default_factory=Changes)

    def run(self, dag_id: str, run_id: str) -> Run:
        """A run. Raises NotFoundError."""
        if (run := self.runs.of(dag_id, run_id)) is None:
            raise NotFoundError("There is no such run.")
        return run

    async def ask(self, dag_id: str, run_id: str, what: tuple[Any, ...], ask: Question) -> Any:
        """The answer of `ask(crawl of the run, configuration)`; told again while it is fresh."""

        def question() -> Any:
            found = crawl_of(self.run(dag_id, run_id))
            return read_again(lambda: ask(found, config_of(found)))

        return await self.answers.of((dag_id, run_id, *what), question)

    def html(self, request: Request, name: str, root: str, **values: Any) -> Response:
        """A page of templates/; `root` leads from its address to where static/ is."""
        return _templates.TemplateResponse(request, name, {"root": root, **values})
