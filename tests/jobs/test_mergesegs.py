"""Segments that become one: what stays, what counts, and what must not be merged."""

import shutil
from datetime import timedelta

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.index.search import get as document_of
from crawl_ops.index.search import indexed_ids
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.explain import explain
from crawl_ops.jobs.index import index
from crawl_ops.jobs.indexing.done import indexed, unseen
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.mergesegs import mergesegs
from crawl_ops.jobs.readseg import get, segments
from crawl_ops.jobs.reconcile import reconcile
from crawl_ops.jobs.retention import retention
from crawl_ops.jobs.vacuum import vacuum
from crawl_ops.storage.crawl_dir import TABLES, merged_name
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.schema import table_of

A, B, C, D, E = (f"https://{name}.test/" for name in "abcde")
ROBOTS = "https://a.test/robots.txt"
NAMES = [f"2026030100000{number}" for number in range(4)]
MERGED = merged_name(NAMES[:3])
SIGNATURES = {name: name.encode().ljust(16) for name in ("old", "new", "same")}


def add(given, name, pages, tries=(), *, links=(), **parts):
    """A segment: pages by URL with the text they had, and fetches that brought none."""
    at = {"fetch_time": given.now + timedelta(hours=NAMES.index(name))}
    whole = [
        (url, *(text if isinstance(text, tuple) else (text, {}))) for url, text in pages.items()
    ]
    fetched = [given.fetched(url, **at) for url in pages]
    fetched += [given.fetched(url, status, **at) for url, status in tries]
    given.segment(
        name,
        fetched=fetched,
        parsed=[
            given.parsed(
                url, SIGNATURES.get(text, text.encode().ljust(16)), title=text, **at, **more
            )
            for url, text, more in whole
        ],
        links=[given.link(source, target, anchor=name) for source, target in links],
        parse_text=[
            {**given.identity(url), "attempt": "a", "text": text} for url, text, _ in whole
        ],
        content=[
            {
                **given.identity(url),
                "attempt": "a",
                "base_url": url,
                "content": text.encode(),
                "score": 1.0,
                **at,
            }
            for url, text, _ in whole
        ],
        **parts,
    )


def generated(given, urls):
    row = {"attempt": "g", "list": 0, "score": 1.0, "status": "db_unfetched"}
    row |= {"fetch_time": given.now, "interval_s": 1, "retries": 0}
    return [{**given.identity(url), **row, "position": at} for at, url in enumerate(urls)]


def rejected(given, name, url, rule):
    at = given.now + timedelta(hours=NAMES.index(name))
    row = {"attempt": "a", "step": "fetch", "rule": rule, "time": at}
    return {**given.identity(url), **row}


def robots(given, name, origin):
    of = {k: given.identity(origin)[k] for k in ("host", "slot")}
    at = given.now + timedelta(hours=NAMES.index(name))
    return {"origin": origin, **of, "attempt": "a", "fetch_time": at, "outcome": name}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Where the crawl is that all tests begin with; the first of them fills it."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def merging(finished, another_crawl):
    """Four finished segments, three of which are to be merged."""
    if not (finished / "crawl").exists():
        shutil.copytree(furnished(another_crawl("furnished")).crawl.root, finished / "crawl")
    given = another_crawl("merging")
    shutil.copytree(finished / "crawl", given.crawl.root, dirs_exist_ok=True)
    return given


def furnished(given):
    given.known([{"url": url} for url in (A, B, C, D, E)])
    add(
        given,
        NAMES[0],
        {A: "old", B: "kept", C: "goes"},
        links=[(A, D), (A, E), (B, D), (ROBOTS, D)],
        crawl_generate=generated(given, [A, B, C]),
        rejected=[rejected(given, NAMES[0], D, "old.rule"), rejected(given, NAMES[0], E, "kept")],
        robots=[robots(given, NAMES[0], "https://a.test:443")],
    )
    add(
        given,
        NAMES[1],
        {A: "new"},
        [(B, "fetch_notmodified"), (C, "fetch_gone")],
        links=[(A, D), (ROBOTS, E)],
        crawl_generate=generated(given, [C, A]),
        rejected=[rejected(given, NAMES[1], D, "new.rule")],
        robots=[robots(given, NAMES[1], "https://a.test:443")],
    )
    add(given, NAMES[2], {D: "same"}, [(A, "fetch_retry")], links=[(D, A)])
    add(given, NAMES[3], {E: ("same", {"canonical_url": D})})
    given.update(*NAMES)
    invertlinks(given.crawl, given.config(), None, given.now)
    index(given.crawl, given.config(), None, given.now)
    return given


def merge(given, names=NAMES[:3], after=timedelta(0), **options):
    config = given.config(**options.pop("conf", {}))
    return mergesegs(given.crawl, config, names, given.now + after, **options)


