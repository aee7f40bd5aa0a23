"""The whole cycle of the demo site, by the command line and by the DAG: what Airflow adds a task.

    python benchmarks/cycle.py [--depth 2] [--bound 2.0] [--work DIR]

Both crawl the site that comes with this project, with the same properties. Tasks are those that
ran in the DAG's run. Exits with 1 if Airflow adds more CPU seconds a task than the bound.
"""

import argparse
import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path

from made_crawl import run

# The command line knows no demo site: this serves it meanwhile.
CLI = """
import subprocess, sys
from pathlib import Path
from crawl_ops.operators.demo import demo_site
with demo_site() as site:
    seeds = Path(sys.argv[1]) / "seeds.txt"
    seeds.write_text(site + "\\n")
    command = [sys.executable, "-m", "crawl_ops", "--dir", sys.argv[1] + "/crawl", "--config",
        sys.argv[2], "--json", "crawl", "--seeds", str(seeds), "--depth", sys.argv[3]]
    sys.exit(subprocess.run(command).returncode)
"""
