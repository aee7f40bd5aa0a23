"""The links from a task to the pages of its run."""

from typing import TYPE_CHECKING
from urllib.parse import quote

from airflow.configuration import conf
from airflow.sdk import BaseOperatorLink

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator
    from airflow.sdk.types import TaskInstanceKey


class CrawlLink(BaseOperatorLink):
    """A button on a task that opens the page of its run: progress, hosts, segments, search."""

    name = "Crawl"

    def get_link(self, operator: "BaseOperator", *, ti_key: "TaskInstanceKey") -> str:  # noqa: ARG002
        """The tab's address."""
        base = conf.get("api", "base_url", fallback="").rstrip("/")
        dag_id, run_id = quote(ti_key.dag_id, safe=""), quote(ti_key.run_id, safe="")
        return f"{base}/dags/{dag_id}/runs/{run_id}/plugin/crawl"


class SegmentsLink(BaseOperatorLink):
    """A button on a task that works on a segment: the segments of the crawl, how far each is."""

    name = "Segments"

    def get_link(self, operator: "BaseOperator", *, ti_key: "TaskInstanceKey") -> str:  # noqa: ARG002
        """The page's address; the tab is its fragment."""
        base = conf.get("api", "base_url", fallback="").rstrip("/")
        dag_id, run_id = quote(ti_key.dag_id, safe=""), quote(ti_key.run_id, safe="")
        return f"{base}/crawl/run/{dag_id}/{run_id}#segments"
