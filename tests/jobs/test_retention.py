"""Which segments retention removes, and which it must not."""

from datetime import timedelta

import pytest

from crawl_ops.jobs.indexing.done import INDEXED
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.retention import retention

SEED = "https://a.test/"
NAMES = [f"2026030100000{number}" for number in range(4)]


@pytest.fixture
def finished(given):
    """Four segments that all jobs are done with."""
    given.known([{"url": SEED}])
    for name in NAMES:
        given.segment(name, fetched=[given.fetched(SEED)], parsed=[given.parsed(SEED)])
    given.update(*NAMES)
    invertlinks(given.crawl, given.config(), None, given.now)
    for name in NAMES:
        given.crawl.files.put(f"{INDEXED}/{name}.json", b"{}")
    return given


def run(given, kept, days=30.0, after=timedelta(days=31)):
    config = given.config(**{"crawl.segments.kept": kept, "crawl.segments.kept.days": days})
    return retention(given.crawl, config, given.now + after).counts


def test_the_newest_stay(finished):
    before = finished.rows()
    counts = run(finished, kept=1)
    assert (counts["removed"], counts["kept"]) == (3, 1)
    assert counts["bytes"] > 1000
    assert finished.crawl.segments() == NAMES[3:]
    assert finished.crawl.files.names("segments") == NAMES[3:]
    assert finished.rows() == before
    assert run(finished, kept=1) == {"kept": 1}


def test_the_young_stay(finished):
    assert run(finished, kept=0, after=timedelta(days=29)) == {"kept": 4}
    assert run(finished, kept=0)["removed"] == 4
    assert finished.crawl.segments() == []


def test_what_a_job_still_needs_stays_whatever_its_age(finished):
    finished.segment("20260301000009", fetched=[finished.fetched(SEED)])
    finished.crawl.files.remove(f"{INDEXED}/{NAMES[1]}.json")
    counts = run(finished, kept=0)
    assert (counts["not_in_crawldb"], counts["not_in_index"], counts["removed"]) == (1, 1, 3)
    assert finished.crawl.segments() == [NAMES[1], "20260301000009"]


def test_what_is_not_in_the_linkdb_stays(given):
    given.known([{"url": SEED}])
    given.segment(NAMES[0], fetched=[given.fetched(SEED)])
    given.update(NAMES[0])
    given.crawl.files.put(f"{INDEXED}/{NAMES[0]}.json", b"{}")
    assert run(given, kept=0) == {"not_in_linkdb": 1}


def test_a_removed_segment_is_not_folded_again(finished):
    run(finished, kept=0)
    # Its name is still among those that the crawldb has seen.
    assert set(NAMES) <= set(finished.crawl.table("crawldb").current().segments)
