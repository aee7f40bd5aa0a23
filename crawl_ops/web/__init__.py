"""The pages inside Airflow's own: a run's crawl while it goes, and crawls across runs."""
