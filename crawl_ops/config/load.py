"""Reading a configuration: built-in default < crawl.toml < overrides."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from crawl_ops.config.properties import GROUPS, PROPERTIES, CrawlConfig
from crawl_ops.errors import ConfigError

OVERRIDE = "-D"


def load(file: Path | None = None, overrides: Mapping[str, Any] | None = None) -> CrawlConfig:
    """The configuration in force.

    `file` is a crawl.toml; `overrides` are properties by their Nutch names (DAG params, -D).
    File names in crawl.toml are relative to its folder, those in overrides to the working folder.
    Raises ConfigError, one line that names the file or option, the property and the bound.
    """
    given: dict[str, tuple[Any, str]] = {}
    if file is not None:
        for name, value in _flat(_read(file)):
            given[name] = (_resolved(name, value, file.parent), str(file))
    for name, value in (overrides or {}).items():
        given[name] = (_resolved(name, value, Path()), OVERRIDE)
    return _validated(given)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f'{file}: {error} (write names in quotes: "http.redirect.max" = 5)'
        ) from None


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = prefix + key
        if isinstance(value, dict):
            yield from _flat(value, name + ".")
        else:
            yield name, value


def _resolved(name: str, value: Any, folder: Path) -> Any:
    if name not in PROPERTIES or not _is_file(name):
        return value
    return (folder / value).absolute() if isinstance(value, str) and value.strip() else None


def _is_file(name: str) -> bool:
    group, field = PROPERTIES[name]
    return Path in getattr(GROUPS[group].model_fields[field].annotation, "__args__", ())


def _validated(given: Mapping[str, tuple[Any, str]]) -> CrawlConfig:
    by_group: dict[str, dict[str, Any]] = {}
    for name, (value, origin) in given.items():
        if name not in PROPERTIES:
            raise ConfigError(f"{origin}: unknown property {name!r}{_hint(name)}")
        by_group.setdefault(PROPERTIES[name][0], {})[name] = value
    groups = {group: _group(group, values, given) for group, values in by_group.items()}
    return CrawlConfig(**groups)


def _group(group: str, values: dict[str, Any], given: Mapping[str, tuple[Any, str]]) -> Any:
    model = GROUPS[group]
    named = {
        model.model_fields[PROPERTIES[name][1]].alias or PROPERTIES[name][1]: name
        for name in values
    }
    try:
        return model(**{key: values[name] for key, name in named.items()})
    except ValidationError as error:
        first = error.errors()[0]
        name = named[str(first["loc"][0])]
        value, origin = given[name]
        raise ConfigError(f"{origin}: {name}: {first['msg']} (got {value!r:.100})") from None


def _hint(name: str) -> str:
    close = difflib.get_close_matches(name, PROPERTIES, n=1, cutoff=0.7)
    return f"; did you mean {close[0]!r}?" if close else ""
