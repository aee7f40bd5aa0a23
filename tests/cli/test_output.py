import json
from datetime import UTC, date, datetime

import pytest

from crawl_ops.cli import output


@pytest.fixture
def printed(capfdbinary):
    return lambda: capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"url": "http://ä.example/日本"}, '{"url": "http://ä.example/日本"}'),
        (
            {"score": float("nan"), "all": [float("inf"), 1.5]},
            '{"score": null, "all": [null, 1.5]}',
        ),
        ({1: float("nan")}, '{"1": null}'),
        ({"t": datetime(2026, 7, 1, 12, 0, 0, 5000, UTC)}, '{"t": "2026-07-01T12:00:00.005000Z"}'),
        ({"d": date(2026, 7, 1)}, '{"d": "2026-07-01"}'),
        ({"b": b"\x00\xff"}, '{"b": "00ff"}'),
        ({"s": {"b", "a"}}, '{"s": ["a", "b"]}'),
        ({"text": "two\nlines"}, '{"text": "two\\nlines"}'),
        (None, "null"),
    ],
)
def test_json_is_one_line_of_utf_8(printed, value, line) -> None:
    output.write_json(value)
    assert printed() == line + "\n"


def test_an_undecodable_argument_does_not_break_the_output(printed) -> None:
    output.write_json({"url": "http://a.example/\udcff"})
    assert json.loads(printed()) == {"url": "http://a.example/?"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (1.23456789, "1.23457"),
        (True, "true"),
        ("a\tb\nc", "a b c"),
        ("\x1b[2Jgone\x9b", " [2Jgone "),
        (b"\x01", "01"),
        ({"a": "ä"}, '{"a": "ä"}'),
        (datetime(2026, 7, 1, tzinfo=UTC), "2026-07-01T00:00:00Z"),
    ],
)
def test_a_cell_is_one_harmless_line(value, text) -> None:
    assert output.cell(value) == text


def test_a_piped_table_is_tab_separated(printed) -> None:
    output.write_table(("a", "b"), [(1, "x\ty"), (None, 2.0)], title="not shown")
    assert printed() == "a\tb\n1\tx y\n\t2\n"


def test_a_table_on_a_terminal_does_not_read_markup(monkeypatch, capsys) -> None:
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    output.write_table(("title",), [("[red]not red[/red]",)], title="hits")
    shown = capsys.readouterr().out
    assert "[red]not red[/red]" in shown
    assert "hits" in shown


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 rounds"), (1, "1 round"), (1234, "1,234 rounds")]
)
def test_one_is_told_as_one(number: int, told: str) -> None:
    assert output.counted(number, "round") == told
