"""Where things are: the crawl folders, crawl.toml, the embedded Airflow's own folder."""

import os
import re
from pathlib import Path

from crawl_ops.errors import ConfigError

CRAWL_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""A crawl id is one folder name: it cannot reach outside the store."""


def home() -> Path:
    """The project folder (the one with include/): $CRAWL_HOME, else the checkout, else here."""
    if given := os.environ.get("CRAWL_HOME"):
        return Path(given).absolute()
    checkout = Path(__file__).absolute().parents[2]
    return checkout if (checkout / "include").is_dir() else Path.cwd()


def store() -> Path | None:
    """$CRAWL_STORE, the folder that crawl folders are in. Raises ConfigError for an address."""
    given = os.environ.get("CRAWL_STORE", "")
    if "://" in given:
        raise ConfigError(f"CRAWL_STORE: {given}: give a folder; no other store is supported yet")
    return Path(given) if given else None


def crawl_dir(crawl_id: str) -> str:
    """The folder of a crawl: $CRAWL_STORE/<id>.

    Without $CRAWL_STORE it is crawls/<id> of the project folder, and crawl/, which crawl-ops takes
    by default, for the crawl of that name. Raises ConfigError where `crawl_id` is no plain name.
    """
    if not re.fullmatch(CRAWL_ID, crawl_id):
        raise ConfigError(f"crawl_id: {crawl_id!r} is no plain name (letters, digits, . _ -)")
    if (folder := store()) is not None:
        return str(folder / crawl_id)
    return str(home() / "crawl") if crawl_id == "crawl" else str(home() / "crawls" / crawl_id)


def config_file(name: str | None = None) -> Path | None:
    """crawl.toml: `name` in include/, else $CRAWL_CONFIG, else include/crawl.toml if there is one.

    Raises ConfigError where `name` leaves include/ or is not there.
    """
    include = home() / "include"
    if name:
        file = (include / name).resolve()
        if not file.is_relative_to(include.resolve()) or not file.is_file():
            raise ConfigError(f"config: there is no file {name!r} in include/")
        return file
    if given := os.environ.get("CRAWL_CONFIG"):
        return Path(given).absolute()
    usual = include / "crawl.toml"
    return usual if usual.is_file() else None


def airflow_home(use: str) -> Path:
    """The folder of an embedded Airflow, in .airflow/.

    `make crawl` and `make airflow` have one each: a scheduler would take up the tasks of a run
    that another process drives in the same metadata database.
    """
    return home() / ".airflow" / use
