"""The demo site beside a run: on its usual port, beside another one, beside a stranger."""

import urllib.request
from types import SimpleNamespace

import pytest

from crawl_ops.operators import demo
from crawl_ops.operators.demo import demo_site
from crawl_ops.operators.launcher import free_port


@pytest.fixture
def port(monkeypatch):
    """A free port in the place of the usual one."""
    port = free_port(0)
    monkeypatch.setattr(demo, "DEMO_PORT", port)
    monkeypatch.setattr(
        demo, "DEMO_SEEDS", tuple(f"http://127.0.0.{host}:{port}/" for host in (1, 2, 3))
    )
    return port


def title(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode().partition("<title>")[2].partition("<")[0]


def test_it_serves_its_seeds_and_ends_with_the_block(port):
    with demo_site() as seeds:
        assert seeds == demo.DEMO_SEEDS
        assert title(seeds[0]) == "Wrenfield Town Library"
    with pytest.raises(OSError, match="refused"):
        title(seeds[0])


def test_two_at_once_serve_both_and_either_may_end_first(port):
    for ends_first in (0, 1):
        sites = [demo_site(), demo_site()]
        assert [site.__enter__() for site in sites] == [demo.DEMO_SEEDS] * 2
        sites[ends_first].__exit__(None, None, None)
        assert [title(url) for url in demo.DEMO_SEEDS for _ in range(3)].count("") == 0
        sites[1 - ends_first].__exit__(None, None, None)


def test_one_of_another_user_is_used_and_left_alone(port, monkeypatch):
    with demo_site() as first:

        def refused(_):
            raise OSError("in use")

        monkeypatch.setattr(demo, "_module", lambda: SimpleNamespace(DemoSite=refused))
        with demo_site() as second:
            assert second == first
        assert title(first[1])


def test_a_stranger_on_its_port_moves_it(port):
    from http.server import BaseHTTPRequestHandler, HTTPServer

    with HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler) as stranger:
        stranger.timeout = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(demo, "_is_demo_site", lambda url: False)
            with demo_site() as seeds:
                assert seeds != demo.DEMO_SEEDS
                assert title(seeds[2]) == "Wrenfield Correspondence Club"
