"""Asking again for a depth: what failed in it, what its redo leads to, and what stays as it is."""

from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import NotFoundError
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.generating.wish import Again
from crawl_ops.jobs.redo import redo
from crawl_ops.storage.runs import claims

QUICK = {"fetcher.store.content": False}


def run(given, depth=1, run_id="r", **options):
    given.now += timedelta(seconds=1)
    return generate(given.crawl, given.config(), given.now, run_id=run_id, depth=depth, **options)


def listed(given, report):
    segment = given.crawl.segment(report.segment)
    return [
        row
        for file in segment.part_files("crawl_generate")
        for row in pq.read_table(given.crawl.files.location(file.path)).to_pylist()
    ]


def urls(given, report):
    return sorted(row["url"] for row in listed(given, report))


def fold(given, report, failed=(), links=()):
    """Pretend that a segment was fetched, parsed and folded; links are (from, to)."""
    segment = given.crawl.segment(report.segment)
    given.now += timedelta(seconds=1)
    for number in segment.lists():
        rows = [
            given.fetched(
                row["url"],
                "fetch_retry" if row["url"] in failed else "fetch_success",
                list=number,
                retries=row["retries"],
                reason="http 500" if row["url"] in failed else None,
                http_status=500 if row["url"] in failed else 200,
                fetch_time=given.now,
            )
            for row in listed(given, report)
            if row["list"] == number
        ]
        segment.write_part("crawl_fetch", number, "a.0000", rows)
        if number == 0 and links:
            found = sorted((given.link(*pair) for pair in links), key=lambda row: row["slot"])
            segment.write_part("crawl_parse", 0, "a.0000p", found)
        segment.finish("fetch", number, {})
        segment.finish("parse", number, {})
    given.update(report.segment, **QUICK)


A, B = "http://a.test/", "http://b.test/"
A1, B1, A2, B2 = f"{A}1", f"{B}1", f"{A}2", f"{B}2"


def two_depths(given):
    """Depth 1: seeds. Depth 2: A1 was had and led to A2; B1 failed; depth 3: A2."""
    given.known([{"url": A}, {"url": B}])
    fold(given, run(given), links=[(A, A1), (B, B1)])
    second = run(given, 2)
    assert urls(given, second) == [A1, B1]
    fold(given, second, failed={B1}, links=[(A1, A2)])
    third = run(given, 3)
    assert urls(given, third) == [A2]
    fold(given, third)
    return second, third


def test_after_a_redo_the_next_depth_takes_what_that_led_to(given):
    two_depths(given)
    again = run(given, 2)
    assert urls(given, again) == [B1]
    fold(given, again, links=[(B1, B2), (B1, A2)])
    follows = run(given, 3)
    assert urls(given, follows) == [B2]
    assert run(given, 3).segment == follows.segment
    fold(given, follows)
    # Nothing failed, and the depth before is as it was: the newest segment of the depth stands.
    assert run(given, 3).segment == follows.segment
    assert run(given, 1).segment == claims(given.crawl.files, "r", 1)[0].segment
    assert len(given.crawl.segments()) == 5


def test_a_depth_that_had_nothing_to_do_takes_what_a_redo_led_to(given):
    given.known([{"url": B}])
    first = run(given)
    fold(given, first, failed={B})
    assert run(given, 2).segment is None
    again = run(given)
    assert urls(given, again) == [B]
    fold(given, again, links=[(B, B1)])
    assert urls(given, run(given, 2)) == [B1]


def test_none_leaves_a_folded_depth_as_it_is(given):
    second, third = two_depths(given)
    assert run(given, 2, redo="none").segment == second.segment
    assert run(given, 3, redo="none").segment == third.segment
    assert len(given.crawl.segments()) == 3


def test_none_still_finishes_a_redo_that_was_begun(given):
    two_depths(given)
    again = run(given, 2)
    assert run(given, 2, redo="none").segment == again.segment


def test_all_means_every_segment_of_the_depth(given):
    two_depths(given)
    fold(given, run(given, 2))
    assert urls(given, run(given, 2, redo="all")) == [A1, B1]


def test_what_failed_twice_is_asked_a_third_time_and_no_more_when_it_was_had(given):
    two_depths(given)
    fold(given, run(given, 2), failed={B1})
    third_try = run(given, 2)
    assert urls(given, third_try) == [B1]
    fold(given, third_try)
    assert run(given, 2).segment == third_try.segment


def test_a_page_that_another_run_had_since_is_not_asked_again(given):
    second, _ = two_depths(given)
    given.now += timedelta(days=2)
    other = run(given, 1, run_id="next day")
    assert urls(given, other) == [B1]
    fold(given, other)
    assert run(given, 2).segment == second.segment


def test_another_run_that_failed_too_does_not_hide_the_failure(given):
    two_depths(given)
    given.now += timedelta(days=2)
    fold(given, run(given, 1, run_id="next day"), failed={B1})
    assert urls(given, run(given, 2)) == [B1]


def test_a_past_run_is_asked_again_by_another_one(given):
    two_depths(given)
    again = run(given, 1, "redo", again=Again("r"))
    assert urls(given, again) == [B1]
    assert run(given, 1, "redo", again=Again("r")).segment == again.segment
    fold(given, again, links=[(B1, B2)])
    # Asked again, it redoes its own failures, of which there are none.
    assert run(given, 1, "redo", again=Again("r")).segment == again.segment
    assert run(given, 1, "later", again=Again("r")).segment is None


@pytest.mark.parametrize(
    ("again", "wanted"),
    [
        (Again("r", depth=1), []),
        (Again("r", depth=2), [B1]),
        (Again("r", hosts=("a.test",)), []),
        (Again("r", hosts=("b.test",)), [B1]),
        (Again("r", lists=(1,)), [B1]),
        (Again("r", depth=2, everything=True), [A1, B1]),
        (Again("r", hosts=("a.test",), everything=True), [A, A1, A2]),
    ],
)
def test_of_a_past_run_only_what_is_wanted(given, again, wanted):
    two_depths(given)
    before = sorted(given.crawl.files.walk(""))
    plan = redo(given.crawl, given.config(), again, given.now)
    assert plan.counts["urls"] == len(wanted)
    assert sorted(given.crawl.files.walk("")) == before
    made = run(given, 1, "redo", again=again)
    assert (urls(given, made) if made.segment else []) == wanted


def test_a_plan_tells_hosts_and_reasons(given):
    two_depths(given)
    plan = redo(given.crawl, given.config(), Again("r"), given.now)
    assert plan.counts == {"urls": 1, "hosts": 1, "segments": 3}
    assert plan.details == {"hosts": {"b.test": 1}, "reasons": {"http 500": 1}}


@pytest.mark.parametrize(
    ("again", "told"),
    [
        (Again("x"), "no run 'x'"),
        (Again("r", depth=9), "no run 'r' with a depth 9"),
        (Again("r", lists=(1, 77)), "has a fetch list 77"),
        (Again("r", hosts=("a.test", "z.test")), "has URLs of host z.test"),
    ],
)
def test_a_run_that_is_not_there_is_told(given, again, told):
    two_depths(given)
    with pytest.raises(NotFoundError, match=told):
        redo(given.crawl, given.config(), again, given.now)


def test_a_run_that_is_not_folded_is_to_be_cleared_instead(given):
    given.known([{"url": A}])
    run(given)
    with pytest.raises(NotFoundError, match="clear the run instead"):
        redo(given.crawl, given.config(), Again("r"), given.now)
