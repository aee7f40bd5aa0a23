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


class SegmentLink(BaseOperatorLink):
    """A button on a task that opens its segment on the page of its run: how far each list is."""

    name = "Segment"

    def get_link(self, operator: "BaseOperator", *, ti_key: "TaskInstanceKey") -> str:
        """The tab's address, the segment in its fragment; all of them before there is one."""
        segment = getattr(operator, "segment", None)
        part = f"segments/{quote(segment, safe='')}" if isinstance(segment, str) else "segments"
        return f"{CrawlLink().get_link(operator, ti_key=ti_key)}#{part}"
