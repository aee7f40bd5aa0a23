"""generate: what is due, how many a host, which list, and the same again (Nutch rules 4)."""

import subprocess
import sys
import textwrap
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as given_values
from hypothesis import strategies as st

from crawl_ops.jobs.fetch_lists import HostLoads, balanced
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.generating import best, lists
from crawl_ops.jobs.inject import inject


def run(given, conf=None, **options):
    return generate(given.crawl, given.config(**(conf or {})), given.now, **options)


def listed(given, report):
    """Rows of crawl_generate, in the order of lists and positions."""
    segment = given.crawl.segment(report.segment)
    rows = [
        row
        for file in segment.part_files("crawl_generate")
        for row in pq.read_table(given.crawl.files.location(file.path)).to_pylist()
    ]
    return sorted(rows, key=lambda row: (row["list"], row["position"]))


def urls(given, report):
    return {row["url"] for row in listed(given, report)}


def later():
    return datetime(2026, 3, 2, tzinfo=UTC)


def pages(count, host="a.test", **changes):
    return [{"url": f"http://{host}/{n:03}", **changes} for n in range(count)]


def test_only_what_is_due_is_selected(given):
    later = given.now + timedelta(seconds=1)
    given.known([*pages(2), {"url": "http://b.test/", "fetch_time": later}])
    report = run(given)
    assert urls(given, report) == {"http://a.test/000", "http://a.test/001"}
    assert report.counts["not_due"] == 1


def test_add_days_moves_the_clock(given):
    given.known([{"url": "http://b.test/", "fetch_time": given.now + timedelta(days=3)}])
    assert run(given).segment is None
    assert run(given, add_days=3).segment


def test_nothing_due_is_no_segment_and_says_why(given):
    given.known(pages(3, fetch_time=given.now + timedelta(days=1)))
    report = run(given)
    assert report.segment is None
    assert report.counts["not_due"] == 3
    assert given.crawl.segments() == []


def test_an_empty_crawl_has_nothing_due(given):
    assert run(given).segment is None


def test_a_time_beyond_the_longest_interval_is_due_now(given):
    given.known(
        [
            {
                "url": "http://a.test/",
                "fetch_time": given.now + timedelta(days=400),
                "interval_s": 10**9,
            }
        ]
    )
    row = listed(given, run(given))[0]
    assert row["interval_s"] == round(7_776_000 * 0.9)
    assert row["fetch_time"] == given.now


@pytest.mark.parametrize(
    ("hosts", "conf", "count"),
    [
        (["www.example.com"] * 3, {"generate.max.count": 1, "generate.count.mode": "host"}, 1),
        (["www.example.com"] * 3, {"generate.max.count": 3, "generate.count.mode": "host"}, 3),
        (
            ["a.example.com", "b.example.com", "c.example.com"],
            {"generate.max.count": 1, "generate.count.mode": "domain"},
            1,
        ),
        (
            ["a.example.com", "b.example.com", "c.example.com"],
            {"generate.max.count": 2, "generate.count.mode": "domain"},
            2,
        ),
        (
            ["a.example.com", "b.example.com", "c.example.com"],
            {"generate.max.count": 3, "generate.count.mode": "domain"},
            3,
        ),
    ],
)
def test_so_many_a_host_or_domain(given, hosts, conf, count):
    given.known([{"url": f"http://{host}/{n}.html"} for n, host in enumerate(hosts)])
    assert len(urls(given, run(given, conf))) == count


def test_filters_can_leave_nothing(given):
    given.known(pages(3))
    assert run(given, {"urlfilter.regex.rules": "-."}).segment is None


def test_without_filters_all_are_taken(given):
    given.known(pages(3))
    conf = {"urlfilter.regex.rules": "-.", "generate.filter": False}
    assert len(urls(given, run(given, conf))) == 3


def test_a_filtered_url_makes_room_and_is_kept_with_its_rule(given):
    given.known([{"url": f"http://a.test/{n}", "score": float(9 - n)} for n in range(9)])
    report = run(given, {"urlfilter.regex.rules": "-/[0-3]$\n+."}, topn=3)
    assert urls(given, report) == {f"http://a.test/{n}" for n in (4, 5, 6)}
    segment = given.crawl.segment(report.segment)
    (file,) = segment.part_files("rejected")
    rejected = pq.read_table(given.crawl.files.location(file.path)).to_pylist()
    assert {(row["rule"], row["detail"]) for row in rejected} == {("urlfilter.regex", "-/[0-3]$")}
    assert len(rejected) >= 3


