"""Claims: what a depth of a run was promised."""

import pytest

from crawl_ops.errors import StoreError
from crawl_ops.storage.runs import (
    Asked,
    Claim,
    asked,
    claim,
    claims,
    depths,
    folder_of,
    note_asked,
)


def make(segment, redo=0, depth=1, run="r"):
    return Claim(run, depth, redo, segment, "n", "c", 3, ("open",), None)


def test_the_first_claim_holds(crawl):
    assert claim(crawl.files, make("s1")).segment == "s1"
    assert claim(crawl.files, make("s2")).segment == "s1"
    assert claims(crawl.files, "r", 1) == [make("s1")]


def test_a_redo_is_a_claim_of_its_own(crawl):
    claim(crawl.files, make("s1"))
    claim(crawl.files, make("s2", redo=1))
    claim(crawl.files, make("other", depth=2))
    assert [found.segment for found in claims(crawl.files, "r", 1)] == ["s1", "s2"]


@pytest.mark.parametrize(
    "run", ["../../etc/passwd", "manual__2026-01-01T00:00:00+00:00", "", "é" * 300]
)
def test_any_run_id_has_a_plain_folder_of_its_own(run):
    folder = folder_of(run)
    assert folder.startswith("runs/")
    assert folder.count("/") == 1
    assert ".." not in folder
    assert len(folder) < 100


def test_run_ids_that_look_alike_do_not_share_a_folder():
    assert folder_of("a:b") != folder_of("a_b")


def test_a_broken_claim_is_named(crawl):
    crawl.files.put(f"{folder_of('r')}/d001.json", b"{}")
    with pytest.raises(StoreError, match=r"d001\.json: is no claim"):
        claims(crawl.files, "r", 1)


def test_a_claim_keeps_what_it_was_made_for(crawl):
    made = Claim(
        "r", 2, 1, "s3", "n", "c", 3, (), "s2", ("s1", "s2"), "s9", True, (0,), ("a.test",)
    )
    claim(crawl.files, made)
    assert claims(crawl.files, "r", 2) == [made]


def test_how_a_depth_was_last_asked_for(crawl):
    assert asked(crawl.files, "r", 1) is None
    for how in (Asked(0, "none"), Asked(2, "failed")):
        note_asked(crawl.files, "r", 1, how)
        assert asked(crawl.files, "r", 1) == how
    assert asked(crawl.files, "r", 2) is None
    assert claims(crawl.files, "r", 1) == []
    crawl.files.put(f"{folder_of('r')}/d001.asked", b"[]")
    with pytest.raises(StoreError, match=r"d001\.asked: does not say"):
        asked(crawl.files, "r", 1)


def test_depths_of_a_run(crawl):
    assert depths(crawl.files, "r") == []
    for depth in (2, 1):
        claim(crawl.files, make("s", depth=depth))
    claim(crawl.files, make("s", depth=2, redo=1))
    note_asked(crawl.files, "r", 3, Asked(0, "none"))
    assert depths(crawl.files, "r") == [1, 2]
