"""A real manual: every page of postgresql-doc-15 within two links is fetched and can be found."""

import pytest

from benchmarks.doc_packages import fetch_package, site_of
from benchmarks.real_sites import crawl_site

pytestmark = pytest.mark.whole

PACKAGE = "postgresql-doc-15"


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    """Fetched from the Debian archive with apt-get; without that the test fails and says so."""
    work = tmp_path_factory.mktemp("real_sites")
    site = site_of(PACKAGE, fetch_package(PACKAGE, work))
    return crawl_site(PACKAGE, site.root, site.start, site.links, work, "127.0.0.21")


def test_every_page_is_fetched_once_and_nothing_is_unexplained(account):
    assert account.unexplained == []
    assert account.fetched == account.served
    assert account.pages == account.reached - len(account.explained) > 1000
    assert account.repeated == 0
    assert account.indexed == account.pages


def test_fifty_titles_are_found_in_the_first_five_hits(account):
    assert (account.found, account.searched) == (50, 50)
