"""Operators hand over to jobs, map errors, and keep what they return small."""

import json
import sys
import types
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from airflow.sdk import DAG
from airflow.sdk.exceptions import (
    AirflowFailException,
    AirflowSkipException,
    DownstreamTasksSkipped,
)

from crawl_ops.config.load import load
from crawl_ops.errors import (
    CommitConflictError,
    ConfigError,
    IndexingError,
    SeedError,
    StoppedError,
    StoreError,
)
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_dag import crawl_dag
from crawl_ops.operators.crawl_operator import XCOM_BYTES, CrawlOperator, as_xcom
from crawl_ops.operators.dedup import DedupOperator
from crawl_ops.operators.fetch import FetchOperator
from crawl_ops.operators.generate import MAX_LISTS, GenerateOperator, manifests
from crawl_ops.operators.index import IndexOperator
from crawl_ops.operators.inject import InjectOperator
from crawl_ops.operators.invertlinks import InvertLinksOperator
from crawl_ops.operators.list_operator import ListOperator
from crawl_ops.operators.parse import ParseOperator
from crawl_ops.operators.updatedb import UpdateDbOperator

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CRAWL = object()
MANIFEST = {"list": 3, "urls": 812, "hosts": 40}
OPERATORS = {
    "inject": (InjectOperator, {"seeds": ["https://a.example/"]}),
    "generate": (GenerateOperator, {}),
    "fetch": (FetchOperator, {"segment": "s1"}),
    "parse": (ParseOperator, {"segment": "s1"}),
    "updatedb": (UpdateDbOperator, {"segment": "s1"}),
    "invertlinks": (InvertLinksOperator, {}),
    "index": (IndexOperator, {}),
    "dedup": (DedupOperator, {}),
}


class TaskInstance:
    def __init__(self):
        self.xcoms = {}

    def xcom_push(self, key, value):
        self.xcoms[key] = value


def context(**run):
    dag_run = SimpleNamespace(**{"run_id": "manual__1", "conf": {}, **run})
    params = {"seeds": [], "depth": 3}
    return {
        "dag": SimpleNamespace(params=params),
        "dag_run": dag_run,
        "params": {**params, **dag_run.conf},  # so Airflow has it
        "ti": TaskInstance(),
    }


@pytest.fixture
def job(monkeypatch):
    """Put a job in the place of a real one; gives the list of its calls."""

    def put(name, outcome=None):
        calls = []

        def called(*args, **kwargs):
            calls.append((args, kwargs))
            if isinstance(outcome, Exception):
                raise outcome
            return outcome or JobReport(name, None)

        module = types.ModuleType(f"crawl_ops.jobs.{name}")
        setattr(module, name, called)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return calls

    return put


@pytest.fixture
def opened(monkeypatch):
    """Operators find this crawl, and the default configuration."""
    monkeypatch.setattr(CrawlOperator, "open", lambda self: (CRAWL, load()))


def test_what_each_job_is_handed(job):
    config = load()
    expected = {
        "inject": ((CRAWL, config, ["https://a.example/"], NOW), {"operation": None}),
        "updatedb": ((CRAWL, config, ["s1"], NOW), {}),
        "invertlinks": ((CRAWL, config, None, NOW), {}),
        "index": ((CRAWL, config, None, NOW), {}),
        "dedup": ((CRAWL, config, NOW), {}),
    }
    for name, call in expected.items():
        operator, arguments = OPERATORS[name]
        calls = job(name)
        assert operator(task_id=name, **arguments).run_job(CRAWL, config, NOW).job == name
        assert calls == [call]


def test_generate_is_asked_by_run_and_depth(job, opened):
    calls = job("generate", report_of(1))
    task = GenerateOperator(task_id="g", depth=2, max_depth=3, topn=50, num_fetchers=4)
    task.execute(context(run_id="scheduled__2"))
    ((_, _, now), named) = calls[0]
    assert now.tzinfo is UTC
    assert named == {
        "run_id": "scheduled__2",
        "depth": 2,
        "topn": 50,
        "num_fetchers": 4,
        "redo": "failed",
        "again": None,
    }


@pytest.mark.parametrize("operator", [FetchOperator, ParseOperator])
def test_a_list_is_handed_on_with_stop_and_progress(job, operator):
    name = operator.__name__.removesuffix("Operator").lower()
    calls = job(name)
    task = operator(task_id=name, segment="s1", manifest=MANIFEST)
    task.run_job(CRAWL, load(), NOW)
    ((args, named),) = calls
    assert args[2] == "s1"
    assert named["partition"] == 3
    assert named["stop"] is task.stop
    assert callable(named["progress"])


