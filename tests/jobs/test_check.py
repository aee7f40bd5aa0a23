"""What check finds fault with."""

import json
from datetime import timedelta

import pytest

from crawl_ops.cli.upkeep_verbs import newest_run
from crawl_ops.errors import NotFoundError, NotKeptError
from crawl_ops.jobs.check import check
from crawl_ops.jobs.generating.wish import Again
from crawl_ops.jobs.mergesegs import mergesegs
from crawl_ops.jobs.redo import redo
from crawl_ops.storage.runs import Claim, claim

HOURS = timedelta(hours=1)


class Runs:
    """Runs of one depth, an hour each, whose pages are given by status."""

    def __init__(self, given):
        self.given = given
        self.number = self.made = 0

    def run(self, of_segment=None, http_status=None, pass_=0, **pages):
        """pages: host=(good, failed). http_status: what the failed ones were answered.

        pass_: of the run before, another pass of its depth.
        """
        given = self.given
        self.made += 1
        self.number += not pass_
        name, run_id = f"2026030100000{self.made}", f"run {self.number}"
        given.now += HOURS
        version = given.crawl.table("crawldb").current().version
        moment = given.now.isoformat()
        made = Claim(run_id, 1, pass_, name, moment, moment, version, (), of_segment)
        claim(given.crawl.files, made)
        given.now += HOURS
        rows = [
            given.fetched(
                f"http://{host}.test/{n}",
                status,
                fetch_time=given.now,
                http_status=200 if status == "fetch_success" else http_status,
            )
            for host, counts in pages.items()
            for status, at, number in (
                ("fetch_success", 0, counts[0]),
                ("fetch_retry", counts[0], counts[1]),
                ("fetch_gone", counts[0] + counts[1], counts[2] if len(counts) > 2 else 0),
            )
            for n in range(at, at + number)
        ]
        given.segment(name, fetched=rows, finished=False)
        segment = given.crawl.segment(name)
        counts = {}
        for row in rows:
            counts[row["fetch_status"]] = counts.get(row["fetch_status"], 0) + 1
        info = f"segments/{name}/segment.json"
        of_segments = [of_segment] if of_segment else []
        told = {"run_id": run_id, "of_segment": of_segment, "of_segments": of_segments}
        plain = {**json.loads(given.crawl.files.read(info)), **told}
        given.crawl.files.put(info, json.dumps(plain).encode())
        segment.finish("fetch", 0, {"counts": counts})
        segment.finish("parse", 0, {})
        given.update(name)
        return self

    def found(self, number=None, **conf):
        given = self.given
        run_id = f"run {number or self.number}"
        report = check(given.crawl, given.config(**conf), run_id, given.now + HOURS)
        return report.details["findings"], report.counts


@pytest.fixture
def runs(given):
    given.known([{"url": f"http://{h}.test/{n}"} for h in "abc" for n in range(10)])
    return Runs(given)


def test_a_first_run_that_goes_well(runs):
    assert runs.run(a=(10, 0), b=(9, 1)).found() == (
        [],
        {"pages": 19, "pages_before": 0, "hosts_lost": 0, "fetches": 20, "failed": 1},
    )


def test_pages_that_are_gone(runs):
    runs.run(a=(10, 0), b=(10, 0)).run(a=(3, 0, 7))
    findings, counts = runs.found()
    assert findings == ["good pages went down from 20 to 13"]
    assert (counts["pages"], counts["pages_before"]) == (13, 20)
    assert runs.found(**{"crawl.check.pages.down": 0.35})[0] == []


def test_a_host_that_does_not_answer_any_more(runs):
    runs.run(a=(10, 0), b=(5, 0)).run(a=(10, 0), b=(0, 2))
    assert runs.found()[0] == ["hosts that answered before, but not in this run: b.test"]
    assert runs.found(**{"crawl.check.hosts.lost": 1})[0] == []


def test_a_host_that_never_answered_is_not_lost(runs):
    assert runs.run(a=(20, 0), b=(0, 1)).found()[0] == []


def test_errors_that_went_up(runs):
    runs.run(a=(9, 1)).run(b=(6, 4))
    assert runs.found()[0] == ["fetches that failed went up from 10% to 40%"]
    assert runs.found(**{"crawl.check.errors.up": 0.35})[0] == []


