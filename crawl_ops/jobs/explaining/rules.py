"""What the rules in force say of a URL: normalizers, filters, robots.txt."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.explaining.evidence import Evidence
from crawl_ops.jobs.explaining.story import Step, iso, joined
from crawl_ops.protocol.robots_file import RobotsFile, product_tokens
from crawl_ops.urls.chain import UrlChain

SCOPES = ("default", "inject", "outlink", "fetcher")


class UrlRules:
    """The chains of the scopes a URL may come in by."""

    def __init__(self, config: CrawlConfig, url: str) -> None:
        self.url = url
        self.judged = {scope: UrlChain(config, scope).judge(url) for scope in SCOPES}
        self.normalized = {
            scope: UrlChain(config, scope, filter=False).normalize(url) for scope in SCOPES
        }

    def spellings(self) -> list[str]:
        """The URL in every form that the crawl may know it by; the default one first."""
        known = filter(None, self.normalized.values())
        return list(dict.fromkeys((*known, self.url)))

    def steps(self) -> Iterator[Step]:
        """What normalizers and filters make of it."""
        normalized = self.normalized["default"]
        verdict = self.judged["default"]
        if normalized is None:
            why = joined(verdict.rejected_by, verdict.rule)
            yield Step("normalize", "rejected", why)
            return
        others = {
            f"in scope {scope}: {other or 'rejected'}"
            for scope, other in self.normalized.items()
            if other != normalized
        }
        changed = normalized != self.url
        reason = f"it is known as {normalized}" if changed else None
        outcome = "normalized" if changed else "unchanged"
        yield Step("normalize", outcome, reason, joined(*sorted(others)))
        if verdict.url is None:
            yield Step(
                "filter",
                "rejected",
                f"urlfilter.{verdict.rejected_by}: {verdict.rule}",
                "by the rules as they are now",
            )
        else:
            yield Step("filter", "accepted")


def robots_step(config: CrawlConfig, evidence: Evidence) -> Step | None:
    """What the newest copy of the URL's robots.txt says of it now; None if there is no copy."""
    origin = _origin(evidence.url)
    copy = next((row for row in evidence.robots if _origin(row["origin"]) == origin), None)
    if copy is None:
        return None
    outcome = copy["outcome"]
    where = f"by {origin}/robots.txt as it was at {iso(copy['fetch_time'])}"
    if outcome == "deferred":
        return Step("robots", "deferred", copy["reason"] or "robots.txt cannot be had", where)
    if outcome != "rules" or copy["content"] is None:
        allowed = outcome in ("allow_all", "rules")
        word = "allowed" if allowed else "disallowed"
        reason = copy["reason"] or f"robots.txt: {outcome}"
        return Step("robots", word, reason, where)
    agents = product_tokens((config.http.agent_name, *config.http.robots_agents))
    rules = RobotsFile(copy["content"], agents, f"{origin}/robots.txt")
    verdict = rules.verdict(evidence.url)
    delay = f"Crawl-delay {rules.crawl_delay_s:g} s" if rules.crawl_delay_s is not None else None
    word = "allowed" if verdict.allowed else "disallowed"
    return Step("robots", word, verdict.rule, joined(where, delay))


def _origin(url: str) -> str:
    """scheme://host:port without a port that is the scheme's own; empty for what is no URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    usual = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    return f"{parts.scheme}://{host.removesuffix(usual) if usual else host}"