def test_many_filtered_urls_end_in_the_same_selection(given):
    given.known([{"url": f"http://a.test/{n:03}", "score": 1.0} for n in range(200)])
    report = run(given, {"urlfilter.regex.rules": "-/[01]\n+."}, topn=5)
    assert report.segment is None
    given.known([{"url": "http://b.test/"}])
    assert urls(given, run(given, {"urlfilter.regex.rules": "-/[01]\n+."}, topn=5)) == {
        "http://b.test/"
    }


def test_a_scheme_that_nothing_can_fetch_is_left_out(given):
    given.known([{"url": "file:/path/index.html"}, {"url": "xyz://foobar/path/index.html"}])
    report = run(given, {"generate.filter": False})
    assert urls(given, report) == {"file:/path/index.html"}


def test_best_scores_first_then_by_url(given):
    given.known(
        [
            {"url": "http://a.test/low", "score": 0.5},
            {"url": "http://b.test/z", "score": 1.0},
            {"url": "http://c.test/a", "score": 1.0},
            {"url": "http://d.test/high", "score": 2.0},
        ]
    )
    assert urls(given, run(given, topn=2)) == {"http://d.test/high", "http://b.test/z"}


@pytest.mark.parametrize(
    ("conf", "left"),
    [
        ({"generate.min.score": 0.7}, {"http://a.test/1", "http://a.test/2"}),
        ({"generate.min.interval": 100}, {"http://a.test/0"}),
        ({"generate.restrict.status": "db_gone"}, {"http://a.test/2"}),
    ],
)
def test_further_limits(given, conf, left):
    given.known(
        [
            {"url": "http://a.test/0", "score": 0.5, "interval_s": 50},
            {"url": "http://a.test/1"},
            {"url": "http://a.test/2", "status": "db_gone"},
        ]
    )
    assert urls(given, run(given, conf)) == left


def test_depth_scoring_prefers_what_is_near_a_seed(given):
    given.known(
        [
            {"url": "http://a.test/deep", "score": 1.5, "depth": 3},
            {"url": "http://a.test/near", "score": 1.0, "depth": 1},
        ]
    )
    conf = {"scoring.filter.order": "depth,opic", "scoring.depth.max": 3}
    assert urls(given, run(given, conf, topn=1)) == {"http://a.test/near"}


def test_an_open_segment_holds_its_urls_until_it_expires(given):
    given.known(pages(10))
    first = run(given, topn=6)
    second = run(given, topn=6)
    assert not urls(given, first) & urls(given, second)
    assert len(urls(given, second)) == 4
    assert run(given).segment is None
    given.now += timedelta(days=8)
    assert len(urls(given, run(given))) == 10


def test_what_others_hold_is_told_with_segment_and_run(given, caplog):
    given.known(pages(3))
    first = run(given, topn=2, run_id="nightly", depth=1)
    given.now += timedelta(seconds=1)
    part = run(given)
    assert part.details["note"] == (
        f"2 URLs are due and not selected: in open segment {first.segment} of run nightly"
    )
    caplog.clear()
    rest = run(given, run_id="other", depth=1)
    assert rest.segment is None
    assert rest.details["note"] == (
        "nothing to fetch: 3 URLs are due and not selected: in open segments"
        f" {first.segment} of run nightly, {part.segment},"
        " until updatedb has it or 168 hours are over"
    )
    assert ("WARNING", f"generate: {rest.details['note']}") in [
        (record.levelname, record.message) for record in caplog.records
    ]


@pytest.mark.parametrize(
    ("rows", "conf", "why"),
    [
        ([], {}, "no URL is due"),
        (pages(1, fetch_time=later()), {}, "1 URL is not due yet"),
        (
            [*pages(2, fetch_time=later()), {"url": "http://b.test/", "score": 0.1}],
            {"generate.min.score": 0.5},
            "2 URLs are not due yet, 1 URL is left out by generate.min.score",
        ),
        (pages(2), {"generate.topN": 0}, "2 URLs are left out by topN"),
    ],
)
def test_nothing_to_fetch_says_why(given, rows, conf, why):
    given.known(rows)
    report = run(given, conf)
    assert (report.segment, report.details["note"]) == (None, f"nothing to fetch: {why}")


