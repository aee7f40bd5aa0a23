"""Plain text: the text as it is, no title, no links (Nutch's parse-text)."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.charset import decoded_page
from crawl_ops.parse.head import HeadSource, read_head
from crawl_ops.parse.page import Page, Parsed


class TextParser:
    """Parses text/plain and its relatives."""

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config

    def parse(self, page: Page) -> Parsed:
        """The page's text, lines kept, blanks within a line collapsed."""
        data, charset = decoded_page(page, self._config)
        text = data.decode("utf-8", "replace")
        lines = (" ".join(line.split()) for line in text.splitlines())
        parsed = Parsed(
            status=ParseStatus.SUCCESS,
            text="\n".join(line for line in lines if line),
            charset=charset,
            content_type=page.content_type,
            base_url=page.base_url,
        )
        head = read_head(HeadSource(), page, page.base_url, self._config)
        head.apply(parsed)
        return parsed
