"""explain: every reason why a URL is or is not known, fetched, parsed and indexed.

Real jobs select, fold in, index and mark duplicates; what a fetch and a parse would have written
is written directly.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.explain import explain, never_seen
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.index import index
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.urls.identity import UrlIdentifier

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
SITE = "http://a.example/"
ROBOTS = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n"


class World:
    """A crawl that goes round by round, with an imagined web."""

    def __init__(self, folder: Path, **properties: Any) -> None:
        given = {"http.agent.name": "testbot", "urlnormalizer.order": "basic", **properties}
        self.config: CrawlConfig = load(None, given)
        self.crawl = CrawlDir.open(folder, create=True)
        self.identifier = UrlIdentifier(self.crawl.seed)
        self.now = NOW
        self.fetched: list[dict[str, Any]] = []
        self.pages: list[dict[str, Any]] = []
        self.links: list[dict[str, Any]] = []
        self.rejected: list[dict[str, Any]] = []
        self.robots: list[dict[str, Any]] = []

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)

    def inject(self, *urls: str) -> None:
        inject(self.crawl, self.config, list(urls), self.now)

    def generate(self, **wish: Any) -> str:
        self.later(minutes=1)
        name = generate(self.crawl, self.config, self.now, **wish).segment
        assert name is not None
        return name

    # what the web answers

    def key(self, url: str) -> dict[str, Any]:
        found = self.identifier.identify(url)
        return {"k": found.k, "slot": found.slot, "url": url, "attempt": "a1"}

    def answer(self, url: str, fetch_status: str = "fetch_success", **changes: Any) -> None:
        found = self.identifier.identify(url)
        success = fetch_status == "fetch_success"
        row = {
            **self.key(url),
            "host": found.host,
            "domain": found.domain,
            "list": 0,
            "fetch_status": fetch_status,
            "protocol_status": "success" if success else "failed",
            "http_status": 200 if success else None,
            "fetch_time": self.now,
            "response_ms": 7,
            "bytes": 3 if success else 0,
            "content_type": "text/html" if success else None,
            "hops": 0,
            "score": 1.0,
            "interval_s": 2_592_000,
            "retries": 0,
            **changes,
        }
        self.fetched.append(row)

    def page(self, url: str, text: str = "words", **changes: Any) -> None:
        """A page that is fetched and parsed; changes are those of parse_data."""
        self.answer(url, truncated=changes.get("truncated"))
        row = {
            **self.key(url),
            "parse_status": "success",
            "kind": "page",
            "title": "a title",
            "content_type": "text/html",
            "noindex": False,
            "nofollow": False,
            "noarchive": False,
            "outlinks_found": 0,
            "outlinks_kept": 0,
            "signature": text.encode().ljust(16, b"\0")[:16],
            "fetch_time": self.now,
            **changes,
        }
        self.pages.append(row | {"text": text})

    def link(self, source: str, target: str, kind: str = "link", **changes: Any) -> None:
        from_ = self.identifier.identify(source)
        to = self.identifier.identify(target)
        row = {
            "k": to.k,
            "slot": to.slot,
            "to_url": target,
            "to_host": to.host,
            "to_domain": to.domain,
            "from_k": from_.k,
            "from_url": source,
            "from_host": from_.host,
            "attempt": "a1",
            "kind": kind,
            "position": len(self.links),
            "score": 0.25,
            **changes,
        }
        self.links.append(row)

    def reject(
        self, url: str, step: str, rule: str, detail: str | None, source: str | None
    ) -> None:
        row = {**self.key(url), "step": step, "rule": rule, "detail": detail}
        self.rejected.append({**row, "from_url": source, "time": self.now})

    def robots_txt(self, origin: str, outcome: str, content: bytes | None, **changes: Any) -> None:
        found = self.identifier.identify(origin + "/")
        row = {"origin": origin, "host": found.host, "slot": found.slot, "attempt": "a1"}
        row |= {"fetch_time": self.now, "outcome": outcome, "content": content}
        self.robots.append(row | changes)

    # the rounds

    def fetch(self, name: str, *, finish: bool = True) -> None:
        segment = self.crawl.segment(name)
        for row in (*self.fetched, *self.pages):
            row["fetch_time"] = self.now
        for row in self.rejected:
            row["time"] = self.now
        content = [
            {
                **self.key(page["url"]),
                "base_url": page["url"],
                "fetch_time": self.now,
                "content": b"abc",
                "score": 1.0,
            }
            for page in self.pages
        ]
        links = sorted(self.links, key=lambda row: (row["slot"], row["k"]))
        parse_rejected = [row for row in self.rejected if row["step"] == "parse"]
        fetch_rejected = [row for row in self.rejected if row["step"] != "parse"]
        segment.write_part("content", 0, "a1.0000", content)
        segment.write_part("robots", 0, "a1.0000", self.robots)
        segment.write_part("rejected", 0, "a1.0000", fetch_rejected)
        segment.write_part("crawl_fetch", 0, "a1.0000", self.fetched)
        segment.write_part("parse_text", 0, "a1.0000", self.pages)
        segment.write_part("crawl_parse", 0, "a1.0000p", links)
        segment.write_part("rejected", 0, "a1.0000p", parse_rejected)
        segment.write_part("parse_data", 0, "a1.0000", self.pages)
        if finish:
            for number in segment.lists():
                segment.finish("fetch", number, {})
                segment.finish("parse", number, {})
        for rows in (self.fetched, self.pages, self.links, self.rejected, self.robots):
            rows.clear()

    def round(self, **wish: Any) -> str:
        """A round for what was said of the web since the last one."""
        name = self.generate(**wish)
        self.finish_round(name)
        return name

    def finish_round(self, name: str) -> None:
        self.fetch(name)
        self.later(minutes=1)
        updatedb(self.crawl, self.config, [name], self.now)

    def finish(self) -> None:
        index(self.crawl, self.config, None, self.now)
        dedup(self.crawl, self.config, self.now)

    def story(self, url: str) -> dict[str, Any]:
        found = explain(self.crawl, self.config, url, self.now)
        json.dumps(found, allow_nan=False)
        assert list(found) == ["url", "normalized", "status", "steps", "next_fetch"]
        for step in found["steps"]:
            assert list(step) == ["step", "outcome", "reason", "detail", "time"]
            assert step["step"]
            assert step["outcome"]
            assert step["time"] is None or step["time"].endswith("Z")
        return found

    def steps(self, url: str, *names: str) -> list[tuple[str, str, str | None]]:
        found = self.story(url)["steps"]
        return [
            (step["step"], step["outcome"], step["reason"])
            for step in found
            if not names or step["step"] in names
        ]

    def one(self, url: str, name: str) -> dict[str, Any]:
        found = [step for step in self.story(url)["steps"] if step["step"] == name]
        assert len(found) == 1, found
        return found[0]


@pytest.fixture(autouse=True)
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWL_OPS_FSYNC", "0")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "crawl")


def make(tmp_path: Path, **properties: Any) -> World:
    return World(tmp_path / "crawl", **properties)


def in_order(steps: Sequence[dict[str, Any]]) -> bool:
    times = [step["time"] for step in steps if step["time"]]
    return times == sorted(times)


def test_a_page_from_seed_to_index(world: World) -> None:
    world.inject(SITE)
    world.page(SITE, outlinks_found=3, outlinks_kept=1, outlinks_rejected='{"urlfilter.regex": 2}')
    name = world.round()
    world.finish()
    story = world.story(SITE)
    assert (story["url"], story["normalized"], story["status"]) == (SITE, SITE, "db_fetched")
    assert [(step["step"], step["outcome"]) for step in story["steps"]] == [
        ("normalize", "unchanged"),
        ("filter", "accepted"),
        ("inject", "injected"),
        ("generate", "generated"),
        ("fetch", "fetch_success"),
        ("parse", "parsed"),
        ("updatedb", "db_fetched"),
        ("index", "indexed"),
        ("schedule", "waiting"),
    ]
    assert in_order(story["steps"])
    by_name = {step["step"]: step for step in story["steps"]}
    assert by_name["inject"]["time"] == "2026-07-01T12:00:00Z"
    assert by_name["generate"]["reason"] == "fetch list 0, position 0"
    assert "http 200" in by_name["fetch"]["detail"]
    assert "7 ms" in by_name["fetch"]["detail"]
    assert by_name["parse"]["detail"] == (
        f"segment {name}, page of text/html, 3 links found, 1 kept, 2 left out by urlfilter.regex"
    )
    assert story["next_fetch"] == "2026-07-31T12:01:00Z"
    assert by_name["schedule"]["reason"] == f"not due until {story['next_fetch']}"


def test_a_url_that_nobody_has_heard_of(world: World) -> None:
    story = world.story("http://b.example/never")
    assert (story["status"], story["next_fetch"]) == (None, None)
    assert never_seen(story)
    assert world.steps("http://b.example/never") == [
        ("normalize", "unchanged", None),
        ("filter", "accepted", None),
        (
            "crawldb",
            "unknown",
            "not known: never seen; no link to it was found, or only by links with nofollow",
        ),
        ("index", "not_indexed", "not in the crawldb"),
    ]


@pytest.mark.parametrize("url", ["", "no url", "http://", "http://[::1", "\ud800", "a" * 10_000])
def test_what_is_no_url(world: World, url: str) -> None:
    story = world.story(url)
    assert story["normalized"] is None
    first = story["steps"][0]
    assert (first["step"], first["outcome"]) == ("normalize", "rejected")
    assert first["reason"].startswith("malformed")


def test_a_url_that_is_known_under_another_spelling(world: World) -> None:
    world.inject(SITE)
    story = world.story("HTTP://A.example:80/x/..")
    assert (story["normalized"], story["status"]) == (SITE, "db_unfetched")
    assert world.steps("HTTP://A.example:80/x/..", "normalize") == [
        ("normalize", "normalized", f"it is known as {SITE}")
    ]


def test_the_filter_rule_and_the_page_that_linked(tmp_path: Path) -> None:
    world = make(tmp_path, **{"urlfilter.regex.rules": "-\\.exe$\n+."})
    world.inject(SITE)
    world.page(SITE)
    url = f"{SITE}setup.exe"
    for source in (SITE, f"{SITE}other"):
        world.reject(url, "parse", "urlfilter.regex", "-\\.exe$", source)
    name = world.round()
    story = world.story(url)
    assert story["status"] is None
    assert not never_seen(story)
    assert world.steps(url, "filter", "parse", "crawldb") == [
        ("filter", "rejected", "urlfilter.regex: -\\.exe$"),
        ("parse", "rejected", "urlfilter.regex: -\\.exe$"),
        ("crawldb", "unknown", "not known: the steps above say where it ended"),
    ]
    assert world.one(url, "parse")["detail"] == f"found on {SITE} and 1 more, segment {name}"


@pytest.mark.parametrize(
    ("step", "rule", "detail", "from_page", "outcome"),
    [
        ("parse", "db.max.outlinks.per.page", "100", True, "rejected"),
        ("parse", "db.ignore.external.links", "another host (b.example)", True, "rejected"),
        ("parse", "scoring.depth.max", "depth 3 of 3", True, "rejected"),
        ("fetch", "urlfilter.prefix", "no prefix", True, "rejected"),
        ("fetch", "fetcher.max.exceptions.per.queue", "timeout", False, "not_fetched"),
        ("fetch", "robots.txt deferred", "http 503", False, "not_fetched"),
        ("fetch", "fetcher.timelimit.mins", None, False, "not_fetched"),
        ("fetch", "fetcher.throughput.threshold.pages", None, False, "not_fetched"),
    ],
)
def test_every_rule_that_left_a_url_out(
    world: World, step: str, rule: str, detail: str | None, from_page: bool, outcome: str
) -> None:
    world.inject(SITE)
    url = f"{SITE}left-out" if from_page else SITE
    if from_page:
        world.page(SITE)
    world.reject(url, step, rule, detail, SITE if from_page else None)
    world.round()
    reason = f"{rule}: {detail}" if detail else rule
    assert (step, outcome, reason) in world.steps(url, step)


def test_a_link_that_waits_for_updatedb(world: World) -> None:
    world.inject(SITE)
    url = f"{SITE}linked"
    world.page(SITE)
    world.link(SITE, url, anchor="read me")
    name = world.generate()
    world.fetch(name)
    assert world.steps(url, "link", "updatedb", "crawldb", "index") == [
        ("link", "linked", f"a link on {SITE}"),
        ("updatedb", "waiting", f"segment {name} is not folded in yet"),
        ("crawldb", "unknown", "not known: the steps above say where it ended"),
        ("index", "not_indexed", "not in the crawldb"),
    ]
    assert world.one(url, "link")["detail"] == f"anchor 'read me', segment {name}"
    updatedb(world.crawl, world.config, [name], world.now)
    assert world.steps(url)[2:] == [
        ("link", "linked", f"a link on {SITE}"),
        ("updatedb", "added", "found by link"),
        ("generate", "not_selected", "not in the crawldb when the segment was made"),
        ("index", "not_indexed", "db_unfetched: not fetched yet, found by link"),
        ("schedule", "due", "may be in the next segment"),
    ]


def test_links_of_many_segments_are_told_shortly(world: World) -> None:
    world.inject(*(f"{SITE}{n}" for n in range(5)))
    for number in range(5):
        world.page(f"{SITE}{number}")
        world.link(f"{SITE}{number}", f"{SITE}known")
        if number == 1:
            world.page(f"{SITE}known")
        last = world.round(topn=1)
    links = world.steps(f"{SITE}known", "link")
    assert [reason for _, _, reason in links] == [
        *(f"a link on {SITE}{number}" for number in range(3)),
        f"links in 2 more segments, the last {last}",
    ]
    assert [outcome for _, outcome, _ in world.steps(f"{SITE}known", "updatedb")] == [
        "added",
        "db_fetched",
    ]


def test_an_older_fetch_changes_nothing(world: World) -> None:
    world.inject(SITE)
    old = world.generate()
    new = world.generate(force=True)
    world.page(SITE)
    world.fetch(old)
    world.later(minutes=1)
    world.page(SITE)
    world.finish_round(new)
    updatedb(world.crawl, world.config, [old], world.now)
    assert world.steps(SITE, "updatedb") == [
        ("updatedb", "ignored", "the crawldb had a newer fetch of it"),
        ("updatedb", "db_fetched", None),
    ]


def test_links_that_may_not_add_urls(tmp_path: Path) -> None:
    world = make(tmp_path, **{"db.update.additions.allowed": False})
    world.inject(SITE)
    world.page(SITE)
    world.link(SITE, f"{SITE}linked")
    world.round()
    steps = world.steps(f"{SITE}linked", "updatedb")
    assert steps == [("updatedb", "left_out", "not added: db.update.additions.allowed, or purged")]


@pytest.mark.parametrize(
    ("status", "changes", "db_status", "words"),
    [
        ("fetch_gone", {"protocol_status": "notfound", "http_status": 404}, "db_gone", "404"),
        (
            "fetch_gone",
            {
                "protocol_status": "robots_denied",
                "reason": "robots.txt of http://a.example: Disallow: /",
            },
            "db_gone",
            "robots.txt",
        ),
        (
            "fetch_retry",
            {"protocol_status": "exception", "reason": "timed out after 10 s"},
            "db_unfetched",
            "timed out",
        ),
        (
            "fetch_redir_temp",
            {
                "protocol_status": "temp_moved",
                "http_status": 302,
                "redirect_url": f"{SITE}to",
                "reason": f"redirect to {SITE}to",
            },
            "db_redir_temp",
            f"redirects to {SITE}to",
        ),
    ],
)
def test_what_a_fetch_came_to(
    world: World, status: str, changes: dict[str, Any], db_status: str, words: str
) -> None:
    world.inject(SITE)
    world.answer(SITE, status, **changes)
    world.round()
    world.finish()
    assert world.story(SITE)["status"] == db_status
    fetch = world.one(SITE, "fetch")
    assert fetch["outcome"] == status
    assert words in f"{fetch['reason']} {fetch['detail']}"
    last = world.one(SITE, "index")
    assert last["outcome"] == "not_indexed"
    assert last["reason"].startswith(db_status)


def test_a_url_that_a_redirect_led_to(world: World) -> None:
    world.inject(SITE)
    world.answer(SITE, "fetch_redir_perm", protocol_status="moved", redirect_url=f"{SITE}new")
    world.page(f"{SITE}new")
    world.fetched[-1] |= {"via": SITE, "hops": 1}
    world.round()
    world.finish()
    story = world.story(f"{SITE}new")
    names = [step["step"] for step in story["steps"]]
    assert names == ["normalize", "filter", "fetch", "parse", "updatedb", "index", "schedule"]
    assert (
        f"reached by a redirect or sitemap from {SITE}"
        in world.one(f"{SITE}new", "fetch")["detail"]
    )


def test_robots_txt_is_replayed(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    world.robots_txt("http://a.example", "rules", ROBOTS)
    world.round()
    denied = world.one(f"{SITE}private/x", "robots")
    assert (denied["outcome"], denied["reason"]) == ("disallowed", "Disallow: /private/")
    assert "http://a.example/robots.txt as it was at 2026-07-01T12:0" in denied["detail"]
    assert denied["detail"].endswith("Crawl-delay 2 s")
    assert world.one(f"{SITE}public", "robots")["outcome"] == "allowed"
    others = world.story("http://a.example:8080/private/x")["steps"]
    assert "robots" not in [step["step"] for step in others]
    world.later(days=40)
    world.robots_txt("http://a.example:80", "deferred", None, reason="http 503")
    world.round()
    newest = world.one(f"{SITE}private/x", "robots")
    assert (newest["outcome"], newest["reason"]) == ("deferred", "http 503")


def test_noindex_sitemaps_and_what_cannot_be_parsed_stay_out_of_the_index(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    cases: dict[str, tuple[dict[str, Any], str]] = {
        "noindex": ({"noindex": True}, "noindex: by its meta robots or X-Robots-Tag"),
        "sitemap": ({"kind": "sitemap"}, "a sitemap is no page"),
        "bytes": (
            {"parse_status": "notparsed", "reason": "no parser for application/octet-stream"},
            "notparsed, no parser for application/octet-stream",
        ),
    }
    for path, (changes, _) in cases.items():
        world.link(SITE, SITE + path)
        world.page(SITE + path, text=path, **changes)
    world.round()
    world.finish()
    for path, (_, reason) in cases.items():
        assert world.steps(SITE + path, "index") == [("index", "not_indexed", reason)]
    assert world.one(f"{SITE}noindex", "parse")["reason"] == "noindex"
    assert world.one(f"{SITE}bytes", "parse")["outcome"] == "notparsed"


@pytest.mark.parametrize(
    ("truncated", "reason", "words"),
    [
        ("length", None, "http.content.limit"),
        ("time", "time limit: 300 s for one page are over", "http.time.limit"),
        ("time", "too slow: 9 bytes in 30 s", "http.min.throughput"),
    ],
)
def test_what_cut_a_page_short(
    world: World, truncated: str, reason: str | None, words: str
) -> None:
    world.inject(SITE)
    world.page(SITE, truncated=truncated)
    world.fetched[-1]["reason"] = reason
    world.round()
    assert f"truncated ({truncated}: {words} " in world.one(SITE, "fetch")["detail"]


def test_a_duplicate_names_the_page_that_stays(world: World) -> None:
    world.inject(SITE, f"{SITE}copy")
    for url in (SITE, f"{SITE}copy"):
        world.page(url, text="the same")
    world.round()
    world.later(minutes=5)
    world.finish()
    url = f"{SITE}copy"
    assert world.story(url)["status"] == "db_duplicate"
    assert world.steps(url, "updatedb", "dedup", "index") == [
        ("updatedb", "db_fetched", None),
        ("dedup", "db_duplicate", f"duplicate of {SITE}"),
        ("index", "not_indexed", f"db_duplicate: duplicate of {SITE}"),
    ]
    assert in_order(world.story(url)["steps"])


def test_a_segment_that_is_not_indexed_yet(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    name = world.round()
    assert world.steps(SITE, "index") == [
        ("index", "not_indexed", f"segment {name} is not indexed yet")
    ]


def test_an_open_segment(world: World) -> None:
    world.inject(SITE)
    name = world.generate()
    assert world.steps(SITE, "fetch", "updatedb", "schedule") == [
        ("fetch", "waiting", "its fetch list is not fetched to its end yet"),
        ("schedule", "waiting", f"in segment {name}, which is open"),
    ]
    world.answer(SITE)
    world.fetch(name, finish=False)
    assert world.steps(SITE, "fetch", "parse", "updatedb") == [
        ("fetch", "fetch_success", None),
        ("parse", "waiting", "not parsed yet"),
        ("updatedb", "waiting", f"segment {name} is not folded in yet"),
    ]


def test_not_due_and_in_an_open_segment(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    world.round()
    first = world.story(SITE)["next_fetch"]
    world.inject(f"{SITE}b")
    waiting = world.generate()
    world.inject(f"{SITE}c")
    world.generate()
    assert world.one(f"{SITE}b", "schedule")["reason"] == f"in segment {waiting}, which is open"
    reasons = [
        reason for _, outcome, reason in world.steps(SITE, "generate") if outcome != "generated"
    ]
    assert reasons == [f"not due until {first}"]
    outcomes = world.steps(f"{SITE}b", "generate")
    assert outcomes[-1] == (
        "generate",
        "not_selected",
        f"in segment {waiting}, which was open then",
    )


def test_what_is_due_after_the_longest_interval_is_due_now(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    world.round()
    assert world.one(SITE, "schedule")["outcome"] == "waiting"
    world.config = load(None, {"db.fetch.interval.max": 86_400})
    assert world.one(SITE, "schedule")["outcome"] == "due"
    world.generate()
    assert world.one(SITE, "schedule")["reason"].startswith("in segment ")


def test_add_days_moves_what_is_due(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    world.round()
    world.inject(f"{SITE}b\tnutch.score=2")
    world.generate(add_days=31, topn=1)
    reason = world.steps(SITE, "generate")[-1][2]
    assert reason is not None
    assert reason.startswith("below the cut of generate.topN")


@pytest.mark.parametrize(
    ("properties", "wish", "words"),
    [
        ({}, {"topn": 1}, "below the cut of generate.topN: the lowest score selected was 2"),
        ({"generate.max.count": 1}, {}, "generate.max.count 1: 1 URLs of its host"),
        ({"generate.min.score": 1.5}, {}, "generate.min.score 1.5: its score was 1"),
        ({"generate.min.interval": 60}, {}, "generate.min.interval 60: its interval was 2592000"),
        ({"generate.restrict.status": "db_fetched"}, {}, ""),
    ],
)
def test_why_a_url_that_is_due_was_not_selected(
    tmp_path: Path, properties: dict[str, Any], wish: dict[str, Any], words: str
) -> None:
    world = make(tmp_path, **properties)
    if not words:
        world.inject(SITE)
        assert generate(world.crawl, world.config, world.now, **wish).segment is None
        return
    world.inject(f"{SITE}best\tnutch.score=2\tnutch.fetchInterval=30", SITE)
    world.generate(**wish)
    assert world.one(f"{SITE}best", "generate")["outcome"] == "generated"
    step = world.one(SITE, "generate")
    assert step["outcome"] == "not_selected"
    assert step["reason"].startswith(words)


def test_filters_that_refuse_what_is_known(tmp_path: Path) -> None:
    world = make(tmp_path)
    world.inject(SITE, f"{SITE}old.exe.html")
    strict = make(tmp_path, **{"urlfilter.regex.rules": "-exe\n+."})
    strict.generate()
    assert strict.steps(f"{SITE}old.exe.html", "filter", "generate")[:2] == [
        ("filter", "rejected", "urlfilter.regex: -exe"),
        ("generate", "rejected", "urlfilter.regex: -exe"),
    ]
    assert [outcome for _, outcome, _ in strict.steps(f"{SITE}old.exe.html", "generate")] == [
        "rejected"
    ]


def test_a_redo_only_asks_for_what_failed(world: World) -> None:
    world.inject(SITE, f"{SITE}b")
    name = world.generate(run_id="r", depth=1)
    world.page(SITE)
    world.answer(f"{SITE}b", "fetch_retry", protocol_status="exception")
    world.finish_round(name)
    world.generate(run_id="r", depth=1)
    assert world.steps(SITE, "generate")[-1] == (
        "generate",
        "not_selected",
        f"the segment only asks again for what failed in {name}",
    )


def test_a_fetch_that_says_nothing_of_a_url(world: World) -> None:
    world.inject(SITE)
    world.fetch(world.generate())
    step = world.one(SITE, "fetch")
    assert step["outcome"] == "not_fetched"
    assert step["reason"] == "the fetch ended without it and noted no reason"


def test_two_rounds_are_told_in_order(world: World) -> None:
    world.inject(SITE)
    world.answer(SITE, "fetch_retry", protocol_status="exception", reason="connection refused")
    world.round()
    world.later(days=2)
    world.page(SITE)
    world.round()
    world.finish()
    steps = world.story(SITE)["steps"]
    assert in_order(steps)
    told = [(step["step"], step["outcome"]) for step in steps]
    assert told[2:-2] == [
        ("inject", "injected"),
        ("generate", "generated"),
        ("fetch", "fetch_retry"),
        ("updatedb", "db_unfetched"),
        ("generate", "generated"),
        ("fetch", "fetch_success"),
        ("parse", "parsed"),
        ("updatedb", "db_fetched"),
    ]


def test_versions_that_are_gone_leave_what_the_newest_says(world: World) -> None:
    world.inject(SITE, f"{SITE}copy")
    for url in (SITE, f"{SITE}copy"):
        world.page(url, text="the same")
    world.round()
    world.finish()
    table = world.crawl.table("crawldb")
    for number in table.versions()[:-1]:
        world.crawl.files.remove(f"crawldb/manifests/{number:08}.json")
    assert world.steps(f"{SITE}copy", "inject", "updatedb", "dedup") == [
        (
            "inject",
            "known",
            "no stored page links to it: a seed, or linked from segments that are gone",
        ),
        ("updatedb", "db_duplicate", f"duplicate of {SITE}"),
        ("dedup", "db_duplicate", f"duplicate of {SITE}"),
    ]


def test_a_broken_index_does_not_silence_the_rest(world: World) -> None:
    world.inject(SITE)
    world.page(SITE)
    world.round()
    world.finish()
    for path in list(world.crawl.files.walk("index")):
        if path.endswith("meta.json"):
            (world.crawl.root / path).write_bytes(b"broken")
    step = world.one(SITE, "index")
    assert step["outcome"] == "unknown"
    assert "index" in step["reason"]