def rows_of(given, name, part):
    segment = given.crawl.segment(name)
    return [
        row
        for file in segment.part_files(part)
        for row in segment.read_part(file, part).to_pylist()
    ]


def documents(given):
    location = given.crawl.index_location
    found = {url: document_of(location, url) for url in indexed_ids(location)}
    return {url: {**doc, "segment": None} for url, doc in found.items()}


def state(given):
    return {name: given.rows(name) for name in TABLES} | {"index": documents(given)}


def test_of_each_url_the_newest_answer_stays(merging):
    report = merge(merging)
    assert report.segment == MERGED
    assert (report.counts["sources"], report.counts["merged"], report.counts["urls"]) == (3, 1, 3)
    assert merging.crawl.segments() == [MERGED, NAMES[3]]
    assert merging.crawl.files.names("segments") == [MERGED, NAMES[3]]
    statuses = {
        r["url"]: (r["fetch_status"], r["list"]) for r in rows_of(merging, MERGED, "crawl_fetch")
    }
    assert statuses == {
        A: ("fetch_success", 0),
        B: ("fetch_success", 0),
        C: ("fetch_gone", 0),
        D: ("fetch_success", 0),
    }
    for part, column in (("parse_text", "text"), ("parse_data", "title"), ("content", "content")):
        found = {row["url"]: row[column] for row in rows_of(merging, MERGED, part)}
        texts = {A: "new", B: "kept", D: "same"}
        assert found == {u: t.encode() if part == "content" else t for u, t in texts.items()}
    links = {
        (r["from_url"], r["to_url"], r["anchor"]) for r in rows_of(merging, MERGED, "crawl_parse")
    }
    assert links == {
        (A, D, NAMES[1]),
        (B, D, NAMES[0]),
        (D, A, NAMES[2]),
        (ROBOTS, E, NAMES[1]),
    }


def test_lists_refusals_and_robots_stay_once(merging):
    merge(merging)
    lists = [(r["position"], r["url"]) for r in rows_of(merging, MERGED, "crawl_generate")]
    assert lists == [(0, B), (1, C), (2, A)]
    refused = {(row["url"], row["rule"]) for row in rows_of(merging, MERGED, "rejected")}
    assert refused == {(D, "new.rule"), (E, "kept")}
    assert [row["outcome"] for row in rows_of(merging, MERGED, "robots")] == [NAMES[1]]
    told = segments(merging.crawl, merging.config())[0]
    assert (told["segment"], told["folded"], told["lists"]) == (MERGED, True, 1)
    assert (told["generated"], told["fetched"], told["parsed"]) == (3, 4, 3)
    counts = {"fetch_success": 3, "fetch_gone": 1, "links": 4, "parse_success": 3, "left.kept": 1}
    assert told["counts"] == counts


def test_what_was_done_with_the_sources_is_not_done_again(merging):
    before = state(merging)
    merge(merging)
    assert state(merging) == before
    assert unseen(merging.crawl) == []
    assert MERGED in indexed(merging.crawl)
    assert merging.update().details["already_done"]
    assert invertlinks(merging.crawl, merging.config(), None, merging.now).details["already_done"]
    assert index(merging.crawl, merging.config(), None, merging.now).details["segments"] == 0
    assert state(merging) == before
    assert reconcile(merging.crawl, merging.config(), merging.now).counts["index_only"] == 0


def anew(given):
    """The linkdb and the index, removed and built again."""
    for folder in ("linkdb", "index"):
        for path in list(given.crawl.files.walk(folder)):
            given.crawl.files.remove(path)
    invertlinks(given.crawl, given.config(), None, given.now)
    index(given.crawl, given.config(), None, given.now)
    links = [
        {k: v for k, v in row.items() if k not in ("first_segment", "last_segment")}
        for row in given.rows("linkdb")
    ]
    return links, documents(given)


def test_built_anew_from_merged_linkdb_and_index_are_what_they_were(merging):
    links, texts = anew(merging)
    merge(merging)
    merged_links, merged_texts = anew(merging)
    gone = {(A, D, NAMES[0]), (A, E, NAMES[0]), (ROBOTS, D, NAMES[0])}  # on pages as they were
    assert merged_links == [
        row for row in links if (row["from_url"], row["to_url"], row["anchor"]) not in gone
    ]
    assert set(texts) == set(merged_texts) == {A, B, D, E}
    without = [{**doc, "anchor": None} for doc in merged_texts.values()]
    assert without == [{**texts[url], "anchor": None} for url in merged_texts]


def test_dedup_finds_what_pages_say_of_themselves(merging):
    merge(merging)
    merge(merging, [MERGED, NAMES[3]])  # E, which names D as canonical, is in it now
    assert dedup(merging.crawl, merging.config(), merging.now).counts["db_duplicate"] == 1
    assert merging.row(E)["status"] == "db_duplicate"


