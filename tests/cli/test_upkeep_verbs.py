"""What failed asked again, the check of a run: how the jobs are asked."""

import pytest

from crawl_ops.jobs.generating.wish import Again


@pytest.fixture
def runs(world):
    """Segments of two runs, and a newer one that was made by hand."""
    world.left_open = {"1": "manual__1", "2": "manual__2", "3": None}
    return world


def test_redo_only_tells(runs, run) -> None:
    done = run("redo", "--json")
    assert done.json()[0]["job"] == "redo"
    (_, _, again, now), _ = runs.arguments("redo")
    assert again == Again("manual__2")
    assert now.utcoffset().total_seconds() == 0
    assert runs.names() == ["redo"]


def test_redo_hands_over_what_it_is_to_be_of(runs, run) -> None:
    run("redo", "--run-id", "manual__1", "--depth", "2", "--host", "a.example", "--host",
        "b.example", "--list", "0", "--list", "3", "--all")  # fmt: skip
    (_, _, again, _), _ = runs.arguments("redo")
    assert again == Again("manual__1", 2, (0, 3), ("a.example", "b.example"), True)


def test_redo_makes_a_segment_of_a_run_of_its_own(runs, run) -> None:
    done = run("redo", "--no-dry-run", "--json")
    assert done.json()[0]["segment"] == "20260701000000"
    _, options = runs.arguments("generate")
    assert options.pop("run_id").startswith("cli-")
    assert options == {"depth": 1, "again": Again("manual__2")}
    assert runs.names() == ["generate"]


@pytest.mark.parametrize("verb", ["redo", "check"])
def test_without_a_run_there_is_nothing_to_look_at(world, run, verb: str) -> None:
    done = run(verb)
    assert (done.code, world.names()) == (1, [])
    assert "no segment of this crawl was made by a run" in done.err


@pytest.mark.parametrize("verb", ["redo", "check"])
def test_an_empty_run_id_is_not_the_newest(runs, run, verb: str) -> None:
    done = run(verb, "--run-id", "")
    assert (done.code, runs.names()) == (2, [])
    assert "--run-id: '' names no run" in done.err


def test_check_is_of_the_newest_run(runs, run) -> None:
    assert run("check").code == 0
    (_, _, run_id, _), _ = runs.arguments("check")
    assert run_id == "manual__2"


@pytest.mark.parametrize(("what", "code"), [("warn", 0), ("stop", 1)])
def test_findings_are_printed_and_may_be_the_exit_code(runs, run, what: str, code: int) -> None:
    runs.findings = ["good pages went down from 10 to 1"]
    done = run("check", "--run-id", "manual__1", "--on-findings", what, "--json")
    assert done.code == code
    assert done.json()[0]["findings"] == runs.findings


def test_check_that_is_to_stop_is_well_where_nothing_is_found(runs, run) -> None:
    assert run("check", "--on-findings", "stop").code == 0


def test_an_unknown_word_is_wrong_usage(runs, run) -> None:
    done = run("check", "--on-findings", "panic")
    assert (done.code, runs.names()) == (2, [])
    assert "'panic' is not warn or stop" in done.err
