"""The statements of updatedb over rows given by name."""

from datetime import UTC, datetime, timedelta

import pytest

from crawl_ops.config.load import load
from crawl_ops.model import DbStatus, FetchStatus
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.session import Session

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SLOTS = {"lo": 0, "hi": 65535}
RULES = {"interval_default": 100, "interval_max": 1000}


@pytest.fixture
def tables(tmp_path):
    with Session(LocalFiles(tmp_path), load(None, {"duckdb.threads": 1})) as session:
        for macros in (
            "schedule/default",
            "schedule/failed",
            "scoring/shares",
            "scoring/usual",
            "scoring/opic",
            "metadata",
        ):
            session.define(macros)
        yield session


def page(k, **changes):
    return {
        "k": k, "slot": 5, "url": f"http://a.test/{k}", "host": "a.test", "domain": "a.test",
        "status": "db_unfetched", "fetch_time": NOW, "interval_s": 100, "retries": 0, "score": 1.0,
        **changes,
    }  # fmt: skip


def fetch(k, status="fetch_success", **changes):
    return {
        **{name: value for name, value in page(k).items() if name != "status"},
        "list": 0, "attempt": "a", "fetch_status": status, "protocol_status": "success",
        "fetch_time": NOW, "bytes": 0, "hops": 0,
        **changes,
    }  # fmt: skip


def parsed(k, **changes):
    return {
        **page(k), "attempt": "a", "parse_status": "success", "kind": "page", "noindex": False,
        "nofollow": False, "noarchive": False, "outlinks_found": 0, "outlinks_kept": 0,
        **changes,
    }  # fmt: skip


def link(k, number=0, score=0.5, **changes):
    return {
        "k": k, "slot": 5, "to_url": f"http://a.test/{k}", "to_host": "a.test",
        "to_domain": "a.test", "from_k": 99, "from_url": f"http://b.test/{number}",
        "from_host": "b.test", "attempt": "a",
        "kind": "link", "position": 0, "score": score,
        **changes,
    }  # fmt: skip


def linked(tables, links, max_inlinks=10_000):
    tables.bind_rows("crawl_parse", "crawl_parse", links)
    tables.create("linked", "updatedb_linked", **SLOTS)
    if tables.create("crowded", "updatedb_crowded", max_inlinks=max_inlinks):
        tables.create("limited", "updatedb_limited", max_inlinks=max_inlinks, **SLOTS)
        tables.rename("limited", "linked")
    tables.create("described", "updatedb_described", now=NOW, **SLOTS)
    return {row["k"]: row for row in tables.connection.table("linked").to_arrow_table().to_pylist()}


def outcome(tables, known=(), fetched=(), parses=(), links=(), **changes):
    linked(tables, links)
    tables.bind_rows("crawldb", "crawldb", known)
    tables.bind_select("known", "SELECT *, NULL::BIGINT AS row FROM crawldb")
    tables.bind_rows("crawl_fetch", "crawl_fetch", fetched)
    tables.bind_rows("parse_data", "parse_data", parses)
    tables.create("fetched", "updatedb_fetched", **SLOTS)
    tables.create("past", "updatedb_past")
    settings = {
        "segment": "s", "additions_allowed": True, "delete_failed_parse": True, "retry_max": 3,
        "rules": RULES, "parse_keys": [], "believable": NOW + timedelta(days=1000),
    }  # fmt: skip
    tables.create("outcome", "updatedb_outcome", **settings | changes)
    return {
        row["k"]: row for row in tables.connection.table("outcome").to_arrow_table().to_pylist()
    }


@pytest.mark.parametrize("known_as", list(DbStatus))
@pytest.mark.parametrize(
    ("fetched_as", "becomes"),
    [
        ("fetch_success", "db_fetched"),
        ("fetch_notmodified", "db_notmodified"),
        ("fetch_redir_temp", "db_redir_temp"),
        ("fetch_redir_perm", "db_redir_perm"),
        ("fetch_gone", "db_gone"),
        ("parse_failed", "db_parse_failed"),
        ("fetch_retry", "db_unfetched"),
    ],
)
def test_status_after_updatedb(tables, known_as, fetched_as, becomes):
    rows = outcome(tables, [page(1, status=known_as)], [fetch(1, fetched_as)])
    assert rows[1]["status"] == becomes


