"""What docker-compose.yml does once before all else: database, pool, connection, first login."""

import json
import os
import sys
from pathlib import Path


def main() -> int:
    """Safe to run again; a password that was changed in .env is taken over."""
    from airflow.configuration import conf

    from crawl_ops.operators.embedded import make_database

    make_database(int(os.environ.get("FETCH_POOL_SLOTS", "8")))
    make_connection(os.environ["CRAWL_STORE"])
    login = {os.environ["AIRFLOW_USER"]: os.environ["AIRFLOW_PASSWORD"]}
    file = Path(conf.get_mandatory_value("core", "simple_auth_manager_passwords_file"))
    file.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        json.dump(login, opened)
    return 0


def make_connection(store: str) -> None:
    """The connection `crawl_store`, for other DAGs; one that is there keeps what it says."""
    from airflow.models.connection import Connection
    from airflow.utils.session import create_session
    from sqlalchemy import select

    from crawl_ops.operators.store_hook import CrawlStoreHook

    name = CrawlStoreHook.default_conn_name
    with create_session() as session:
        if session.scalar(select(Connection).where(Connection.conn_id == name)) is None:
            session.add(Connection(conn_id=name, conn_type=CrawlStoreHook.conn_type, host=store))


if __name__ == "__main__":
    sys.exit(main())
