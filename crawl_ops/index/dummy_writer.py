"""Nutch's indexer-dummy: what would be done, as lines of action TAB URL."""

from collections.abc import Sequence
from pathlib import Path

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import IndexingError, os_reason
from crawl_ops.index.document import Document
from crawl_ops.index.refusal import Refusal


class DummyIndexWriter:
    """Appends `add` and `delete` lines to dummy/dummy-index.txt at each commit."""

    def __init__(self, config: CrawlConfig, location: Path) -> None:
        del config
        self._file = location / "dummy" / "dummy-index.txt"
        self._lines: list[str] = []

    def open(self) -> None:
        self._lines.clear()

    def write(self, doc: Document) -> None:
        self._lines.append(f"add\t{doc.id}\n")

    def delete(self, id: str) -> None:  # noqa: A002  (Nutch's word)
        self._lines.append(f"delete\t{id}\n")

    def commit(self) -> Sequence[Refusal]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8", errors="replace", newline="") as file:
                file.writelines(self._lines)
        except OSError as error:
            raise IndexingError(f"{self._file}: {os_reason(error)}") from error
        self._lines.clear()
        return ()

    def close(self) -> None:
        self._lines.clear()
