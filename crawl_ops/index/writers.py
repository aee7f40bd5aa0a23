"""Index writers: where documents go (indexer.writers)."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.csv_writer import CsvIndexWriter
from crawl_ops.index.document import Document
from crawl_ops.index.dummy_writer import DummyIndexWriter
from crawl_ops.index.refusal import Refusal
from crawl_ops.index.tantivy_index import open_existing
from crawl_ops.index.tantivy_writer import TantivyIndexWriter
from crawl_ops.plugins import load_plug, make_plug

_PROPERTY = "indexer.writers"
_BUILT_IN: dict[str, type] = {
    "tantivy": TantivyIndexWriter,
    "csv": CsvIndexWriter,
    "dummy": DummyIndexWriter,
}


class IndexWriter(Protocol):
    """One place documents go. Made with (config, location); location is the crawl's index folder.

    What was written or deleted since the last commit is seen by nobody before the next one.
    Everything but the making of it may raise IndexingError.
    """

    def open(self) -> None:
        """Get ready to write, waiting for another writer if need be."""
        ...

    def write(self, doc: Document) -> None:
        """Add a document; one of the same id is replaced."""
        ...

    def delete(self, id: str) -> None:  # noqa: A002  (Nutch's word)
        """Take out the document of a URL, if it is there."""
        ...

    def commit(self) -> Sequence[Refusal]:
        """Make it durable and visible. The documents since the last commit that were not taken."""
        ...

    def close(self) -> None:
        """Give up what is not committed, and let the next writer in. May be called twice."""
        ...


def writers(config: CrawlConfig, location: Path) -> list[IndexWriter]:
    """The writers of indexer.writers, not opened yet. Raises ConfigError for an unknown one."""
    return [
        make_plug(_PROPERTY, name, partial(_plug(name, config), config, location))
        for name in config.indexer.writers
    ]


def _plug(name: str, config: CrawlConfig) -> type:
    return load_plug(_PROPERTY, name, _BUILT_IN, config.plugin.folders)


def check(config: CrawlConfig, location: Path) -> None:
    """Raises IndexingError if there is an index that cannot be read, also if nothing is to do."""
    if "tantivy" in config.indexer.writers:
        open_existing(location)


class IndexWriters:
    """All writers as one: open inside `with`, closed at its end, whatever happens."""

    def __init__(self, config: CrawlConfig, location: Path) -> None:
        self._writers = writers(config, location)
        self._opened: list[IndexWriter] = []

    def __enter__(self) -> Self:
        try:
            for writer in self._writers:
                self._opened.append(writer)
                writer.open()
        except BaseException:
            self._close(quietly=True)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._close(quietly=error is not None)

    def write(self, doc: Document) -> None:
        """Add or replace a document everywhere."""
        for writer in self._writers:
            writer.write(doc)

    def delete(self, id: str) -> None:  # noqa: A002  (Nutch's word)
        """Take out the document of a URL everywhere."""
        for writer in self._writers:
            writer.delete(id)

    def commit(self) -> list[Refusal]:
        """Commit everywhere; what some writer did not take."""
        return [refusal for writer in self._writers for refusal in writer.commit()]

    def documents(self) -> int | None:
        """How many documents there are, by the first writer that can tell; None if none can."""
        counts = (getattr(writer, "documents", None) for writer in self._writers)
        count = next(filter(None, counts), None)
        return None if count is None else int(count())

    def deleted_since(self, before: int | None, asked: int) -> dict[str, int]:
        """For a report: how many of the documents `before` are gone, or how many were asked for.

        Right after a commit, when nothing was written since `before` was counted.
        """
        now = None if before is None else self.documents()
        if before is None or now is None:
            return {"delete_requests": asked}
        return {"deleted": before - now}

    def _close(self, *, quietly: bool) -> None:
        """Close all. `quietly`: something else went wrong first, and that is what counts."""
        errors: list[Exception] = []
        while self._opened:
            try:
                self._opened.pop().close()
            except Exception as error:  # noqa: BLE001  (the other writers must be closed too)
                errors.append(error)
        if errors and not quietly:
            raise errors[0]
