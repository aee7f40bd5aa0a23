"""What one running of crawl-ops was asked for, before the verb: folder, properties, form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import typer

from crawl_ops.cli.output import write_json, write_table
from crawl_ops.model import JobReport

if TYPE_CHECKING:
    from crawl_ops.config.properties import CrawlConfig
    from crawl_ops.storage.crawl_dir import CrawlDir


@dataclass(frozen=True, slots=True)
class Invocation:
    """The options of crawl-ops itself. Folder and configuration are opened when asked for."""

    location: str
    properties: Mapping[str, str] = field(default_factory=dict)
    config_file: Path | None = None
    json: bool = False

    def config(self, changes: Mapping[str, Any] | None = None) -> "CrawlConfig":
        """The configuration in force; `changes` are options of the verb, by property name.

        Raises ConfigError.
        """
        from crawl_ops.config.load import load

        return load(self.config_file, {**self.properties, **(changes or {})})

    def config_of(self, crawl: "CrawlDir") -> "CrawlConfig":
        """The configuration to look at a crawl with: without --config, that of its last commit.

        -D goes over it. Secrets are not kept with a commit. Raises ConfigError.
        """
        from crawl_ops.config.load import load
        from crawl_ops.config.properties import HIDDEN, PROPERTIES

        if self.config_file is not None:
            return self.config()
        kept = crawl.table("crawldb").current().config
        known = {
            name: value
            for name, value in kept.items()
            if name in PROPERTIES and value is not None and value != HIDDEN
        }
        return load(None, {**known, **self.properties})

    def crawl(self, create: bool = False) -> "CrawlDir":
        """The crawl folder. Raises StoreError."""
        from crawl_ops.storage.crawl_dir import CrawlDir

        return CrawlDir.open(self.location, create=create)

    def report(self, report: JobReport) -> None:
        """Print what a job did."""
        if self.json:
            write_json(report.as_dict())
            return
        rows: list[tuple[str, Any]] = [("job", report.job), ("segment", report.segment)]
        rows += sorted(report.counts.items())
        rows += [
            (f"{name}, each" if name in report.counts else name, value)
            for name, value in report.details.items()
            if value not in ([], {})
        ]
        rows.append(("seconds", report.seconds))
        write_table(("what", "value"), [row for row in rows if row[1] is not None])


def invocation(context: typer.Context) -> Invocation:
    """The options given before the verb."""
    found = context.obj
    if not isinstance(found, Invocation):
        raise TypeError("a verb is called without the options of crawl-ops")
    return found


def now() -> datetime:
    """The time that a job is given; the command line owns the clock."""
    return datetime.now(UTC)


def segment_name(given: str) -> str:
    """A segment's name, from its name or its path."""
    name = PurePath(given).name
    if not name:
        raise typer.BadParameter(f"{given!r} names no segment")
    return name


def segment_names(given: Sequence[str] | None) -> list[str] | None:
    """Names of segments; None for none given, which means all that were not yet done."""
    return [segment_name(one) for one in given] if given else None