def test_force_takes_urls_of_open_segments_too(given):
    given.known(pages(3))
    run(given)
    assert len(urls(given, run(given, force=True))) == 3


def test_asked_again_for_the_same_depth_the_segment_is_the_same(given):
    given.known(pages(3))
    first = run(given, run_id="r", depth=1)
    given.now += timedelta(hours=1)
    again = run(given, run_id="r", depth=1)
    assert again.segment == first.segment
    assert again.details["already_done"]
    assert len(given.crawl.segments()) == 1


def test_a_generate_that_was_killed_selects_the_same_when_asked_again(given, monkeypatch):
    given.known(pages(30))
    monkeypatch.setattr("crawl_ops.storage.segment.Segment.publish", _killed)
    with pytest.raises(KeyboardInterrupt):
        run(given, run_id="r", depth=1, topn=10)
    monkeypatch.undo()
    assert given.crawl.segments() == []
    # Another job goes on meanwhile: the depth still reads the version that it started from.
    given.known([{"url": f"http://a.test/{n:03}", "score": float(n)} for n in range(30)])
    given.now += timedelta(hours=1)
    report = run(given, run_id="r", depth=1, topn=10)
    assert urls(given, report) == {f"http://a.test/{n:03}" for n in range(10)}


def _killed(*_):
    raise KeyboardInterrupt


def fold(given, report, failed=()):
    """Pretend that the segment was fetched and folded; the URLs in `failed` could not be had."""
    segment = given.crawl.segment(report.segment)
    rows = [
        given.fetched(
            row["url"], "fetch_retry" if row["url"] in failed else "fetch_success", list=row["list"]
        )
        for row in listed(given, report)
    ]
    for number in segment.lists():
        mine = [row for row in rows if row["list"] == number]
        segment.write_part("crawl_fetch", number, "a.0000", mine)
        segment.finish("fetch", number, {})
        segment.finish("parse", number, {})
    given.update(report.segment, **{"fetcher.store.content": False})


def test_a_folded_depth_is_redone_for_what_failed(given):
    given.known(pages(6))
    first = run(given, run_id="r", depth=1)
    fold(given, first, failed={"http://a.test/002", "http://a.test/004"})
    redone = run(given, run_id="r", depth=1)
    assert redone.segment != first.segment
    assert urls(given, redone) == {"http://a.test/002", "http://a.test/004"}
    assert redone.details["redo"] == 1
    assert run(given, run_id="r", depth=1).segment == redone.segment


def test_a_folded_depth_without_failures_stays(given):
    given.known(pages(3))
    first = run(given, run_id="r", depth=1)
    fold(given, first)
    assert run(given, run_id="r", depth=1).segment == first.segment


def test_a_folded_depth_is_redone_for_all_on_request(given):
    given.known(pages(3))
    first = run(given, run_id="r", depth=1)
    fold(given, first)
    assert urls(given, run(given, run_id="r", depth=1, redo="all")) == urls(given, first)


def test_hosts_stay_together_and_lists_are_bounded_by_hosts(given):
    given.known([{"url": f"http://h{n % 5}.test/{n}"} for n in range(50)])
    report = run(given, num_fetchers=8)
    lists = {}
    for row in listed(given, report):
        lists.setdefault(row["host"], set()).add(row["list"])
    assert len(report.details["lists"]) == 5
    assert all(len(numbers) == 1 for numbers in lists.values())


def test_domains_stay_together_if_asked_for(given):
    given.known([{"url": f"http://h{n % 5}.example{n % 2}.com/{n}"} for n in range(50)])
    report = run(given, {"partition.url.mode": "byDomain"}, num_fetchers=8)
    lists = {}
    for row in listed(given, report):
        lists.setdefault(row["domain"], set()).add(row["list"])
    assert [len(numbers) for numbers in lists.values()] == [1, 1]


def test_hosts_are_interleaved_within_a_list(given):
    given.known([{"url": f"http://h{n % 4}.test/{n:02}"} for n in range(40)])
    hosts = [row["host"] for row in listed(given, run(given, num_fetchers=1))]
    assert [Counter(hosts[n : n + 4]) for n in range(0, 40, 4)] == [
        Counter({f"h{n}.test": 1 for n in range(4)})
    ] * 10


