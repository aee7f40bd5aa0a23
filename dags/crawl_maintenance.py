"""The Airflow DAG `crawl_maintenance`: every Sunday, what is old is removed and all is compared."""

# Airflow's safe mode passes over files that do not name both airflow and dag.
import os
from datetime import datetime
from zoneinfo import ZoneInfo

from crawl_ops.operators.maintenance_dag import maintenance_dag

dag = maintenance_dag(
    "crawl_maintenance",
    schedule=os.environ.get("CRAWL_MAINTENANCE_SCHEDULE", "0 12 * * 0"),
    start_date=datetime(2026, 1, 1, tzinfo=ZoneInfo(os.environ.get("CRAWL_TIMEZONE", "UTC"))),
    paused=True,
)
