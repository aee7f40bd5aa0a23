"""Nutch's indexer-csv: documents as lines of a CSV file."""

import codecs
import os
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError, IndexingError, os_reason
from crawl_ops.index.document import Document, FieldValue
from crawl_ops.index.refusal import Refusal

LINE_END = "\r\n"


class CsvIndexWriter:
    """Writes csv/nutch.csv anew in each job that has documents; deletes are ignored, as in Nutch.

    The file takes the place of the old one at commit, so readers never see half of it.
    """

    def __init__(self, config: CrawlConfig, location: Path) -> None:
        self._format = CsvFormat(config)
        self._file = location / "csv" / "nutch.csv"
        self._temporary: IO[bytes] | None = None
        self._unseen = False

    def open(self) -> None:
        self.close()

    def write(self, doc: Document) -> None:
        try:
            if self._temporary is None:
                self._temporary = self._started()
            self._temporary.write(self._format.line(doc))
        except OSError as error:
            raise IndexingError(f"{self._file}: {os_reason(error)}") from error
        self._unseen = True

    def delete(self, id: str) -> None:  # noqa: A002  (Nutch's word)
        del id

    def commit(self) -> Sequence[Refusal]:
        if self._temporary is None or not self._unseen:
            return ()
        try:
            self._temporary.flush()
            os.fsync(self._temporary.fileno())
            self._publish()
        except OSError as error:
            raise IndexingError(f"{self._file}: {os_reason(error)}") from error
        self._unseen = False
        return ()

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.close()
            self._temporary = None
        self._unseen = False

    def _started(self) -> IO[bytes]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        file = tempfile.TemporaryFile(dir=self._file.parent)  # noqa: SIM115  (closed by close)
        file.write(self._format.header())
        return file

    def _publish(self) -> None:
        """Copy what there is so far to a file of its own and put that in place.

        The working file has no name, so that a killed job leaves nothing behind.
        """
        assert self._temporary is not None  # noqa: S101  (only called by commit)
        part = self._file.with_name(f".{self._file.name}.{os.getpid()}.part")
        self._temporary.seek(0)
        try:
            with part.open("wb") as out:
                while block := self._temporary.read(1 << 20):
                    out.write(block)
                out.flush()
                os.fsync(out.fileno())
            part.replace(self._file)
        finally:
            part.unlink(missing_ok=True)
            self._temporary.seek(0, os.SEEK_END)


class CsvFormat:
    """How documents become lines: the properties indexer.csv.*."""

    def __init__(self, config: CrawlConfig) -> None:
        options = config.indexer
        self._fields = options.csv_fields
        self._separator = options.csv_separator
        self._valuesep = options.csv_valuesep
        self._quote = options.csv_quotechar
        self._escape = options.csv_escapechar
        self._max_length = options.csv_maxfieldlength
        self._max_values = options.csv_maxfieldvalues
        self._header = options.csv_header
        try:
            self._charset = codecs.lookup(options.csv_charset).name
        except LookupError:
            raise ConfigError(f"indexer.csv.charset: unknown {options.csv_charset!r}") from None

    def header(self) -> bytes:
        """The line with the column names, or nothing."""
        return self._line(list(self._fields)) if self._header else b""

    def line(self, doc: Document) -> bytes:
        """One document; a field it does not have is an empty column."""
        return self._line([self._value(doc, name) for name in self._fields])

    def _line(self, values: list[str]) -> bytes:
        text = self._separator.join(self._quoted(value) for value in values) + LINE_END
        return text.encode(self._charset, errors="replace")

    def _value(self, doc: Document, name: str) -> str:
        value = doc.id if name == "id" else doc.fields.get(name, "")
        values = _texts(value)
        if self._max_values >= 0:
            values = values[: self._max_values]
        if self._max_length >= 0:
            values = [text[: self._max_length] for text in values]
        return self._valuesep.join(values)

    def _quoted(self, text: str) -> str:
        quote = self._quote
        if not quote or not any(part in text for part in (self._separator, quote, "\r", "\n")):
            return text
        return quote + text.replace(quote, (self._escape or quote) + quote) + quote


def _texts(value: FieldValue) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return [value.isoformat() if isinstance(value, datetime) else str(value)]
