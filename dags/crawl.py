"""The Airflow DAG `crawl`: one whole cycle, started by hand from its form."""

# Airflow's safe mode passes over files that do not name both airflow and dag.
from crawl_ops.operators.crawl_dag import crawl_dag

dag = crawl_dag("crawl")
