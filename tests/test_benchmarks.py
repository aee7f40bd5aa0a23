"""The scripts in benchmarks/ go with the code they measure: each still finds what it imports."""

import importlib
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "benchmarks"
# One process for all: most of a start is the same imports. Peers live in an environment of
# their own, so scripts import them only in the processes that they start there.
SCRIPT = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(name)
    print(name)
"""


def test_every_benchmark_finds_its_imports() -> None:
    names = sorted(file.stem for file in FOLDER.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(FOLDER), *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == names, done.stderr


def test_code_that_a_benchmark_hands_to_a_process_finds_its_imports() -> None:
    lines = {
        line
        for file in FOLDER.glob("*.py")
        for line in file.read_text().splitlines()
        if line.startswith("from crawl_ops") and not line.endswith("(")
    }
    assert len(lines) > 10
    for line in lines:
        _, module, _, names = line.split(maxsplit=3)
        found = vars(importlib.import_module(module))
        for name in names.split(", "):
            assert name.partition(" as ")[0] in found, line