def test_readseg_and_explain_know_the_newest(merging):
    merge(merging)
    found = get(merging.crawl, merging.config(), A)
    assert (found["segment"], found["title"], found["text"]) == (MERGED, "new", "new")
    with pytest.raises(NotFoundError, match=f"merged into {MERGED}"):
        get(merging.crawl, merging.config(), A, NAMES[0])
    steps = explain(merging.crawl, merging.config(), D, merging.now)["steps"]
    told = {step["step"]: step["outcome"] for step in steps}
    assert (told["fetch"], told["parse"], told["updatedb"]) == (
        "fetch_success",
        "parsed",
        "db_fetched",
    )
    assert told["index"] == "indexed"


def test_a_second_time_changes_nothing(merging):
    merge(merging)
    files = sorted(merging.crawl.files.walk(""))
    again = merge(merging)
    assert (again.segment, again.details["already_done"], again.counts["merged"]) == (
        MERGED,
        True,
        0,
    )
    assert sorted(merging.crawl.files.walk("")) == files


def test_merged_again_it_stands_for_all(merging):
    merge(merging)
    second = merge(merging, [MERGED, NAMES[3]]).segment
    assert merging.crawl.segments() == [second]
    assert set(merging.crawl.stood_for()) == {*NAMES, MERGED}
    assert set(merging.crawl.stood_for().values()) == {second}
    assert len(rows_of(merging, second, "crawl_fetch")) == 5


def test_a_dry_run_only_tells(merging):
    report = merge(merging, dry_run=True)
    assert (report.segment, report.details["sources"]) == (MERGED, NAMES[:3])
    assert report.counts["merged"] == 0
    assert merging.crawl.segments() == NAMES


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (NAMES[:1], "two or more"),
        ([NAMES[0], NAMES[2]], f"segment {NAMES[1]} lies between"),
        (
            ["20260301000009", NAMES[0]],
            "segment 20260301000009 cannot be merged: list 0 is not fet",
        ),
        (["20260301000008", NAMES[0]], "20260301000008 cannot be merged: it is not in the crawldb"),
        (["nothing", NAMES[0]], "there is no segment nothing"),
        (
            NAMES,
            f"segment {NAMES[0]} cannot be merged: segment 20260301000009, which is not folded",
        ),
    ],
)
def test_what_is_not_finished_is_not_merged(merging, names, told):
    merging.segment("20260301000008", fetched=[merging.fetched(A)])
    open_one = merging.crawl.new_segment("20260301000009")
    asked = names[:1] if names == NAMES else []
    described = {"lists": [{"list": 0}], "created": merging.now.isoformat(), "of_segments": asked}
    open_one.publish(described)
    before = sorted(merging.crawl.files.walk("segments"))
    with pytest.raises(StoreError, match=told):
        merge(merging, names)
    assert sorted(merging.crawl.files.walk("segments")) == before


def test_the_linkdb_has_all_of_them_or_none(given):
    given.known([{"url": A}])
    for name in NAMES[:2]:
        add(given, name, {A: name}, links=[(A, B)])
    given.update(*NAMES[:2])
    invertlinks(given.crawl, given.config(), NAMES[:1], given.now)
    with pytest.raises(StoreError, match=f"{NAMES[1]} cannot be merged: it is not in the linkdb"):
        merge(given, NAMES[:2])
    assert given.crawl.segments() == NAMES[:2]


def test_what_no_job_has_seen_is_seen_once(given):
    given.known([{"url": A}])
    for name in NAMES[:2]:
        add(given, name, {A: name}, links=[(A, B)])
    given.update(*NAMES[:2])
    merged = merge(given, NAMES[:2]).segment
    assert unseen(given.crawl) == [merged]
    assert invertlinks(given.crawl, given.config(), None, given.now).counts == {
        "links": 1,
        "new": 1,
    }
    assert index(given.crawl, given.config(), None, given.now).counts == {"indexed": 1}


def test_of_two_attempts_the_one_that_counts_is_merged(given):
    given.known([{"url": A}])
    given.segment(
        NAMES[0],
        fetched=[given.fetched(A, attempt="b"), given.fetched(A, attempt="a")],
        parse_text=[
            {**given.identity(A), "attempt": attempt, "text": attempt} for attempt in ("a", "b")
        ],
    )
    add(given, NAMES[1], {B: "new"})
    given.update(*NAMES[:2])
    merged = merge(given, NAMES[:2]).segment
    texts = {row["url"]: row["text"] for row in rows_of(given, merged, "parse_text")}
    assert texts == {A: "a", B: "new"}


