"""Airflow as real processes that may be killed: `make airflow`, and docker-compose.yml's parts."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import psutil
import yaml

from crawl_ops.operators import kin

ROOT = Path(__file__).parents[2]
PATIENCE_S = 180
# Some seconds instead of a minute: what is waited for after a kill, and nothing else.
TUNED = {
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "2",
    "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "10",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
    "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.4",
    "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",
    "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "2",
    "AIRFLOW__CORE__PARALLELISM": "8",
}


def until(what, wanted, patience_s=PATIENCE_S, every_s=0.5):
    """What `wanted` answers, once it is something."""
    deadline = time.monotonic() + patience_s
    while not (answer := wanted()):
        assert time.monotonic() < deadline, f"{what}: not within {patience_s} s"
        time.sleep(every_s)  # noqa: TID251
    return answer


def free_ports(number):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Airflow:
    """Its page as a script sees it, and its processes."""

    def __init__(self, folder):
        self.folder = folder
        self.api = ""
        self.login = None
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "CRAWL_"))}
        self.environment = {**kept, **TUNED, "PYTHONPATH": str(ROOT)}
        self.guard = subprocess.Popen(  # the end of this process is the end of all
            [sys.executable, "-m", "crawl_ops.operators.kin"],
            stdin=subprocess.PIPE,
            cwd=ROOT,
            start_new_session=True,
        )

    def ask(self, path, body=None, method=None):
        """None where it does not answer, as while it is killed."""
        headers = {"Content-Type": "application/json"}
        if path != "/auth/token":
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.api + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise
            return None
        except OSError:
            return None

    def open(self):
        self.token = until("token", lambda: self.ask("/auth/token", self.login))["access_token"]

    def trigger(self, dag, conf):
        body = {"dag_run_id": "killed", "logical_date": None, "conf": conf}
        until(f"{dag} triggered", lambda: self.ask(f"/api/v2/dags/{dag}/dagRuns", body))

    def over(self, dag):
        """The state of the run, once it is over."""
        found = self.ask(f"/api/v2/dags/{dag}/dagRuns/killed")
        return found["state"] if found and found["state"] in ("success", "failed") else None

    def tries(self, dag):
        found = until("tasks", lambda: self.ask(f"/api/v2/dags/{dag}/dagRuns/killed/taskInstances"))
        return {one["task_id"]: one["try_number"] for one in found["task_instances"]}

    def at_work(self, dag, task):
        """The process of a task that is running."""
        wanted = f"/api/v2/dags/{dag}/dagRuns/killed/taskInstances?state=running"
        found = (self.ask(wanted) or {"task_instances": ()})["task_instances"]
        pids = [one["pid"] for one in found if one["task_id"] == task]
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(pids[0]) if pids and pids[0] else None

    def until_scheduler(self, since):
        def alive():
            found = (self.ask("/api/v2/monitor/health") or {}).get("scheduler") or {}
            return (found.get("latest_scheduler_heartbeat") or "") > since

        until("scheduler", alive)

    def began(self, process):
        """A session that ends with this process."""
        self.guard.stdin.write(b"%d\n" % process.pid)
        self.guard.stdin.flush()

    def close(self):
        self.guard.communicate()


class MakeAirflow(Airflow):
    """`make airflow` in a project folder of its own."""

    def start(self):
        self.told = (self.folder / "told.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crawl_ops.operators.launcher", "--port", "0"],
            env={
                **self.environment,
                "CRAWL_HOME": str(self.folder),
                "CRAWL_STORE": str(self.folder / "store"),
            },
            cwd=self.folder,
            stdout=self.told,
            start_new_session=True,
        )
        self.began(self.process)
        self.told.close()
        said = self.folder / "told.log"
        seen = said.stat().st_size

        def up():
            assert self.process.poll() is None, said.read_text()
            return re.search(r"is up: (http://[\d.:]+)/", said.read_bytes()[seen:].decode())

        self.api = until("Airflow", up)[1]
        self.open()
        slots = {"pool": "fetch_pool", "slots": 8, "include_deferred": False}
        self.ask("/api/v2/pools/fetch_pool?update_mask=slots", slots, "PATCH")

    def part(self, name):
        word = {"api-server": "api_server"}.get(name, name)
        parts = psutil.Process(self.process.pid).children()
        return next((one for one in parts if word in " ".join(one.cmdline())), None)

    def kill_part(self, name):
        self.part(name).kill()

    def kill_worker(self, task):
        task.parent().kill()

    def kill_all(self):
        """The launcher; the rest follows by itself."""
        left = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait()
        return left

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(120)
        super().close()


class Compose(Airflow):
    """The services of docker-compose.yml as processes; what Docker would do, this does."""

    WORKERS = ("worker-1", "worker-2")

    def __init__(self, folder):
        super().__init__(folder)
        self.database = Path(tempfile.mkdtemp(prefix="postgres-"))
        ports = free_ports(8)
        self.postgres, self.redis, self.page = ports[:3]
        self.ports = dict(
            zip(("scheduler", "health", "dag-processor", *self.WORKERS), ports[3:], strict=True)
        )
        self.api = f"http://127.0.0.1:{self.page}"
        self.login = {"username": "admin", "password": "secret"}
        self.services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
        self.parts = {}
        self.closing = False
        self.supervisor = threading.Thread(target=self.keep_up)

    def settings(self, service):
        """The environment of a service, its hosts and folders those of this machine."""
        lines = (ROOT / ".env.example").read_text().splitlines()
        given = dict.fromkeys((x[:-1] for x in lines if x.endswith("=")), "secret")
        given["AIRFLOW_PORT"] = str(self.page)
        # A Fernet key is 32 bytes in base64.
        given["AIRFLOW_FERNET_KEY"] = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0LTI="
        replaced = (
            ("@postgres/", f"@127.0.0.1:{self.postgres}/"),
            ("@redis:6379", f"@127.0.0.1:{self.redis}"),
            ("http://api-server:8080", self.api),
            ("/opt/crawl", str(self.folder)),
            ("/opt/airflow", str(self.folder / "airflow")),
        )
        settings = {}
        for name, text in self.services[service].get("environment", {}).items():
            text = re.sub(
                r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}", lambda m: given.get(m[1]) or m[2] or "", text
            )
            for there, here in replaced:
                text = text.replace(there, here)
            settings[name] = text
        return settings

    def start(self):
        self.make_database()
        for name in ("postgres", "redis"):
            self.run(name)
            until(name, lambda name=name: self.listens(getattr(self, name)))
        init = self.run("init")
        assert init.wait(PATIENCE_S) == 0, self.log("init").read_text()
        del self.parts["init"]
        for name in ("api-server", "dag-processor"):
            self.run(name)
        until("API server", lambda: self.listens(self.page))
        for name in ("scheduler", *self.WORKERS):
            self.run(name)
        self.supervisor.start()
        self.open()

    def make_database(self):
        """As the image of Postgres does: a database of the name of the user."""
        if self.as_nobody():
            shutil.chown(self.database, **self.as_nobody())
        command = [self.tool("initdb"), "--pgdata", self.database, "--username", "airflow"]
        self.call([*command, "--auth", "trust"])
        single = [self.tool("postgres"), "--single", "-D", self.database, "postgres"]
        self.call(single, input=b"CREATE DATABASE airflow\n")

    def call(self, command, **options):
        done = subprocess.run(
            command, capture_output=True, check=False, cwd="/", **self.as_nobody(), **options
        )
        assert done.returncode == 0, done.stderr.decode()

    @staticmethod
    def as_nobody():
        """Postgres refuses to run as root."""
        return {"user": "nobody", "group": "nogroup"} if os.getuid() == 0 else {}

    @staticmethod
    def tool(name):
        debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        found = shutil.which(name) or next(reversed(debian), None)
        package = name if name == "redis-server" else "postgresql"
        assert found, f"{name} is not installed: apt-get install {package}"
        return found

    @staticmethod
    def listens(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def log(self, name):
        return self.folder / f"{name}.log"

    def run(self, name):
        """Start a service as its image would."""
        options = {"env": {**self.environment}, "cwd": self.folder}
        if name == "postgres":
            own = ["-k", self.database, "-h", "127.0.0.1", "-p", self.postgres, "-F"]
            command = [self.tool("postgres"), "-D", self.database, *own]
            options.update(cwd="/", **self.as_nobody())
        elif name == "redis":
            own = ["--bind", "127.0.0.1", "--port", self.redis, "--save", ""]
            command = [self.tool("redis-server"), *own]
        else:
            command = self.command(name, options["env"])
        with self.log(name).open("ab") as output:
            self.parts[name] = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **options,
            )
        self.began(self.parts[name])
        return self.parts[name]

    def command(self, name, environment):
        """The command of a service, and what a container has for itself: its ports, its name."""
        service = "worker" if name in self.WORKERS else name
        environment.update(self.settings(service))
        environment.update(
            {
                **TUNED,
                "AIRFLOW_HOME": str(self.folder / "airflow"),
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_PORT": str(self.ports["health"]),
                "AIRFLOW__API__HOST": "127.0.0.1",
                "AIRFLOW__API__PORT": str(self.page),
                "AIRFLOW__API__WORKERS": "1",
            }
        )
        if name in self.ports:
            environment["AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT"] = str(self.ports[name])
        words = self.services[service]["command"]
        # The image hands to `airflow` what is no other program.
        start = [] if words[0] == "python" else ["airflow"]
        own = ["--celery-hostname", f"{name}@%h"] if service == "worker" else []
        return [*start, *words, *own]

    def keep_up(self):
        """`restart: unless-stopped`: in no order, and again until it holds."""
        while not self.closing:
            for name, process in tuple(self.parts.items()):
                if process.poll() is not None:
                    self.end(name)
                    self.run(name)
            time.sleep(0.5)  # noqa: TID251

    def end(self, name):
        """Kill all that runs in the container of a service."""
        kin.kill({self.parts[name].pid})

    kill_part = end

    def kill_worker(self, task):
        session = os.getsid(task.pid)
        kin.kill({session})

    def kill_all(self):
        sessions = {process.pid for process in self.parts.values()}
        left = kin.of(sessions)
        kin.kill(sessions)
        return left

    def close(self):
        self.closing = True
        if self.supervisor.is_alive():
            self.supervisor.join()
        super().close()
        for process in self.parts.values():
            process.wait()
        shutil.rmtree(self.database, ignore_errors=True)
