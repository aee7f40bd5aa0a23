"""Signed rules in order: what urlfilter-regex and urlfilter-automaton have in common."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from crawl_ops.urls.hosts import domains, host_of
from crawl_ops.urls.rulefile import Rules, signed_rules

NO_RULE = "no rule accepts it"

Fits = Callable[[str], object]
"""Whether an expression fits a URL: anything true."""


class Decision(NamedTuple):
    """A compiled rule."""

    fits: Fits
    accepts: bool
    site: str | None
    """Host or registered domain that the rule is for; None: any."""
    says: str
    """What a refusal by this rule says."""
    line: str
    """The rule as it is written."""


def decisions(rules: Rules, compiled: Callable[[str], Fits]) -> tuple[Decision, ...]:
    """The rules of a file, compiled. Raises ConfigError naming the line that does not compile."""
    found = []
    for rule in signed_rules(rules):
        try:
            fits = compiled(rule.expression)
        except ValueError as error:
            raise rules.fault(rule.number, str(error)) from None
        found.append(Decision(fits, rule.accepts, rule.site, rule.says, rule.line))
    return tuple(found)


def decide(rules: Sequence[Decision], url: str, sectioned: bool) -> str | None:
    """What the first fitting rule says when it refuses `url`; None when it accepts it."""
    rule = _fitting(rules, url, sectioned)
    if rule is None:
        return NO_RULE
    return None if rule.accepts else rule.says


def accepting(rules: Sequence[Decision], url: str, sectioned: bool) -> str | None:
    """The first fitting rule, if it accepts `url`."""
    rule = _fitting(rules, url, sectioned)
    return rule.line if rule is not None and rule.accepts else None


def _fitting(rules: Sequence[Decision], url: str, sectioned: bool) -> Decision | None:
    host = host_of(url) if sectioned else ""
    domain = domains().domain_of(host) if host else ""
    for rule in rules:
        if (rule.site is None or rule.site in (host, domain)) and rule.fits(url):
            return rule
    return None
