"""The options of crawl-ops that may stand anywhere on a command line."""

from collections.abc import Callable, Iterator, Sequence

import typer

WITH_VALUE = frozenset({"--dir", "-D", "--config"})
FLAGS = frozenset({"--json", "-v", "--verbose"})
END_OF_OPTIONS = "--"
COUNT_MAX = 2**31 - 1
"""The largest number that an option takes for a count (as properties: INTEGER_MAX)."""


def check_text(arguments: Sequence[str]) -> None:
    """Raises BadParameter for an argument that is not UTF-8: no URL, property or query can be.

    Python hands over bytes that are none as lone surrogates (PEP 383).
    """
    for number, word in enumerate(arguments, 1):
        try:
            word.encode()
        except UnicodeEncodeError:
            raise typer.BadParameter(
                f"{ascii(word)[:200]} is not UTF-8 text", param_hint=f"argument {number}"
            ) from None


def hoist(arguments: Sequence[str], with_value: Callable[[str], frozenset[str]]) -> list[str]:
    """The same arguments with the options of crawl-ops itself moved before the verb.

    `with_value` gives the options of a verb that take a value: their values are left alone,
    whatever they look like. Nothing behind `--` is moved.
    """
    front: list[str] = []
    rest: list[str] = []
    of_verb: frozenset[str] | None = None
    words = iter(arguments)
    for word in words:
        if word == END_OF_OPTIONS:
            rest += [word, *words]
        elif word in FLAGS or _has_value_attached(word):
            front.append(word)
        elif word in WITH_VALUE:
            value = _next(words)
            if not value:
                return [word]  # alone, so that it is what the complaint is about
            front += [word, *value]
        elif of_verb is not None and word in of_verb:
            rest += [word, *_next(words)]
        else:
            rest.append(word)
            if of_verb is None and not word.startswith("-"):
                of_verb = with_value(word)
    return front + rest


def _has_value_attached(word: str) -> bool:
    return word.startswith(("--dir=", "--config=")) or (word.startswith("-D") and word != "-D")


def _next(words: Iterator[str]) -> list[str]:
    word = next(words, None)
    return [] if word is None else [word]
