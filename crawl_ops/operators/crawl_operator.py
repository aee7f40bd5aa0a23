"""What all operators of a crawl share: open the crawl, hand over to the job, map its errors."""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseOperator, BaseOperatorLink
from airflow.sdk.exceptions import AirflowFailException

from crawl_ops.config.load import load
from crawl_ops.config.places import config_file, crawl_dir
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError
from crawl_ops.jobs.stop_event import StopEvent
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_link import CrawlLink

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.crawl_dir import CrawlDir

XCOM_BYTES = 4_000
"""No return value is larger (as JSON): XComs carry counts, data stays in the crawl folder."""

_log = logging.getLogger(__name__)


class CrawlOperator(BaseOperator):
    """One job on one crawl folder.

    :param crawl_dir: the path of the crawl folder (templated); without it the one of
        the DAG (crawl_ops.config.places)
    :param config_file: a crawl.toml (templated); without it $CRAWL_CONFIG or include/crawl.toml
    :param properties: properties by their Nutch names that override crawl.toml (templated)
    """

    template_fields: Sequence[str] = ("crawl_dir", "config_file", "properties")
    ui_color = "#e8eef7"
    operator_extra_links: Collection[BaseOperatorLink] = (CrawlLink(),)
    creates: ClassVar[bool] = False  # may make a new crawl folder

    def __init__(
        self,
        *,
        crawl_dir: str | None = None,
        config_file: str | None = None,
        properties: Mapping[str, Any] | str | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("retries", 3)
        kwargs.setdefault("retry_delay", timedelta(seconds=10))
        kwargs.setdefault("retry_exponential_backoff", 2.0)
        kwargs.setdefault("max_retry_delay", timedelta(minutes=5))
        super().__init__(**kwargs)
        self.crawl_dir = crawl_dir
        self.config_file = config_file
        self.properties = properties
        self._stop: StopEvent | None = None

    def execute(self, context: "Context") -> Any:
        """Run the job. An error that asking again cannot mend fails the task without a retry."""
        self._stop = StopEvent()
        try:
            self.prepare(context)
            crawl, config = self.open()
            report = self.run_job(crawl, config, datetime.now(UTC))
        except CrawlError as error:
            if error.retryable:
                raise
            self.log.error("%s", error)  # one plain line; Airflow shows the raise as a traceback
            raise AirflowFailException(str(error)) from None
        returned = self.hand_on(report, context)
        for asset in self.outlets:
            about = {"crawl_dir": str(crawl.root), "run_id": context["dag_run"].run_id}
            context["outlet_events"][asset].extra = {**about, **as_xcom(report)}
        return returned

    def open(self) -> "tuple[CrawlDir, CrawlConfig]":
        """The crawl folder and the configuration in force; raises ConfigError, StoreError."""
        from crawl_ops.storage.crawl_dir import CrawlDir

        file = Path(self.config_file) if self.config_file else config_file()
        config = load(file, dict(self.properties or {}))  # type: ignore[arg-type]
        self.check(config)
        location = self.crawl_dir or crawl_dir(self.dag_id)
        return CrawlDir.open(location, create=self.creates), config

    def prepare(self, context: "Context") -> None:
        """What the job needs of the run; may refuse it (ConfigError) or leave the loop."""

    def check(self, config: CrawlConfig) -> None:
        """Refuse (ConfigError, SeedError) what can be known to be wrong before a folder is made."""

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        """Call the job. Every operator has its own."""
        raise TypeError(f"{type(self).__name__} has no job for {crawl}, {config}, {now}")

    def hand_on(self, report: JobReport, context: "Context") -> Any:  # noqa: ARG002
        """The return value for the grid and for the tasks downstream."""
        return as_xcom(report)

    @property
    def stop(self) -> StopEvent:
        """Set when the task is to end early: jobs that take long look at it."""
        if self._stop is None:
            self._stop = StopEvent()
        return self._stop

    def on_kill(self) -> None:
        """Ask the job to stop: SIGTERM by itself does not end a task."""
        self.stop.ask()  # Airflow calls this in a signal handler


def as_xcom(report: JobReport) -> dict[str, Any]:
    """The report as XCOM_BYTES of plain data at most; of lists, which may hold URLs, the length."""
    plain = {
        key: len(value) if isinstance(value, list | tuple | set) else value
        for key, value in report.as_dict().items()
    }
    for key in sorted(plain, key=lambda key: -_size(plain[key])):
        if _size(plain) <= XCOM_BYTES:
            break
        plain[key] = f"left out: {_size(plain[key]):,} bytes"
    return plain


def _size(value: Any) -> int:
    return len(json.dumps(value, default=str))
