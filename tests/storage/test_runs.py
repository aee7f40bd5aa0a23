"""Claims: what a depth of a run was promised."""

import pytest

from crawl_ops.errors import StoreError
from crawl_ops.storage.runs import Claim, claim, claims, folder_of


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
