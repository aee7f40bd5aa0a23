"""Batch web crawling with the semantics of Apache Nutch, as Airflow tasks over Parquet."""