@pytest.mark.parametrize(
    ("manifest", "label"),
    [
        (MANIFEST, "list 3: 812 urls, 40 hosts"),
        ({"list": 0, "urls": 1, "hosts": 1}, "list 0: 1 url, 1 host"),
        ({"list": 200}, "list 200"),
        (None, "all lists"),
    ],
)
def test_names_of_mapped_tasks(manifest, label):
    assert ListOperator(task_id="t", segment="s", manifest=manifest).label == label


@pytest.mark.parametrize("name", OPERATORS)
def test_an_error_that_cannot_mend_itself_fails_at_once(name, job, opened):
    operator, arguments = OPERATORS[name]
    for error in (ConfigError("http.agent.name is empty"), StoreError("full"), SeedError("line 3")):
        job(name, error)
        with pytest.raises(AirflowFailException) as raised:
            operator(task_id=name, **arguments).execute(context())
        assert str(raised.value) == str(error)


@pytest.mark.parametrize("error", [CommitConflictError("behind"), IndexingError("refused")])
def test_a_retryable_error_stays_itself(error, job, opened):
    job("updatedb", error)
    with pytest.raises(type(error), match=str(error)):
        UpdateDbOperator(task_id="u", segment="s1").execute(context())


def test_a_broken_configuration_fails_at_once(tmp_path):
    task = DedupOperator(task_id="d", crawl_dir=str(tmp_path), properties={"fetcher.delay": 1})
    with pytest.raises(AirflowFailException, match=r"unknown property 'fetcher\.delay'"):
        task.execute(context())


def test_only_inject_makes_a_crawl_folder(tmp_path):
    task = DedupOperator(task_id="d", crawl_dir=str(tmp_path / "none"))
    with pytest.raises(AirflowFailException, match="there is no crawl here"):
        task.execute(context())
    assert not (tmp_path / "none").exists()
    assert [name for name, (operator, _) in OPERATORS.items() if operator.creates] == ["inject"]


@pytest.mark.parametrize(
    ("conf", "told"),
    [
        ({"dept": 2}, "conf: unknown parameter 'dept'; did you mean 'depth'?"),
        ({"xyz": 2}, "conf: unknown parameter 'xyz'; there are seeds, depth"),
    ],
)
def test_unknown_keys_of_a_conf_are_refused(conf, told, job, opened):
    calls = job("inject")
    with pytest.raises(AirflowFailException) as raised:
        InjectOperator(task_id="i", seeds=[]).execute(context(conf=conf))
    assert str(raised.value) == told
    assert calls == []


@pytest.mark.parametrize(
    ("properties", "seeds", "told"),
    [
        ({}, ["https://a.example/"], "http.agent.name: must be set"),
        ({"http.agent.name": "日本"}, ["https://a.example/"], "cannot be sent in a header"),
        ({"http.agent.name": "a", "urlfilter.regex.rules": "+("}, [], "is no regular expression"),
        ({"http.agent.name": "a"}, ["/no/such/seeds"], "/no/such/seeds"),
    ],
)
def test_what_cannot_work_is_refused_before_there_is_a_folder(
    properties, seeds, told, job, tmp_path, monkeypatch
):
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    calls = job("inject")
    task = InjectOperator(
        task_id="i", seeds=seeds, properties=properties, crawl_dir=str(tmp_path / "crawl")
    )
    with pytest.raises(AirflowFailException, match=told):
        task.execute(context())
    assert calls == []
    assert not (tmp_path / "crawl").exists()


def test_seeds_as_lines_or_as_a_path(job, opened, tmp_path):
    calls = job("inject")
    for seeds in ([" https://a.example/ ", "", "https://b.example/"], ["include/seeds"], "seeds"):
        InjectOperator(task_id="i", seeds=seeds).execute(context())
    lines, in_the_form, path = (args[2] for args, _ in calls)
    assert lines == ["https://a.example/", "https://b.example/"]
    assert str(in_the_form) == "include/seeds"
    assert str(path) == "seeds"
    assert calls[0][1] == {"operation": "inject:manual__1"}


def test_depths_that_a_run_does_not_ask_for_are_skipped_from_the_start(job, opened):
    job("inject", JobReport("inject", None, {"injected": 1}))
    task = crawl_dag("crawl", depths=3).get_task("inject")
    task.seeds, task.max_depth, task.redo = ["https://a.example/"], 1, None
    given = context()
    with pytest.raises(DownstreamTasksSkipped) as left:
        task.execute(given)
    names = ("generate", "partition.fetch", "partition.parse", "updatedb")
    assert set(left.value.tasks) == {f"depth_0{n}.{name}" for n in (2, 3) for name in names}
    assert given["ti"].xcoms["return_value"]["counts"] == {"injected": 1}
    task.max_depth = 3
    assert task.execute(context())["counts"] == {"injected": 1}


def report_of(lists, segment="s1"):
    entries = [{"list": n, "urls": 50_000, "hosts": 5_000, "expected_s": 9.5} for n in range(lists)]
    return JobReport("generate", segment, {"urls": 7}, 0.1, {"lists": entries})


