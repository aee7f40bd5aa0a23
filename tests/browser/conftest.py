"""A real Airflow, the demo site, and a browser that is signed in: one of each for the whole day."""

import contextlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SIZE = {"width": 1280, "height": 860}
UP_MS = 90_000  # that a busy machine may need
NAMES = ("admin", "looker")


class Server:
    """Airflow's address and its REST API; what people do by clicks is not done here."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.tokens: dict[str, str] = {}

    def sign_in(self) -> None:
        for name in NAMES:
            answer = self.ask("/auth/token", None, {"username": name, "password": name})[1]
            self.tokens[name] = answer["access_token"]

    def ask(self, path: str, token: str | None, data: Any = None) -> tuple[int, Any]:
        """Status and JSON (or text) of one request."""
        request = urllib.request.Request(
            self.url + path,
            data=None if data is None else json.dumps(data).encode(),
            headers={"Content-Type": "application/json"}
            | ({"Authorization": f"Bearer {token}"} if token else {}),
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        try:
            return status, json.loads(body)
        except ValueError:
            return status, body.decode(errors="replace")

    def api(self, path: str) -> Any:
        status, answer = self.ask(f"/api/v2{path}", self.tokens["admin"])
        assert status == 200, answer
        return answer

    def runs(self) -> list[Any]:
        return list(self.api("/dags/crawl/dagRuns?order_by=-id")["dag_runs"])

    def tasks(self, run_id: str) -> dict[str, Any]:
        """The tasks of a run, mapped ones apart."""
        found = self.api(f"/dags/crawl/dagRuns/{quote(run_id, safe='')}/taskInstances?limit=100")
        return {f"{t['task_id']}[{t['map_index']}]": t for t in found["task_instances"]}

    def until(self, run_id: str, state: str) -> None:
        deadline = time.monotonic() + UP_MS / 1000
        while (now := next(r["state"] for r in self.runs() if r["dag_run_id"] == run_id)) != state:
            assert time.monotonic() < deadline, f"{run_id} is {now}"
            threading.Event().wait(0.5)


class Screen:
    """A page of the browser. faults: what went wrong in our pages, and requests elsewhere."""

    def __init__(self, page: Any, server: Server, pictures: Path | None) -> None:
        self.page, self.server, self.pictures = page, server, pictures
        self.faults: list[str] = []
        page.set_default_timeout(UP_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)
        page.on("request", self._asked)

    def _heard(self, message: Any) -> None:
        # A refused form is Airflow's own 400, which the browser logs.
        if message.type == "error" and not message.location["url"].endswith("/dagRuns"):
            self.faults.append(f"{message.text} ({message.location['url']})")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.faults.append(f"asked {request.url}")

    def picture(self, name: str, **options: Any) -> None:
        """A picture for docs/, where pictures are wanted."""
        if self.pictures is not None:
            self.page.mouse.move(SIZE["width"] - 2, SIZE["height"] - 2)
            self.page.wait_for_timeout(1_000)
            self.page.screenshot(path=self.pictures / f"{name}.png", **options)

    def form(self, dag_id: str = "crawl") -> Any:
        """The form of a run, opened from the DAG's page."""
        self.page.goto(f"{self.server.url}/dags/{dag_id}")
        self.page.get_by_role("button", name="Trigger Dag").first.click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Run Parameters").wait_for()
        return dialog

    def type(self, field: Any, text: str) -> str:
        """Type into a field in the place of what is there; what it shows then."""
        field.click()
        for key in ("Control+A", "Delete"):
            self.page.keyboard.press(key)
        field.press_sequentially(text)
        self.page.keyboard.press("Tab")
        return str(field.input_value())

    def clear(self, title: str, listed: str) -> Any:
        """The dialog that clears what is shown, once it lists the task `listed`."""
        self.page.get_by_role("button", name="Press shift+c to clear").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("heading", name=title).wait_for()
        dialog.get_by_text(listed, exact=True).first.wait_for()
        return dialog

    def run(self, run_id: str, rest: str = "") -> None:
        self.page.goto(f"{self.server.url}/dags/crawl/runs/{quote(run_id, safe='')}{rest}")

    def until_shown(self, found: Any) -> None:
        """Wait for what Airflow's page may have asked for too soon, and asks for once: a log."""
        from playwright.sync_api import TimeoutError as TooLate

        for _ in range(2):
            with contextlib.suppress(TooLate):
                found.wait_for(timeout=20_000)
                return
            self.page.reload()
        found.wait_for()

    def tab(self) -> Any:
        """Our tab of the run that is shown, chosen by a click."""
        self.page.get_by_role("link", name="Crawl", exact=True).click()
        return self.page.frame_locator("iframe[title=Crawl]")


@pytest.fixture(scope="module")
def site() -> Iterator[Any]:
    """The demo site; it keeps what it was asked for."""
    with _demo_site().DemoSite(port=0) as served:
        yield served


def _demo_site() -> ModuleType:
    path = ROOT / "include" / "demo_site" / "serve.py"
    spec = importlib.util.spec_from_file_location("demo_site_serve", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Airflow as `make airflow` starts it, with two users who have to sign in."""
    from crawl_ops.operators.launcher import Airflow, free_port

    folder = tmp_path_factory.mktemp("browser")
    port = free_port(0)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with Airflow(folder / "logs") as airflow:
            with _settings(folder, port):
                airflow.bring_up(port)
            served = Server(port)
            served.sign_in()
            yield served
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _settings(folder: Path, port: int) -> Iterator[None]:
    from crawl_ops.operators.embedded import settings
    from crawl_ops.operators.launcher import server_settings

    passwords = folder / "passwords.json"
    passwords.write_text(json.dumps({name: name for name in NAMES}))
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(("AIRFLOW", "CRAWL_"))]:
            patch.delenv(name)
        patch.setenv("CRAWL_HOME", str(ROOT))
        for name, value in {
            **settings(folder),
            **server_settings(folder, port),
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,looker:viewer",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
            "CRAWL_STORE": str(folder / "store"),
            "CRAWL_MAX_DEPTH": "2",
        }.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def context(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser with a new profile in which `admin` has signed in, by keys."""
    from playwright.sync_api import sync_playwright

    assert Path(CHROMIUM).exists(), "no chromium: run tests/tools.sh, or apt-get install chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=CHROMIUM,
            args=FLAGS,
            viewport=SIZE,
            color_scheme="light",
            reduced_motion="reduce",
        )
        page = opened.pages[0]
        page.goto(f"{server.url}/auth/login?next={server.url}/")
        page.fill("input[name=username]", "admin")
        page.fill("input[name=password]", "admin")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{server.url}/")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def open_screen(context: Any, server: Server) -> Callable[[], Screen]:
    """Opens pages; where CRAWL_SCREENSHOTS names a folder, pictures go there."""
    folder = os.environ.get("CRAWL_SCREENSHOTS")
    return lambda: Screen(context.new_page(), server, ROOT / folder if folder else None)


@pytest.fixture
def screen(open_screen: Callable[[], Screen]) -> Iterator[Screen]:
    """A page of its own; nothing has gone wrong in it when the test is over."""
    screen = open_screen()
    yield screen
    screen.page.close()
    assert screen.faults == []
