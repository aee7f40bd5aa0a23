"""The demo site as the DAG's defaults know it: its seeds and its server."""

import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from crawl_ops.errors import CrawlError
from crawl_ops.operators.places import home

DEMO_PORT = 8765
DEMO_SEEDS: tuple[str, ...] = tuple(f"http://127.0.0.{host}:{DEMO_PORT}/" for host in (1, 2, 3))
_SERVER_NAME = "WrenfieldDemo"


@contextmanager
def demo_site() -> Iterator[tuple[str, ...]]:
    """Serve the demo site while the block runs; gives its seeds.

    Its usual port may be taken: by another demo site, which is then used, or by something else,
    and then it gets a free port. Raises CrawlError if it cannot be served.
    """
    if _is_demo_site(DEMO_SEEDS[0]):
        yield DEMO_SEEDS
        return
    server = _serve(DEMO_PORT) or _serve(0)
    if server is None:
        raise CrawlError("the demo site cannot be served; see the line above")
    process, seeds = server
    try:
        yield seeds
    finally:
        process.terminate()
        process.wait(timeout=10)


def _serve(port: int) -> tuple[subprocess.Popen[str], tuple[str, ...]] | None:
    command = [sys.executable, str(home() / "include/demo_site/serve.py"), "--port", str(port)]
    # A session of its own: Ctrl-C is for the crawl, the site goes when the block ends.
    process = subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None  # noqa: S101
    seeds = tuple(process.stdout.readline().strip() for _ in DEMO_SEEDS)
    if all(seeds):
        return process, seeds
    process.wait(timeout=10)
    return None


def _is_demo_site(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310
            return _SERVER_NAME in answer.headers.get("Server", "")
    except (OSError, urllib.error.URLError):
        return False
