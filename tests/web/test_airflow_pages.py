"""The pages behind Airflow's real auth manager."""

import asyncio
import warnings
from datetime import timedelta

import pytest


@pytest.fixture(scope="module")
def airflow_client():
    """A client of the pages as the API server mounts them, and a maker of tokens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from airflow.api_fastapi.app import create_auth_manager, get_auth_manager
        from fastapi.testclient import TestClient

        create_auth_manager()
        from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

        from crawl_ops.web.airflow_pages import make_app

        app = make_app()

    def token(seconds: int = 60) -> str:
        user = SimpleAuthManagerUser(username="me", role="viewer")
        return get_auth_manager().generate_jwt(user, expiration_time_in_seconds=seconds)

    return TestClient(app), token


PATHS = ["/static/crawl.css", "/runs", "/runs/crawls", "/run/d/r", "/run/d/r/progress"]


@pytest.mark.parametrize("path", PATHS)
def test_without_a_session_or_token(airflow_client, path) -> None:
    client, _ = airflow_client
    assert client.get(path).status_code == 401


@pytest.mark.parametrize("path", PATHS)
def test_with_a_token_that_is_none(airflow_client, path) -> None:
    client, token = airflow_client
    for wrong in ("nonsense", token()[:-3] + "abc"):
        assert client.get(path, headers={"Authorization": f"Bearer {wrong}"}).status_code == 403
        assert client.get(path, headers={"Cookie": f"_token={wrong}"}).status_code == 403


def test_with_a_token_that_has_expired(airflow_client) -> None:
    client, token = airflow_client
    old = token(seconds=-int(timedelta(hours=1).total_seconds()))
    answer = client.get("/static/crawl.css", headers={"Authorization": f"Bearer {old}"})
    assert answer.status_code == 401


def test_with_a_token_or_a_session(airflow_client, monkeypatch) -> None:
    client, token = airflow_client
    # Asked of the metadata database, which there is none of here.
    monkeypatch.setattr(
        "airflow.models.revoked_token.RevokedToken.is_revoked", lambda *_, **__: False
    )
    good = token()
    for headers in ({"Authorization": f"Bearer {good}"}, {"Cookie": f"_token={good}"}):
        assert client.get("/static/crawl.css", headers=headers).status_code == 200
        assert client.get("/runs", headers=headers).status_code == 200


def test_the_plugin_imports_nothing_until_it_is_asked() -> None:
    import subprocess
    import sys

    code = (
        "import sys; import crawl_ops.web.plugin;"
        "heavy = {'duckdb', 'tantivy', 'pyarrow', 'crawl_ops.web.app', 'airflow.models.dagrun'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip().splitlines()[-1] == "[]"


def test_the_application_is_made_once(monkeypatch) -> None:
    from crawl_ops.web import plugin

    made, asked = [], []

    async def app(scope, receive, send) -> None:
        asked.append(scope)

    def make():
        made.append(1)
        return app

    monkeypatch.setattr(plugin, "_made", make)
    lazy = plugin.LazyApp()

    async def twice() -> None:
        await lazy({"path": "/1"}, None, None)
        await lazy({"path": "/2"}, None, None)

    asyncio.run(twice())
    assert (len(made), [scope["path"] for scope in asked]) == (1, ["/1", "/2"])


def test_views_are_below_where_airflow_is(monkeypatch) -> None:
    from crawl_ops.web import plugin

    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://airflow.example/prefix/")
    assert plugin._view(name="x")["icon"] == "/prefix/crawl/static/icon.svg"
    views = plugin.CrawlPlugin.external_views
    assert [view["destination"] for view in views] == ["dag_run", "nav"]
    assert views[0]["href"].endswith("/crawl/run/{DAG_ID}/{RUN_ID}")
