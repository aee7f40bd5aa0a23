import os
import signal

import pytest

from crawl_ops.errors import StoppedError

ROUND = ["generate", "fetch", "parse", "updatedb"]
END = ["invertlinks", "index", "dedup"]


def test_the_cycle_in_order(world, run) -> None:
    done = run("crawl", "--seeds", "s.txt", "--depth", 2, "--topn", 9, "--json")
    assert done.code == 0
    assert world.names() == ["inject", *ROUND, *ROUND, *END]
    assert done.json() == [
        {"rounds": 2, "stats": {"db_fetched": 2, "db_gone": 1}, "indexed": 2},
    ]
    generated = [options for name, _, options in world.calls if name == "generate"]
    assert [options["depth"] for options in generated] == [1, 2]
    assert {options["topn"] for options in generated} == {9}
    assert world.arguments("inject")[1]["operation"] == generated[0]["run_id"]
    assert world.arguments("updatedb")[0][2] == ["20260701000000"]
    assert world.arguments("index")[0][2] is None


def test_it_ends_when_nothing_is_due(world, run) -> None:
    done = run("crawl", "--seeds", "s.txt", "--depth", 5, "--json")
    assert done.json()[0]["rounds"] == 2
    assert world.names() == ["inject", *ROUND, *ROUND, "generate", *END]


def test_it_says_who_holds_what_is_due(world, run) -> None:
    world.segments, world.held = [], "3 URLs are due, in open segment S of run R"
    done = run("crawl", "--seeds", "s.txt", "--depth", 5, "--json")
    assert (done.code, done.json()[0]["note"]) == (0, world.held)
    assert f"depth 1 of 5: {world.held}" in done.err
    done = run("crawl", "--seeds", "s.txt", "--depth", 5)
    assert done.lines[-1] == world.held


def test_each_run_has_its_own_id(world, run) -> None:
    for _ in range(2):
        run("crawl", "--seeds", "s.txt", "--depth", 1, "--json")
    ids = {options["run_id"] for name, _, options in world.calls if name == "generate"}
    assert len(ids) == 2


def test_without_index(world, run) -> None:
    run("crawl", "--seeds", "s.txt", "--depth", 1, "--no-index")
    assert "index" not in world.names()


def test_without_seeds_it_goes_on(world, run) -> None:
    run("crawl", "--depth", 1)
    assert "inject" not in world.names()
    assert world.created == [False]


def test_the_log_says_how_far_it_is(world, run) -> None:
    world.on_call["fetch"] = lambda *_, progress, **__: progress("12 pages/s, 3 hosts")
    done = run("crawl", "--seeds", "s.txt", "--depth", 1)
    assert "depth 1 of 1: fetch 20260701000000 (expected end" in done.err
    assert "12 pages/s, 3 hosts" in done.err
    assert done.lines[0] == "status\turls"


@pytest.mark.parametrize(
    ("during", "then"),
    [
        ("inject", ["inject"]),
        ("fetch", ["inject", "generate", "fetch"]),
        ("updatedb", ["inject", *ROUND]),
        ("invertlinks", ["inject", *ROUND, "invertlinks"]),
        ("dedup", ["inject", *ROUND, *END]),
    ],
)
def test_a_signal_ends_it_after_the_job(world, run, during, then) -> None:
    world.on_call[during] = lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM)
    done = run("crawl", "--seeds", "s.txt", "--depth", 1, "--json")
    assert done.code == 143
    assert world.names() == then
    assert done.json()[0]["rounds"] == int("updatedb" in then)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_job_that_stops_ends_it(world, run) -> None:
    def stopped(*_, stop, **__) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()
        raise StoppedError("fetch S: 3 of 9 urls")

    world.on_call["fetch"] = stopped
    done = run("crawl", "--seeds", "s.txt", "--depth", 1, "--json")
    assert done.code == 130
    assert "fetch S: 3 of 9 urls" in done.err
    assert done.json()[0]["rounds"] == 0
    assert world.names() == ["inject", "generate", "fetch"]


def test_a_round_of_an_earlier_run_is_finished_first(world, run) -> None:
    world.left_open = {"20260601": "scheduled__2026", "20260602": "cli-20260602", "20260603": None}
    run("crawl", "--depth", 1)
    assert world.names() == [*ROUND[1:], *ROUND, *END]
    assert world.arguments("fetch")[0][2] == "20260602"
    assert world.arguments("updatedb")[0][2] == ["20260602"]


def test_a_second_signal_ends_it_at_once(world, run) -> None:
    def twice(*_, **__) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    world.on_call["fetch"] = twice
    assert run("crawl", "--seeds", "s.txt", "--depth", 1).code == 130
    assert world.names()[-1] == "fetch"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
