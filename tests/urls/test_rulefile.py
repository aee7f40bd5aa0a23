"""Rules from a property, from a file, and our own."""

from pathlib import Path

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.urls.rulefile import Rules, rules_of, signed_rules


def test_inline_rules_win_over_the_file(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("from the file")
    assert rules_of("urlfilter.regex", "inline", file, None).text == "inline"
    assert rules_of("urlfilter.regex", " \n", file, None).text == "from the file"
    assert rules_of("urlfilter.regex", "", None, "prefix-urlfilter.txt").text.startswith("#")
    assert rules_of("urlfilter.regex", "", None, None).text == ""


def test_a_missing_file_names_its_property(tmp_path):
    with pytest.raises(ConfigError, match=r"^urlfilter\.regex\.file: .*none\.txt cannot be read"):
        rules_of("urlfilter.regex", "", tmp_path / "none.txt", None)


def test_a_file_that_is_no_text(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_bytes(b"+.\n\xff")
    with pytest.raises(ConfigError, match=r"not UTF-8 text \(byte 3\)"):
        rules_of("urlfilter.regex", "", file, None)


def test_line_ends_byte_order_mark_and_trailing_blanks():
    found = list(signed_rules(Rules("x", "\ufeff-a \r\n\r\n+b\t\r\n")))
    assert [(rule.number, rule.accepts, rule.expression) for rule in found] == [
        (1, False, "a"),
        (3, True, "b"),
    ]


def test_entries_are_trimmed_and_numbered():
    assert list(Rules("x", "# a\n\n b \nc").entries()) == [(3, "b"), (4, "c")]


def test_sections_and_labels():
    text = "-a\n> A.example\n#! why\n-b\n# remark\n-c\n\n-d\n<\n+e"
    found = [(rule.expression, rule.site, rule.says) for rule in signed_rules(Rules("x", text))]
    assert found == [
        ("a", None, "-a"),
        ("b", "a.example", "why"),
        ("c", "a.example", "why"),
        ("d", "a.example", "-d"),
        ("e", None, "+e"),
    ]


def test_a_file_without_end_is_refused():
    with pytest.raises(ConfigError, match=r"^urlfilter\.regex\.file: /dev/zero is larger than"):
        rules_of("urlfilter.regex", "", Path("/dev/zero"), None)
