"""Links that may leave the site all the same (Nutch's urlfilter-ignoreexempt)."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.filters.regex import found_anywhere
from crawl_ops.urls.filters.sections import decide, decisions
from crawl_ops.urls.rulefile import rules_of


class LinkExemptions:
    """The rules of db.ignore.external.exemptions.file: `+REGEX` exempts, the first found decides.

    Without a file nothing is exempt. Raises ConfigError for a bad rule.
    """

    def __init__(self, config: CrawlConfig) -> None:
        file = config.db.ignore_external_exemptions_file
        rules = rules_of("db.ignore.external.exemptions", "", file, None)
        self._decisions = decisions(rules, found_anywhere)
        self._sectioned = any(rule.site is not None for rule in self._decisions)

    def exempts(self, url: str) -> bool:
        """Whether a link to `url`, which leaves the site, counts."""
        return bool(self._decisions) and decide(self._decisions, url, self._sectioned) is None
