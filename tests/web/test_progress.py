"""How a run goes, told from its segments and its running fetches."""

from datetime import timedelta

import pytest

from crawl_ops.storage.progress import ProgressFile
from crawl_ops.web.depths import expected_end_s
from crawl_ops.web.progress import POINTS_MOST, progress
from crawl_ops.web.runs import crawl_of

URLS = [f"http://h{n % 4}.example/{n}" for n in range(12)]
HOSTILE = "<img src=x onerror=alert(1)>\u202e'; DROP TABLE x"


def told(made, **changes):
    run = made.run(**changes)
    return progress(crawl_of(run), made.config(), made.now + timedelta(seconds=60))


def test_before_anything_was_selected(made) -> None:
    made.seeds(URLS)
    found = told(made)
    assert found["depths"] == []
    assert found["live"] is None
    assert found["pace"] == {"step_s": 1, "times": [], "pages": [], "failed": []}
    assert found["failures"] == []
    assert found["totals"]["hosts"] == 0
    assert found["run"]["crawl"] == "crawl"


def test_a_depth_that_waits_for_its_fetch(made) -> None:
    made.seeds(URLS)
    made.generate(lists=2)
    (depth,) = told(made)["depths"]
    assert (depth["state"], depth["generated"], depth["waiting"]) == ("generated", 12, 12)
    assert (depth["lists"], depth["lists_fetched"], depth["hosts"]) == (2, 0, 4)


def test_a_finished_depth(made) -> None:
    made.seeds(URLS)
    segment = made.generate(lists=2)
    gone, failed = URLS[0], URLS[1]
    made.fetch(segment, {gone: "fetch_gone", failed: "fetch_retry"})
    (depth,) = told(made)["depths"]
    assert depth["state"] == "parsed"
    assert depth["counts"] == {"fetch_success": 10, "fetch_gone": 1, "fetch_retry": 1}
    assert depth["waiting"] == 0
    made.update(segment)
    found = told(made, state="success")
    assert found["depths"][0]["state"] == "folded"
    assert found["totals"]["db_fetched"] == 10
    assert found["totals"]["db_gone"] == 1
    assert found["totals"]["hosts"] == 4
    assert {
        (row["fetch_status"], row["http_status"], row["urls"]) for row in found["failures"]
    } == {
        ("fetch_gone", 404, 1),
        ("fetch_retry", 503, 1),
    }
    pace = found["pace"]
    assert sum(pace["pages"]) * pace["step_s"] == pytest.approx(12)
    assert sum(pace["failed"]) * pace["step_s"] == pytest.approx(2)


def test_half_a_segment_while_it_is_fetched(made) -> None:
    """List 0 is done, list 1 has a part of a killed attempt, and another attempt is running."""
    made.seeds(URLS)
    segment = made.generate(lists=2)
    made.fetch(segment, lists=[0])
    made.fetch(segment, lists=[1], attempt="killed", most=2, finish=False)
    file = ProgressFile(made.crawl.files, segment.name, 1)
    numbers = {
        "attempt": "running",
        "pages": 1,
        "left": 3,
        "rate": 0.5,
        "counts": {"fetch_retry": 1},
        "hosts": {
            "states": {"running": 1, "backing_off": 1},
            "waiting": [[HOSTILE, 30.0, 2]],
            "longest_s": 50.0,
        },
    }
    file.put(numbers | {"pages": 0, "counts": {}}, made.now + timedelta(seconds=50))
    file.put(numbers, made.now + timedelta(seconds=58))
    found = told(made)
    (depth,) = found["depths"]
    assert depth["state"] == "fetching"
    assert depth["lists_fetched"] == 1
    assert depth["counts"] == {"fetch_success": 8, "fetch_retry": 1}
    assert depth["waiting"] == 3
    live = found["live"]
    assert (live["lists"], live["left"], live["rate"]) == (1, 3, round(1 / 8, 2))
    assert live["hosts"] == {"running": 1, "backing_off": 1}
    assert live["waiting"] == [[HOSTILE, 30.0, 2]]
    assert (live["age_s"], live["stale"]) == (2.0, False)
    # The slowest host decides: 50 s from when that was said, two seconds ago.
    assert live["expected_end"] == "2026-03-01T12:01:48Z"
    assert sum(found["pace"]["pages"]) * found["pace"]["step_s"] == pytest.approx(9)