def test_errors_that_are_as_usual(runs):
    runs.run(a=(6, 4)).run(a=(6, 4))
    assert runs.found()[0] == []


def test_few_fetches_say_nothing(runs):
    assert runs.run(a=(1, 4)).found()[0] == []


def test_of_a_first_run_no_errors_went_up(runs):
    assert runs.run(a=(5, 5)).found()[0] == []


def test_an_answer_with_any_status_is_an_answer(runs):
    runs.run(a=(10, 0), b=(5, 0)).run(a=(10, 0), b=(0, 2), http_status=500)
    assert runs.found()[0] == []


def test_a_run_that_only_asks_again_is_no_whole_run(runs):
    runs.run(a=(9, 1), b=(5, 0))
    runs.run(of_segment="20260301000001", a=(0, 10), b=(0, 2))
    assert runs.found(**{"crawl.check.pages.down": 1})[0] == []
    # Nor is the next run compared with it.
    runs.run(a=(5, 5), b=(5, 0))
    assert runs.found()[0] == ["fetches that failed went up from 7% to 33%"]


@pytest.mark.parametrize("pass_", [1, 0], ids=["of its own", "of another run"])
def test_what_a_redo_has_had_has_not_failed(runs, pass_):
    runs.run(a=(9, 1)).run(b=(6, 4))
    assert runs.found(2)[1]["failed"] == 4
    # The four that failed are asked again, and three of them are there now.
    runs.run(of_segment="20260301000002", pass_=pass_, b=(9, 1))
    findings, counts = runs.found(2)
    assert (findings, counts["fetches"], counts["failed"]) == ([], 10, 1)


def test_the_next_run_is_compared_with_how_it_went_at_first(runs):
    runs.run(a=(5, 5)).run(of_segment="20260301000001", pass_=1, a=(10, 0)).run(b=(5, 5))
    assert runs.found()[0] == []


def test_a_run_whose_depth_had_nothing_to_fetch(given):
    given.known([{"url": "http://a.test/"}])
    moment = given.now.isoformat()
    claim(given.crawl.files, Claim("idle", 1, 0, "20260301000001", moment, moment, 1, ()))
    assert check(given.crawl, given.config(), "idle", given.now).details == {"findings": []}


def test_a_run_that_is_not_there_is_told(given):
    given.known([{"url": "http://a.test/"}])
    with pytest.raises(NotFoundError, match="this crawl has no run 'typo'"):
        check(given.crawl, given.config(), "typo", given.now)


ASKING = {
    "check": lambda given, run_id: check(given.crawl, given.config(), run_id, given.now),
    "redo": lambda given, run_id: redo(given.crawl, given.config(), Again(run_id), given.now),
}


@pytest.mark.parametrize("verb", ASKING)
def test_a_run_whose_segments_were_removed_is_told(runs, verb):
    runs.run(a=(10, 0))
    runs.given.crawl.remove_segment(runs.given.crawl.segment("20260301000001"))
    with pytest.raises(NotKeptError, match=r"^run 'run 1': its segments are no longer kept$"):
        ASKING[verb](runs.given, "run 1")


@pytest.mark.parametrize("verb", ASKING)
def test_a_run_whose_segments_were_merged_is_told(runs, verb):
    runs.run(a=(10, 0)).run(a=(10, 0))
    given = runs.given
    merged = mergesegs(given.crawl, given.config(), given.crawl.segments(), given.now).segment
    # Without a run named, it is this one that is meant.
    assert newest_run(given.crawl) == "run 2"
    with pytest.raises(
        NotKeptError, match=f"^run 'run 2': its segments were merged into {merged}$"
    ):
        ASKING[verb](given, newest_run(given.crawl))


@pytest.mark.parametrize("verb", ASKING)
def test_a_run_that_lost_some_segments_is_told(runs, verb, caplog):
    runs.run(a=(9, 1)).run(of_segment="20260301000001", pass_=1, a=(9, 1))
    runs.given.crawl.remove_segment(runs.given.crawl.segment("20260301000001"))
    ASKING[verb](runs.given, "run 1")
    told = "run 'run 1': some of its segments are no longer kept: 20260301000001"
    assert f"{verb}: {told}" in caplog.messages
