"""The Airflow DAG `crawl_redo`: ask again for what failed in a run of `crawl`."""

# Airflow's safe mode passes over files that do not name both airflow and dag.
from crawl_ops.operators.redo_dag import redo_dag

dag = redo_dag("crawl_redo", crawl_id="crawl")
