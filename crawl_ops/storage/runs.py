"""What a run was promised: one small file a depth, created exclusively.

A claim says which segment a depth of a run will have and what generate reads for it, so that
asking again selects the same URLs. runs/<run>/d001.json; a redo of the depth is d001.r01.json.
"""

import hashlib
import json
import re
from collections.abc import Container
from dataclasses import asdict, dataclass
from typing import Any

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.files import LocalFiles

_NAME = re.compile(r"^d(\d{3,})(?:\.r(\d{2,}))?\.json$")


@dataclass(frozen=True, slots=True)
class Claim:
    """What one generate of a depth reads and makes.

    crawldb_version: the version the depth starts from. open_segments: those whose URLs are left
    out. redo: 0 for the first time. of_segment: the newest segment that is redone; of_segments:
    all of them. following: the segment that redid the depth before; what its links led to is
    selected too. everything, lists, hosts: which URLs of them; all lists and hosts, if empty.
    """

    run_id: str
    depth: int
    redo: int
    segment: str
    now: str
    cur_time: str
    crawldb_version: int
    open_segments: tuple[str, ...]
    of_segment: str | None = None
    of_segments: tuple[str, ...] = ()
    following: str | None = None
    everything: bool = False
    lists: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()


def folder_of(run_id: str) -> str:
    """The folder of a run: its id where that is a plain name, and a digest in any case."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", run_id).strip("._")[:60]
    return f"runs/{plain}-{hashlib.sha256(run_id.encode()).hexdigest()[:10]}"


def claims(files: LocalFiles, run_id: str, depth: int) -> list[Claim]:
    """The claims of a depth of a run, first time first."""
    folder = folder_of(run_id)
    found = []
    for name in files.names(folder):
        match = _NAME.match(name)
        if match and int(match[1]) == depth:
            found.append(_read(files, f"{folder}/{name}"))
    return sorted(found, key=lambda claim: claim.redo)


def depths(files: LocalFiles, run_id: str) -> list[int]:
    """The depths of a run that have claims."""
    found = (_NAME.match(name) for name in files.names(folder_of(run_id)))
    return sorted({int(match[1]) for match in found if match})


def newest_of(files: LocalFiles, segments: Container[str]) -> str | None:
    """The run whose claim promised the newest of some segments; None if no run did."""
    found = [
        one
        for folder in files.names("runs")
        for name in files.names(f"runs/{folder}")
        if _NAME.match(name) and (one := _read(files, f"runs/{folder}/{name}")).segment in segments
    ]
    return max(found, key=lambda one: one.segment).run_id if found else None


def claim(files: LocalFiles, wanted: Claim) -> Claim:
    """Take a claim, or the one somebody else took first."""
    redo = f".r{wanted.redo:02}" if wanted.redo else ""
    path = f"{folder_of(wanted.run_id)}/d{wanted.depth:03}{redo}.json"
    if files.create(path, json.dumps(asdict(wanted), indent=1).encode()):
        return wanted
    return _read(files, path)


def _read(files: LocalFiles, path: str) -> Claim:
    try:
        plain: dict[str, Any] = json.loads(files.read(path))
        lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
        return Claim(**{**plain, **lists})
    except (ValueError, TypeError, AttributeError):
        raise StoreError(f"{files.location(path)}: is no claim of a run") from None


@dataclass(frozen=True, slots=True)
class Asked:
    """When a depth was last asked for, in clears of its run, and what that meant for redo."""

    clears: int
    redo: str


def asked(files: LocalFiles, run_id: str, depth: int) -> Asked | None:
    """How a depth of a run was last asked for."""
    path = f"{folder_of(run_id)}/d{depth:03}.asked"
    try:
        return Asked(**json.loads(files.read(path)))
    except NotFoundError:
        return None
    except (ValueError, TypeError):
        raise StoreError(f"{files.location(path)}: does not say what was asked") from None


def note_asked(files: LocalFiles, run_id: str, depth: int, how: Asked) -> None:
    """Remember how a depth of a run is asked for."""
    path = f"{folder_of(run_id)}/d{depth:03}.asked"
    files.put(path, json.dumps(asdict(how)).encode())
