from crawl_ops.config.document import document
from crawl_ops.config.properties import GROUPS, PROPERTIES


def test_every_property_has_a_row() -> None:
    lines = document().splitlines()
    for name in PROPERTIES:
        assert sum(line.startswith(f"| `{name}` |") for line in lines) == 1
    rows = [line for line in lines if line.startswith("| `")]
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows)


def test_a_row_says_type_default_bound_and_meaning() -> None:
    page = document()
    assert "| `fetcher.server.delay` | number | `5.0` | ≥ 0, ≤ 86 400 | Seconds between" in page
    assert "| `fetcher.queue.mode` | `byHost`, `byDomain`, `byIP` | `byHost` |  |" in page
    assert "| `http.proxy.port` | whole number | unset | ≥ 1, ≤ 65 535 | Proxy port. |" in page
    assert "| `plugin.folders` | file | unset |  |" in page


def test_every_group_has_a_heading() -> None:
    page = document()
    assert page.count("\n## ") == len(GROUPS)
