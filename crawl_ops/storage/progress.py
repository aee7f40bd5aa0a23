"""How far a running fetch is: a line for people that carries its numbers, and a small file.

scratch/progress/<segment>/list-000.json is there while a list is fetched; readers that find it
know what the part files will only show when the next one is full.
"""

import contextlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from crawl_ops.errors import CrawlError
from crawl_ops.storage.files import SCRATCH, LocalFiles

SAMPLES_MOST = 240
READ_MOST = 256  # files of a segment that are looked at: no DAG has more fetch lists
_FOLDER = f"{SCRATCH}/progress"
_LONGEST_FILE = 1 << 20


class ProgressLine(str):
    """A line of progress as jobs give it to their callback; `numbers` says the same in figures.

    numbers of a fetch: attempt, pages, left, rate (pages a second), counts by fetch status, and
    hosts as crawl_ops.protocol.queues.FetchQueues.hosts has them.
    """

    __slots__ = ("numbers",)
    numbers: Mapping[str, Any]

    def __new__(cls, line: str, numbers: Mapping[str, Any]) -> "ProgressLine":
        made = super().__new__(cls, line)
        made.numbers = numbers
        return made


class ProgressFile:
    """The progress of one fetch list (of all lists, where `number` is None), for readers.

    Keeps SAMPLES_MOST samples of [time, pages, failed]: when they are full, every second one goes.
    """

    def __init__(self, files: LocalFiles, segment: str, number: int | None) -> None:
        # Nothing is lost with it: no fsync, which would keep the fetch waiting.
        self._files = LocalFiles(files.root, fsync=False)
        self._path = f"{_FOLDER}/{segment}/list-{number or 0:03}.json"
        self._samples: list[tuple[float, int, int]] = []
        self._every = 1
        self._seen = 0

    def put(self, numbers: Mapping[str, Any], now: datetime) -> None:
        """Tell the state at `now`; a disk that does not take it costs the readers only."""
        self._sample(numbers, now)
        state = {"time": now.isoformat(), **numbers, "samples": self._samples}
        with contextlib.suppress(CrawlError):
            self._files.put(self._path, json.dumps(state).encode())

    def remove(self) -> None:
        """The list is finished, or its attempt has ended."""
        with contextlib.suppress(CrawlError):
            self._files.remove(self._path)

    def _sample(self, numbers: Mapping[str, Any], now: datetime) -> None:
        if self._seen % self._every == 0:
            counts = numbers.get("counts", {})
            failed = counts.get("fetch_retry", 0) + counts.get("fetch_gone", 0)
            self._samples.append((round(now.timestamp(), 3), numbers.get("pages", 0), failed))
        self._seen += 1
        if len(self._samples) > SAMPLES_MOST:
            self._samples = self._samples[::2]
            self._every *= 2


def running(files: LocalFiles, segment: str) -> dict[int, dict[str, Any]]:
    """What running fetches of a segment last said, by list; files that are no such thing are not
    there.
    """
    folder = f"{_FOLDER}/{segment}"
    found: dict[int, dict[str, Any]] = {}
    for name in files.names(folder)[:READ_MOST]:
        with contextlib.suppress(CrawlError, ValueError, TypeError, KeyError):
            number = int(name.removeprefix("list-").removesuffix(".json"))
            path = f"{folder}/{name}"
            if files.size(path) > _LONGEST_FILE:
                continue
            state = json.loads(files.read(path))
            found[number] = {**state, "time": datetime.fromisoformat(state["time"])}
    return found