def test_the_matrix_knows_every_fetch_status(tables):
    assert {
        row["status"]
        for row in outcome(tables, [], [fetch(n, s) for n, s in enumerate(FetchStatus)]).values()
    } <= set(DbStatus)
    assert len(FetchStatus) == 7


@pytest.mark.parametrize(
    ("old", "generated", "parse", "status", "signature", "modified"),
    [
        (None, None, b"new", "db_fetched", b"new", NOW),
        (b"old", b"old", b"new", "db_fetched", b"new", NOW),
        (b"old", b"old", b"old", "db_notmodified", b"old", NOW - timedelta(days=5)),
        (b"old", b"old", None, "db_notmodified", b"old", NOW - timedelta(days=5)),
        (b"old", None, None, "db_fetched", None, NOW - timedelta(days=5)),
    ],
)
def test_signatures_are_compared(tables, old, generated, parse, status, signature, modified):
    then = NOW - timedelta(days=5) if old else None
    row = outcome(
        tables,
        [page(1, status="db_fetched", signature=old, modified_time=then)],
        [fetch(1, signature=generated)],
        [parsed(1, signature=parse, fetch_time=NOW)] if parse else [],
    )[1]
    assert (row["status"], row["signature"], row["modified_time"]) == (status, signature, modified)


def test_an_interval_above_the_maximum_starts_the_page_anew(tables):
    row = outcome(
        tables,
        [page(1, status="db_fetched", signature=b"x", etag="e")],
        [fetch(1, interval_s=2000)],
    )[1]
    assert (row["status"], row["interval_s"], row["retries"]) == ("db_unfetched", 900, 0)
    assert (row["signature"], row["modified_time"], row["etag"]) == (None, None, None)
    assert row["fetch_time"] == NOW + timedelta(seconds=2000)


def test_the_latest_fetch_of_a_url_counts_with_its_own_parse(tables):
    rows = outcome(
        tables,
        [page(1)],
        [
            fetch(1, "fetch_gone", fetch_time=NOW - timedelta(hours=1)),
            fetch(1, list=1, attempt="b"),
            fetch(1, "fetch_retry", list=1, attempt="b", via="http://c.test/"),
        ],
        [parsed(1, signature=b"a"), parsed(1, signature=b"b", attempt="b")],
    )
    assert (rows[1]["status"], rows[1]["signature"]) == ("db_fetched", b"b")


@pytest.mark.parametrize("earlier_s", [0, 1])
def test_a_fetch_that_is_not_later_is_ignored(tables, earlier_s):
    known = page(1, status="db_fetched", fetched_time=NOW)
    assert (
        outcome(
            tables, [known], [fetch(1, "fetch_gone", fetch_time=NOW - timedelta(seconds=earlier_s))]
        )
        == {}
    )
    later = fetch(1, "fetch_gone", fetch_time=NOW + timedelta(milliseconds=1))
    assert outcome(tables, [known], [later])[1]["status"] == "db_gone"


def test_another_url_of_the_same_key_changes_nothing(tables):
    assert outcome(tables, [page(1, host="other.test")], [fetch(1, "fetch_gone")]) == {}


def test_a_share_is_summed_over_every_link(tables):
    rows = linked(tables, [link(1, n, 0.25) for n in range(4)] + [link(2)])
    assert {k: row["share"] for k, row in rows.items()} == {1: 1.0, 2: 0.5}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_too_many_links_are_cut_to_the_best(tables, limit):
    links = [link(1, n, float(score)) for n, score in enumerate((1, 8, 4))] + [link(2)]
    rows = linked(tables, links, max_inlinks=limit)
    assert rows[1]["share"] == sum(sorted((1, 8, 4), reverse=True)[:limit])
    assert rows[2]["share"] == 0.5


def test_links_outside_the_bucket_do_not_count(tables):
    tables.bind_rows("crawl_parse", "crawl_parse", [link(1), link(2, slot=9)])
    assert tables.create("linked", "updatedb_linked", lo=0, hi=5) == 1