def test_generate_returns_manifests_and_the_segment_beside(job, opened):
    job("generate", report_of(2))
    given = context()
    returned = GenerateOperator(task_id="g").execute(given)
    assert returned == [{"list": n, "urls": 50_000, "hosts": 5_000} for n in (0, 1)]
    assert given["ti"].xcoms["segment"] == "s1"
    assert given["ti"].xcoms["report"]["counts"] == {"urls": 7}


@pytest.mark.parametrize("lists", [1, 64, MAX_LISTS])
def test_manifests_are_small_whatever_their_number(lists):
    made = manifests(report_of(lists))
    assert [one["list"] for one in made] == list(range(lists))
    assert len(json.dumps(made)) < 4096


def test_too_many_lists_are_a_configuration_error(job, opened):
    job("generate", report_of(1))
    with pytest.raises(AirflowFailException, match="at most 256"):
        GenerateOperator(task_id="g", num_fetchers=257).execute(context())


def leave(dag, task_id, params):
    task = dag.get_task(task_id)
    task.max_depth, task.topn, task.num_fetchers = params, None, None
    task.after = task.redo = None
    with pytest.raises(DownstreamTasksSkipped) as left:
        task.execute(context())
    return set(left.value.tasks)


def instances_of(*task_ids):
    """What an earlier try may have left of mapped tasks."""
    return {(task_id, number) for task_id in task_ids for number in range(MAX_LISTS)}


def test_past_the_depth_all_up_to_the_finish_is_skipped(job, opened):
    calls = job("generate")
    skipped = leave(crawl_dag("crawl", depths=3), "depth_02.generate", 1)
    assert calls == []
    assert skipped == {
        "depth_02.partition.fetch",
        "depth_02.partition.parse",
        "depth_02.updatedb",
        "depth_03.generate",
        "depth_03.partition.fetch",
        "depth_03.partition.parse",
        "depth_03.updatedb",
        *instances_of("depth_02.partition.fetch", "depth_02.partition.parse"),
    }


def test_with_nothing_due_too(job, opened):
    job("generate", JobReport("generate", None, {}, 0.0, {"lists": []}))
    skipped = leave(crawl_dag("crawl", depths=2), "depth_01.generate", 2)
    assert "depth_02.generate" in skipped
    assert skipped.isdisjoint({"invertlinks", "index", "dedup", "depth_01.generate"})


def test_without_an_exit_it_is_a_plain_skip(job, opened):
    job("generate", JobReport("generate", None, {}, 0.0, {"lists": []}))
    with pytest.raises(AirflowSkipException, match="nothing is due"):
        GenerateOperator(task_id="g").execute(context())


def test_a_report_is_returned_as_plain_data(job, opened):
    job("dedup", JobReport("dedup", None, {"db_duplicate": 2}, 0.5, {"deleted": 2}))
    assert DedupOperator(task_id="d").execute(context()) == {
        "job": "dedup",
        "segment": None,
        "counts": {"db_duplicate": 2},
        "seconds": 0.5,
        "deleted": 2,
    }


def test_no_urls_and_nothing_large_in_what_is_returned():
    urls = [f"https://a.example/{n}" for n in range(1000)]
    reasons = {f"reason {n}": n for n in range(2000)}
    small = as_xcom(JobReport("dedup", "s1", reasons, 1.0, {"losers": urls}))
    assert small["losers"] == 1000
    assert small["segment"] == "s1"
    assert small["counts"].startswith("left out: ")
    assert len(json.dumps(small)) <= XCOM_BYTES


def test_on_kill_stops_the_job_and_it_is_tried_again(job, opened, monkeypatch):
    task = FetchOperator(task_id="f", segment="s1", manifest=MANIFEST)

    def stopped_half_way(self, crawl, config, now):
        self.on_kill()
        assert self.stop.wait(5)
        raise StoppedError("fetch s1 was stopped")

    monkeypatch.setattr(FetchOperator, "run_job", stopped_half_way)
    with pytest.raises(StoppedError):
        task.execute(context())


def test_a_task_that_was_stopped_can_be_tried_again(job, opened):
    task = DedupOperator(task_id="d")
    task.stop.set()
    job("dedup")
    assert task.execute(context())["job"] == "dedup"


def test_operators_are_usable_in_a_dag_of_ones_own():
    with DAG("mine", schedule=None) as dag:
        for name, (operator, arguments) in OPERATORS.items():
            operator(task_id=name, crawl_dir="crawls/news", **arguments)
    assert set(dag.task_ids) == set(OPERATORS)
    for task in dag.tasks:
        assert {"crawl_dir", "config_file", "properties"} <= set(task.template_fields)
        assert task.ui_color.startswith("#")
        assert len(task.ui_color) == 7
