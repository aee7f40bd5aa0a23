"""warc: segments as a WARC file, for archives and other tools."""

import contextlib
import logging
import os
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from warcio.warcwriter import WARCWriter

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import StoreError, os_reason
from crawl_ops.jobs.archiving.pages import StoredPage, pages_of
from crawl_ops.jobs.archiving.records import metadata, response, warcinfo
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir

log = logging.getLogger(__name__)


def warc(
    crawl: CrawlDir, config: CrawlConfig, segments: Sequence[str], out: Path, now: datetime
) -> JobReport:
    """Write segments as WARC 1.1 (ISO 28500:2017): warcinfo, then response and metadata of a page.

    Records are compressed one by one, unless `out` ends in .warc. Content is stored decoded, so
    Content-Encoding and Transfer-Encoding are left out of the headers and Content-Length is right.
    The file appears when it is complete. Raises NotFoundError for an unknown segment, StoreError
    if `out` cannot be written.
    """
    started = time.monotonic()
    found = [crawl.segment(name) for name in dict.fromkeys(segments)]
    counts: Counter[str] = Counter()
    with _aside(out) as file, crawl.session(config) as session:
        writer = WARCWriter(file, gzip=out.suffix != ".warc", warc_version="1.1")
        writer.write_record(warcinfo(writer, config, found, out.name, now))
        counts["warcinfo"] += 1
        for segment in found:
            for page in pages_of(session, segment):
                _write(writer, page, counts)
    size = out.stat().st_size
    details = {"out": str(out), "bytes": size, "segments": [segment.name for segment in found]}
    name = found[0].name if len(found) == 1 else None
    report = JobReport("warc", name, dict(counts), time.monotonic() - started, details)
    log.info("warc: %s in %.1f s, %d bytes", report.counts, report.seconds, size)
    return report


@contextlib.contextmanager
def _aside(out: Path) -> Iterator[Any]:
    """A file beside `out` that takes its name at the end, or is gone."""
    if out.is_dir():  # told now, not when all is written
        raise StoreError(f"{out}: is a folder, where a file is needed")
    aside = out.with_name(f".{out.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(out)
    except OSError as error:
        name = out if error.filename == str(aside) else error.filename or out
        raise StoreError(f"{name}: {os_reason(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


def _write(writer: WARCWriter, page: StoredPage, counts: Counter[str]) -> None:
    record = response(writer, page)
    writer.write_record(record)
    response_id = record.rec_headers.get_header("WARC-Record-ID")
    writer.write_record(metadata(writer, page, response_id))
    counts["response"] += 1
    counts["metadata"] += 1
