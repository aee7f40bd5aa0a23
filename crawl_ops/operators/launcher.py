"""Airflow with its web page on this machine: `python -m crawl_ops.operators.launcher [--port N]`.

In order: metadata database and pool, API server and DAG processor, healthy, then the scheduler.
`airflow standalone` starts the scheduler before the API answers, which costs tasks a try, goes on
when the API server has died, and leaves its children behind on SIGTERM.

A part that ends is started again; where this process is killed, its parts die with it.
"""

import argparse
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import psutil

from crawl_ops.config.places import airflow_home
from crawl_ops.errors import CrawlError
from crawl_ops.operators import kin
from crawl_ops.operators.demo import demo_site
from crawl_ops.operators.embedded import alone, settings, use

DAG_ID = "crawl"
HOST = "127.0.0.1"
USUAL_PORT = 8080
HEALTHY_S = 180.0
KNOWN_S = 60.0
STOP_S = 30.0
RESTARTS, RESTARTS_S = 5, 600.0
"""A part that has ended so often in so many seconds is not started again."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AIRFLOW = (sys.executable, "-m", "airflow")
TUNED = {
    "AIRFLOW__CORE__PARALLELISM": "4",
    "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.2",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
    "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "30",
    "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "10",
    # A task that begins while the API server is away waits for it: it would lose a try.
    "AIRFLOW__WORKERS__EXECUTION_API_RETRIES": "20",
    "AIRFLOW__WORKERS__EXECUTION_API_RETRY_WAIT_MAX": "10",
    "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "30",
}
"""How patient Airflow is; what the environment says about these counts more."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or Ctrl-C; 1 if a part of Airflow does not stay up."""
    parser = argparse.ArgumentParser(prog="launcher", description="Airflow's web page, here.")
    parser.add_argument("--port", type=int, default=USUAL_PORT, help="else a free one is taken")
    asked = parser.parse_args(arguments)
    for number in SIGNALS:  # SIGINT too: a shell gives `command &` an ignored one
        signal.signal(number, signal.default_int_handler)
    folder = airflow_home("web")
    try:
        with alone(folder), demo_site() as seeds, Airflow(folder / "logs" / "launcher") as airflow:
            port = free_port(asked.port)
            use({**settings(folder), **server_settings(folder, port)})
            airflow.bring_up(port)
            say(f"Airflow is up: http://{HOST}:{port}/dags/{DAG_ID}  (Ctrl-C stops it)")
            say(f"The demo site is at {' '.join(seeds)}")
            airflow.watch()
    except CrawlError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("stopped")
    return 0