def test_those_old_enough_are_merged_row_by_row(merging):
    assert merge(merging, None).counts == {"merged": 0}
    conf = {"crawl.segments.merge.days": 7.0}
    assert merge(merging, None, timedelta(days=6), conf=conf).counts == {"merged": 0}
    merging.segment(f"{NAMES[1]}-open", fetched=[merging.fetched(A)])
    report = merge(merging, None, timedelta(days=8), conf=conf)
    assert (report.counts["sources"], report.counts["merged"]) == (4, 2)
    assert merging.crawl.segments() == [
        merged_name(NAMES[:2]),
        f"{NAMES[1]}-open",
        merged_name(NAMES[2:]),
    ]
    assert merge(merging, None, timedelta(days=8), conf=conf).counts == {"merged": 0}
    assert merge(merging, None, days=0).counts == {"merged": 0}


@pytest.mark.parametrize("job", ["mergesegs", "vacuum", "retention"])
def test_sources_that_a_kill_has_left_never_come_back(merging, job, monkeypatch):
    monkeypatch.setattr(type(merging.crawl), "remove_merged", lambda _: 0)
    merge(merging)
    monkeypatch.undo()
    assert set(NAMES) < set(merging.crawl.files.names("segments"))
    assert merging.crawl.segments() == [MERGED, NAMES[3]]
    late = merging.now.replace(year=2100)
    if job == "mergesegs":
        assert merge(merging).details["already_done"]
    elif job == "vacuum":
        vacuum(merging.crawl, merging.config(), late)
    else:
        conf = {"crawl.segments.kept": 1, "crawl.segments.kept.days": 1}
        assert retention(merging.crawl, merging.config(**conf), late).counts["removed"] == 1
        assert merging.crawl.segments() == [NAMES[3]]
    assert set(merging.crawl.files.names("segments")) <= {MERGED, NAMES[3]}


def test_what_fits_no_file_goes_into_several(merging, monkeypatch):
    monkeypatch.setattr("crawl_ops.storage.segment_merge.PACK_BYTES", 1)
    for number, url in enumerate((A, B)):
        segment = merging.crawl.new_segment(f"2026030100000{4 + number}")
        segment.publish({"lists": [{"list": 0}], "created": merging.now.isoformat()})
        for stem, row in (("a.0000", url), ("a.0001", C)):
            at = {"fetch_time": merging.now + timedelta(days=1 + number)}
            rows = [merging.fetched(row, **at)]
            segment.write_table("crawl_fetch", 0, stem, table_of("crawl_fetch", rows))
        segment.finish("fetch", 0, {})
        segment.finish("parse", 0, {})
    names = [f"2026030100000{number}" for number in (4, 5)]
    merging.update(*names)
    invertlinks(merging.crawl, merging.config(), None, merging.now)
    segment = merging.crawl.segment(merge(merging, names).segment)
    assert [file.stem for file in segment.part_files("crawl_fetch")] == [
        "m.0000",
        "m.0001",
        "m.0002",
    ]


class Killed(BaseException):
    """What a kill is to the process that it ends."""


@pytest.fixture
def killing(monkeypatch):
    """Lets a job end before a change of the crawl folder; counts the changes."""
    changes = {"left": None, "made": 0}

    def before(change):
        def changing(*arguments):
            if changes["left"] == 0:
                raise Killed
            changes["made"] += 1
            changes["left"] = None if changes["left"] is None else changes["left"] - 1
            return change(*arguments)

        return changing

    for name in ("create", "put", "remove"):
        monkeypatch.setattr(LocalFiles, name, before(getattr(LocalFiles, name)))
    return changes


def seen(given):
    """What readers see: facts, and which segments hold what."""
    there = given.crawl.segments()
    texts = {name: sorted(r["url"] for r in rows_of(given, name, "parse_text")) for name in there}
    return there, texts, indexed(given.crawl).intersection(there), given.rows("linkdb")


def test_ended_before_any_change_there_are_the_sources_or_the_merged(merging, crawls, killing):
    old = seen(merging)
    start = merging.crawl.root.parent / "start"
    shutil.copytree(merging.crawl.root, start)
    killing["made"] = 0
    merge(merging)
    new, changes = seen(merging), killing["made"]
    assert changes >= 11
    outcomes = set()
    for left in range(changes):
        given = crawls()
        shutil.copytree(start, given.crawl.root, dirs_exist_ok=True)
        killing["left"] = left
        with pytest.raises(Killed):
            merge(given)
        killing["left"] = None
        assert seen(given) in (old, new)
        outcomes.add(seen(given) == new)
        assert merge(given).segment == MERGED
        assert seen(given) == new
        assert given.crawl.files.names("segments") == [MERGED, NAMES[3]]
        assert given.update().details["already_done"]
    assert outcomes == {False, True}
