"""The DAG `crawl` from start to end in this one process, without a scheduler or a web server.

    python -m crawl_ops.operators.run_dag [--seeds FILE] [--depth N] [--topn N] [-D NAME=VALUE]

Without seeds it serves the demo site and crawls that.
"""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from crawl_ops.config.load import load
from crawl_ops.config.places import airflow_home, config_file
from crawl_ops.errors import ConfigError, CrawlError
from crawl_ops.operators.demo import DEMO_SEEDS, demo_site
from crawl_ops.operators.embedded import (
    alone,
    load_dag,
    make_database,
    settings,
    unfinished_run,
    use,
)

DAG_ID = "crawl"
USUAL_DEPTH = 5
DEEPEST = 100
RUN_SETTINGS = {"AIRFLOW__LOGGING__LOGGING_LEVEL": "CRITICAL"}  # RunProgress tells what fails
DEMO_QUERY = "lighthouse"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and report; 0 if the run was a success, 1 if not, 2 for what cannot be run at all."""
    asked = _parser().parse_args(arguments)
    folder = airflow_home("crawl")
    use({**settings(folder), **RUN_SETTINGS})
    try:
        with contextlib.ExitStack() as stack:
            # A second one would take the first one's run for one to go on with.
            stack.enter_context(alone(folder))
            seeds = () if asked.seeds else stack.enter_context(demo_site())
            conf = conf_of(asked, seeds)
            check(conf, asked.seeds)
            sys.stdout.write("starting Airflow in this process; the first time takes a minute\n")
            sys.stdout.flush()
            # No deeper than asked: Airflow takes a second to give up each depth after a failure.
            os.environ["CRAWL_MAX_DEPTH"] = str(conf["depth"])
            return run(conf, asked.search)
    except CrawlError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on where this run ended\n")
        return 130


def check(conf: dict[str, Any], seeds: str | None) -> None:
    """Refuse what cannot work before Airflow is started. Raises ConfigError or SeedError."""
    from crawl_ops.jobs.preflight import preflight
    from crawl_ops.operators.form import properties_of

    if not 1 <= conf["depth"] <= DEEPEST:
        raise ConfigError(f"--depth {conf['depth']}: give a number from 1 to {DEEPEST}")
    config = load(config_file(), properties_of(conf))
    preflight(config, Path(seeds) if seeds else None)


def run(conf: dict[str, Any], query: str) -> int:
    """Run the DAG with `conf`, then print what it came to. Returns the exit code."""
    make_database()
    from crawl_ops.operators.outcome import print_outcome
    from crawl_ops.operators.run_progress import RunProgress

    dag = load_dag(DAG_ID)
    for task in dag.tasks:
        # Somebody is waiting: what does not work at once is told at once.
        task.retries, task.retry_delay = 1, timedelta(seconds=1)
    params = {**dag.params.dump(), **conf}
    begun = unfinished_run(DAG_ID, conf)
    date = begun or datetime.now(UTC)
    progress = RunProgress()
    progress.listen()
    progress.stop_on_interrupt()
    progress.say(f"{'going on with' if begun else 'starting'} DAG {DAG_ID} {json.dumps(conf)}")
    finished = dag.test(run_conf=conf, logical_date=date, run_after=date)
    progress.say(f"run {finished.run_id}: {finished.state}")
    print_outcome(params, finished.run_id, query, DAG_ID)
    for name, error in progress.failures.items():
        sys.stderr.write(f"{name}: {error}\n")
    return 0 if str(finished.state) == "success" else 1


def conf_of(asked: argparse.Namespace, demo_seeds: tuple[str, ...]) -> dict[str, Any]:
    """The run's conf: only what was asked for, so that the form's defaults hold for the rest."""
    conf: dict[str, Any] = {} if demo_seeds else {"seeds": [asked.seeds]}
    properties = dict(_property(given) for given in asked.D)
    if demo_seeds and demo_seeds != DEMO_SEEDS:
        conf["seeds"] = list(demo_seeds)
    for name in ("depth", "topn", "crawl_id", "agent", "delay", "fetch_lists"):
        if getattr(asked, name) is not None:
            conf[name] = getattr(asked, name)
    return {**conf, "properties": properties} if properties else conf


def _property(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals:
        raise ConfigError(f"-D {given}: write NAME=VALUE")
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run_dag", description="Run the DAG crawl once, here.")
    parser.add_argument(
        "--seeds", type=lambda path: str(Path(path).absolute()), help="a seed file or folder"
    )
    for name, kind, text in (
        ("--depth", int, "rounds at most"),
        ("--topn", int, "URLs of a round at most"),
        ("--fetch-lists", int, "fetch lists of a round"),
        ("--delay", float, "seconds between two requests to a host"),
        ("--agent", str, "what the crawler calls itself"),
        ("--crawl-id", str, "the folder of the crawl in the store"),
    ):
        parser.add_argument(name, type=kind, help=text)
    parser.set_defaults(depth=USUAL_DEPTH)
    parser.add_argument("-D", action="append", default=[], metavar="NAME=VALUE", help="a property")
    parser.add_argument("--search", default=DEMO_QUERY, help="show hits for this query")
    return parser


if __name__ == "__main__":
    sys.exit(main())
