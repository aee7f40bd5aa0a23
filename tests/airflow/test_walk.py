"""Why a depth is asked for again, and what that means for it."""

from types import SimpleNamespace

import pytest

from crawl_ops.operators.walk import Walk, hand_walk_on, redo_wanted, walk_of
from crawl_ops.storage.crawl_dir import CrawlDir


class Run:
    """A run of three depths, as Airflow would ask for it: what it says is handed from step on."""

    def __init__(self, folder):
        self.files = CrawlDir.open(folder, create=True).files
        self.clears = 0
        self.said = {}

    def inject(self, redo="none"):
        self.said[0] = Walk(self.clears, redo)

    def generate(self, depth, redo="failed"):
        walk = redo_wanted(
            self.files, "r", depth, Walk(self.clears, redo), self.said.get(depth - 1)
        )
        self.said[depth] = walk
        return walk.redo

    def all(self, *depths, redo="failed"):
        return [self.generate(depth, redo) for depth in depths]


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path / "crawl")
    run.inject()
    assert run.all(1, 2, 3) == ["none"] * 3
    return run


def test_a_depth_that_is_cleared_is_redone_and_the_next_ones_follow(run):
    run.clears += 1
    assert run.all(2, 3) == ["failed", "failed"]


def test_what_the_run_was_asked_to_redo(run):
    run.clears += 1
    assert run.all(2, 3, redo="all") == ["all", "all"]


def test_a_whole_run_is_walked_through(run):
    run.clears += 1
    run.inject()
    assert run.all(1, 2, 3) == ["none"] * 3


def test_a_whole_run_is_redone_on_request(run):
    run.clears += 1
    run.inject(redo="failed")
    assert run.all(1, 2, 3) == ["failed"] * 3


def test_a_run_that_goes_on_in_the_same_process_is_walked_through(run):
    run.inject()  # dag.test does not count its clears
    assert run.all(1, 2, 3) == ["none"] * 3


def test_a_try_that_failed_is_asked_again_for_the_same(run):
    run.clears += 1
    assert run.generate(2) == "failed"
    assert run.generate(2) == "failed"


def test_a_walk_that_was_interrupted_and_goes_on(run):
    run.clears += 1
    run.inject()
    assert run.all(1, 2) == ["none"] * 2
    run.clears += 1  # clear only failed: the depth before is not asked again
    assert run.generate(3) == "none"
    assert run.generate(3) == "none"


def test_a_depth_can_be_cleared_after_a_walk(run):
    run.clears += 1
    run.inject()
    run.all(1, 2, 3)
    run.clears += 1
    assert run.all(2, 3) == ["failed", "failed"]


def test_depths_that_were_never_asked_for_are_just_made(tmp_path):
    run = Run(tmp_path / "crawl")
    run.inject()
    run.generate(1)
    run.clears += 1  # depth 1 failed later on, and what failed was cleared
    assert run.all(2, 3) == ["none", "none"]


def test_the_step_before_is_asked_by_xcom():
    xcoms = {}
    ti = SimpleNamespace(
        xcom_push=lambda key, value: xcoms.update({("inject", key): value}),
        xcom_pull=lambda task_ids, key: xcoms.get((task_ids, key)),
    )
    context = {"ti": ti, "dag_run": SimpleNamespace(clear_number=2)}
    assert walk_of(context, "inject", None) == (Walk(2, "failed"), None)
    hand_walk_on(context, Walk(1, "none"))
    assert walk_of(context, "inject", "all") == (Walk(2, "all"), Walk(1, "none"))
