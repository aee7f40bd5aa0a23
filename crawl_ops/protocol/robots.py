"""The robots.txt of every origin: asked for once, kept, and consulted for each URL."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots_fetch import ROBOTS_TXT, Fetched, Outcome, fetch_robots
from crawl_ops.protocol.robots_file import RobotsFile, RobotsVerdict, product_tokens
from crawl_ops.protocol.target import Target

ORIGINS_KEPT = 20_000
LOCKS = 256
_NO_RULES = RobotsFile(b"", ())


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What the robots.txt of one origin says.

    `outcome`: rules (a file was read), allow_all, disallow_all, or deferred: it could not be had,
    nothing of the origin may be fetched now, and it is asked for again after `retry_at`.
    `content` is the file, given once, with the answer that `fetched` it; never for what came
    from memory or a saved copy.
    """

    origin: str
    http_status: int | None
    outcome: Outcome
    reason: str | None = None
    content: bytes | None = None
    sitemaps: tuple[str, ...] = ()
    crawl_delay_s: float | None = None
    fetched: bool = True
    retry_at: datetime | None = None
    rules: RobotsFile = field(default=_NO_RULES, repr=False, compare=False)

    def allows(self, url: str) -> RobotsVerdict:
        """Whether `url` may be fetched, and the line or circumstance that decided."""
        if self.outcome == "rules":
            return self.rules.verdict(url)
        return RobotsVerdict(self.outcome == "allow_all", self.reason)


class _Kept(NamedTuple):
    answer: RobotsAnswer
    until: datetime


class RobotsRules:
    """robots.txt by scheme, host and port (RFC 9309 §2.3), as Nutch's HttpRobotRulesParser.

    Thread-safe: many threads that want the same origin wait for one request. Answers are kept
    for `robots_cache_hours` at most (RFC 9309 §2.4), deferred ones until they may be asked again
    (http.robots.503.defer.visits.delay, or the server's Retry-After).
    """

    def __init__(self, config: CrawlConfig, http: HttpProtocol) -> None:
        settings = config.http
        self._settings = settings
        self._http = http
        self._agents = product_tokens((settings.agent_name, *settings.robots_agents))
        self._allowlist = frozenset(host.lower() for host in settings.robot_rules_allowlist)
        self._keep = timedelta(hours=settings.robots_cache_hours)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._asking = [threading.Lock() for _ in range(LOCKS)]

    def remember(self, origin: str, content: bytes, time: datetime) -> None:
        """A saved copy, read at `time`; used while it is fresh (robots_cache_hours)."""
        saved = Fetched(origin + ROBOTS_TXT, 200, "rules", None, content)
        self._keep_answer(origin, self._answer(origin, saved), time + self._keep)

    def of(self, url: str, now: datetime) -> RobotsAnswer:
        """The answer for the origin of `url`; asks for robots.txt when none is kept."""
        try:
            target = Target.of(url)
        except ValueError as error:
            return RobotsAnswer("", None, "deferred", f"robots.txt: {error}", fetched=False)
        origin = target.site
        if target.host.lower() in self._allowlist:
            reason = "host is in http.robot.rules.allowlist"
            return RobotsAnswer(origin, None, "allow_all", reason, fetched=False)
        return self._look(origin, now) or self._ask(origin, now)

    def _ask(self, origin: str, now: datetime) -> RobotsAnswer:
        with self._asking[hash(origin) % LOCKS]:
            kept = self._look(origin, now)
            if kept is not None:
                return kept
            fetched = fetch_robots(self._http, self._settings, origin)
            answer = self._answer(origin, fetched)
            until = now + self._keep
            if answer.outcome == "deferred":
                until = now + self._wait(fetched)
                answer = replace(answer, retry_at=until)
            self._keep_answer(origin, answer, until)
            self._keep_for_target(origin, fetched, until)
            return answer

    def _answer(self, origin: str, fetched: Fetched) -> RobotsAnswer:
        content = fetched.content[: self._settings.robots_content_limit]
        rules = _NO_RULES
        if fetched.outcome == "rules":
            rules = RobotsFile(content, self._agents, fetched.url)
        return RobotsAnswer(
            origin,
            fetched.http_status,
            fetched.outcome,
            fetched.reason,
            content if fetched.outcome == "rules" else None,
            rules.sitemaps,
            rules.crawl_delay_s,
            rules=rules,
        )

    def _wait(self, fetched: Fetched) -> timedelta:
        seconds = self._settings.robots_503_defer_visits_delay / 1000
        return timedelta(seconds=max(seconds, fetched.retry_after_s))

    def _keep_for_target(self, origin: str, fetched: Fetched, until: datetime) -> None:
        """After a redirect the answer is the target's as well (Nutch)."""
        target = Target.of(fetched.url)
        if target.path == ROBOTS_TXT and target.site != origin and fetched.outcome == "rules":
            self._keep_answer(target.site, self._answer(target.site, fetched), until)

    def _look(self, origin: str, now: datetime) -> RobotsAnswer | None:
        with self._lock:
            kept = self._kept.get(origin)
            if kept is None or kept.until <= now:
                return None
            self._kept.move_to_end(origin)
            return kept.answer

    def _keep_answer(self, origin: str, answer: RobotsAnswer, until: datetime) -> None:
        kept = _Kept(replace(answer, fetched=False, content=None), until)
        with self._lock:
            self._kept[origin] = kept
            self._kept.move_to_end(origin)
            while len(self._kept) > ORIGINS_KEPT:
                self._kept.popitem(last=False)
