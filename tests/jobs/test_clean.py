"""clean: what the crawldb says is gone leaves the index."""

import pytest

from crawl_ops.index.document import Document
from crawl_ops.index.search import indexed_ids
from crawl_ops.index.writers import IndexWriters
from crawl_ops.jobs import clean as module
from crawl_ops.jobs.clean import clean
from crawl_ops.model import DbStatus

URL = "http://a.test/"
LEAVING = {"db_gone", "db_duplicate", "db_redir_temp", "db_redir_perm", "db_orphan"}


def put_in_index(given, urls):
    with IndexWriters(given.config(), given.crawl.index_location) as writers:
        for url in urls:
            writers.write(Document(url))
        writers.commit()


def indexed(given):
    return set(indexed_ids(given.crawl.index_location))


@pytest.mark.parametrize("status", list(DbStatus))
def test_what_every_status_comes_to(given, status):
    given.known([{"url": URL, "status": status}])
    put_in_index(given, [URL])
    report = clean(given.crawl, given.config(), given.now)
    assert (indexed(given) == set()) is (status in LEAVING)
    assert report.counts == {"deleted": int(status in LEAVING)}


def test_documents_that_the_crawldb_does_not_know_stay(given):
    put_in_index(given, [URL])
    clean(given.crawl, given.config(), given.now)
    assert indexed(given) == {URL}


def test_all_buckets_are_cleaned_some_pages_at_a_time(given, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ROWS", 7)
    monkeypatch.setattr(module, "BATCHES_A_COMMIT", 2)
    urls = [f"http://h{n}.test/" for n in range(120)]
    given.known(
        [{"url": url, "status": ("db_gone", "db_fetched")[n % 2]} for n, url in enumerate(urls)],
        bits=2,
    )
    put_in_index(given, urls)
    assert clean(given.crawl, given.config(), given.now).counts == {"deleted": 60}
    assert indexed(given) == set(urls[1::2])
    assert clean(given.crawl, given.config(), given.now).counts == {"deleted": 0}


def test_what_no_writer_can_count_are_requests(given):
    given.known([{"url": URL, "status": "db_gone"}])
    config = given.config(**{"indexer.writers": "dummy"})
    assert clean(given.crawl, config, given.now).counts == {"delete_requests": 1}


def test_an_empty_crawl_has_nothing_to_clean(given):
    assert clean(given.crawl, given.config(), given.now).counts == {"deleted": 0}
