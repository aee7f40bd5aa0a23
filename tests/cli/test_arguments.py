import pytest

from crawl_ops.cli.arguments import hoist


def with_value(verb: str) -> frozenset[str]:
    return {"crawl": frozenset({"--seeds", "--depth"})}.get(verb, frozenset())


@pytest.mark.parametrize(
    ("given", "hoisted"),
    [
        ("readdb --stats --json", "--json readdb --stats"),
        ("--json readdb --stats", "--json readdb --stats"),
        ("fetch S --dir d -D a=b", "--dir d -D a=b fetch S"),
        ("fetch S --dir=d -Da=b --config=c", "--dir=d -Da=b --config=c fetch S"),
        ("--dir fetch fetch --json", "--dir fetch --json fetch"),
        ("crawl --seeds --json --depth 1", "crawl --seeds --json --depth 1"),
        ("crawl --seeds -D --depth --dir --json", "--json crawl --seeds -D --depth --dir"),
        ("search -- --json -D x", "search -- --json -D x"),
        ("-D --json fetch", "-D --json fetch"),
        ("fetch S --dir", "--dir"),
        ("crawl --seeds", "crawl --seeds"),
        ("fetch -v S --verbose", "-v --verbose fetch S"),
        ("search --dirt", "search --dirt"),
        ("", ""),
    ],
)
def test_options_of_crawl_ops_may_stand_anywhere(given: str, hoisted: str) -> None:
    assert hoist(given.split(), with_value) == hoisted.split()


def test_an_empty_word_is_no_verb_s_option() -> None:
    assert hoist(["search", "", "--json"], with_value) == ["--json", "search", ""]
