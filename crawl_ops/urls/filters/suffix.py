"""urlfilter-suffix: URLs by their end."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import parts_of
from crawl_ops.urls.rulefile import rules_of


class SuffixUrlFilter:
    """One suffix a line. A line `+` accepts all but those; a line `-`, or none, only those.

    Letters after the sign: `P` compares the path instead of the whole URL, `I` ignores case.
    """

    name = "suffix"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of(
            "urlfilter.suffix", group.suffix_rules, group.suffix_file, "suffix-urlfilter.txt"
        )
        self._accepts_others = self._of_path = self._ignores_case = False
        suffixes: list[str] = []
        for _, entry in rules.entries():
            if entry[0] in "+-":
                self._mode(entry)
            else:
                suffixes.append(entry)
        self._suffixes = tuple(s.lower() if self._ignores_case else s for s in suffixes)
        self.fingerprint = f"suffix {rules.text}"

    def refusal(self, url: str) -> str | None:
        """Why `url` is refused (`-.gif`); None when it is accepted."""
        text = url
        if self._of_path:
            parts = parts_of(url)
            if parts is None:
                return "has no path"
            text = parts.path
        if self._ignores_case:
            text = text.lower()
        if text.endswith(self._suffixes) != self._accepts_others:
            return None
        if not self._accepts_others:
            return "ends with no listed suffix"
        return "-" + next(suffix for suffix in self._suffixes if text.endswith(suffix))

    def _mode(self, line: str) -> None:
        self._accepts_others = line[0] == "+"
        self._of_path = self._of_path or "P" in line
        self._ignores_case = self._ignores_case or "I" in line
