"""The DAG's edges, trigger rules, and what every task is given."""

import pytest
from airflow.sdk import TriggerRule

from crawl_ops.operators.crawl_dag import FETCH_POOL, crawl_dag, max_depth


@pytest.fixture(scope="module")
def dag():
    return crawl_dag("crawl", depths=3)


def upstream(dag, task_id):
    return dag.get_task(task_id).upstream_task_ids


def test_the_files_in_dags_are_found_by_airflow():
    from airflow.dag_processing.dagbag import DagBag

    from crawl_ops.operators.places import home

    bag = DagBag(str(home() / "dags"))
    assert bag.import_errors == {}
    names = bag.dags["crawl"].task_ids
    assert len([name for name in names if name.endswith(".generate")]) == max_depth() == 10


def test_edges(dag):
    assert upstream(dag, "inject") == set()
    assert upstream(dag, "depth_01.generate") == {"inject"}
    assert upstream(dag, "depth_01.partition.fetch") == {"depth_01.generate"}
    assert "depth_01.partition.fetch" in upstream(dag, "depth_01.partition.parse")
    assert "depth_01.partition.parse" in upstream(dag, "depth_01.updatedb")
    assert upstream(dag, "depth_02.generate") == {"depth_01.updatedb"}
    assert upstream(dag, "invertlinks") == {"depth_03.updatedb"}
    assert upstream(dag, "index") == {"invertlinks"}
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
