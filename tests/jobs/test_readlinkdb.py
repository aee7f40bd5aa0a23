"""readlinkdb: the links to a URL."""

from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.readlinkdb import dump, inlinks

TARGET = "http://b.test/page"


def given_links(given, *links, **conf):
    given.segment(links=[given.link(of, to, anchor=anchor) for of, to, anchor in links])
    invertlinks(given.crawl, given.config(**conf), None, given.now)


def test_links_come_by_source_and_anchor(given):
    given_links(
        given,
        ("http://c.test/", TARGET, "z"),
        ("http://a.test/", TARGET, "two"),
        ("http://a.test/", TARGET, "one"),
        ("http://a.test/", "http://b.test/", "other"),
    )
    assert inlinks(given.crawl, given.config(), TARGET) == {
        "url": TARGET,
        "inlinks": [
            {"url": "http://a.test/", "anchor": "one"},
            {"url": "http://a.test/", "anchor": "two"},
            {"url": "http://c.test/", "anchor": "z"},
        ],
    }


def test_the_url_may_be_written_in_another_way(given):
    given_links(given, ("http://a.test/", TARGET, "x"))
    for url in ("HTTP://B.test:80/page", "http://b.test/./page#top"):
        found = inlinks(given.crawl, given.config(), url)
        assert found["url"] == TARGET
        assert len(found["inlinks"]) == 1


def test_a_url_without_links_has_none(given):
    assert inlinks(given.crawl, given.config(), TARGET) == {"url": TARGET, "inlinks": []}
    given_links(given, ("http://a.test/", TARGET, "x"))
    for url in ("http://nowhere.test/", "no url"):
        assert inlinks(given.crawl, given.config(), url)["inlinks"] == []


def test_every_link_is_found_in_its_bucket_and_in_the_dump(given):
    links = [(f"http://s{n % 7}.test/", f"http://h{n}.test/", f"a{n}") for n in range(1500)]
    given_links(given, *links, **{"db.bucket.rows": 1000})
    assert len(given.crawl.table("linkdb").current().files) > 1
    dumped = [
        (row["from_url"], row["url"], row["anchor"]) for row in dump(given.crawl, given.config())
    ]
    assert sorted(dumped) == sorted(links)
    for of, to, anchor in links[::200]:
        assert inlinks(given.crawl, given.config(), to)["inlinks"] == [
            {"url": of, "anchor": anchor}
        ]
