"""docker-compose.yml: YAML that says what it means, settings that this Airflow has."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest
import yaml

from crawl_ops.config.places import home
from crawl_ops.operators.embedded import settings
from crawl_ops.operators.launcher import server_settings


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((home() / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def known():
    """Every setting of the installed Airflow and its providers, as environment variables."""
    from airflow.configuration import conf

    # The scheduler reads one that has no description.
    return {"AIRFLOW__SCHEDULER__NUM_STUCK_IN_QUEUED_RETRIES"} | {
        f"AIRFLOW__{section.upper()}__{option.upper()}"
        for section in conf.get_sections_including_defaults()
        for option in conf.get_options_including_defaults(section)
    }


def test_docker_compose_accepts_the_file(tmp_path):
    program = shutil.which("docker-compose")
    assert program, "docker-compose is not installed: apt-get install docker-compose"
    lines = (home() / ".env.example").read_text().splitlines()
    filled = tmp_path / ".env"
    filled.write_text("".join(f"{x}secret\n" if x.endswith("=") else f"{x}\n" for x in lines))
    asked = ["--file", home() / "docker-compose.yml", "config"]
    told = subprocess.run(
        [program, "--env-file", filled, *asked], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    services = yaml.safe_load(told.stdout)["services"]
    for name in ("init", "api-server", "scheduler", "dag-processor", "worker"):
        assert services[name]["environment"]["AIRFLOW__API_AUTH__JWT_SECRET"] == "secret"
    assert services["worker"]["stop_grace_period"] in ("2m", "2m0s")  # as versions print it
    assert "container_name" not in services["worker"]  # else it could not be scaled
    (tmp_path / "empty").write_text("")
    unset = subprocess.run(
        [program, "--env-file", tmp_path / "empty", *asked],
        capture_output=True,
        text=True,
        check=False,
    )
    assert unset.returncode
    assert "set it in .env" in unset.stderr


@pytest.mark.whole
def test_init_makes_database_pool_connection_and_login(tmp_path):
    passwords = tmp_path / "secrets" / "passwords.json"
    database = tmp_path / "airflow.db"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "CRAWL_"))}
    environment = {
        **kept,
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{database}",
        "AIRFLOW_USER": "admin",
        "AIRFLOW_PASSWORD": "secret",
        "FETCH_POOL_SLOTS": "5",
        "CRAWL_STORE": "/opt/crawl/store",
    }
    for _ in range(2):  # it is started with every `up`
        command = [sys.executable, "-m", "crawl_ops.operators.compose_init"]
        subprocess.run(command, env=environment, cwd=home(), check=True, capture_output=True)
    assert json.loads(passwords.read_text()) == {"admin": "secret"}
    assert passwords.stat().st_mode & 0o077 == 0
    with contextlib.closing(sqlite3.connect(database)) as opened:
        pools = opened.execute("SELECT slots FROM slot_pool WHERE pool = 'fetch_pool'").fetchall()
        hosts = opened.execute("SELECT conn_id, conn_type, host FROM connection").fetchall()
    assert pools == [(5,)]
    assert ("crawl_store", "crawl_store", "/opt/crawl/store") in hosts


def test_every_setting_exists(compose, known):
    for name, service in compose["services"].items():
        used = {key for key in service.get("environment", {}) if key.startswith("AIRFLOW__")}
        assert used <= known, name
    assert "AIRFLOW__CORE__EXECUTOR" in compose["services"]["worker"]["environment"]


def test_the_scheduler_does_not_fail_what_waits_for_a_worker(compose, monkeypatch):
    from airflow.jobs.job import Job
    from airflow.jobs.scheduler_job_runner import SchedulerJobRunner

    # By default there are more slots in the pool of fetches than a worker has.
    name = "AIRFLOW__SCHEDULER__NUM_STUCK_IN_QUEUED_RETRIES"
    monkeypatch.setenv(name, compose["services"]["scheduler"]["environment"][name])
    assert SchedulerJobRunner(Job())._num_stuck_queued_retries == 1000


def test_every_setting_of_the_embedded_airflow_exists(known, tmp_path):
    used = {**settings(tmp_path), **server_settings(tmp_path, 8080)}
    assert {key for key in used if key.startswith("AIRFLOW__")} <= known


def test_all_parts_of_airflow_share_their_secrets(compose):
    names = ("init", "api-server", "scheduler", "dag-processor", "worker")
    for secret in ("AIRFLOW__API_AUTH__JWT_SECRET", "AIRFLOW__API__SECRET_KEY"):
        values = {compose["services"][name]["environment"][secret] for name in names}
        assert len(values) == 1
        assert values.pop().startswith("${")


def test_the_scheduler_waits_for_the_api_server(compose):
    for name in ("scheduler", "worker"):
        waits = compose["services"][name]["depends_on"]
        assert waits["api-server"] == {"condition": "service_healthy"}
        assert waits["redis"] == {"condition": "service_healthy"}


def test_everything_but_init_has_a_health_check_and_only_loopback_is_published(compose):
    for name, service in compose["services"].items():
        assert name == "init" or service["healthcheck"]["test"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_named_volumes_are_declared(compose):
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in compose["volumes"]


def test_what_must_be_set_is_in_the_example(compose):
    text = (home() / "docker-compose.yml").read_text()
    example = (home() / ".env.example").read_text()
    required = set(re.findall(r"\$\{(\w+):\?", text))
    assert required
    for name in required:
        assert re.search(rf"^{name}=$", example, re.MULTILINE), name