def test_many_buckets_give_the_same_lists_as_one(given, another_crawl):
    rows = [
        {"url": f"http://h{n % 40}.example{n % 7}.com/{n}", "score": float(n % 13)}
        for n in range(1500)
    ]
    other = another_crawl("other")
    given.known(rows)
    other.known(rows, bits=4)
    conf = {"generate.max.count": 9}
    one, many = run(given, conf, topn=200), run(other, conf, topn=200)
    assert listed(given, one) == listed(other, many)
    assert one.counts == many.counts


@given_values(
    st.lists(st.tuples(st.integers(1, 500), st.floats(0, 1000)), min_size=1, max_size=40),
    st.integers(1, 10),
)
def test_every_host_is_in_exactly_one_list_and_no_list_is_empty(loads, requested):
    urls, seconds = map(list, zip(*loads, strict=True))
    names = [f"h{n}" for n in range(len(loads))]
    lists = balanced(HostLoads(names, urls, [1] * len(loads), seconds), requested)
    assert sorted(key for load in lists for key in load.keys) == sorted(names)
    assert len(lists) == min(requested, len(loads))
    for load in lists:
        inside = [loads[names.index(key)] for key in load.keys]
        assert (load.urls, load.hosts) == (sum(n for n, _ in inside), len(inside))
        assert load.expected_s == max(s for _, s in inside)


def first_of(rows, topn, most):
    """What is to be selected, worked out the plain way: all sorted, so many a host, the first."""
    taken, hosts = [], Counter()
    for row in sorted(rows, key=lambda row: (-row["score"], row["url"])):
        host = row["url"].split("/")[2]
        hosts[host] += 1
        if hosts[host] <= most:
            taken.append(row["url"])
    return taken[:topn], len(taken)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given_values(
    scores=st.lists(st.integers(0, 5), min_size=30, max_size=90),
    topn=st.integers(0, 40),
    most=st.sampled_from([1, 2, 5, 10**6]),
    bits=st.integers(0, 4),
)
def test_bucket_by_bucket_the_best_are_those_of_the_whole(crawls, scores, topn, most, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best, "LEAST_SLACK", 0)
        given = crawls()
        rows = [
            {"url": f"http://h{n % 7}.site{n % 5}.test/{n * 7 % 90}", "score": float(score)}
            for n, score in enumerate(scores)
        ]
        given.known(rows, bits=bits)
        config = given.config(**{"generate.max.count": most if most < 10**6 else -1})
        report = generate(given.crawl, config, given.now, topn=topn)
        wanted, candidates = first_of(rows, topn, most)
        assert report.counts.get("topN", 0) == candidates - len(wanted)
        assert report.counts.get("topN") != 0
        assert report.counts.get("generate.max.count", 0) == len(rows) - candidates
        found = []
        if report.segment:
            segment = given.crawl.segment(report.segment)
            for file in segment.part_files("crawl_generate"):
                found += segment.read_part(file, "crawl_generate").to_pylist()
        assert sorted(row["url"] for row in found) == sorted(wanted)


RULES = {"urlfilter.regex.rules": "-/[0-3]$\n+."}


def judged(given, monkeypatch, conf):
    """How many URLs generate asks the filters about."""
    asked = []
    real = best.UrlChain.judge
    with monkeypatch.context() as patch:
        patch.setattr(
            best.UrlChain, "judge", lambda chain, url: asked.append(url) or real(chain, url)
        )
        run(given, conf, topn=5)
    return len(asked)


def test_filters_that_all_urls_have_passed_are_not_asked_again(given, monkeypatch):
    inject(given.crawl, given.config(**RULES), [row["url"] for row in pages(20)], given.now)
    assert judged(given, monkeypatch, RULES) == 0
    assert judged(given, monkeypatch, {}) > 0
    inject(given.crawl, given.config(), ["http://other.test/"], given.now)
    assert judged(given, monkeypatch, RULES) > 0


def test_a_segment_tells_the_filters_its_urls_have_passed(given):
    segment = given.crawl.new_segment("20260301000000")
    assert segment.filters() == ""
    segment.note_filters("one")
    segment.note_filters("one")
    assert segment.filters() == "one"
    segment.note_filters("two")
    assert segment.filters() == ""


