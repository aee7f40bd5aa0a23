"""urlfilter-domain and urlfilter-domaindenylist: lists of suffixes, domains and hosts."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import ascii_host, domains, host_of
from crawl_ops.urls.rulefile import Rules, rules_of


class DomainUrlFilter:
    """Accepts URLs whose host, registered domain or public suffix is listed; an empty list: all."""

    name = "domain"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of(
            "urlfilter.domain", group.domain_rules, group.domain_file, "domain-urlfilter.txt"
        )
        self._listed = _names(rules)
        self.fingerprint = f"domain {rules.text}"

    def refusal(self, url: str) -> str | None:
        """Why `url` is refused; None when it is listed."""
        if not self._listed or _listed_name(self._listed, url) is not None:
            return None
        return f"{host_of(url) or 'a URL without host'} is not listed"


class DomainDenylistUrlFilter:
    """Refuses a URL whose host, registered domain or public suffix is listed."""

    name = "domaindenylist"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of(
            "urlfilter.domaindenylist",
            group.domaindenylist_rules,
            group.domaindenylist_file,
            "domaindenylist-urlfilter.txt",
        )
        self._listed = _names(rules)
        self.fingerprint = f"domaindenylist {rules.text}"

    def refusal(self, url: str) -> str | None:
        """The listed name that refuses `url`; None when there is none."""
        return _listed_name(self._listed, url) if self._listed else None


def _names(rules: Rules) -> frozenset[str]:
    lines = (entry.lower() for _, entry in rules.entries())
    return frozenset(name for line in lines for name in (line, ascii_host(line)) if name)


def _listed_name(listed: frozenset[str], url: str) -> str | None:
    host = host_of(url)
    by_list = domains()
    for name in (by_list.suffix_of(host), by_list.domain_of(host), host, host.rstrip(".")):
        if name and name in listed:
            return name
    return None
