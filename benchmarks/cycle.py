"""The whole cycle of the demo site, by the command line and by the DAG: what Airflow adds a task.

    python benchmarks/cycle.py [--depth 2] [--bound 2.0] [--work DIR]

Both crawl the site that comes with this project, with the same properties. The DAG runs as
`make crawl` runs it, in one process; once before, so that its database is there. Tasks are those
that ran. Exits with 1 if Airflow adds more CPU seconds a task than the bound.
"""

import argparse
import os
import shutil
import sqlite3
import sys
from pathlib import Path

from made_crawl import run

from crawl_ops.config.places import airflow_home

CLI = """
import subprocess, sys
from pathlib import Path
from crawl_ops.operators.demo import demo_site
from crawl_ops.config.places import config_file
work, depth = Path(sys.argv[1]), sys.argv[2]
with demo_site() as seeds:
    (work / "seeds.txt").write_text("\\n".join(seeds))
    command = [sys.executable, "-m", "crawl_ops", "--dir", str(work / "crawl"), "--config",
        str(config_file()), "--json", "crawl", "--seeds", str(work / "seeds.txt"), "--depth", depth]
    sys.exit(subprocess.run(command).returncode)
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--bound", type=float, default=2.0)
    parser.add_argument("--work", type=Path, default=Path("build/cycle"))
    options = parser.parse_args()
    work = options.work.absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    os.environ["CRAWL_STORE"] = str(work / "store")
    depth = str(options.depth)
    alone, _ = run("command line", [sys.executable, "-c", CLI, str(work), depth])
    database = airflow_home("crawl") / "airflow.db"
    for crawl in ("first", "second"):
        before = tasks_of(database)
        command = [sys.executable, "-m", "crawl_ops.operators.run_dag", "--depth", depth]
        spent, _ = run(f"DAG, {crawl} time", [*command, "--crawl-id", crawl])
    tasks = tasks_of(database) - before
    added = (spent - alone) / tasks
    print(f"{tasks} tasks; Airflow adds {added:.2f} CPU-s a task (bound {options.bound})")
    return int(added > options.bound)


def tasks_of(database: Path) -> int:
    """The tasks that ran so far."""
    if not database.exists():
        return 0
    with sqlite3.connect(database) as connection:
        query = "SELECT count(*) FROM task_instance WHERE start_date IS NOT NULL"
        return connection.execute(query).fetchall()[0][0]


if __name__ == "__main__":
    sys.exit(main())
