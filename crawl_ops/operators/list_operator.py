"""What fetch and parse share: they work on one fetch list of a segment."""

from collections.abc import Mapping, Sequence
from typing import Any

from crawl_ops.operators.crawl_link import CrawlLink, SegmentLink
from crawl_ops.operators.crawl_operator import CrawlOperator


class ListOperator(CrawlOperator):
    """One job on one fetch list.

    :param segment: a generated segment (templated)
    :param manifest: the list as generate names it, {"list", "urls", "hosts"} (templated);
        None: all lists of the segment
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "segment", "manifest")

    operator_extra_links = (CrawlLink(), SegmentLink())

    def __init__(
        self, *, segment: str, manifest: Mapping[str, int] | str | None = None, **kwargs: Any
    ) -> None:
        kwargs.setdefault("map_index_template", "{{ task.label }}")
        super().__init__(**kwargs)
        self.segment = segment
        self.manifest = manifest

    @property
    def label(self) -> str:
        """The list for people: list 3: 812 urls, 40 hosts."""
        if not isinstance(self.manifest, Mapping):
            return "all lists"
        known = [(key, self.manifest[key]) for key in ("urls", "hosts") if key in self.manifest]
        counts = ", ".join(f"{n:,} {key if n != 1 else key[:-1]}" for key, n in known)
        return f"list {self.manifest['list']}" + (f": {counts}" if counts else "")

    @property
    def partition(self) -> int | None:
        """The number of the list, None for all."""
        return self.manifest["list"] if isinstance(self.manifest, Mapping) else None
