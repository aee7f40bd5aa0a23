import io
import logging
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from crawl_ops.cli.progress import LiveProgress, LogProgress, expected_end, progress_view

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def logger():
    logger = logging.getLogger("crawl_ops")
    before = logger.level
    logger.setLevel(logging.INFO)
    yield logger
    logger.setLevel(before)


def test_the_log_has_a_line_every_ten_seconds_at_most(caplog) -> None:
    times = [0.0]
    view = LogProgress(lambda: times[0])
    view.stage("fetch S")
    for second in range(25):
        times[0] = float(second)
        view.line(f"at {second}")
    view.done("fetch S: 9 pages")
    view.note("nothing is due")
    assert caplog.messages == ["fetch S", "at 0", "at 10", "at 20", "nothing is due"]


def test_the_log_is_on_where_it_is_needed(caplog, logger) -> None:
    logger.setLevel(logging.WARNING)
    with progress_view() as view:
        view.stage("parse S")
    assert caplog.messages == ["parse S"]


def test_the_live_line_does_not_read_markup() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with console.status("") as status:
        view = LiveProgress(status, lambda: NOW)
        view.stage("fetch S", NOW)
        view.line("[red]3[/red] pages/s")
        late = str(status.renderable.text)
        view.stage("fetch S", NOW + timedelta(hours=1))
        view.line("[red]3[/red] pages/s")
        shown = str(status.renderable.text)
        view.done("fetch [b]S[/b]: done")
    assert "expected end" not in late
    assert "fetch S (expected end " in shown
    assert "| [red]3[/red] pages/s" in shown
    assert "fetch [b]S[/b]: done" in console.file.getvalue()


@pytest.mark.parametrize(
    ("lists", "seconds"),
    [([], None), ([{"list": 0}], None), ([{"expected_s": 5}, {"expected_s": 65.5}], 65.5)],
)
def test_the_slowest_list_is_the_expected_end(lists, seconds) -> None:
    ends = expected_end(lists, NOW)
    assert (ends and (ends - NOW).total_seconds()) == seconds


def test_an_end_beyond_the_calendar_does_no_harm() -> None:
    assert expected_end([{"expected_s": 1e30}], NOW) is not None
