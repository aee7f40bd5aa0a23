"""The demo site as the DAG's defaults know it: its seeds and its server."""

import importlib.util
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from crawl_ops.config.places import home
from crawl_ops.errors import CrawlError

DEMO_PORT = 8765
DEMO_SEEDS: tuple[str, ...] = tuple(f"http://127.0.0.{host}:{DEMO_PORT}/" for host in (1, 2, 3))
_SERVER_NAME = "WrenfieldDemo"


@contextmanager
def demo_site() -> Iterator[tuple[str, ...]]:
    """Serve the demo site from this process while the block runs; gives its seeds.

    Others of the same user may serve it too, and end when they like. Its usual port may be
    taken by another user's, which is then used, or by something else, and then it gets a free
    port. Raises CrawlError if it cannot be served.
    """
    serve = _module()
    try:
        site = serve.DemoSite(DEMO_PORT)
    except OSError:
        if _is_demo_site(DEMO_SEEDS[0]):
            yield DEMO_SEEDS
            return
        try:
            site = serve.DemoSite(0)
        except OSError as error:
            raise CrawlError(f"the demo site cannot be served: {error}") from error
    with site:
        yield site.seeds


def _module() -> ModuleType:
    """include/demo_site/serve.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location(
        "demo_site_serve", home() / "include" / "demo_site" / "serve.py"
    )
    if spec is None or spec.loader is None:
        raise CrawlError("include/demo_site/serve.py is not there")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        raise CrawlError(f"the demo site cannot be served: {error}") from error
    return module


def _is_demo_site(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310
            return _SERVER_NAME in answer.headers.get("Server", "")
    except OSError:  # URLError is one
        return False
