"""The pages inside Airflow's UI."""
