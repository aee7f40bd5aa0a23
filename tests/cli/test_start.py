import json
import subprocess
import sys

import pytest

HEAVY = ("airflow", "duckdb", "pyarrow", "lxml", "tantivy", "rich", "requests")
PROGRAM = """
import json, sys
from crawl_ops.cli.main import main
code = main(json.loads(sys.argv[1]))
sys.stderr.write(json.dumps([code, [m for m in json.loads(sys.argv[2]) if m in sys.modules]]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["normalize", "http://x/", "--json"],
        ["filter", "http://x/"],
        ["showproperties", "http.agent.name"],
        ["--help"],
    ],
)
def test_a_small_question_loads_no_large_library(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(words), json.dumps(HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stderr) == [0, []]
