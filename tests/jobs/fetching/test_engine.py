from datetime import UTC, datetime
from types import SimpleNamespace

from crawl_ops.config.load import load
from crawl_ops.jobs.fetching.engine import Workers
from crawl_ops.jobs.fetching.items import FetchItem

LEAVES = """
class Leaving:
    def __init__(self, config):
        pass

    def fetch(self, request):
        raise SystemExit(3)

    def close(self):
        pass
"""


def test_a_protocol_that_calls_sys_exit_costs_its_url_only(tmp_path) -> None:
    (tmp_path / "leaves.py").write_text(LEAVES)
    properties = {"fetcher.protocols": "gopher=leaves:Leaving", "plugin.folders": str(tmp_path)}
    workers = Workers(
        load(overrides=properties),
        SimpleNamespace(close=lambda: None),
        SimpleNamespace(),
        lambda: datetime(2026, 8, 1, tzinfo=UTC),
        1,
    )
    row = {"url": "gopher://a.example/", "signature": None, "metadata": None}
    try:
        for number in (1, 2):
            workers.give(number, FetchItem(0, row))
            (result,) = workers.results(10)
            assert result.answer.reason == "program error: SystemExit: 3"
    finally:
        workers.close()
