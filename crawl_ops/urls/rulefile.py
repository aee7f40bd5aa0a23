"""Where a plug's rules come from: inline property, then file, then those of crawl_ops."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from crawl_ops.errors import ConfigError, os_reason

MAX_RULE_BYTES = 16 * 1024 * 1024
"""A rule file may hold a list of a few hundred thousand domains, but not anything."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The text of a rule file and where it came from (a property, a path, or our own file)."""

    origin: str
    text: str

    def fault(self, line: int, message: str) -> ConfigError:
        """The error for a bad line; lines count from 1."""
        return ConfigError(f"{self.origin}:{line}: {message}")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Numbered lines without their ends; blank ones and comments (`#`) too."""
        yield from enumerate(self.text.removeprefix("\ufeff").splitlines(), start=1)

    def entries(self) -> Iterator[tuple[int, str]]:
        """Numbered and trimmed lines, without blank ones and comments."""
        for number, line in self.lines():
            entry = line.strip()
            if entry and not entry.startswith("#"):
                yield number, entry


def rules_of(prop: str, inline: str, file: Path | None, built_in: str | None) -> Rules:
    """The rules in force for a plug: `inline` wins over `file`, and that over `built_in`.

    `prop` is the property prefix (`urlfilter.regex`), `built_in` a name in crawl_ops/urls/rules.
    Raises ConfigError when the file cannot be read.
    """
    if inline.strip():
        return Rules(f"{prop}.rules", inline)
    if file is not None:
        return Rules(str(file), _read(f"{prop}.file", file))
    if built_in is None:
        return Rules(f"{prop}.file", "")
    text = files("crawl_ops.urls").joinpath("rules", built_in).read_text(encoding="utf-8")
    return Rules(built_in, text)


def _read(prop: str, file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_RULE_BYTES + 1)
        if len(content) > MAX_RULE_BYTES:
            raise ConfigError(f"{prop}: {file} is larger than {MAX_RULE_BYTES} bytes")
        return content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise ConfigError(f"{prop}: {file} cannot be read: {os_reason(error)}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{prop}: {file} is not UTF-8 text (byte {error.start})") from None


@dataclass(frozen=True, slots=True)
class SignedRule:
    """A line `+REGEX` or `-REGEX`, the section it stands in, and what a refusal by it says."""

    number: int
    accepts: bool
    expression: str
    site: str | None
    says: str
    line: str


_LABEL = re.compile(r"#!\s*(.*\S)")


def signed_rules(rules: Rules) -> Iterator[SignedRule]:
    """The rules of urlfilter-regex and urlfilter-automaton, in Nutch's format.

    `> NAME` starts a section for URLs of that host or registered domain, `<` ends it. Ours: a
    comment `#! TEXT` is what refusals by the rules below it say, up to the next blank line.
    Raises ConfigError for a line that begins with anything else.
    """
    site: str | None = None
    label: str | None = None
    for number, raw in rules.lines():
        line = raw.rstrip()
        first = line[:1]
        if not first:
            label = None
        elif first == "#":
            named = _LABEL.fullmatch(line)
            label = named[1] if named else label
        elif first == ">":
            site = line[1:].strip().lower()
        elif first == "<":
            site = None
        elif first in "+-":
            yield SignedRule(number, first == "+", line[1:], site, label or line, line)
        elif first != " ":
            raise rules.fault(number, f"a rule begins with + or -, not with {first!r}")
