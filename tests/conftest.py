"""What holds for all tests."""

import signal
from pathlib import Path

import pytest

# A shell that starts the tests in the background has them ignore Ctrl-C, and what they start too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HEAVY = {"airflow", "browser"}
TESTS = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests run side by side: files stay whole, and one Airflow runs at a time."""
    for item in items:
        path = item.path.relative_to(TESTS)
        group = "airflow" if path.parts[0] in HEAVY else str(path)
        item.add_marker(pytest.mark.xdist_group(group))
