"""A run of a DAG as the pages see it, and the crawl folder that is its own."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from crawl_ops.config.load import load
from crawl_ops.config.places import config_file, crawl_dir
from crawl_ops.config.properties import PROPERTIES, CrawlConfig
from crawl_ops.errors import ConfigError, CrawlError, NotFoundError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.runs import Claim, claims, folder_of

DEPTHS_MOST = 200
OPERATORS = (
    "InjectOperator",
    "GenerateOperator",
    "FetchOperator",
    "ParseOperator",
    "UpdateDbOperator",
    "InvertLinksOperator",
    "CheckOperator",
    "IndexOperator",
    "DedupOperator",
    "RedoOperator",
)
"""The operators of a crawl; a run that has none of them has no crawl either."""

LIMITS = {"duckdb.threads": 1, "duckdb.memory_limit": "512MB"}
"""What a page may take of the API server: it is a guest there."""


@dataclass(frozen=True, slots=True)
class Run:
    """A DAG run. folders: the crawl folder that its operators were given, as Airflow keeps their
    rendered fields. dag_folders: those of other runs of its DAG, for a run too old for that.
    crawls: whether it has operators of ours.
    """

    dag_id: str
    run_id: str
    state: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    folders: tuple[str, ...] = ()
    dag_folders: tuple[str, ...] = ()
    config_file: str | None = None
    conf: Mapping[str, Any] = field(default_factory=dict)
    crawls: bool = False

    @property
    def is_over(self) -> bool:
        return self.state in ("success", "failed")


class Runs(Protocol):
    """Where runs are looked up: Airflow's metadata database."""

    def of(self, dag_id: str, run_id: str) -> Run | None:
        """One run."""

    def recent(self, dag_ids: Iterable[str] | None, most: int) -> Sequence[Run]:
        """The newest runs of DAGs that crawl, newest first; of all DAGs, or of those named."""


@dataclass(frozen=True, slots=True)
class RunCrawl:
    """A run with its crawl folder open. claims: what its depths were promised, in order."""

    run: Run
    crawl: CrawlDir
    claims: tuple[Claim, ...]

    @property
    def segments(self) -> list[str]:
        """The segments of the run that exist, in the order they were made."""
        made = self.crawl.files.exists
        names = (claim.segment for claim in self.claims)
        return [name for name in names if made(f"segments/{name}/segment.json")]


def crawl_of(run: Run) -> RunCrawl:
    """The crawl folder of a run: the one its operators were given, or one that knows the run.

    Where nothing is kept of its tasks: the folder of the crawl id in its conf, or of its DAG's
    name. Other crawls of the store may know a run of that id too, which is another DAG's. No part
    of a request is ever taken for a path. Raises NotFoundError if there is none (yet).
    """
    own = _own_folder(run)
    for folder in (*run.folders, *run.dag_folders, *own):
        if (crawl := _opened(folder)) and (found := _claims(crawl, run.run_id)):
            return RunCrawl(run, crawl, found)
    for folder in run.folders or own:
        if crawl := _opened(folder):
            return RunCrawl(run, crawl, ())
    raise NotFoundError("This run has no crawl folder yet: none of its tasks has begun to crawl.")


def _own_folder(run: Run) -> tuple[str, ...]:
    """The folder that the operators of a run take by themselves; none for a name that is none.

    Whoever may trigger any DAG may write a crawl id into a conf: it counts for a run only that
    has such operators.
    """
    if not run.crawls:
        return ()
    try:
        return (crawl_dir(str(run.conf.get("crawl_id") or run.dag_id)),)
    except CrawlError:
        return ()


def config_of(found: RunCrawl, limits: Mapping[str, Any] = LIMITS) -> CrawlConfig:
    """The configuration in force in the run's newest segment, within the limits of a page.

    Before there is one: that of the run's crawl.toml.
    """
    names = found.segments
    if names:
        stored = found.crawl.segment(names[-1]).info().get("config") or {}
        known = {name: value for name, value in stored.items() if name in PROPERTIES}
        return load(None, {**known, **limits})
    try:
        return load(config_file_of(found.run), limits)
    except CrawlError:
        return load(None, limits)


def config_file_of(run: Run) -> Path | None:
    """The crawl.toml of a run: the one its operators were given, or take by themselves.

    Raises ConfigError for one that is not there.
    """
    if run.config_file:
        return Path(run.config_file)
    return config_file(str(run.conf.get("config") or "") or None)


def refuse_foreign_rules(config: CrawlConfig, file: Path | None) -> None:
    """Raises ConfigError for rules that the API server must not take from a run's configuration.

    Whoever may trigger a run may name plug-ins and files in it. On a worker that is its purpose;
    here code would run, and files would be read, where the whole of Airflow's secrets are.
    """
    folder = file.resolve().parent if file else None
    for name, value in config.as_properties().items():
        # Plug-ins of one's own are MODULE:CLASS in a list of names.
        if name.split(".")[0] in _WITH_PLUGS and any(
            isinstance(entry, str) and ":" in entry
            for entry in (value if isinstance(value, list) else ())
        ):
            raise ConfigError(f"{name}: plug-ins are not loaded here; ask with crawl-ops explain")
        if isinstance(config.value(name), Path) and not _inside(str(value), folder):
            raise ConfigError(
                f"{name}: a file outside the configuration's folder is not read here;"
                " ask with crawl-ops explain"
            )


_WITH_PLUGS = ("urlnormalizer", "urlfilter", "indexingfilter", "parse", "protocol", "indexer")


def token_of(crawl: CrawlDir) -> str:
    """What a crawl folder is called in addresses: it says nothing of where it is."""
    return hashlib.sha256(str(crawl.root).encode()).hexdigest()[:16]


def _inside(path: str, folder: Path | None) -> bool:
    return folder is not None and Path(path).resolve().is_relative_to(folder)


def _opened(folder: str) -> CrawlDir | None:
    try:
        return CrawlDir.open(folder)
    except CrawlError:
        return None


def _claims(crawl: CrawlDir, run_id: str) -> tuple[Claim, ...]:
    names = crawl.files.names(folder_of(run_id))
    depths = sorted({int(name[1:4]) for name in names if name[1:4].isdigit()})[:DEPTHS_MOST]
    return tuple(claim for depth in depths for claim in claims(crawl.files, run_id, depth))
