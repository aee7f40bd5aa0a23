"""Java's regular expressions and replacement texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.urls.javaregex import compile_java, substitution


@pytest.mark.parametrize(
    ("expression", "finds", "misses"),
    [
        ("a(?i)b|c", ["aB", "C"], ["Ab", "x"]),
        ("((?i)index|default)x", ["INDEXx", "Defaultx"], ["indexX"]),
        ("(?i:a)b", ["Ab"], ["AB"]),
        ("(?i)a(?-i)b", ["Ab"], ["AB"]),
        ("(?u)a", ["a"], ["b"]),
        (r"^\p{Alpha}+$", ["abC"], ["ab1", "ä"]),
        (r"^\p{IsAlpha}$", ["a"], ["1"]),
        (r"^\P{Digit}$", ["a"], ["1"]),
        (r"^[\p{Digit}_]+$", ["1_2"], ["a"]),
        (r"\Q(a|b\E", ["(a|b"], ["a"]),
        (r"\Qa.b", ["a.b"], ["axb"]),
        (r"(?<n>a)\k<n>", ["aa"], ["ab"]),
        (r"a++a", [], ["aaa"]),
        (r"(?>a|ab)c", ["ac"], ["abc"]),
        (r"a\z", ["a"], ["a\n"]),
        (r"a\Z", ["a", "a\n"], ["ab"]),
        (r"\x{41}\x42", ["AB"], ["ab"]),
        (r"[a[bc]]", ["a", "b", "c"], ["d", "]"]),
        (r"[]a]", ["]", "a"], ["["]),
        (r"[^]a]", ["b"], ["]", "a"]),
        (r"[a\]b]", ["]"], ["c"]),
        (r"[\Q]-\E]", ["]", "-"], ["a"]),
        (r"[?*!@=|~&-]", ["?", "|", "~", "&", "-"], ["a"]),
        (r"\h", [" ", "\t", "\xa0"], ["a"]),
        (r"\w", ["a", "_"], ["ä"]),
        ("(?i)k", ["K"], ["\u212a"]),
        ("a)b".replace(")", r"\)"), ["a)b"], ["ab"]),
    ],
)  # fmt: skip
def test_translated(expression, finds, misses):
    search = compile_java(expression).search
    assert [text for text in finds if not search(text)] == []
    assert [text for text in misses if search(text)] == []


@pytest.mark.parametrize(
    "expression",
    ["(", ")", "[a", "*", r"\p{Greek}", r"\p", r"[\P{Alpha}]", "[a&&[b]]", "[a[^b]]", "a{3,1}",
     r"\k<none>", "(?<=a+)b", "a**", "x{99999999999}"],
)  # fmt: skip
def test_what_cannot_be_compiled(expression):
    with pytest.raises(ValueError, match="is no regular expression"):
        compile_java(expression)


@given(st.text(alphabet="ab()[]|\\?*+{}1,^$.-&:<>=!ipQE", max_size=16))
def test_any_expression_compiles_or_is_refused(expression):
    try:
        compiled = compile_java(expression)
    except ValueError:
        return
    assert isinstance(compiled, re.Pattern)


@pytest.mark.parametrize(
    ("replacement", "result"),
    [
        ("$1", "a"),
        ("[$2]", "[b]"),
        ("$12", "a2"),
        ("${n}", "b"),
        (r"\?", "?"),
        (r"\$1", "$1"),
        (r"\\", "\\"),
        ("$0", "ab"),
        ("", ""),
        (r"\n", "n"),
    ],
)
def test_substitution(replacement, result):
    pattern = compile_java("(a)(?<n>b)")
    assert pattern.sub(substitution(replacement, pattern.groups), "ab") == result


@pytest.mark.parametrize("replacement", ["$", "$x", "$3", "a$"])
def test_a_substitution_that_names_no_group(replacement):
    with pytest.raises(ValueError, match="substitution"):
        substitution(replacement, 2)
