"""The public suffix list that comes with tldextract, read without loading that.

tldextract loads requests and builds two trees of all rules: an eighth of a second of each command.
A test compares what is answered here with its answers.
"""

import importlib.util
import re
from pathlib import Path

LIST = ".tld_set_snapshot"
_RULE = re.compile(r"^[.*!]*\w\S*", re.MULTILINE)
_PRIVATE = "// ===BEGIN PRIVATE DOMAINS==="


class Suffixes:
    """Rules of the list (publicsuffix.org/list: plain, `*.` and `!`), by their text.

    private_suffixes: with those of the list's second half (`github.io`).
    """

    def __init__(self, private_suffixes: bool) -> None:
        public, _, private = _text().partition(_PRIVATE)
        self._rules = set(_RULE.findall(public))
        if private_suffixes:
            self._rules.update(_RULE.findall(private))
        self._above: set[str] = set()  # what stands above a rule, be it one or not
        for rule in self._rules:
            _, dot, rest = rule.partition(".")
            while dot and rest not in self._above:
                self._above.add(rest)
                _, dot, rest = rest.partition(".")

    def length(self, labels: list[str]) -> int:
        """How many of the last labels of a host are a public suffix; 0 when none is listed.

        labels: lower case, in Unicode, as the list has them.
        """
        rules, above = self._rules, self._above
        found, name = 0, ""
        for count, label in enumerate(reversed(labels), 1):
            parent, name = name, f"{label}.{name}" if name else label
            if name in rules:
                found = count
            elif name not in above:
                if f"*.{parent}" in rules:
                    return count - 1 if f"!{name}" in rules else count
                break
        return found


def _text() -> str:
    spec = importlib.util.find_spec("tldextract")
    if spec is None or spec.origin is None:
        raise ImportError("tldextract is not installed")
    return Path(spec.origin).with_name(LIST).read_text("utf-8")
