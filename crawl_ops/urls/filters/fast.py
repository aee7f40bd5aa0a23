"""urlfilter-fast: many rules, looked up by host and domain, so that few are tried."""

import re
from collections.abc import Iterator

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.config.urls import UrlFilter
from crawl_ops.urls.hosts import UrlParts, parts_of
from crawl_ops.urls.javaregex import compile_java
from crawl_ops.urls.rulefile import Rules, rules_of

_BLOCK = re.compile(r"(Host|Domain)\s+(\S+)")
_RULE = re.compile(r"(DenyPath|DenyPathQuery)\s+(.*\S)")
_COMMENT = re.compile(r"(?:^|\s)#.*")


class FastUrlFilter:
    """Blocks `Host NAME` / `Domain NAME` / `Domain .` of `DenyPath REGEX`, `DenyPathQuery REGEX`.

    Domain rules hold for the domain and all hosts below it. Length limits by
    urlfilter.fast.url.max.length, .path and .query. What no rule denies is accepted.
    """

    name = "fast"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of("urlfilter.fast", group.fast_rules, group.fast_file, "fast-urlfilter.txt")
        self._hosts: dict[str, list[_Deny]] = {}
        self._domains: dict[str, list[_Deny]] = {}
        self._read(rules)
        self._limits = _limits(group)
        self.fingerprint = f"fast {self._limits} {rules.text}"

    def refusal(self, url: str) -> str | None:
        """The rule or limit that refuses `url`; None when there is none."""
        parts = parts_of(url)
        if parts is None:
            return "is no URL"
        for limit, length in zip(self._limits, _lengths(url, parts), strict=True):
            if 0 <= limit[1] < length:
                return f"{limit[0]}: {length} characters"
        for rule in self._candidates(parts.host.lower()):
            if rule.denies(parts):
                return rule.says
        return None

    def _candidates(self, host: str) -> Iterator["_Deny"]:
        yield from self._hosts.get(host, ())
        domain = host
        while domain:
            yield from self._domains.get(domain, ())
            domain = domain.partition(".")[2]
        yield from self._domains.get(".", ())

    def _read(self, rules: Rules) -> None:
        block: tuple[str, list[_Deny]] | None = None
        for number, raw in rules.lines():
            line = _COMMENT.sub("", raw).strip()
            if not line:
                continue
            if start := _BLOCK.fullmatch(line):
                table = self._hosts if start[1] == "Host" else self._domains
                block = (line, table.setdefault(start[2].lower(), []))
            elif (rule := _RULE.fullmatch(line)) and block is not None:
                block[1].append(_deny(rules, number, rule, block[0]))
            else:
                raise rules.fault(number, f"neither a block nor a rule in one: {line!r}")


class _Deny:
    """One DenyPath or DenyPathQuery line."""

    def __init__(self, pattern: "re.Pattern[str]", with_query: bool, says: str) -> None:
        self._search = pattern.search
        self._with_query = with_query
        self.says = says

    def denies(self, parts: UrlParts) -> bool:
        text = parts.path + parts.query if self._with_query else parts.path
        return self._search(text) is not None


def _deny(rules: Rules, number: int, rule: re.Match[str], block: str) -> _Deny:
    try:
        pattern = compile_java(rule[2])
    except ValueError as error:
        raise rules.fault(number, str(error)) from None
    return _Deny(pattern, rule[1] == "DenyPathQuery", f"{block}: {rule[0]}")


def _limits(group: UrlFilter) -> tuple[tuple[str, int], ...]:
    return (
        ("urlfilter.fast.url.max.length", group.fast_url_max_length),
        ("urlfilter.fast.url.path.max.length", group.fast_url_path_max_length),
        ("urlfilter.fast.url.query.max.length", group.fast_url_query_max_length),
    )


def _lengths(url: str, parts: UrlParts) -> tuple[int, int, int]:
    return len(url), len(parts.path), max(len(parts.query) - 1, 0)