def test_a_fetch_that_is_not_heard_of(made) -> None:
    made.seeds(URLS)
    segment = made.generate()
    ProgressFile(made.crawl.files, segment.name, 0).put({"left": 5, "rate": 0.0}, made.now)
    live = told(made)["live"]
    assert live["stale"] is True
    assert live["expected_end"] is None
    assert told(made, state="failed")["live"] is None


def test_no_end_can_be_expected_of_nothing(made) -> None:
    made.seeds(URLS)
    made.generate()
    from crawl_ops.web.depths import depths_of
    from crawl_ops.web.sessions import page_session

    found = crawl_of(made.run())
    with page_session(made.crawl, made.config()) as session:
        (depth,) = depths_of(found, session)
    assert expected_end_s(depth, made.now) is None


def test_reasons_of_strangers_are_only_text(made, client) -> None:
    made.seeds(URLS)
    made.fetch(made.generate(), {URLS[0]: "fetch_retry"}, reason=HOSTILE)
    answer = client(made.run()).get(f"/run/crawl/{made.run_id}/progress")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["failures"][0]["reason"] == HOSTILE


def test_a_depth_that_was_redone_is_there_twice(made) -> None:
    made.seeds(URLS)
    first = made.generate()
    made.fetch(first, dict.fromkeys(URLS[:3], "fetch_retry"))
    made.update(first)
    again = made.generate()
    assert again.name != first.name
    depths = told(made)["depths"]
    assert [(d["depth"], d["redo"], d["state"]) for d in depths] == [
        (1, 0, "folded"),
        (1, 1, "generated"),
    ]


def test_a_page_that_failed_and_was_redone_counts_as_it_is_now(made) -> None:
    made.seeds(URLS)
    first = made.generate()
    made.fetch(first, dict.fromkeys(URLS[:3], "fetch_retry"))
    made.update(first)
    assert [row["urls"] for row in told(made)["failures"]] == [3]
    again = made.generate()
    made.now += timedelta(minutes=5)
    made.fetch(again, {URLS[0]: "fetch_gone"})
    found = told(made)["failures"]
    assert [(row["fetch_status"], row["urls"]) for row in found] == [("fetch_gone", 1)]


def test_the_head_counts_each_url_as_it_was_last_had(made) -> None:
    made.seeds(URLS)
    first = made.generate()
    made.fetch(first, dict.fromkeys(URLS[:3], "fetch_retry"))
    made.update(first)
    assert told(made)["head"] == {
        "newest": first.name, "asked": 12, "failed": 3, "again": 0, "since_start": 12,
    }  # fmt: skip
    made.seeds([f"http://deeper.example/{n}" for n in range(4)])
    deeper = made.generate(depth=2)
    made.fetch(deeper)
    made.update(deeper)
    # Depth 1 is cleared: two of the three are there now, and the run has begun anew.
    made.now += timedelta(minutes=5)
    again = made.generate()
    made.fetch(again, {URLS[0]: "fetch_gone"})
    found = told(made, started=made.now - timedelta(minutes=1))
    assert [depth["depth"] for depth in found["depths"]] == [1, 1, 2]
    assert found["head"]["newest"] == again.name
    assert found["head"]["failed"] == sum(row["urls"] for row in found["failures"]) == 1
    assert found["head"]["since_start"] == 3
    assert (found["head"]["asked"], found["head"]["again"]) == (16, 3)
    assert found["head"]["asked"] + found["head"]["again"] == sum(
        sum(depth["counts"].values()) for depth in found["depths"]
    )


def test_a_long_crawl_has_few_points(made) -> None:
    urls = [f"http://h.example/{n}" for n in range(2_000)]
    made.seeds(urls)
    segment = made.generate()
    made.now += timedelta(days=2)
    made.fetch(segment, most=1, finish=False, attempt="early")
    made.now += timedelta(days=9)
    made.fetch(segment, attempt="late")
    pace = told(made)["pace"]
    assert 0 < len(pace["times"]) <= POINTS_MOST + 2
    assert len(pace["times"]) == len(pace["pages"]) == len(pace["failed"])
