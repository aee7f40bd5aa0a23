"""What parsing a page gives to the job: what is large in it as columns, ready to be stored."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from crawl_ops.model import LinkKind
from crawl_ops.parse.page import Outlink, Parsed


class Links(msgspec.Struct, gc=False, array_like=True):
    """The links of a page, in their order: a list for each column.

    Of kinds, intervals_s, modified_times and priorities None stands for a column of links that
    are nothing but links: as those of almost all pages.
    """

    urls: list[str]
    anchors: list[str | None]
    rels: list[str | None]
    kinds: list[LinkKind] | None = None
    intervals_s: list[int | None] | None = None
    modified_times: list[datetime | None] | None = None
    priorities: list[float | None] | None = None

    @classmethod
    def of(cls, outlinks: Sequence[Outlink]) -> "Links":
        """Outlinks as columns."""
        links = cls(
            [link.url for link in outlinks],
            [link.anchor or None for link in outlinks],
            [link.rel or None for link in outlinks],
        )
        kinds = [link.kind for link in outlinks]
        if kinds.count(LinkKind.LINK) < len(kinds):
            links.kinds = kinds
        links.intervals_s = _told([link.interval_s for link in outlinks])
        links.modified_times = _told([link.modified_time for link in outlinks])
        links.priorities = _told([link.priority for link in outlinks])
        return links

    def kind(self, position: int) -> LinkKind:
        """The kind of one link."""
        return LinkKind.LINK if self.kinds is None else self.kinds[position]


def _told(column: list[Any]) -> list[Any] | None:
    """The column, if it has a value."""
    return column if column.count(None) < len(column) else None


class Answer(msgspec.Struct, array_like=True):
    """A page's result. `parsed` is without text and outlinks, which are beside it.

    text: UTF-8, as it is signed and stored.
    """

    parsed: Parsed
    text: bytes
    links: Links

    @classmethod
    def of(cls, parsed: Parsed, text: bytes) -> "Answer":
        """A result, from which text and outlinks are taken away; `text` is its own as UTF-8."""
        links = Links.of(parsed.outlinks)
        parsed.text, parsed.outlinks = "", []
        return cls(parsed, text, links)
