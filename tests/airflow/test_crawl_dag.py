"""The DAG's edges, trigger rules, and what every task is given."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from airflow.sdk import TriggerRule
from airflow.sdk.exceptions import AirflowFailException

from crawl_ops.errors import ConfigError
from crawl_ops.operators.alerts import late
from crawl_ops.operators.crawl_dag import FETCH_POOL, crawl_dag, max_depth
from crawl_ops.operators.maintenance_dag import maintenance_dag
from crawl_ops.operators.redo_dag import redo_dag


@pytest.fixture(scope="module")
def dag():
    return crawl_dag("crawl", depths=3)


def upstream(dag, task_id):
    return dag.get_task(task_id).upstream_task_ids


def test_the_files_in_dags_are_found_by_airflow():
    from airflow.dag_processing.dagbag import DagBag

    from crawl_ops.config.places import home

    bag = DagBag(str(home() / "dags"))
    assert bag.import_errors == {}
    assert set(bag.dags) == {"crawl", "crawl_daily", "crawl_redo", "crawl_maintenance"}
    names = bag.dags["crawl"].task_ids
    assert len([name for name in names if name.endswith(".generate")]) == max_depth() == 10


def test_edges(dag):
    assert upstream(dag, "inject") == set()
    assert upstream(dag, "depth_01.generate") == {"inject"}
    assert upstream(dag, "depth_01.partition.fetch") == {"depth_01.generate"}
    assert "depth_01.partition.fetch" in upstream(dag, "depth_01.partition.parse")
    assert "depth_01.partition.parse" in upstream(dag, "depth_01.updatedb")
    assert upstream(dag, "depth_02.generate") == {"depth_01.updatedb"}
    # Of every depth: the last ones may be skipped before the first has begun.
    assert upstream(dag, "invertlinks") == {f"depth_{n:02}.updatedb" for n in (1, 2, 3)}
    assert upstream(dag, "check") == {"invertlinks"}
    assert upstream(dag, "index") == {"check"}
    assert upstream(dag, "dedup") == {"index"}


def test_only_invertlinks_runs_after_skipped_depths(dag):
    rules = {task.task_id: task.trigger_rule for task in dag.tasks}
    assert rules.pop("invertlinks") == TriggerRule.NONE_FAILED
    assert set(rules.values()) == {TriggerRule.ALL_SUCCESS}


def test_fetch_and_parse_are_mapped_together_and_retried(dag):
    for name in ("fetch", "parse"):
        task = dag.get_task(f"depth_02.partition.{name}")
        assert [group.group_id for group in task.iter_mapped_task_groups()] == [
            "depth_02.partition"
        ]
        assert task.retries == 3
        assert task.retry_exponential_backoff
    assert dag.get_task("depth_01.partition.fetch").pool == FETCH_POOL


def test_the_dag_can_be_serialized(dag):
    from airflow.serialization.serialized_objects import DagSerialization

    again = DagSerialization.from_dict(DagSerialization.to_dict(dag))
    assert again.task_ids == dag.task_ids


def test_one_run_at_a_time_and_no_catch_up(dag):
    assert dag.max_active_runs == 1
    assert dag.catchup is False


def test_depths_from_the_environment(monkeypatch):
    monkeypatch.setenv("CRAWL_MAX_DEPTH", "4")
    assert max_depth() == 4


def test_depths_from_crawl_toml_and_a_broken_one_hides_no_dag(monkeypatch, tmp_path):
    file = tmp_path / "crawl.toml"
    file.write_text('"crawl.max.depth" = 6\n')
    monkeypatch.setenv("CRAWL_CONFIG", str(file))
    assert max_depth() == 6
    file.write_text("crawl.max.depth = many\n")
    assert max_depth() == 10


def test_what_runs_by_itself_waits_to_be_switched_on():
    from airflow.dag_processing.dagbag import DagBag

    from crawl_ops.config.places import home

    for dag in DagBag(str(home() / "dags")).dags.values():
        assert dag.max_active_runs == 1, dag.dag_id
        assert dag.catchup is False, dag.dag_id
        assert bool(dag.is_paused_upon_creation) == dag.timetable.can_be_scheduled, dag.dag_id


def test_every_depth_hears_of_the_step_before(dag):
    steps = ["inject", *(f"depth_{n:02}.generate" for n in range(1, 4))]
    assert [dag.get_task(name).after for name in steps[1:]] == steps[:-1]


def test_the_index_is_an_asset_that_others_can_be_scheduled_on(dag):
    (asset,) = dag.get_task("dedup").outlets
    assert (asset.name, asset.uri) == ("crawl_index", "x-crawl://crawl/index")


def test_a_redo_is_one_round_after_its_plan():
    dag = redo_dag("again", crawl_id="crawl")
    assert upstream(dag, "depth_01.generate") == {"plan"}
    assert upstream(dag, "invertlinks") == {"depth_01.updatedb"}
    assert dag.get_task("depth_01.generate").again == dag.get_task("plan").again
    assert [asset.name for asset in dag.get_task("dedup").outlets] == ["crawl_index"]


def test_maintenance_takes_each_crawl_by_itself(monkeypatch, tmp_path):
    dag = maintenance_dag("keep", schedule=None, start_date=None)
    assert upstream(dag, "crawl.mergesegs") >= {"crawl.retention"}
    assert upstream(dag, "crawl.vacuum") >= {"crawl.mergesegs"}
    assert upstream(dag, "crawl.reconcile") >= {"crawl.readdb"}
    for name in ("news", "old"):
        (tmp_path / "store" / name).mkdir(parents=True)
        (tmp_path / "store" / name / "crawl.json").write_text("{}")
    (tmp_path / "store" / "something else").mkdir()
    crawls = dag.get_task("crawls").python_callable
    wanted = [str(tmp_path / "store" / name) for name in ("news", "old")]
    assert crawls({"crawl_ids": None}) == wanted
    assert crawls({"crawl_ids": ["old"]}) == wanted[1:]
    with pytest.raises(ConfigError, match="no plain name"):
        crawls({"crawl_ids": ["../x"]})


@pytest.mark.parametrize(
    ("after", "ticks"),
    [
        # Clocks go back: half past one comes twice, and one run of it.
        ("2026-10-31", ["2026-10-31T05:30", "2026-11-01T06:30", "2026-11-02T06:30"]),
        # Clocks go forward: half past two does not come; no day is left out.
        ("2026-03-07", ["2026-03-07T07:30", "2026-03-08T07:30", "2026-03-09T06:30"]),
    ],
)
def test_days_over_a_change_of_clocks_in_new_york(after, ticks):
    from airflow.serialization.serialized_objects import DagSerialization

    zone = ZoneInfo("America/New_York")
    hour = 1 if after == "2026-10-31" else 2
    dag = crawl_dag(
        "ny", depths=1, schedule=f"30 {hour} * * *", start_date=datetime(2026, 1, 1, tzinfo=zone)
    )
    dag = DagSerialization.from_dict(DagSerialization.to_dict(dag))
    since = datetime.fromisoformat(after).replace(tzinfo=zone)
    infos = dag.iter_dagrun_infos_between(since, since + timedelta(days=2, hours=12))
    assert [f"{info.run_after.astimezone(UTC):%Y-%m-%dT%H:%M}" for info in infos] == ticks


def test_a_late_run_is_told(caplog):
    dag = crawl_dag("nightly", depths=1, late_after=timedelta(hours=6))
    assert type(dag.deadline[0].reference).__name__ == "DagRunLogicalDateDeadline"
    assert dag.deadline[0].interval == timedelta(hours=6)
    assert dag.deadline[0].callback.path == "crawl_ops.operators.alerts.late"
    late({"dag_run": {"dag_id": "nightly", "dag_run_id": "scheduled__1"}})
    assert "nightly, run scheduled__1: is late" in caplog.text


def test_tasks_of_a_segment_lead_to_the_segments(dag):
    links = {task.task_id: [link.name for link in task.operator_extra_links] for task in dag.tasks}
    for name in ("generate", "partition.fetch", "partition.parse", "updatedb"):
        assert links[f"depth_01.{name}"] == ["Crawl", "Segment"]
    assert links["index"] == ["Crawl"]


def test_a_param_that_is_wrong_fails_the_first_task_without_a_retry():
    macros = crawl_dag("crawl", depths=1).user_defined_macros
    with pytest.raises(AirflowFailException, match=r"no file 'none\.toml' in include/"):
        macros["config_of"]({"config": "none.toml"})
    with pytest.raises(AirflowFailException, match="is no plain name"):
        macros["crawl_dir_of"]({"crawl_id": "../x"})
    with pytest.raises(AirflowFailException, match="no file"):
        macros["properties_of"]({"hosts": ["a.test"], "config": "none.toml"})
