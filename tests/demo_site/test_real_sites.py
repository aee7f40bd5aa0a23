"""The accounting of benchmarks/real_sites.py, without a crawl and without a package."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.doc_packages import DocSite, PackageError, fetch_package, site_of
from benchmarks.real_sites import Account, Command, account_for, search_titles

ORIGIN = "http://127.0.0.11:1"


class Spoken(Command):
    """Answers as crawl-ops would."""

    def __init__(self, crawldb: dict[str, tuple[str, str | None]], explained: Any = None) -> None:
        self._crawldb = crawldb
        self._explained = explained or {}
        self.searched: list[str] = []

    def __call__(self, *arguments: str, may_be: Any = (0,)) -> list[Any]:
        verb, *rest = arguments
        if verb == "sql":
            return [{"url": u, "status": s, "reason": r} for u, (s, r) in self._crawldb.items()]
        if verb == "normalize":
            return [
                {
                    "url": url,
                    "normalized": None if url.endswith(".png") else url,
                    "rejected_by": "regex" if url.endswith(".png") else None,
                }
                for url in rest
            ]
        if verb == "explain":
            return [{"steps": self._explained.get(rest[0], [])}]
        self.searched.append(rest[0])
        return [{"total": 1, "hits": [{"url": f"{ORIGIN}/index.html"}]}]


def account(command: Command, *paths: str) -> Account:
    made = Account("some-doc", 2)
    account_for(command, ORIGIN, paths, made)
    return made


def test_fetched_refused_and_gone_are_accounted_for() -> None:
    command = Spoken(
        {
            f"{ORIGIN}/a.html": ("db_fetched", None),
            f"{ORIGIN}/b.html": ("db_duplicate", f"duplicate of {ORIGIN}/a.html"),
            f"{ORIGIN}/gone.html": ("db_gone", "http 404"),
        }
    )
    made = account(command, "/a.html", "/b.html", "/gone.html", "/c.png")
    assert made.fetched == 2
    assert {reason for _, reason in made.explained} == {"db_gone: http 404", "refused by regex"}
    assert made.unexplained == []


def test_a_status_without_a_reason_is_unexplained() -> None:
    made = account(Spoken({f"{ORIGIN}/a.html": ("db_unfetched", None)}), "/a.html")
    assert made.unexplained == [f"{ORIGIN}/a.html"]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([{"step": "parse", "outcome": "rejected", "reason": "db.max.outlinks.per.page"}], True),
        ([{"step": "crawldb", "outcome": "unknown", "reason": "no record"}], False),
        ([], False),
    ],
)
def test_a_url_that_is_not_known_needs_a_rule_that_kept_it_out(steps: Any, reason: bool) -> None:
    url = f"{ORIGIN}/missing.html"
    made = account(Spoken({}, {url: steps}), "/missing.html")
    assert bool(made.explained) is reason
    assert made.unexplained == ([] if reason else [url])


def test_titles_are_searched_as_plain_words(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<title>C++: "AND" (part 1)</title>')
    command = Spoken({})
    assert search_titles(command, tmp_path, ORIGIN, ["/index.html"]) == 1
    assert command.searched == ["c and part 1"]


def test_the_account_is_printed_with_its_reasons() -> None:
    made = account(Spoken({}), "/c.png", "/d.png", "/e.html")
    text = "\n".join(made.lines())
    assert "refused by regex 2" in text
    assert f"{ORIGIN}/e.html" in text


def test_without_apt_the_package_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PackageError, match="apt-get is missing"):
        fetch_package("some-doc", tmp_path)


def test_sites_are_found_in_what_was_unpacked(tmp_path: Path) -> None:
    deep = tmp_path / "usr" / "share" / "doc" / "some-doc" / "html"
    (deep / "more").mkdir(parents=True)
    (deep / "more" / "index.html").touch()
    (deep / "index.html").touch()
    assert site_of("some-doc", tmp_path) == DocSite(deep, "/index.html", 3)
    assert site_of("sqlite3-doc", tmp_path).start == "/index.html"
    with pytest.raises(PackageError, match=r"no index\.html"):
        site_of("some-doc", deep / "more" / "nothing")
