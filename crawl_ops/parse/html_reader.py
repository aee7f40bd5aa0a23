"""One pass over a page's markup: text, links and what its head says.

The reader is a target for lxml's parser, so no tree is built. Text pieces go straight into a
list; hidden elements cut back what they added, anchors are slices of the list.
"""

from collections.abc import Callable, Mapping

from crawl_ops.model import LinkKind
from crawl_ops.parse.links import MAX_ANCHOR_LENGTH, MAX_LINKS, srcset_urls
from crawl_ops.parse.page import Outlink
from crawl_ops.parse.text import BREAK, one_line

Attributes = Mapping[str, str]
Start = Callable[["HtmlReader", Attributes], None]
End = Callable[["HtmlReader"], None]

MAX_METAS = 1_000
NOFOLLOW = frozenset(("nofollow", "ugc", "sponsored"))


class TooDeepError(Exception):
    """The markup is nested so deeply that reading on would cost more than the page is worth."""


class HtmlReader:
    """What was read so far. `starts` and `ends` say what an element does: text to add, or a call."""

    def __init__(self, starts: dict[str, str | Start], ends: dict[str, str | End]) -> None:
        self.parts: list[str] = []
        self.data = self.parts.append
        self.links: list[Outlink] = []
        self.dropped: dict[str, int] = {}
        self.title: str | None = None
        self.base: str | None = None
        self.language: str | None = None
        self.canonical: str | None = None
        self.metas: list[tuple[str, str]] = []
        self.equivs: list[tuple[str, str]] = []
        self._action = starts.get
        self._end_action = ends.get
        self._hidden: list[tuple[int, int]] = []
        self._anchor: Outlink | None = None
        self._anchor_mark = 0
        self._alts: list[str] = []
        self._form: tuple[Outlink, int] | None = None
        self._title_mark = 0
        self._noscripts = 0
        self._drawings = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element begins (called by lxml)."""
        action = self._action(tag)
        if action is None:
            return
        if action.__class__ is str:
            self.data(action)  # type: ignore[arg-type]
        else:
            action(self, attributes)  # type: ignore[operator]

    def end(self, tag: str) -> None:
        """An element ends (called by lxml)."""
        action = self._end_action(tag)
        if action is None:
            return
        if action.__class__ is str:
            self.data(action)  # type: ignore[arg-type]
        else:
            action(self)  # type: ignore[operator]

    def close(self) -> "HtmlReader":
        """The page ends (called by lxml)."""
        self.end_anchor()
        if self._hidden:
            self._cut_back(*self._hidden[0])
        return self

    def hide(self, attributes: Attributes) -> None:
        """From here to `reveal` nothing is text or link."""
        if "shadowrootmode" not in attributes:
            self._hidden.append((len(self.parts), len(self.links)))
        else:
            self._hidden.append((-1, -1))

    def reveal(self) -> None:
        """The end of a hidden element."""
        if self._hidden:
            self._cut_back(*self._hidden.pop())

    def _cut_back(self, parts: int, links: int) -> None:
        if parts >= 0:
            del self.parts[parts:]
            del self.links[links:]

    def add(self, href: str, anchor: str, rel: str, kind: LinkKind = LinkKind.LINK) -> None:
        """Note a link, unless the page has too many."""
        if len(self.links) >= MAX_LINKS:
            self.drop("links.per.page")
        else:
            self.links.append(Outlink(href, anchor, rel, kind))

    def drop(self, rule: str) -> None:
        """Count a link that `rule` leaves out."""
        self.dropped[rule] = self.dropped.get(rule, 0) + 1

    def may_follow(self, rel: str) -> bool:
        """Whether a rel attribute lets its link be followed; counts it if not."""
        words = NOFOLLOW.intersection(rel.lower().split())
        if words:
            self.drop("rel=nofollow")
        return not words

    def start_anchor(self, attributes: Attributes) -> None:
        """An `a` element: its anchor is the text up to its end, or to the next `a`."""
        if self._anchor is not None:
            self.end_anchor()
        href = attributes.get("href")
        if href is None:
            return
        rel = attributes.get("rel")
        if rel and not self.may_follow(rel):
            return
        if len(self.links) >= MAX_LINKS:
            self.drop("links.per.page")
            return
        self._anchor = Outlink(href, "", rel or "")
        self._anchor_mark = len(self.parts)
        self.links.append(self._anchor)

    def end_anchor(self) -> None:
        """The end of an `a` element; without text the alt texts of its images are the anchor."""
        link = self._anchor
        if link is None:
            return
        text = " ".join("".join(self.parts[self._anchor_mark :]).split())
        link.anchor = (
            text[:MAX_ANCHOR_LENGTH] if text else one_line(" ".join(self._alts), MAX_ANCHOR_LENGTH)
        )
        self._anchor = None
        if self._alts:
            self._alts.clear()

    def start_form(self, attributes: Attributes) -> None:
        """A `form` element, where its target is a link: not when it posts (Nutch)."""
        self.data(BREAK)
        action = attributes.get("action")
        if action and attributes.get("method", "").strip().lower() != "post":
            link = Outlink(action, "", "")
            self._form = (link, len(self.parts))
            self.add_outlink(link)

    def add_outlink(self, link: Outlink) -> None:
        """Note a link whose anchor is not known yet."""
        if len(self.links) < MAX_LINKS:
            self.links.append(link)

    def end_form(self) -> None:
        """The end of a form: the text in it is the anchor."""
        if self._form is not None:
            link, mark = self._form
            link.anchor = one_line("".join(self.parts[mark:]), MAX_ANCHOR_LENGTH)
            self._form = None
        self.data(BREAK)

    def image(self, attributes: Attributes) -> None:
        """An `img` or `source` element: src and srcset, with alt as anchor."""
        alt = one_line(attributes.get("alt") or "", MAX_ANCHOR_LENGTH)
        if alt and self._anchor is not None:
            self._alts.append(alt)
        source = attributes.get("src")
        if source:
            self.add(source, alt, "")
        srcset = attributes.get("srcset")
        if srcset:
            for url in srcset_urls(srcset):
                if url != source:
                    self.add(url, alt, "")

    def frame(self, attributes: Attributes) -> None:
        """A `frame`, `iframe` or `script` element: src."""
        source = attributes.get("src")
        if source:
            self.add(source, "", "")

    def area(self, attributes: Attributes) -> None:
        """An `area` element: href, with alt as anchor."""
        href = attributes.get("href")
        if href is not None:
            rel = attributes.get("rel") or ""
            if not rel or self.may_follow(rel):
                self.add(href, one_line(attributes.get("alt") or "", MAX_ANCHOR_LENGTH), rel)

    def link(self, attributes: Attributes) -> None:
        """A `link` element: href; rel=canonical names the page's preferred URL."""
        href = attributes.get("href")
        if not href:
            return
        rel = attributes.get("rel") or ""
        kind = LinkKind.LINK
        if rel:
            if "canonical" in rel.lower().split():
                kind = LinkKind.CANONICAL
                if self.canonical is None:
                    self.canonical = href
            if not self.may_follow(rel):
                return
        self.add(href, "", rel, kind)

    def script(self, attributes: Attributes) -> None:
        """A `script` element: src; its text is hidden."""
        self.frame(attributes)
        self._hidden.append((len(self.parts), len(self.links)))

    def iframe(self, attributes: Attributes) -> None:
        """An `iframe` element: src; what is in it is for browsers without frames."""
        self.script(attributes)

    def meta(self, attributes: Attributes) -> None:
        """A `meta` element. Refreshes for browsers without scripts do not count."""
        content = attributes.get("content")
        if content is None or len(self.metas) + len(self.equivs) >= MAX_METAS:
            return
        name = attributes.get("name") or attributes.get("property")
        if name:
            self.metas.append((name.strip().lower(), content))
        equiv = attributes.get("http-equiv")
        if equiv and not self._noscripts:
            self.equivs.append((equiv.strip().lower(), content))

    def set_base(self, attributes: Attributes) -> None:
        """A `base` element: the first href counts."""
        href = attributes.get("href")
        if href is not None and self.base is None and not self._noscripts:
            self.base = href

    def html(self, attributes: Attributes) -> None:
        """The `html` element: the page's language."""
        if self.language is None:
            self.language = attributes.get("lang") or attributes.get("xml:lang")

    def start_title(self, _: Attributes) -> None:
        """A `title` element; its text is part of the page's text (Nutch)."""
        self.data(BREAK)
        self._title_mark = len(self.parts)

    def end_title(self) -> None:
        """The end of a `title` element: the first one outside drawings is the page's."""
        if self.title is None and not self._drawings:
            self.title = one_line("".join(self.parts[self._title_mark :]))
        self.data(BREAK)

    def start_drawing(self, _: Attributes) -> None:
        """An `svg` element."""
        self._drawings += 1

    def end_drawing(self) -> None:
        """The end of an `svg` element."""
        self._drawings -= 1

    def start_noscript(self, _: Attributes) -> None:
        """A `noscript` element: read, as scripts are not run."""
        self._noscripts += 1
        self.data(BREAK)

    def end_noscript(self) -> None:
        """The end of a `noscript` element."""
        self._noscripts -= 1
        self.data(BREAK)


class DeepHtmlReader(HtmlReader):
    """A reader that gives up past `max_depth` elements, for pages with very many tags."""

    max_depth = 0
    depth = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element begins (called by lxml). Raises TooDeepError."""
        self.depth += 1
        if self.depth > self.max_depth:
            raise TooDeepError
        super().start(tag, attributes)

    def end(self, tag: str) -> None:
        """An element ends (called by lxml)."""
        self.depth -= 1
        super().end(tag)
