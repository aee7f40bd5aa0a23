from pathlib import Path

import pytest

from crawl_ops.cli.invocation import Invocation
from crawl_ops.model import JobReport


@pytest.mark.parametrize("verb", ["dedup", "clean", "vacuum", "retention"])
def test_a_job_prints_its_report(world, run, verb: str) -> None:
    done = run("--dir", "somewhere", verb, "--json")
    assert done.code == 0
    assert done.json() == [{"job": verb, "segment": None, "counts": {"done": 1}, "seconds": 0.25}]
    (crawl, config, now), _ = world.arguments(verb)
    assert crawl.location == "somewhere"
    assert config.http.agent_name == ""
    assert now.utcoffset().total_seconds() == 0
    assert world.created == [False]


def test_mergesegs_takes_segments_or_an_age(world, run) -> None:
    assert run("mergesegs", "segments/20260701000000/", "20260701000001", "--dry-run").code == 0
    (_, _, names, _), options = world.arguments("mergesegs")
    assert names == ["20260701000000", "20260701000001"]
    assert options == {"days": None, "dry_run": True}
    world.calls.clear()
    assert run("mergesegs", "--older-than", "7").code == 0
    (_, _, names, _), options = world.arguments("mergesegs")
    assert (names, options) == (None, {"days": 7.0, "dry_run": False})
    assert run("mergesegs", "-D", "crawl.segments.merge.days=7").code == 0


def test_mergesegs_of_nothing_or_of_both_is_wrong_usage(world, run) -> None:
    assert run("mergesegs").code == 2
    assert run("mergesegs", "20260701000000", "--older-than", "7").code == 2
    assert world.calls == []


def test_a_report_for_people_is_a_table(world, run) -> None:
    assert run("clean").out == "what\tvalue\njob\tclean\ndone\t1\nseconds\t0.25\n"


def test_a_count_and_what_is_counted_have_different_names(capsysbinary) -> None:
    hosts = {"a.example": 1, "b.example": 2}
    Invocation("crawl").report(JobReport("redo", None, {"hosts": 2}, 0.0, {"hosts": hosts}))
    rows = capsysbinary.readouterr().out.decode().splitlines()
    assert rows[2:4] == ["hosts\t2", 'hosts, each\t{"a.example": 1, "b.example": 2}']


def test_properties_reach_the_job(world, run, tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('"http.agent.name" = "toml"\n"fetcher.threads.fetch" = 7\n')
    run("clean", "--config", file, "-D", "http.agent.name=x=y", "-D", "fetcher.server.delay=1")
    (_, config, _), _ = world.arguments("clean")
    assert config.http.agent_name == "x=y"
    assert config.fetcher.threads_fetch == 7
    assert config.fetcher.server_delay == 1.0


def test_inject_makes_the_folder(world, run) -> None:
    run("inject", "seeds.txt", "--overwrite")
    (_, _, seeds, _), options = world.arguments("inject")
    assert seeds == Path("seeds.txt")
    assert options == {"overwrite": True, "update": False}
    assert world.created == [True]


def test_inject_takes_urls(world, run) -> None:
    run("inject", "http://a.example/", "http://b.example/", "--update")
    (_, _, seeds, _), options = world.arguments("inject")
    assert seeds == ["http://a.example/", "http://b.example/"]
    assert options == {"overwrite": False, "update": True}


def test_generate_hands_its_options_over(world, run) -> None:
    done = run(
        *[
            "generate",
            "--topN",
            "5",
            "--num-fetchers",
            "3",
            "--add-days",
            "1.5",
            "--force",
            "--json",
        ]
    )
    assert done.json()[0]["segment"] == "20260701000000"
    assert world.arguments("generate")[1] == {
        "run_id": None,
        "depth": None,
        "topn": 5,
        "num_fetchers": 3,
        "add_days": 1.5,
        "force": True,
        "redo": "failed",
    }


def test_generate_with_nothing_due_is_a_success(world, run) -> None:
    world.segments.clear()
    done = run("generate", "--json")
    assert done.code == 0
    assert done.json()[0]["segment"] is None


@pytest.mark.parametrize("verb", ["fetch", "parse"])
def test_a_segment_may_be_a_path(world, run, verb: str) -> None:
    done = run(verb, "crawl/segments/20260701000000/", "--partition", 1, "--json")
    assert done.code == 0
    args, options = world.arguments(verb)
    assert args[2] == "20260701000000"
    assert options["partition"] == 1
    assert not options["stop"].is_set()


def test_long_verbs_log_what_they_do(world, run) -> None:
    world.on_call["fetch"] = lambda *_, progress, **__: progress("12 pages/s")
    done = run("fetch", "S", "--json")
    assert "fetch S" in done.err
    assert "12 pages/s" in done.err


@pytest.mark.parametrize("verb", ["invertlinks", "index"])
def test_no_segment_means_all_that_are_new(world, run, verb: str) -> None:
    run(verb)
    run(verb, "S1", "x/S2")
    assert [args[2] for name, args, _ in world.calls if name == verb] == [None, ["S1", "S2"]]


def test_updatedb_takes_several(world, run) -> None:
    run("updatedb", "S1", "S2", "--no-additions")
    args, options = world.arguments("updatedb")
    assert args[2] == ["S1", "S2"]
    assert options == {"additions_allowed": False}


def test_dedup_options_are_properties(world, run) -> None:
    run("dedup", "--group", "host", "--compare-order", "httpsOverHttp,score")
    (_, config, _), _ = world.arguments("dedup")
    assert config.deduplication.group_mode == "host"
    assert config.deduplication.compare_order == ("httpsOverHttp", "score")


def test_reconcile_and_warc(world, run) -> None:
    run("reconcile", "--delete")
    assert world.arguments("reconcile")[1] == {"delete": True}
    run("warc", "S1", "--out", "x.warc.gz")
    args, _ = world.arguments("warc")
    assert args[2:4] == (["S1"], Path("x.warc.gz"))


def test_sitemap_hands_its_options_over(world, run) -> None:
    done = run(
        "sitemap", "http://a.example/s.xml", "list.txt", "--no-strict", "--overwrite", "--json"
    )
    assert done.json()[0]["job"] == "sitemap"
    (_, config, sitemaps, _), options = world.arguments("sitemap")
    assert sitemaps == ["http://a.example/s.xml", "list.txt"]
    assert (config.sitemap.strict_parsing, config.sitemap.url_overwrite_existing) == (False, True)
    assert (config.sitemap.url_filter, options["from_hosts"]) == (True, False)
    assert world.created == [True]


def test_sitemap_wants_something_to_read(world, run) -> None:
    done = run("sitemap")
    assert done.code == 2
    assert "--from-hosts" in done.err
    run("sitemap", "--from-hosts", "--noFilter", "--noNormalize")
    (_, config, _, _), options = world.arguments("sitemap")
    assert (config.sitemap.url_filter, config.sitemap.url_normalize) == (False, False)
    assert options["from_hosts"] is True
