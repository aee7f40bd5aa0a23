"""RSS, Atom and RDF feeds: their entries, with link, title, date and description."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from crawl_ops.parse.dates import past_date
from crawl_ops.parse.text import one_line

MAX_ENTRIES = 10_000
MAX_TITLE_LENGTH = 1_000

_ENTRIES = ("item", "entry")
_DATES = (
    "pubdate",
    "updated",
    "modified",
    "published",
    "issued",
    "date",
    "created",
    "lastbuilddate",
)
_TEXTS = ("description", "summary", "subtitle", "tagline", "encoded", "content")


@dataclass(slots=True)
class Entry:
    """One entry of a feed; `link` as written."""

    link: str = ""
    title: str = ""
    description: str = ""  # as written, often HTML
    modified_time: datetime | None = None
    guid: str = ""


class FeedReader:
    """Reads a feed's elements into `feed` (the feed itself) and `entries`."""

    def __init__(self, now: datetime | None = None) -> None:
        self.feed = Entry()
        self.entries: list[Entry] = []
        self.dropped = 0
        self.language: str | None = None
        self._now = now
        self._current = self.feed
        self._path: list[str] = []
        self._text: list[str] = []
        self._is_url = True
        self._dated = False
        self.data = self._text.append

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if name in _ENTRIES and parent in ("channel", "rdf", "rss", "feed"):
            self._start_entry()
            about = attributes.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about")
            self._current.guid = about or ""
        elif name == "link" and self._is_field():
            self._atom_link(attributes)
        elif name == "guid":
            self._is_url = attributes.get("isPermaLink", "true").strip().lower() != "false"
        if self._is_field():
            self._text.clear()
        if len(self._path) == 1:
            self.language = attributes.get("{http://www.w3.org/XML/1998/namespace}lang")

    def end(self, name: str) -> None:
        if self._is_field():
            self._field(name, "".join(self._text).strip())
            self._text.clear()
        if self._path:
            self._path.pop()
        if name in _ENTRIES and self._current is not self.feed and not self._in_entry():
            self._end_entry()

    def _in_entry(self) -> bool:
        return any(name in _ENTRIES for name in self._path)

    def _is_field(self) -> bool:
        """Whether the innermost element is a direct child of an entry or of the feed."""
        return len(self._path) > 1 and self._path[-2] in (*_ENTRIES, "channel", "feed")

    def _start_entry(self) -> None:
        self._current = Entry()
        self._dated = False

    def _end_entry(self) -> None:
        entry, self._current = self._current, self.feed
        entry.link = entry.link or entry.guid
        if len(self.entries) >= MAX_ENTRIES:
            self.dropped += 1
        elif entry.link or entry.title:
            self.entries.append(entry)

    def _atom_link(self, attributes: Mapping[str, str]) -> None:
        href = attributes.get("href", "").strip()
        rel = attributes.get("rel", "alternate").strip().lower()
        if href and rel == "alternate" and not self._current.link:
            self._current.link = href

    def _field(self, name: str, text: str) -> None:
        current = self._current
        if not text:
            return
        if name == "link" and not current.link:
            current.link = text
        elif name == "guid" and self._is_url and text.startswith(("http://", "https://")):
            current.guid = text
        elif name == "title" and not current.title:
            current.title = one_line(text, MAX_TITLE_LENGTH)
        elif name in _TEXTS:
            if len(text) > len(current.description):
                current.description = text
        elif name == "language":
            self.language = self.language or text
        elif name in _DATES and not self._dated:
            current.modified_time = past_date(text, self._now)
            self._dated = current.modified_time is not None
