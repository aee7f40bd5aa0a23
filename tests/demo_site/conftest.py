"""The demo site, served once for all tests of this folder."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # include/ and benchmarks/ are not installed


@pytest.fixture(scope="session")
def site() -> Iterator[Any]:
    from include.demo_site.serve import DemoSite

    with DemoSite(port=0) as running:
        yield running
