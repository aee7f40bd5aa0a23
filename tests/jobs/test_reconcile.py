"""reconcile: whether index and crawldb say the same."""

import pytest

from crawl_ops.index.document import Document
from crawl_ops.index.search import indexed_ids
from crawl_ops.index.writers import IndexWriters
from crawl_ops.jobs import reconcile as module
from crawl_ops.jobs.reconcile import reconcile
from crawl_ops.model import DbStatus

URL = "http://a.test/"
FETCHED = {"db_fetched", "db_notmodified"}


def run(given, **options):
    return reconcile(given.crawl, given.config(), given.now, **options)


def put_in_index(given, urls):
    with IndexWriters(given.config(), given.crawl.index_location) as writers:
        for url in urls:
            writers.write(Document(url))
        writers.commit()


def indexed(given):
    return set(indexed_ids(given.crawl.index_location))


@pytest.mark.parametrize("status", list(DbStatus))
def test_what_a_page_with_a_document_comes_to(given, status):
    given.known([{"url": URL, "status": status}])
    put_in_index(given, [URL])
    # A failed try (db_unfetched) is no reason to delete.
    wrong = [] if status in FETCHED | {"db_unfetched"} else [URL]
    assert run(given).details == {"index_only": wrong, "crawldb_only": []}
    run(given, delete=True)
    assert indexed(given) == ({URL} - set(wrong))


@pytest.mark.parametrize("status", list(DbStatus))
def test_what_a_page_without_a_document_comes_to(given, status):
    given.known([{"url": URL, "status": status}])
    missing = [URL] if status in FETCHED else []
    assert run(given).details == {"index_only": [], "crawldb_only": missing}


def test_documents_that_the_crawldb_does_not_know_are_deleted_on_request(given):
    given.known([{"url": URL, "status": "db_fetched"}])
    put_in_index(given, [URL, "http://b.test/", "http://c.test/"])
    report = run(given)
    assert report.details["index_only"] == ["http://b.test/", "http://c.test/"]
    assert len(indexed(given)) == 3
    assert run(given, delete=True).counts == {"index_only": 2, "crawldb_only": 0, "deleted": 2}
    assert indexed(given) == {URL}
    assert run(given, delete=True).counts == {"index_only": 0, "crawldb_only": 0}


def test_an_empty_crawl_is_in_order(given):
    assert run(given, delete=True).counts == {"index_only": 0, "crawldb_only": 0}
    assert not given.crawl.index_location.exists()


def test_all_are_counted_some_are_listed(given, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 7)
    monkeypatch.setattr(module, "LISTED", 3)
    urls = [f"http://h{n:02}.test/" for n in range(60)]
    given.known([{"url": url, "status": "db_fetched"} for url in urls[:40]], bits=2)
    put_in_index(given, urls[20:])
    report = run(given, delete=True)
    assert report.counts == {"index_only": 20, "crawldb_only": 20, "deleted": 20}
    assert report.details == {"index_only": urls[40:43], "crawldb_only": urls[:3]}
    assert indexed(given) == set(urls[20:40])
