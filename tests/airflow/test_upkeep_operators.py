"""The operators of check, redo and maintenance: what they hand over, and what they tell."""

import logging
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import AirflowFailException, DownstreamTasksSkipped

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.jobs.generating.wish import Again
from crawl_ops.jobs.inject import inject
from crawl_ops.model import JobReport
from crawl_ops.operators.check import CheckOperator
from crawl_ops.operators.crawl_dag import crawl_dag
from crawl_ops.operators.dedup import DedupOperator
from crawl_ops.operators.generate import again_from, redo_what
from crawl_ops.operators.mergesegs import MergeSegsOperator
from crawl_ops.operators.readdb import ReadDbOperator
from crawl_ops.operators.reconcile import ReconcileOperator
from crawl_ops.operators.redo_dag import redo_dag
from crawl_ops.operators.retention import RetentionOperator
from crawl_ops.operators.vacuum import VacuumOperator
from crawl_ops.storage.crawl_dir import CrawlDir

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def context(**more):
    xcoms = {}
    ti = SimpleNamespace(xcoms=xcoms, xcom_push=lambda key, value: xcoms.update({key: value}))
    return {
        "dag": SimpleNamespace(params={"run_id": None}),
        "dag_run": SimpleNamespace(run_id="manual__1", conf={}, clear_number=0),
        "ti": ti,
        **more,
    }


@pytest.fixture
def crawl(tmp_path):
    crawl = CrawlDir.open(tmp_path / "crawl", create=True)
    inject(crawl, load(), ["https://a.example/"], NOW)
    return crawl


def checked(monkeypatch, crawl, findings, on_findings):
    def check(crawl, config, run_id, now):
        assert run_id == "manual__1"
        return JobReport("check", None, {"pages": 3}, 0.1, {"findings": findings})

    monkeypatch.setattr("crawl_ops.jobs.check.check", check)
    given = context()
    task = CheckOperator(task_id="check", crawl_dir=str(crawl.root), on_findings=on_findings)
    return task, given


def test_findings_are_warned_of(monkeypatch, crawl, caplog):
    task, given = checked(monkeypatch, crawl, ["good pages went down"], "warn")
    with caplog.at_level(logging.WARNING):
        assert task.execute(given)["findings"] == ["good pages went down"]


def test_findings_stop_the_run_without_a_retry(monkeypatch, crawl):
    task, given = checked(monkeypatch, crawl, ["one", "two"], "stop")
    with pytest.raises(AirflowFailException, match="check: one; two"):
        task.execute(given)
    assert given["ti"].xcoms["report"]["findings"] == ["one", "two"]


def test_without_findings_nothing_stops(monkeypatch, crawl):
    task, given = checked(monkeypatch, crawl, [], "stop")
    assert task.execute(given)["counts"] == {"pages": 3}


def test_a_run_that_the_crawl_does_not_know_fails_the_check(crawl):
    task = CheckOperator(task_id="check", crawl_dir=str(crawl.root))
    with pytest.raises(AirflowFailException, match="this crawl has no run 'manual__1'"):
        task.execute(context())


def test_an_unknown_word_for_findings_is_refused(monkeypatch, crawl):
    task, given = checked(monkeypatch, crawl, [], "panic")
    with pytest.raises(AirflowFailException, match="'panic' is not warn or stop"):
        task.execute(given)


def planned(monkeypatch, crawl, only_tell):
    asked = []

    def redo(crawl, config, again, now):
        asked.append(again)
        return JobReport("redo", "s1", {"urls": 2}, 0.1, {"hosts": {"b.test": 2}})

    monkeypatch.setattr("crawl_ops.jobs.redo.redo", redo)
    task = redo_dag("again", crawl_id="crawl").get_task("plan")
    task.crawl_dir, task.config_file, task.properties = str(crawl.root), None, {}
    task.again = {"run_id": "r", "depth": 2, "lists": None, "hosts": ["b.test"]}
    task.only_tell = only_tell
    return task, asked


def test_a_dry_run_ends_with_its_plan(monkeypatch, crawl):
    task, asked = planned(monkeypatch, crawl, True)
    given = context()
    with pytest.raises(DownstreamTasksSkipped) as left:
        task.execute(given)
    assert {"depth_01.generate", "invertlinks", "index", "dedup"} <= set(left.value.tasks)
    assert given["ti"].xcoms["report"]["counts"] == {"urls": 2}
    assert asked == [Again("r", 2, (), ("b.test",))]


def test_otherwise_the_round_follows(monkeypatch, crawl):
    task, _ = planned(monkeypatch, crawl, False)
    assert task.execute(context())["counts"] == {"urls": 2}


def test_unknown_keys_of_a_redo_are_refused(monkeypatch, crawl):
    task, asked = planned(monkeypatch, crawl, False)
    given = context()
    given["dag_run"].conf = {"runid": "r"}
    with pytest.raises(AirflowFailException, match="unknown parameter 'runid'"):
        task.execute(given)
    assert asked == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"run_id": None}, "say which run"),
        ({"run_id": "r", "deep": 1}, "again: .*deep"),
        ("r", "not text"),
    ],
)
def test_what_says_no_run_is_refused(given, told):
    with pytest.raises(ConfigError, match=told):
        again_from(given)


def test_words_for_redo():
    assert [redo_what(word) for word in (None, "", "failed", "all", "none")] == [
        *["failed"] * 3,
        "all",
        "none",
    ]
    with pytest.raises(ConfigError, match="'some' is not failed, all or none"):
        redo_what("some")


@pytest.mark.parametrize(
    ("operator", "counts"),
    [
        (ReadDbOperator, {"total": 1, "db_unfetched": 1}),
        (ReconcileOperator, {"crawldb_only": 0, "index_only": 0}),
        (RetentionOperator, {}),
        (MergeSegsOperator, {"merged": 0}),
        (VacuumOperator, {}),
    ],
)
def test_upkeep_of_a_crawl(operator, counts, crawl):
    task = operator(task_id="t", crawl_dir=str(crawl.root))
    assert task.execute(context())["counts"] == counts


def test_the_event_of_the_index_says_what_was_done(crawl):
    task = crawl_dag("crawl", depths=1).get_task("dedup")
    task.crawl_dir, task.config_file, task.properties = str(crawl.root), None, {}
    (asset,) = task.outlets
    events = {asset: SimpleNamespace(extra={})}
    task.execute(context(outlet_events=events))
    extra = events[asset].extra
    assert (extra["crawl_dir"], extra["run_id"], extra["job"]) == (
        str(crawl.root),
        "manual__1",
        "dedup",
    )
    assert DedupOperator(task_id="alone", crawl_dir=str(crawl.root)).execute(context())
