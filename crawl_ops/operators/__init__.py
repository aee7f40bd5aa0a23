"""Airflow operators, one a job; the only door to airflow."""
