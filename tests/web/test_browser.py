"""The pages in a real browser, inside a real Airflow, while the demo site is crawled."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium"
WIDE = {"width": 1500, "height": 1360}
UP_S = 240_000  # milliseconds that a busy machine may need

pytestmark = [pytest.mark.whole, pytest.mark.timeout(900)]


def images(tmp_path: Path) -> Path:
    """Where screenshots go: docs/images when they are to be made anew."""
    return ROOT / "docs" / "images" if os.environ.get("CRAWL_OPS_SCREENSHOTS") else tmp_path


def ask(server: Any, path: str, token: str | None, data: Any = None, method: str = "") -> Any:
    """Status and JSON (or text) of one request."""
    request = urllib.request.Request(
        server.url + path,
        data=None if data is None else json.dumps(data).encode(),
        headers={"Content-Type": "application/json"}
        | ({"Authorization": f"Bearer {token}"} if token else {}),
        method=method or ("GET" if data is None else "POST"),
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    try:
        return status, json.loads(body)
    except ValueError:
        return status, body.decode(errors="replace")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Airflow with two users, and the demo site."""
    from crawl_ops.operators.embedded import settings
    from crawl_ops.operators.launcher import HOST, Airflow, free_port, server_settings

    folder, patch = tmp_path_factory.mktemp("web"), pytest.MonkeyPatch()
    port = free_port(0)
    passwords = folder / "passwords.json"
    passwords.write_text(json.dumps({"admin": "admin", "looker": "looker"}))
    environment = {
        **settings(folder),
        **server_settings(folder, port),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,looker:viewer",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "CRAWL_STORE": str(folder / "store"),
        "CRAWL_MAX_DEPTH": "3",
        "CRAWL_HOME": str(ROOT),
    }
    for name, value in environment.items():
        patch.setenv(name, value)
    patch.delenv("CRAWL_CONFIG", raising=False)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    site = subprocess.Popen(
        [sys.executable, str(ROOT / "include/demo_site/serve.py"), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert site.stdout is not None
        seeds = [site.stdout.readline().strip() for _ in range(3)]
        with Airflow(folder / "logs") as airflow:
            airflow.bring_up(port)
            yield SimpleNamespace(url=f"http://{HOST}:{port}", seeds=seeds, airflow=airflow)
    finally:
        site.terminate()
        site.wait(10)
        site.stdout.close() if site.stdout else None
        for number, handler in before.items():
            signal.signal(number, handler)
        patch.undo()


@pytest.fixture(scope="module")
def tokens(server) -> dict[str, str]:
    found = {}
    for name in ("admin", "looker"):
        _, answer = ask(server, "/auth/token", None, {"username": name, "password": name})
        found[name] = answer["access_token"]
    return found


@pytest.fixture(scope="module")
def run_id(server, tokens) -> str:
    """A crawl of the demo site, slow enough to be watched."""
    admin = tokens["admin"]
    ask(server, "/api/v2/dags/crawl", admin, {"is_paused": False}, "PATCH")
    conf = {"crawl_id": "demo", "depth": 3, "delay": 1.0, "seeds": server.seeds}
    status, answer = ask(
        server, "/api/v2/dags/crawl/dagRuns", admin, {"logical_date": None, "conf": conf}
    )
    assert status in (200, 201), answer
    return str(answer["dag_run_id"])


@pytest.fixture
def page(server) -> Iterator[Any]:
    """A browser that is signed in; what goes wrong in it is kept in `page.faults`."""
    from playwright.sync_api import sync_playwright

    assert Path(CHROMIUM).exists(), "no chromium: run tests/tools.sh, or apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport=WIDE, color_scheme="light").new_page()
        page.set_default_timeout(UP_S)
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda m: page.faults.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda r: (
                None
                if r.url.startswith((server.url, "data:", "blob:"))
                else page.faults.append(f"asked {r.url}")
            ),
        )
        page.goto(f"{server.url}/auth/login?next={server.url}/")
        page.fill("input[name=username]", "admin")
        page.fill("input[name=password]", "admin")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{server.url}/")
        page.faults.clear()
        yield page
        browser.close()


def path_of(run_id: str) -> str:
    return f"/crawl/run/crawl/{quote(run_id, safe='')}"


def test_nobody_sees_anything_without_signing_in(server, tokens, run_id) -> None:
    for path in ("/crawl/runs", "/crawl/static/crawl.css", f"{path_of(run_id)}/progress"):
        assert ask(server, path, None)[0] == 401
        assert ask(server, path, "nonsense")[0] == 403
        assert ask(server, path, tokens["looker"])[0] in (200, 404)
        assert ask(server, path, tokens["admin"], {}, "POST")[0] == 405
    assert ask(server, "/crawl/run/crawl/no-such-run/progress", tokens["admin"])[0] == 404


def test_a_crawl_is_watched_to_its_end(server, tokens, run_id, page, tmp_path) -> None:
    folder = images(tmp_path)
    page.goto(f"{server.url}/dags/crawl/runs/{quote(run_id, safe='')}/plugin/crawl")
    frame = page.frame_locator("iframe[title=Crawl]")
    # While it goes: the second depth is being fetched.
    frame.locator("#hosts-now .bar").wait_for()
    frame.locator("#depths tbody tr:nth-child(2)").wait_for()
    page.wait_for_timeout(9_000)
    page.screenshot(path=folder / "crawl_tab.png")
    page.emulate_media(color_scheme="dark")
    frame.locator('html[data-theme="dark"]').wait_for(state="attached")
    page.wait_for_timeout(1_000)
    page.screenshot(path=folder / "crawl_tab_dark.png")
    page.emulate_media(color_scheme="light")
    frame.locator('#run-state[data-state="success"]').wait_for()
    state, told = ask(server, f"{path_of(run_id)}/progress", tokens["looker"])
    assert state == 200
    assert [depth["state"] for depth in told["depths"]] == ["folded"] * 3
    assert told["depths"][1]["generated"] == 45
    assert told["totals"]["hosts"] == 3
    assert frame.locator("#depths tbody tr").count() == 3
    assert page.faults == []


def test_everything_can_be_reached_by_keyboard(server, run_id, page, tmp_path) -> None:
    page.goto(server.url + path_of(run_id))
    page.locator("#depths tbody tr").first.wait_for()
    page.focus("#tab-progress")
    page.keyboard.press("ArrowRight")
    page.locator("#hosts-found tbody tr").nth(2).wait_for()
    page.keyboard.press("ArrowRight")
    page.focus("#url-text")
    page.keyboard.type("lighthouse<img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    page.locator("#url-found table").wait_for()
    page.fill("#url-text", f"{server.seeds[0]}books/lighthouse.html")
    page.keyboard.press("Enter")
    page.locator("#url-found table").nth(1).wait_for()
    assert "books/lighthouse.html" in page.inner_text("#url-found h2")
    assert "db_fetched" in page.inner_text("#url-found")
    page.screenshot(path=images(tmp_path) / "crawl_explain.png", full_page=True)
    page.focus("#tab-url")
    page.keyboard.press("ArrowRight")
    page.fill("#search-query", "lighthouse")
    page.keyboard.press("Enter")
    page.locator("#search-found .hits li h3").get_by_text("Letters from a Lighthouse").wait_for()
    assert page.locator("#search-found .hits li").count() == 2
    page.focus("#tab-search")
    page.keyboard.press("ArrowRight")
    page.locator("#segments-found tbody tr").nth(2).wait_for()
    page.keyboard.press("ArrowRight")
    page.locator("#configuration-found tbody tr").first.wait_for()
    assert "http.agent.name" in page.inner_text("#configuration-found")
    assert page.locator("img[src=x]").count() == 0
    assert page.faults == []


def test_a_task_links_to_the_tab(server, tokens, run_id) -> None:
    run = quote(run_id, safe="")
    path = f"/api/v2/dags/crawl/dagRuns/{run}/taskInstances/inject/links"
    status, answer = ask(server, path, tokens["admin"])
    assert status == 200
    link = answer["extra_links"]["Crawl"]
    assert link == f"{server.url}/dags/crawl/runs/{run}/plugin/crawl"


def test_the_page_across_runs(server, run_id, page, tmp_path) -> None:
    page.goto(f"{server.url}/plugin/crawls")
    frame = page.frame_locator("iframe[title=Crawls]")
    frame.locator("#run-table tbody tr").first.wait_for()
    page.wait_for_timeout(1_000)
    page.screenshot(path=images(tmp_path) / "crawls.png")
    assert run_id in frame.locator("#run-table").inner_text()
    frame.locator("#run-table a").first.click()
    frame.locator("#depths tbody tr").nth(2).wait_for()
    assert page.faults == []


def test_the_api_server_stays_quick_meanwhile(server, tokens, run_id) -> None:
    slowest = 0.0
    for _ in range(10):
        started = time.monotonic()
        assert ask(server, f"{path_of(run_id)}/progress", tokens["admin"])[0] == 200
        slowest = max(slowest, time.monotonic() - started)
    assert slowest < 10
