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
from crawl_ops.operators import kin, launcher
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


@pytest.fixture
def told(monkeypatch):
    """What the launcher says."""
    lines = []
    monkeypatch.setattr(launcher, "say", lines.append)
    return lines


@pytest.fixture
def airflow(tmp_path, monkeypatch, told):
    """A launcher whose parts are small programs."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(launcher, "AIRFLOW", (sys.executable, "-c"))
    with Airflow(tmp_path) as airflow:
        yield airflow


def until(wanted, patience_s=20):
    deadline = time.monotonic() + patience_s
    while not wanted():
        assert time.monotonic() < deadline
        os.sched_yield()


def test_a_part_that_ends_is_started_again_but_not_for_ever(airflow, told, tmp_path, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)
    airflow._start("print('up', flush=True)")
    with pytest.raises(CrawlError, match=r"has ended with 0, 6 times in 10 minutes; see .*log"):
        airflow.watch()
    assert len(told) == launcher.RESTARTS
    assert "is started again (1 of 5 in 10 minutes); see" in told[0]
    assert (tmp_path / "print('up', flush=True).log").read_text() == "up\n" * 6


def test_what_is_left_of_a_part_ends_before_it_is_started_again(airflow):
    code = "import os, time; print(os.fork(), flush=True); time.sleep(60)"
    airflow._start(code)
    first = airflow._parts[code]
    until(lambda: len(kin.of({first.pid})) == 2)
    child = next(one.pid for one in kin.of({first.pid}) if one.pid != first.pid)
    first.kill()
    first.wait()
    airflow._again(code, first, 0.0)
    until(lambda: not alive(child))
    assert airflow._parts[code].poll() is None


def test_idle_workers_of_a_dead_scheduler_are_ended_and_busy_ones_are_not(airflow):
    code = (
        "import os, time\nif os.fork() and not os.fork() and os.fork(): os.wait()\ntime.sleep(60)"
    )
    airflow._start(code)
    scheduler = airflow._parts[code]
    until(lambda: len(kin.of({scheduler.pid})) == 4)
    airflow._end_idle()
    assert len(kin.of({scheduler.pid})) == 4
    scheduler.kill()
    scheduler.wait()
    airflow._end_idle()
    until(lambda: len(kin.of({scheduler.pid})) == 2)
    task = next(one for one in kin.of({scheduler.pid}) if not one.children())
    task.kill()
    until(lambda: len(kin.of({scheduler.pid})) == 1)
    until(lambda: airflow._end_idle() or not kin.of({scheduler.pid}))


KILLED = """
import sys, time
from pathlib import Path
from crawl_ops.operators import kin, launcher
launcher.AIRFLOW = (sys.executable, "-c")
with launcher.Airflow(Path(sys.argv[1])) as airflow:
    airflow._start("import os, time\\nif not os.fork(): os.setpgid(0, 0)\\ntime.sleep(60)")
    print(*airflow._sessions, flush=True)
    time.sleep(60)
"""


def test_kill_9_of_the_launcher_ends_its_parts_and_their_children(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        sessions = {int(process.stdout.readline())}
        until(lambda: len(kin.of(sessions)) == 2)
        process.kill()
    until(lambda: not kin.of(sessions))


def test_the_environment_says_how_patient_airflow_is(tmp_path, monkeypatch):
    name = "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT"
    assert server_settings(tmp_path, 1)[name] == "60"
    monkeypatch.setenv(name, "90")
    assert server_settings(tmp_path, 1)[name] == "90"


def test_get_brings_nothing_where_nobody_answers():
    assert get(f"http://127.0.0.1:{free_port(0)}/") == b""
