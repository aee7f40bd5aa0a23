"""Thin Airflow operators, one per job, and what starts them: the only door to airflow."""
