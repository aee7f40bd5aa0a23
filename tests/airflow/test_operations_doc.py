"""The Python in docs/operations.md is what it says it is."""

import re

from airflow.api_fastapi.core_api.datamodels.task_instances import ClearTaskInstancesBody
from airflow.sdk import DAG

from crawl_ops.config.places import home
from crawl_ops.operators.form import params


def blocks():
    text = (home() / "docs" / "operations.md").read_text()
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_examples_run():
    known = {"dag": None}
    for block in blocks():
        exec(compile(block, "docs/operations.md", "exec"), known)
    assert isinstance(known["dag"], DAG)
    assert type(known["dag"].on_failure_callback).__name__ == "SmtpNotifier"


def test_every_dag_and_variable_is_told():
    text = (home() / "docs" / "operations.md").read_text()
    for file in (home() / "dags").glob("*.py"):
        assert f"`{file.stem}`" in text
        for name in re.findall(r'environ\.get\("(\w+)"', file.read_text()):
            assert f"`{name}`" in text


def test_every_field_of_the_form_is_told_for_scripts():
    text = (home() / "docs" / "operations.md").read_text()
    table = text.partition("The conf of `crawl`")[2].partition("\n\nThe conf of")[0]
    assert set(params(3)) <= set(re.findall(r"`(\w+)`", table))


def test_what_recovery_has_airflow_clear_is_what_it_takes():
    text = (home() / "docs" / "recovery.md").read_text().replace("'$RUN'", "a-run")
    bodies = re.findall(r"clearTaskInstances.*?-d '(.*?)'", text, re.DOTALL)
    asked = [ClearTaskInstancesBody.model_validate_json(body) for body in bodies]
    assert asked
    for one in asked:
        assert one.dag_run_id == "a-run"
        assert not one.dry_run
