"""urlfilter-regex: lines `+REGEX` and `-REGEX`; the first that is found in the URL decides."""

import re

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.filters.sections import Fits, accepting, decide, decisions
from crawl_ops.urls.javaregex import compile_java
from crawl_ops.urls.plain import Plain, plain_of_rules
from crawl_ops.urls.rulefile import rules_of

_QUANTIFIERS = ("?", "+", "*", "{")


class RegexUrlFilter:
    """A URL that no rule is found in is refused. Sections `> HOST-OR-DOMAIN` … `<` (NUTCH-1838)."""

    name = "regex"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        prop = "urlfilter.regex"
        rules = rules_of(prop, group.regex_rules, group.regex_file, "regex-urlfilter.txt")
        self._decisions = decisions(rules, found_anywhere)
        self._sectioned = any(rule.site is not None for rule in self._decisions)
        self.fingerprint = f"regex {rules.text}"

    def refusal(self, url: str) -> str | None:
        """The rule that refuses `url`, as its line; None when a rule accepts it."""
        return decide(self._decisions, url, self._sectioned)

    def acceptance(self, url: str) -> str | None:
        """The rule that accepts `url`, as its line; None when none does."""
        return accepting(self._decisions, url, self._sectioned)

    @property
    def plain(self) -> Plain:
        """Which URLs are plainly accepted."""
        if self._sectioned:
            return Plain(asks=(self.refusal,))
        return plain_of_rules((_pattern(rule.line[1:]), rule.accepts) for rule in self._decisions)


def found_anywhere(expression: str) -> Fits:
    """What tells whether the expression is found in a URL. Raises ValueError."""
    return _pattern(expression).search


def _pattern(expression: str) -> re.Pattern[str]:
    pattern = compile_java(expression)
    if expression.startswith(".*") and expression[2:3] not in _QUANTIFIERS:
        # Found anywhere, `.*x` is `x`; but with `.*` each place in a URL looks at all the rest.
        return compile_java(expression[2:])
    return pattern
