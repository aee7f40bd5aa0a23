"""What check finds fault with."""

from datetime import timedelta

import pytest

from crawl_ops.jobs.check import check
from crawl_ops.storage.runs import Claim, claim

HOURS = timedelta(hours=1)


class Runs:
    """Runs of one depth, an hour each, whose pages are given by status."""

    def __init__(self, given):
        self.given = given
        self.number = 0

    def run(self, **pages):
        """pages: host=(good, failed)."""
        given = self.given
        self.number += 1
        name, run_id = f"2026030100000{self.number}", f"run {self.number}"
        given.now += HOURS
        version = given.crawl.table("crawldb").current().version
        moment = given.now.isoformat()
        claim(given.crawl.files, Claim(run_id, 1, 0, name, moment, moment, version, ()))
        given.now += HOURS
        rows = [
            given.fetched(f"http://{host}.test/{n}", status, fetch_time=given.now)
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
        text = given.crawl.files.read(info).replace(b"{", f'{{"run_id": "{run_id}",'.encode(), 1)
        given.crawl.files.put(info, text)
        segment.finish("fetch", 0, {"counts": counts})
        segment.finish("parse", 0, {})
        given.update(name)
        return self

    def found(self, **conf):
        given = self.given
        report = check(given.crawl, given.config(**conf), f"run {self.number}", given.now + HOURS)
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


def test_a_run_without_a_segment(given):
    given.known([{"url": "http://a.test/"}])
    assert check(given.crawl, given.config(), "none", given.now).details == {"findings": []}