def test_two_at_once_never_select_the_same_urls(given):
    given.known(pages(40))
    script = textwrap.dedent(
        """
        import sys
        from datetime import datetime
        from crawl_ops.config.load import load
        from crawl_ops.jobs.generate import generate
        from crawl_ops.storage.crawl_dir import CrawlDir
        crawl = CrawlDir.open(sys.argv[1])
        print("ready", flush=True)
        sys.stdin.readline()
        generate(crawl, load(), datetime.fromisoformat(sys.argv[2]), topn=10)
        """
    )
    command = [sys.executable, "-c", script, str(given.crawl.root), given.now.isoformat()]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        process.communicate()
        assert process.returncode == 0
    selected = [
        row["url"]
        for name in given.crawl.segments()
        for row in listed(given, SimpleNamespace(segment=name))
    ]
    assert len(selected) == len(set(selected)) == 30


def test_a_killed_depth_leaves_out_what_others_hold_by_now(given, monkeypatch):
    given.known(pages(10))
    monkeypatch.setattr("crawl_ops.storage.segment.Segment.publish", _killed)
    with pytest.raises(KeyboardInterrupt):
        run(given, run_id="r", depth=1, num_fetchers=2)
    monkeypatch.undo()
    other = run(given, topn=6)
    mine = run(given, run_id="r", depth=1)
    assert not urls(given, other) & urls(given, mine)
    assert len(urls(given, mine)) == 4


@pytest.mark.parametrize("conf", [{"generate.max.count": 9}, {"partition.url.mode": "byDomain"}])
def test_a_list_in_pieces_is_the_list(given, monkeypatch, conf):
    given.known([row for n in range(40) for row in pages(1 + n % 13, f"h{n}.d{n % 9}.test")])
    whole = listed(given, run(given, conf, topn=200, force=True))
    monkeypatch.setattr(lists, "PIECE_ROWS", 17)
    report = run(given, conf, topn=200, force=True)
    files = given.crawl.segment(report.segment).part_files("crawl_generate", [0])
    assert len(files) > 3
    tables = [pq.read_table(given.crawl.files.location(file.path)) for file in files]
    positions = [place for table in tables for place in table["position"].to_pylist()]
    assert positions == list(range(len(positions)))
    assert listed(given, report) == whole


@pytest.mark.parametrize(
    "conf",
    [
        {"generate.max.count": 4},
        {"generate.max.count": 4, "generate.count.mode": "domain"},
        {"generate.max.count": -1},
    ],
)
def test_places_in_a_file_and_text_give_the_same_lists(given, monkeypatch, conf):
    """Where a bucket is one file, URLs are compared by their places; else by their text."""
    given.known(
        [
            {"url": f"http{'s' * (n % 2)}://h{n % 5}.d{n % 3}.test/{n * 37 % 100:02}", "score": 1.0}
            for n in range(200)
        ],
        bits=2,
    )
    by_place = listed(given, run(given, conf, topn=50, force=True))
    for module in ("jobs.generating.best", "jobs.generating.lists", "storage.merged"):
        monkeypatch.setattr(f"crawl_ops.{module}.in_one_file", lambda bucket: False)
    assert listed(given, run(given, conf, topn=50, force=True)) == by_place


@pytest.mark.parametrize("by", ["host", "domain"])
def test_limits_that_fall_between_equal_scores_go_by_url(given, monkeypatch, by):
    """Also where a bucket after the other is cut, and one of so many URLs is in the histogram."""
    monkeypatch.setattr(best, "LEAST_SLACK", 5)
    monkeypatch.setattr(best, "LARGE", 0)
    known = [
        {"url": f"http{'s' * (n % 2)}://h{n % 3}.d{n % 11}.test/{n * 37 % 100:02}", "score": score}
        for n in range(200)
        for score in [[1.0, 1.0, 2.0][n % 3]]
    ]
    given.known(known, bits=3)
    conf = {"generate.max.count": 4, "generate.count.mode": by}
    chosen = urls(given, run(given, conf, topn=30))
    best_first = sorted(known, key=lambda row: (-row["score"], row["url"]))
    held = Counter()
    wanted = []
    for row in best_first:
        host = row["url"].split("/")[2]
        key = host if by == "host" else host.partition(".")[2]
        held[key] += 1
        if held[key] <= 4:
            wanted.append(row["url"])
    assert chosen == set(wanted[:30])
