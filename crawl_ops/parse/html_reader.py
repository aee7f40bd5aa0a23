"""What the written-out tree of a page says: its text, its links, its head."""

from collections.abc import Callable, Sequence

from crawl_ops.model import LinkKind
from crawl_ops.parse.head import HeadSource
from crawl_ops.parse.html_sheet import FIELD, RECORD
from crawl_ops.parse.links import MAX_ANCHOR_LENGTH, MAX_LINKS, srcset_urls
from crawl_ops.parse.page import Outlink
from crawl_ops.parse.text import block_lines, one_line

MAX_METAS = 1_000
MAX_REL_LENGTH = 1_000
NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))
_ASCII_BLANKS = " \t\n\r\f"


class HtmlReader:
    """What was read of one page. `output` is what the stylesheet of html_sheet wrote."""

    def __init__(self, output: str = "") -> None:
        self.links: list[Outlink] = []
        self.dropped: dict[str, int] = {}
        self.is_allowed = True
        """Whether nothing that was read has characters that XML forbids."""
        self.title: str | None = None
        self.base: str | None = None
        self.head = HeadSource()
        self._pieces = output.split(RECORD)
        self._anchor: Outlink | None = None
        self._anchor_from = 0
        self._form: Outlink | None = None
        self._form_from = 0
        self._alts: list[str] = []
        self._read_records()
        self.text = block_lines("".join(self._pieces[::2]))
        self._pieces = []

    def _read_records(self) -> None:
        pieces = self._pieces
        for number in range(1, len(pieces), 2):
            record = pieces[number]
            if record == "a":
                self._end_anchor(number)
                continue
            fields = record.split(FIELD)
            if fields[0] == "A":
                self._start_anchor(fields[1], fields[2], number)
            else:
                _READ[fields[0]](self, fields, number)
        self._end_anchor(len(pieces))

    def _start_anchor(self, href: str, rel: str, number: int) -> None:
        pieces = self._pieces
        if self._anchor is not None:
            self._end_anchor(number)
        if not pieces[number - 1] and number > 1:
            # Two links without a blank between them are two words all the same.
            pieces[number - 1] = " "
        if rel:
            if not self._may_follow(rel):
                return
            rel = one_line(rel, MAX_REL_LENGTH)
        if len(self.links) >= MAX_LINKS:
            self._drop("links.per.page")
            return
        self._anchor = Outlink(href, "", rel)
        self._anchor_from = number + 1
        self.links.append(self._anchor)

    def _end_anchor(self, number: int) -> None:
        link = self._anchor
        if link is None:
            return
        start = self._anchor_from
        pieces = self._pieces
        text = pieces[start] if number - start == 1 else "".join(pieces[start:number:2])
        link.anchor = one_line(text, MAX_ANCHOR_LENGTH)
        if self._alts:
            link.anchor = link.anchor or one_line(" ".join(self._alts), MAX_ANCHOR_LENGTH)
            self._alts.clear()
        self._anchor = None

    def _add(self, href: str, anchor: str, rel: str, kind: LinkKind = LinkKind.LINK) -> None:
        if len(self.links) < MAX_LINKS:
            self.links.append(Outlink(href, anchor, one_line(rel, MAX_REL_LENGTH), kind))
        else:
            self._drop("links.per.page")

    def _drop(self, rule: str) -> None:
        self.dropped[rule] = self.dropped.get(rule, 0) + 1

    def _may_follow(self, rel: str) -> bool:
        if NOFOLLOW.isdisjoint(rel.lower().split()):
            return True
        self._drop("rel=nofollow")
        return False

    def _start_form(self, fields: Sequence[str], number: int) -> None:
        # Only forms that do not post are links (Nutch).
        if fields[1] and fields[2].strip(_ASCII_BLANKS).lower() != "post":
            self._add(fields[1], "", "")
            self._form, self._form_from = self.links[-1], number + 1

    def _end_form(self, _: Sequence[str], number: int) -> None:
        if self._form is not None:
            text = "".join(self._pieces[self._form_from : number : 2])
            self._form.anchor = one_line(text, MAX_ANCHOR_LENGTH)
            self._form = None

    def _image(self, fields: Sequence[str], _: int) -> None:
        alt, source, srcset = one_line(fields[1], MAX_ANCHOR_LENGTH), fields[2], fields[3]
        if alt and self._anchor is not None:
            self._alts.append(alt)
        if source:
            self._add(source, alt, "")
        if srcset:
            for url in srcset_urls(srcset):
                if url != source:
                    self._add(url, alt, "")

    def _source(self, fields: Sequence[str], _: int) -> None:
        if fields[1]:
            self._add(fields[1], "", "")

    def _area(self, fields: Sequence[str], _: int) -> None:
        if not fields[2] or self._may_follow(fields[2]):
            self._add(fields[1], one_line(fields[3], MAX_ANCHOR_LENGTH), fields[2])

    def _link(self, fields: Sequence[str], _: int) -> None:
        href, rel = fields[1], fields[2]
        if not href:
            return
        kind = LinkKind.LINK
        if "canonical" in rel.lower().split():
            kind = LinkKind.CANONICAL
            if self.head.canonical is None:
                self.head.canonical = href
        if self._may_follow(rel):
            self._add(href, "", rel, kind)

    def _meta(self, fields: Sequence[str], _: int) -> None:
        name, prop, equiv, content = fields[1:5]
        if len(self.head.metas) + len(self.head.equivs) < MAX_METAS:
            if name or prop:
                self.head.metas.append((one_line(name or prop).lower(), content))
            if equiv:
                self.head.equivs.append((one_line(equiv).lower(), content))

    def _base(self, fields: Sequence[str], _: int) -> None:
        if self.base is None:
            self.base = fields[1]

    def _html(self, fields: Sequence[str], _: int) -> None:
        if self.head.language is None:
            self.head.language = fields[1] or fields[2]

    def _title(self, fields: Sequence[str], _: int) -> None:
        if self.title is None:
            self.title = one_line(fields[1])


_READ: dict[str, Callable[[HtmlReader, Sequence[str], int], None]] = {
    "B": HtmlReader._base,
    "F": HtmlReader._start_form,
    "f": HtmlReader._end_form,
    "H": HtmlReader._html,
    "I": HtmlReader._image,
    "L": HtmlReader._link,
    "M": HtmlReader._meta,
    "R": HtmlReader._area,
    "S": HtmlReader._source,
    "T": HtmlReader._title,
}
