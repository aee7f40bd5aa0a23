"""The parts of the launcher that need no Airflow."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time

import psutil
import pytest

from crawl_ops.errors import CrawlError
from crawl_ops.operators import launcher
from crawl_ops.operators.launcher import Airflow, free_port, get, server_settings, stop

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""


def start(code):
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    )


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_port_that_is_taken_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) not in (0, port)
    assert free_port(port) == port


def test_only_loopback_without_login(tmp_path):
    settings = server_settings(tmp_path, 8123)
    assert settings["AIRFLOW__API__HOST"] == "127.0.0.1"
    assert settings["AIRFLOW__API__BASE_URL"] == "http://127.0.0.1:8123"


def test_secrets_stay_and_are_nobody_elses(tmp_path):
    first, second = server_settings(tmp_path, 1), server_settings(tmp_path, 2)
    assert first["AIRFLOW__API_AUTH__JWT_SECRET"] == second["AIRFLOW__API_AUTH__JWT_SECRET"]
    assert len(first["AIRFLOW__API_AUTH__JWT_SECRET"]) == 64
    assert stat.S_IMODE((tmp_path / "jwt_secret").stat().st_mode) == 0o600


def test_a_part_that_ignores_sigterm_is_killed_with_its_children(monkeypatch):
    monkeypatch.setattr(launcher, "STOP_S", 0.2)
    process = start(STUBBORN)
    child = int(process.stdout.readline())
    stop(process)
    process.stdout.close()
    assert process.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 5
    while alive(child) and time.monotonic() < deadline:
        os.sched_yield()
    assert not alive(child)


def test_a_part_that_ends_by_itself_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    ended = start("raise SystemExit(3)")
    ended.wait()
    ended.stdout.close()
    with Airflow(tmp_path) as airflow:
        airflow._parts["api-server"] = ended
        with pytest.raises(CrawlError, match=r"api-server has ended with 3; see .*api-server\.log"):
            airflow.watch()


def test_get_brings_nothing_where_nobody_answers():
    assert get(f"http://127.0.0.1:{free_port(0)}/") == b""
