"""Somebody else's DAG: crawl one site every night with our operators, then count its pages.

Copy this into a dags folder. It wants a connection `crawl_store` (type "Crawl store") whose folder
holds the crawls, and crawl_ops where Airflow's workers are. Its runs have the tab "Crawl".
"""

from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import DAG, chain, task

from crawl_ops.operators.dedup import DedupOperator
from crawl_ops.operators.fetch import FetchOperator
from crawl_ops.operators.generate import GenerateOperator
from crawl_ops.operators.index import IndexOperator
from crawl_ops.operators.inject import InjectOperator
from crawl_ops.operators.parse import ParseOperator
from crawl_ops.operators.updatedb import UpdateDbOperator

PROPERTIES = {
    "http.agent.name": "news-report",
    "urlfilter.order": ["regex", "domain"],
    "urlfilter.domain.rules": "example.org",
}

with DAG(
    "news_report",
    schedule="@daily",
    start_date=datetime(2026, 1, 1),  # noqa: DTZ001  (in the DAG's time zone)
    catchup=False,
    max_active_runs=1,
    render_template_as_native_obj=True,
    default_args={
        "crawl_dir": "{{ conn.crawl_store.host }}/news_report",
        "properties": PROPERTIES,
        "execution_timeout": timedelta(hours=2),
    },
) as dag:
    inject = InjectOperator(task_id="inject", seeds=["https://example.org/news/"])
    generate = GenerateOperator(task_id="generate", topn=2_000)
    segment = "{{ ti.xcom_pull(task_ids='generate', key='segment') }}"
    fetch = FetchOperator(task_id="fetch", segment=segment)
    parse = ParseOperator(task_id="parse", segment=segment)
    updatedb = UpdateDbOperator(task_id="updatedb", segment=segment)
    index = IndexOperator(task_id="index")
    dedup = DedupOperator(task_id="dedup")

    @task
    def report() -> dict[str, Any]:
        """Pages of the crawl by status."""
        from crawl_ops.config.load import load
        from crawl_ops.jobs.readdb import stats
        from crawl_ops.operators.store_hook import CrawlStoreHook

        return stats(CrawlStoreHook().get_conn("news_report"), load())

    chain(inject, generate, fetch, parse, updatedb, index, dedup, report())
