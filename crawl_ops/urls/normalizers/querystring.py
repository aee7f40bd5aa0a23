"""urlnormalizer-querystring: parameters in alphabetical order."""

from crawl_ops.config.properties import CrawlConfig


class QuerystringUrlNormalizer:
    """Sorts the pieces of the query between `&`; the fragment stays."""

    name = "querystring"
    fingerprint = "querystring"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del config, scope

    def normalize(self, url: str) -> str | None:
        """The URL with its query sorted."""
        rest, mark, fragment = url.partition("#")
        path, question, query = rest.partition("?")
        if "&" not in query:
            return url
        return f"{path}{question}{'&'.join(sorted(query.split('&')))}{mark}{fragment}"
