"""Facts from other projects' suites, and a parser for a handful of properties."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.config.load import load
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.parsers import Parsers

DATA = Path(__file__).parent / "data"

Facts = Callable[..., list[dict[str, Any]]]
Parse = Callable[..., Parsed]


@pytest.fixture(scope="session")
def facts() -> Facts:
    """The lines of a data file, `bytes` decoded; keyword arguments select by value."""

    def read(name: str, **wanted: object) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in (DATA / name).read_text().splitlines()]
        for row in rows:
            if "bytes" in row:
                row["bytes"] = base64.b64decode(row["bytes"])
        found = [row for row in rows if all(row.get(k) == v for k, v in wanted.items())]
        assert found
        return found

    return read


@pytest.fixture(scope="session")
def parse() -> Parse:
    """Parse markup under some properties, given by their Nutch names."""
    made: dict[str, Parsers] = {}

    def run(
        content: bytes | str,
        url: str = "http://e.test/",
        content_type: str | None = "text/html",
        properties: dict[str, Any] | None = None,
        **page: Any,
    ) -> Parsed:
        key = json.dumps(properties or {}, sort_keys=True)
        if key not in made:
            made[key] = Parsers(load(overrides=properties or {}))
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogatepass")
            page.setdefault("charset_hint", "utf-8")
        page.setdefault("charset_hint", None)
        return made[key].parse(Page(url, content, url, content_type, **page))

    return run
