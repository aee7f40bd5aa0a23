import re
from pathlib import Path

import pytest

from crawl_ops.cli.app import VERBS, command, options_with_value

DOCS = Path(__file__).parents[2] / "docs" / "commands.md"


def sections() -> dict[str, str]:
    parts = re.split(r"(?m)^## (.+)$", DOCS.read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_documented_verbs_are_the_verbs_in_their_order() -> None:
    assert sorted(sections()) == sorted(VERBS)
    assert list(command().commands) == list(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_documented(verb: str) -> None:
    text = sections()[verb]
    assert f"crawl-ops {verb}" in text
    params = command().commands[verb].params
    options = {name for p in params for name in (*p.opts, *p.secondary_opts) if name[:1] == "-"}
    assert options - {"-h", "--help"} == set(
        re.findall(r"(?<![\w-])--[a-zA-Z][a-zA-Z-]*", text)
    ) - {"--json"}


def test_the_options_of_crawl_ops_are_documented() -> None:
    head = DOCS.read_text(encoding="utf-8").partition("\n## ")[0]
    for param in command().params:
        assert f"`{param.opts[0]}" in head


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, run) -> None:
    done = run(verb, "--help")
    assert done.code == 0
    assert command().commands[verb].help.split("\n")[0] in " ".join(done.out.split())
    for param in command().commands[verb].params:
        if param.param_type_name == "option" and param.name != "help":
            assert param.help, (verb, param.name)


def test_which_options_have_a_value() -> None:
    assert options_with_value("crawl") == {"--seeds", "--depth", "--topn", "--topN"}
    assert options_with_value("vacuum") == frozenset()
    assert options_with_value("no verb") == frozenset()
