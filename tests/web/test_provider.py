"""What Airflow knows of the package: provider metadata, plugin, hook, link, the example DAG."""

import importlib
import importlib.util
import itertools
import json
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

from crawl_ops.errors import ConfigError, NotFoundError
from crawl_ops.operators.crawl_link import CrawlLink, SegmentLink
from crawl_ops.operators.provider import get_provider_info
from crawl_ops.operators.store_hook import CrawlStoreHook
from crawl_ops.web.runs import OPERATORS

ROOT = Path(__file__).parents[2]


def test_the_metadata_fits_airflows_schema() -> None:
    import jsonschema

    schema = json.loads((files("airflow") / "provider_info.schema.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert list(validator.iter_errors(get_provider_info())) == []


def test_what_the_metadata_names_is_there() -> None:
    info = get_provider_info()
    (operators,) = info["operators"]
    names = set()
    for module in operators["python-modules"]:
        found = vars(importlib.import_module(module))
        names |= {name for name in found if name in OPERATORS}
    assert names == set(OPERATORS)
    for path in (info["connection-types"][0]["hook-class-name"], *info["extra-links"]):
        module, _, name = path.rpartition(".")
        assert getattr(importlib.import_module(module), name)


def test_airflow_finds_provider_and_plugin_by_their_entry_points() -> None:
    (provider,) = [e for e in entry_points(group="apache_airflow_provider") if "crawl" in e.value]
    assert provider.load() is get_provider_info
    (plugin,) = [e for e in entry_points(group="airflow.plugins") if "crawl" in e.value]
    assert plugin.load().name == "crawl"
    assert provider.dist is not None
    assert provider.dist.name == get_provider_info()["package-name"]


def test_settings_have_the_defaults_of_the_code() -> None:
    from crawl_ops.web.bounded import PATIENCE_S, THREADS

    options = get_provider_info()["config"]["crawl"]["options"]
    assert int(options["page_threads"]["default"]) == THREADS
    assert float(options["page_seconds"]["default"]) == PATIENCE_S


def test_a_task_links_to_the_tab_of_its_run(monkeypatch) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://airflow.example/prefix/")
    key = SimpleNamespace(dag_id="my dag", run_id="manual__2026-03-01T12:00:00+00:00")
    assert CrawlLink().get_link(None, ti_key=key) == (
        "https://airflow.example/prefix/dags/my%20dag/runs/"
        "manual__2026-03-01T12%3A00%3A00%2B00%3A00/plugin/crawl"
    )


@pytest.mark.parametrize(
    ("segment", "fragment"), [("20261130-1", "segments/20261130-1"), (None, "segments")]
)
def test_a_task_links_to_its_own_segment(monkeypatch, segment, fragment) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://airflow.example")
    key = SimpleNamespace(dag_id="crawl", run_id="r")
    task = SimpleNamespace(segment=segment)
    address = "https://airflow.example/dags/crawl/runs/r/plugin/crawl"
    assert SegmentLink().get_link(task, ti_key=key) == f"{address}#{fragment}"


def test_every_operator_has_the_link() -> None:
    from crawl_ops.operators.fetch import FetchOperator

    task = FetchOperator(task_id="fetch", segment="s")
    assert [link.name for link in task.operator_extra_links] == ["Crawl", "Segment"]


def test_the_store_of_a_connection(made, monkeypatch) -> None:
    store = made.crawl.root.parent
    monkeypatch.setenv("AIRFLOW_CONN_CRAWL_STORE", json.dumps({
        "conn_type": "crawl_store", "host": f"{store}/"}))  # fmt: skip
    hook = CrawlStoreHook()
    assert hook.crawl_dir("news") == f"{store}/news"
    assert hook.get_conn("crawl").root == made.crawl.root
    assert hook.test_connection() == (True, f"crawls are in {store}/name")
    with pytest.raises(NotFoundError):
        hook.get_conn("nothing")
    for wrong in ("../up", "a/b", "", "."):
        with pytest.raises(ConfigError):
            hook.crawl_dir(wrong)
    monkeypatch.setenv("AIRFLOW_CONN_CRAWL_STORE", json.dumps({"conn_type": "crawl_store"}))
    assert CrawlStoreHook().test_connection()[0] is False


def test_the_example_dag_parses() -> None:
    path = ROOT / "docs" / "examples" / "news_report.py"
    spec = importlib.util.spec_from_file_location("news_report", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    order = ["inject", "generate", "fetch", "parse", "updatedb", "index", "dedup", "report"]
    dag = module.dag
    assert sorted(dag.task_ids) == sorted(order)
    for before, after in itertools.pairwise(order):
        assert after in dag.get_task(before).downstream_task_ids
    assert dag.get_task("fetch").crawl_dir == "{{ conn.crawl_store.host }}/news_report"
