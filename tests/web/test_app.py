"""Who sees what, and what every answer says to a browser."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from crawl_ops.web.app import STATIC
from crawl_ops.web.runs import Run

HERE = Path(__file__).parents[2] / "crawl_ops" / "web"
RUN_PATHS = ["", "/progress", "/hosts", "/url?url=http://a.example/", "/search", "/segments",
             "/configuration"]  # fmt: skip
OTHER_PATHS = ["/runs", "/runs/crawls", "/runs/history?crawl=x", "/static/crawl.css",
               "/static/no-such-file", "/no-such-page", "/docs", "/openapi.json"]  # fmt: skip
HOSTILE = "<script>alert(1)</script>'\"{{7*7}}"


def path_of(run: Run) -> str:
    return f"/run/{quote(run.dag_id, safe='')}/{quote(run.run_id, safe='')}"


@pytest.mark.parametrize("path", RUN_PATHS)
def test_nothing_of_a_run_without_a_session(client, made, path) -> None:
    answer = client(made.run(), user=None).get(path_of(made.run()) + path)
    assert answer.status_code == 401
    assert answer.json() == {"detail": "Not authenticated"}


@pytest.mark.parametrize("path", OTHER_PATHS)
def test_nothing_else_either(client, path) -> None:
    answer = client(user=None).get(path)
    assert answer.status_code in (401, 404)
    assert (answer.status_code == 401) == (path not in ("/no-such-page", "/docs", "/openapi.json"))


@pytest.mark.parametrize("path", RUN_PATHS)
def test_a_run_that_one_may_not_read(client, made, path) -> None:
    answer = client(made.run(), user="stranger").get(path_of(made.run()) + path)
    assert answer.status_code == 403


def test_crawls_of_dags_that_one_may_not_read(client, made) -> None:
    mine = client(made.run()).get("/runs/crawls").json()["crawls"]
    assert [crawl["name"] for crawl in mine] == ["crawl"]
    stranger = client(made.run(), user="stranger")
    assert stranger.get("/runs/crawls").json() == {"crawls": []}
    assert stranger.get("/runs/history", params={"crawl": mine[0]["token"]}).status_code == 404


@pytest.mark.parametrize("path", [*RUN_PATHS, "/static"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_changed(client, made, method, path) -> None:
    address = "/static/crawl.css" if path == "/static" else path_of(made.run()) + path
    assert client(made.run()).request(method, address).status_code == 405


@pytest.mark.parametrize("path", [*(f"RUN{path}" for path in RUN_PATHS), *OTHER_PATHS])
def test_a_browser_takes_nothing_from_elsewhere(client, made, path) -> None:
    answer = client(made.run()).get(path.replace("RUN", path_of(made.run())))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    if answer.status_code == 200 and not path.startswith("/static"):
        assert answer.headers["Cache-Control"] == "no-store"


def test_names_of_a_run_are_escaped(client, made) -> None:
    run = made.run(dag_id=HOSTILE.replace("/", ""), run_id=HOSTILE.replace("/", ""), state=HOSTILE)
    page = client(run).get(path_of(run)).text
    assert "<script>alert" not in page
    assert "{{7*7}}" in page
    assert "&lt;script&gt;alert(1)" in page
    assert 'data-state="&lt;script&gt;' in page


def test_pages_have_no_script_or_style_in_them() -> None:
    for file in [*(HERE / "templates").iterdir(), *(HERE / "static").glob("*.svg")]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=|javascript:", text)
        assert "|safe" not in text


def test_scripts_make_no_markup_of_data() -> None:
    for file in (HERE / "static").glob("*.js"):
        if file.name.startswith("uplot"):
            continue
        text = file.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", text
        ), file.name
        assert not re.search(r"https?://", text), file.name


def test_static_files_are_those_of_the_list(client) -> None:
    there = {file.name for file in (HERE / "static").iterdir()}
    assert there - {"uplot.LICENSE.txt"} == set(STATIC)
    for name, kind in STATIC.items():
        answer = client().get(f"/static/{name}")
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith(kind)
    for name in ("..%2Fapp.py", "%2e%2e%2fapp.py", "uplot.LICENSE.txt", "crawl.css%00", ".."):
        assert client().get(f"/static/{name}").status_code == 404


def test_what_is_asked_is_bounded(client, made) -> None:
    page = client(made.run())
    path = path_of(made.run())
    for wrong in (
        f"{path}/hosts?order=host;drop",
        f"{path}/hosts?offset=-1",
        f"{path}/hosts?offset=10001",
        f"{path}/hosts?part={'x' * 301}",
        f"{path}/search?query={'x' * 301}",
        f"{path}/url?url={'x' * 4001}",
        f"{path}/url?url=",
        f"{path}/url",
    ):
        assert page.get(wrong).status_code == 422, wrong


def test_a_run_that_is_not_there(client, made) -> None:
    answer = client().get(path_of(made.run()) + "/progress")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "There is no such run."}
