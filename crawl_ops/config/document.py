"""docs/properties.md, made from the models: python -m crawl_ops.config.document."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from crawl_ops.config.properties import GROUPS

INTRODUCTION = """\
# Properties

A crawl is configured by properties under Apache Nutch's names. What is not set has its default;
`crawl.toml` comes over the defaults, and `-D name=value` (or the params of a DAG run) over both.
Nothing else is read. In `crawl.toml` a name stands in quotes, or its parts as tables:

```toml
"http.agent.name" = "mycrawl"

[fetcher]
"server.delay" = 2.0
"threads.fetch" = 50
```

An unknown name or an impossible value is one error that names file, property and bound. Names of
files are relative to the folder of `crawl.toml`, or with `-D` to the working folder. A list is an
array, or one text with commas or blanks. *ours* marks what Nutch does not have.

This page is generated (`python -m crawl_ops.config.document > docs/properties.md`).
"""

_NAMES = {bool: "true or false", int: "whole number", float: "number", str: "text", Path: "file"}
_BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def document() -> str:
    """The page: a section a group, a row a property."""
    return "\n".join([INTRODUCTION, *(line for group in GROUPS for line in _section(group))])


def _section(group: str) -> Iterator[str]:
    model = GROUPS[group]
    names = model.property_names()
    yield f"## {model.prefix or next(iter(names))}\n"
    yield f"{(model.__doc__ or '').splitlines()[0]}\n"
    yield "| property | type | default | bound | meaning |"
    yield "|---|---|---|---|---|"
    for name, field_name in names.items():
        field = model.model_fields[field_name]
        meaning = (
            (field.description or "").replace("(ours)", "(*ours*)").replace("; ours)", "; *ours*)")
        )
        row = (f"`{name}`", _type(field), _default(field), _bound(field), _cell(meaning))
        yield f"| {' | '.join(row)} |"
    yield ""


def _type(field: FieldInfo) -> str:
    kinds = [kind for kind in _members(field.annotation) if kind is not NoneType]
    if get_origin(kinds[0]) is Literal:
        return _cell(", ".join(f"`{choice}`" for choice in get_args(kinds[0])))
    if get_origin(kinds[0]) is tuple:
        inner = get_args(kinds[0])[0]
        choices = ", ".join(f"`{choice}`" for choice in get_args(inner))
        return f"list of {choices}" if choices else "list"
    return _NAMES[kinds[0]]


def _members(annotation: Any) -> tuple[Any, ...]:
    whole = get_origin(annotation) in (tuple, Literal) or not get_args(annotation)
    return (annotation,) if whole else get_args(annotation)


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{', '.join(value)}`" if value else "empty"
    return f"`{_cell(str(value))}`" if value != "" else "empty"


def _bound(field: FieldInfo) -> str:
    bounds = [
        f"{sign} {getattr(rule, attribute):,}".replace(",", " ")
        for rule in field.metadata
        for attribute, sign in _BOUNDS.items()
        if getattr(rule, attribute, None) is not None
    ]
    for rule in field.metadata:
        if longest := getattr(rule, "max_length", None):
            bounds.append(f"at most {longest} long")
        if pattern := getattr(rule, "pattern", None):
            bounds.append("no control characters" if "x00" in pattern else f"`{_cell(pattern)}`")
    return ", ".join(bounds)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(document())