def test_the_touched_buckets(tables):
    tables.bind_rows("crawl_fetch", "crawl_fetch", [fetch(1, slot=0), fetch(2, slot=40000)])
    tables.bind_rows("crawl_parse", "crawl_parse", [link(3, slot=65535)])
    tables.bind_rows(
        "crawldb",
        "crawldb",
        [page(4, slot=20000, status="db_gone"), page(5, slot=30000, status="db_orphan")],
    )

    def touched(**purges):
        asked = {"purge_404": False, "purge_orphans": False} | purges
        return [row["bucket"] for row in tables.rows("updatedb_touched", shift=13, **asked)]

    assert touched() == [0, 4, 7]
    assert touched(purge_404=True) == [0, 2, 4, 7]
    assert touched(purge_404=True, purge_orphans=True) == [0, 2, 3, 4, 7]


DAY = timedelta(days=1)
DAY_S = 86_400


@pytest.mark.parametrize("schedule", ["default", "adaptive"])
def test_two_years_of_rounds(tables, schedule):
    """Nutch's TestCrawlDbStates: a round a day; pages change in the first year only.

    1 is always gone; 2 is fetched and fails to parse in turn; 3 answers 200 always; 4 answers 304
    when it is unchanged and asked conditionally.
    """
    tables.define(f"schedule/{schedule}")
    rules = {
        "interval_default": 30 * DAY_S, "interval_max": 90 * DAY_S, "inc_rate": 0.4,
        "dec_rate": 0.2, "min_interval": 7.0 * DAY_S, "max_interval": 365.0 * DAY_S,
        "sync_delta": True, "sync_delta_rate": 0.3,
    }  # fmt: skip
    rows = {k: page(k, interval_s=30 * DAY_S) for k in (1, 2, 3, 4)}
    changed_at, turns = {}, 0
    last_fetch = dict.fromkeys(rows, NOW)
    for day in range(730):
        now = NOW + day * DAY
        # Too far ahead is due at once (rule 11, shouldFetch).
        ahead = {k: row["fetch_time"] - now for k, row in rows.items()}
        due = {k for k, wait in ahead.items() if wait <= timedelta() or wait > 90 * DAY}
        fetched, parses = [], []
        for k in due:
            assert now - last_fetch[k] <= 91 * DAY
            last_fetch[k] = now
            status, content = answer(rows[k], k, day, turns)
            names = ("interval_s", "retries", "signature", "modified_time")
            copied = {name: rows[k].get(name) for name in names}
            fetched.append(fetch(k, status, fetch_time=now, **copied))
            if content:
                parses.append(parsed(k, signature=content, fetch_time=now))
        turns += 2 in due
        after = outcome(tables, list(rows.values()), fetched, parses, rules=rules) if due else {}
        for k, row in after.items():
            forced = row["status"] == "db_unfetched"
            assert not forced or (schedule == "adaptive" and row["signature"] is None)
            if not forced:
                check(k, rows[k], row, day, changed_at, turns, now)
        rows |= after
    assert rows[3]["status"] != "db_gone"


def answer(row, k, day, turns):
    if k == 1:
        return "fetch_gone", None
    if k == 2 and turns % 2:
        return "parse_failed", None
    content = min(day, 365).to_bytes(16, "big")
    if k == 4 and row.get("signature") == content:
        return "fetch_notmodified", None
    return "fetch_success", content


def check(k, old, row, day, changed_at, turns, now):
    if k == 1:
        assert row["status"] == "db_gone"
    elif k == 2 and row["status"] != "db_parse_failed":
        assert row["status"] in ("db_fetched", "db_notmodified")
        assert turns % 2 == 1
    elif k in (3, 4):
        same = old.get("signature") == min(day, 365).to_bytes(16, "big")
        assert row["status"] == ("db_notmodified" if same else "db_fetched")
        if not same:
            changed_at[k] = now
        if row["modified_time"] and changed_at.get(k):
            assert row["modified_time"] == changed_at[k]
