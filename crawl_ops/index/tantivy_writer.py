"""The embedded search index, written with tantivy."""

import contextlib
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import tantivy
from filelock import FileLock, Timeout

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, IndexingError, StoreError
from crawl_ops.index import tantivy_index
from crawl_ops.index.document import Document, FieldValue
from crawl_ops.index.refusal import Refusal

_MAX_MEMORY_BYTES = 4_000_000_000  # of one tantivy thread
_MAX_BOOST = 1e30
FULL_BYTES = 1 << 20  # less than this is left: no segment can be written
_DELETES_MOST = 50_000
"""Of one tantivy writer: its thread keeps each (1.2 kB) until a document comes, commits or not."""
_FAILURES = (ValueError, RuntimeError, OSError)
_TEXTS = ("title", "content", "anchor", "url", "host")


class TantivyIndexWriter:
    """Writes tantivy/ in the index folder: one writer at a time, in all processes.

    The lock is the kernel's (flock): that of a dead process is gone with it. A commit is one
    replaced file (meta.json), so a writer killed at any moment leaves the last commit as it was;
    files it left behind go when the next one opens.
    """

    def __init__(self, config: CrawlConfig, location: Path) -> None:
        self._location = location
        self._memory_bytes = min(config.indexer.memory_bytes, _MAX_MEMORY_BYTES)
        self._lock_timeout_s = config.indexer.lock_timeout
        self._lock = FileLock(location / "tantivy.lock", thread_local=False)
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._uncommitted = False
        self._deletes = 0
        self._refusals: list[Refusal] = []

    def open(self) -> None:
        """Wait up to indexer.lock.timeout for the index. Raises IndexingError (retryable)."""
        if self._writer is not None:
            return
        self._acquire()
        try:
            self._sweep()
            self._index = tantivy_index.create(self._location)
            self._writer = self._made(self._index)
            # Deletes have the same file name each time: one of a killed writer is in their way.
            self._writer.garbage_collect_files()
        except _FAILURES as error:
            self._lock.release()
            raise self._failure("cannot be opened for writing", error) from error
        except BaseException:
            self._lock.release()
            raise

    def write(self, doc: Document) -> None:
        writer = self._ready()
        try:
            made = _tantivy_document(doc)
        except (ValueError, TypeError, OverflowError) as error:
            self._refusals.append(Refusal(doc.id, f"{type(error).__name__}: {error}"[:500]))
            return
        try:
            writer.delete_documents_by_term("id", tantivy_index.document_id(doc.id))
            writer.add_document(made)
        except _FAILURES as error:
            raise self._failure("a document could not be written", error) from error

    def delete(self, id: str) -> None:  # noqa: A002  (Nutch's word)
        try:
            self._ready().delete_documents_by_term("id", tantivy_index.document_id(id))
            self._deletes += 1
        except _FAILURES as error:
            raise self._failure("a document could not be deleted", error) from error

    def commit(self) -> Sequence[Refusal]:
        writer = self._ready()
        try:
            writer.commit()
            self._uncommitted = False
            writer.garbage_collect_files()
            if self._deletes >= _DELETES_MOST and self._index is not None:
                writer.wait_merging_threads()
                self._writer = self._made(self._index)
        except _FAILURES as error:
            raise self._failure("could not be committed", error) from error
        refusals, self._refusals = self._refusals, []
        return refusals

    def documents(self) -> int:
        """The documents in the index as of the last commit."""
        if self._index is None:
            raise IndexingError(f"{self._path}: the writer is not open")
        try:
            self._index.reload()
            return int(self._index.searcher().num_docs)
        except _FAILURES as error:
            raise self._failure("the documents could not be counted", error) from error

    def close(self) -> None:
        """Drop what is not committed, wait for merges, let the next writer in."""
        writer, self._writer = self._writer, None
        self._index = None
        self._refusals = []
        if writer is None:
            return
        try:
            if self._uncommitted:
                writer.rollback()  # also ends merges, so not without need
            writer.wait_merging_threads()
        except _FAILURES as error:
            raise self._failure("could not be closed", error) from error
        finally:
            del writer
            self._lock.release()

    def _made(self, index: tantivy.Index) -> tantivy.IndexWriter:
        self._deletes = 0
        # One thread: the same documents in the same order make the same index.
        return index.writer(self._memory_bytes, num_threads=1)

    def _ready(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise IndexingError(f"{self._path}: the writer is not open")
        self._uncommitted = True
        return self._writer

    def _acquire(self) -> None:
        try:
            self._location.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=self._lock_timeout_s)
        except Timeout:
            raise IndexingError(
                f"{self._path}: another job has been writing for {self._lock_timeout_s:g} s "
                "(indexer.lock.timeout)"
            ) from None
        except OSError as error:
            raise self._failure("cannot be locked", error) from error

    def _sweep(self) -> None:
        """Remove what a killed writer left of a file it was about to put in place."""
        for file in self._path.glob(".tmp*"):
            file.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return tantivy_index.folder(self._location)

    def _failure(self, what: str, error: Exception) -> CrawlError:
        """Retryable, unless the disk is full: a killed worker of tantivy does not say so itself."""
        with contextlib.suppress(OSError):
            if "No space left" in str(error) or shutil.disk_usage(self._location).free < FULL_BYTES:
                return StoreError(f"{self._path}: the disk is full ({what})")
        return IndexingError(f"{self._path}: {what}: {' '.join(str(error).split())[:300]}")


def _tantivy_document(doc: Document) -> tantivy.Document:
    made = tantivy.Document()
    made.add_text("id", tantivy_index.document_id(doc.id))
    made.add_text("key", doc.id)
    for name in _TEXTS:
        for text in _texts(doc.fields.get(name, [])):
            made.add_text(name, text)
    title = _texts(doc.fields.get("title", []))
    made.add_text("title_key", tantivy_index.title_key(title[0] if title else ""))
    rest = {k: _plain(v) for k, v in doc.fields.items() if k not in _TEXTS and k != "id"}
    made.add_json("fields", rest)
    for name in rest:
        made.add_text("field_names", name)
    boost = max(0.0, min(float(doc.boost), _MAX_BOOST))
    made.add_float("boost", boost)
    made.add_float("weight", weight(boost))
    return made


def weight(boost: float) -> float:
    """How much a boost lifts a document: between 1 and 1.9, so that it never beats the words."""
    return 1.0 + 0.9 * boost / (1.0 + boost)


def _texts(value: FieldValue) -> list[str]:
    return value if isinstance(value, list) else [str(value)]


def _plain(value: FieldValue) -> str | float | list[str]:
    return value.isoformat() if isinstance(value, datetime) else value
