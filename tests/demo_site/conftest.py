"""The demo site, served once for all tests of this folder."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SERVE = Path(__file__).parents[2] / "include" / "demo_site" / "serve.py"


@pytest.fixture(scope="session")
def serve() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_site_serve", SERVE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def site(serve: ModuleType) -> Iterator[Any]:
    with serve.DemoSite(port=0) as running:
        yield running