def say(text: str) -> None:
    """One line for the person who started this."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def server_settings(folder: Path, port: int) -> dict[str, str]:
    """What the servers need on top of the settings of a run in one process."""
    address = f"http://{HOST}:{port}"
    return {
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{address}/execution/",
        # No login: only this machine reaches the address.
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__API__HOST": HOST,
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": address,
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API_AUTH__JWT_SECRET": _secret(folder / "jwt_secret"),
        "AIRFLOW__API__SECRET_KEY": _secret(folder / "secret_key"),
        **{name: os.environ.get(name, usual) for name, usual in TUNED.items()},
    }


class Airflow:
    """The processes of an Airflow; leaving the block ends them all, the last one started first."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._guard: subprocess.Popen[bytes] | None = None
        self._sessions: set[int] = set()
        self._options: dict[str, tuple[str, ...]] = {}
        self._parts: dict[str, subprocess.Popen[bytes]] = {}
        self._ends: list[tuple[float, str]] = []

    def __enter__(self) -> "Airflow":
        self._logs.mkdir(parents=True, exist_ok=True)
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "crawl_ops.operators.kin"],
            stdin=subprocess.PIPE,  # its end is the end of this process, whatever ends it
            start_new_session=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        for number in SIGNALS:  # one more Ctrl-C must not leave anything behind
            signal.signal(number, signal.SIG_IGN)
        for name, process in reversed(self._parts.items()):
            stop(process)
            say(f"{name} ended")
        if self._guard is not None:
            self._guard.communicate()  # it ends what is left

    def bring_up(self, port: int) -> None:
        """Start everything in order. Raises CrawlError if a part does not come up."""
        say("making the metadata database ready ...")
        self._database()
        say("starting the API server and the DAG processor ...")
        self._start("api-server", "--host", HOST, "--port", str(port))
        self._start("dag-processor")
        self._until_healthy(port)
        say("starting the scheduler ...")
        # Logs are read from disk; the server for them would listen on all addresses.
        self._start("scheduler", "--skip-serve-logs")
        self._until_known(port)

    def watch(self) -> None:
        """Return never; starts again what has ended. Raises CrawlError if it ends too often."""
        while True:
            for name, process in tuple(self._parts.items()):
                if process.poll() is not None:
                    self._again(name, process, time.monotonic())
            if self._ends:
                self._end_idle()
            time.sleep(1)

    def _again(self, name: str, ended: "subprocess.Popen[bytes]", now: float) -> None:
        self._ends = [(at, part) for at, part in self._ends if now - at < RESTARTS_S]
        self._ends.append((now, name))
        times = sum(part == name for _, part in self._ends)
        told = f"{name} has ended with {ended.returncode}"
        within, log = f"in {RESTARTS_S / 60:.0f} minutes", self._logs / f"{name}.log"
        if times > RESTARTS:
            raise CrawlError(f"{told}, {times} times {within}; see {log}")
        say(f"{told}, and is started again ({times} of {RESTARTS} {within}); see {log}")
        if name != "scheduler":  # whose workers let their tasks come to an end
            kill_session(ended)
        self._start(name, *self._options[name])

    def _end_idle(self) -> None:
        """A scheduler that was killed leaves its workers behind."""
        for one in kin.left_idle(self._sessions):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()

    def _database(self) -> None:
        # In a child: this process stays small, and has no open connection to hand on.
        command = "from crawl_ops.operators.embedded import make_database; make_database()"
        log = self._logs / "database.log"
        with log.open("wb") as output:
            made = subprocess.run(  # noqa: S603
                [sys.executable, "-c", command], stdout=output, stderr=output, check=False
            )
        if made.returncode:
            raise CrawlError(f"the metadata database cannot be made; see {log}")

    def _start(self, name: str, *options: str) -> None:
        self._options[name] = options
        with (self._logs / f"{name}.log").open("ab" if name in self._parts else "wb") as output:
            self._parts[name] = subprocess.Popen(  # noqa: S603
                [*AIRFLOW, name, *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._sessions.add(self._parts[name].pid)
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.write(b"%d\n" % self._parts[name].pid)
            self._guard.stdin.flush()

    def _until_healthy(self, port: int) -> None:
        deadline = time.monotonic() + HEALTHY_S
        while not get(f"http://{HOST}:{port}/api/v2/version"):
            self._all_alive()
            if time.monotonic() > deadline:
                raise CrawlError(f"the API server does not answer; see {self._logs}")
            time.sleep(0.3)

    def _until_known(self, port: int) -> None:
        """Wait for the DAG processor's first pass; a DAG file that is broken is told, not fatal."""
        api = f"http://{HOST}:{port}"
        token = json.loads(get(f"{api}/auth/token") or b"{}").get("access_token", "")
        deadline = time.monotonic() + KNOWN_S
        while not get(f"{api}/api/v2/dags/{DAG_ID}", token):
            self._all_alive()
            if time.monotonic() > deadline:
                say(f"DAG {DAG_ID} is not there; the page {api} says why")
                return
            time.sleep(0.3)

    def _all_alive(self) -> None:
        for name, process in self._parts.items():
            if process.poll() is not None:
                log = self._logs / f"{name}.log"
                raise CrawlError(f"{name} has ended with {process.returncode}; see {log}")


def stop(process: "subprocess.Popen[bytes]") -> None:
    """SIGTERM to one process; what of its session is left after STOP_S, or behind it, is killed."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_S)
    kill_session(process)
    process.wait()


def kill_session(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to what is left of a process that leads a session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def get(url: str, token: str = "") -> bytes:
    """What a GET of `url` brings; nothing where it does not succeed."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return bytes(answer.read())
    except OSError:  # URLError is one
        return b""


def free_port(wanted: int) -> int:
    """`wanted` if nothing listens there, else a free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError:
            probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _secret(file: Path) -> str:
    """A secret that outlives a restart: tasks that run on keep their tokens."""
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as opened:
            opened.write(secrets.token_hex(32))
    return file.read_text()


if __name__ == "__main__":
    sys.exit(main())
