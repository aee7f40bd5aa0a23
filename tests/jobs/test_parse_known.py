import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.parsing.known import FEW, KnownUrls
from crawl_ops.urls.identity import UrlIdentifier

ODD = [
    "http://a.test/x#part",
    "http://a.test/only#part\0",
    "http://A.test/%7euser/../x",
    "http://a.test/img.gif",
    "http://a.test/?PHPSESSID=1",
    "http://a.test/calendar?year=9999&month=12",
    "http://a.test/a/b/c/d/e/f/g/h/i/j/",
    "http://a.test/ü",
    "http://a.test:80/",
    "http://xn--bcher-kva.test/",
    "mailto:somebody@a.test",
    "http://[::1]/",
    "http://a.test/" + "x" * 2000,
]
URLS = [*ODD, *(f"http://h{n % 7}.test/{n}.html" for n in range(2 * FEW))]


def known(folder=None, **properties):
    properties |= {"plugin.folders": str(folder)} if folder else {}
    return KnownUrls(load(overrides=properties), UrlIdentifier(7))


@pytest.mark.parametrize("properties", [{}, {"parse.normalize.urls": False}])
def test_many_urls_at_once_come_to_what_each_comes_to(properties):
    once, each = known(**properties), known(**properties)
    once.look_all(URLS)
    assert len(once._known) >= 2 * FEW
    assert [once.look(url) for url in URLS] == [each.look(url) for url in URLS]


def test_a_filter_of_ones_own_is_asked_about_each_url_in_its_turn(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    asked = []\n"
        "    def accepts(self, url):\n"
        "        self.asked.append(url)\n"
        "        return len(self.asked) % 2 == 1\n"
    )
    urls = known(tmp_path, **{"urlfilter.order": ["mine:Mine"]})
    urls.look_all(URLS)
    assert urls._known == {}
    refused = [urls.look(url).refusal for url in URLS[-4:]]
    assert refused == [None, ("urlfilter.mine:Mine", "does not accept it")] * 2
