"""urlnormalizer-regex: substitutions from regex-normalize.xml, one after the other."""

import re
from xml.parsers import expat

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.urls.javaregex import compile_java, substitution
from crawl_ops.urls.plain import Plain, plain_of_expressions
from crawl_ops.urls.rulefile import Rules, rules_of


class RegexUrlNormalizer:
    """Each rule replaces all its matches; `$1` is a group. Files per scope are possible."""

    name = "regex"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        group = config.urlnormalizer
        prop = "urlnormalizer.regex"
        scoped = getattr(group, f"regex_file_{scope}", None)
        inline = "" if scoped else group.regex_rules
        rules = rules_of(prop, inline, scoped or group.regex_file, "regex-normalize.xml")
        self._rules = _compiled(rules)
        self.fingerprint = f"regex {rules.text}"

    def normalize(self, url: str) -> str | None:
        """The URL after all rules."""
        for pattern, replacement in self._rules:
            if pattern.search(url):  # Three times as fast as a sub() that finds nothing.
                url = pattern.sub(replacement, url)
        return url

    @property
    def plain(self) -> Plain:
        """Which URLs plainly stay as they are."""
        return plain_of_expressions(pattern for pattern, _ in self._rules)


def _compiled(rules: Rules) -> tuple[tuple[re.Pattern[str], str], ...]:
    compiled = []
    for line, pattern, replacement in _RuleReader(rules).read():
        try:
            found = compile_java(pattern)
            compiled.append((found, substitution(replacement, found.groups)))
        except ValueError as error:
            raise rules.fault(line, str(error)) from None
    return tuple(compiled)


class _RuleReader:
    """Reads <regex><pattern/><substitution/></regex> elements. No DTD, so no entities."""

    def __init__(self, rules: Rules) -> None:
        self._origin = rules
        self._found: list[tuple[int, str, str]] = []
        self._texts: dict[str, str] = {}
        self._inside: str | None = None
        self._line = 0

    def read(self) -> list[tuple[int, str, str]]:
        """(line, pattern, substitution) for each rule. Raises ConfigError."""
        self._parser = parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        try:
            parser.Parse(self._origin.text.removeprefix("\ufeff").strip().encode(), True)
        except expat.ExpatError as error:
            raise self._origin.fault(error.lineno, f"is not XML: {error}") from None
        return self._found

    def _doctype(self, *_: object) -> None:
        raise self._fault("a document type is not allowed here")

    def _start(self, element: str, _: dict[str, str]) -> None:
        if element == "regex":
            self._texts = {}
            self._line = self._parser.CurrentLineNumber
        self._inside = element if element in ("pattern", "substitution") else None
        if self._inside:
            self._texts[self._inside] = ""

    def _text(self, text: str) -> None:
        if self._inside:
            self._texts[self._inside] += text

    def _end(self, element: str) -> None:
        self._inside = None
        if element != "regex":
            return
        if not self._texts.get("pattern"):
            raise self._fault("a <regex> needs a <pattern>")
        self._found.append(
            (self._line, self._texts["pattern"], self._texts.get("substitution", ""))
        )

    def _fault(self, message: str) -> ConfigError:
        return self._origin.fault(self._parser.CurrentLineNumber, message)
