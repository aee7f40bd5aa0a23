"""What each HTML element does while a page is read."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.parse.html_reader import End, HtmlReader, Start
from crawl_ops.parse.text import BREAK

CELLS = ("button", "caption", "iframe", "input", "option", "select", "td", "textarea", "th")
"""Elements that end a word but not a line."""

LINES = ("br", "tr", "title", "body", "noscript", "form")
"""Elements that always end a line, beside parser.html.line.separators."""

_LINK_STARTS: dict[str, Start] = {
    "a": HtmlReader.start_anchor,
    "area": HtmlReader.area,
    "form": HtmlReader.start_form,
    "frame": HtmlReader.frame,
    "iframe": HtmlReader.iframe,
    "img": HtmlReader.image,
    "link": HtmlReader.link,
    "script": HtmlReader.script,
    "source": HtmlReader.image,
}
_OTHER_STARTS: dict[str, Start] = {
    "base": HtmlReader.set_base,
    "html": HtmlReader.html,
    "meta": HtmlReader.meta,
    "noscript": HtmlReader.start_noscript,
    "svg": HtmlReader.start_drawing,
    "title": HtmlReader.start_title,
    "style": HtmlReader.hide,
    "template": HtmlReader.hide,
    "noembed": HtmlReader.hide,
    "noframes": HtmlReader.hide,
}
_ENDS: dict[str, End] = {
    "a": HtmlReader.end_anchor,
    "form": HtmlReader.end_form,
    "iframe": HtmlReader.reveal,
    "noembed": HtmlReader.reveal,
    "noframes": HtmlReader.reveal,
    "noscript": HtmlReader.end_noscript,
    "script": HtmlReader.reveal,
    "style": HtmlReader.reveal,
    "svg": HtmlReader.end_drawing,
    "template": HtmlReader.reveal,
    "title": HtmlReader.end_title,
}


class HtmlRules:
    """The tables a reader works by, made once per configuration."""

    def __init__(self, config: CrawlConfig) -> None:
        parser = config.parser
        marks = dict.fromkeys(CELLS, " ")
        marks |= dict.fromkeys((*LINES, *parser.html_line_separators), BREAK)
        self.starts: dict[str, str | Start] = {**marks, **_OTHER_STARTS}
        self.ends: dict[str, str | End] = {**marks, **_ENDS}
        ignored = {tag.lower() for tag in parser.html_outlinks_ignore_tags}
        if not parser.html_form_use_action:
            ignored.add("form")
        for tag, start in _LINK_STARTS.items():
            if tag not in ignored:
                self.starts[tag] = start
        # Ignored as links, but their text stays hidden.
        for tag in ignored & {"script", "iframe"}:
            self.starts[tag] = HtmlReader.hide

    def reader(self) -> HtmlReader:
        """A reader for one page."""
        return HtmlReader(self.starts, self.ends)
