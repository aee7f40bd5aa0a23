"""Reading a configuration: built-in default < crawl.toml < overrides."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from crawl_ops.config.properties import GROUPS, PROPERTIES, CrawlConfig
from crawl_ops.errors import ConfigError, os_reason

OVERRIDE = "-D"
FILE_BYTES_MAX = 4 << 20  # nobody writes a larger one; a log file given by mistake is refused
_DEPTH_MAX = 20
_Given = dict[str, tuple[Any, str]]


def load(file: Path | None = None, overrides: Mapping[str, Any] | None = None) -> CrawlConfig:
    """The configuration in force.

    `file` is a crawl.toml; `overrides` are properties by their Nutch names (DAG params, -D), of
    which None means not given. File names in crawl.toml are relative to its folder, those in
    overrides to the working folder. Empty text unsets a property that may be unset.
    Raises ConfigError, one line that names the file or option, the property and the bound.
    """
    given: _Given = {}
    if file is not None:
        for name, value in _flat(_read(file), str(file)):
            if name in given:
                raise ConfigError(f"{file}: {name} is given twice, as a name and in a table")
            given[name] = (value, str(file))
    given |= {name: (v, OVERRIDE) for name, v in (overrides or {}).items() if v is not None}
    return _validated(given, file.parent if file is not None else Path())


def _read(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {os_reason(error)}") from None
    if len(content) > FILE_BYTES_MAX:
        raise ConfigError(f"{file}: is longer than {FILE_BYTES_MAX} bytes, so no crawl.toml")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is not UTF-8 text (byte {error.start})") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(
            f'{file}: {error} (write names in quotes: "http.redirect.max" = 5)'
        ) from None


def _flat(table: Mapping[str, Any], file: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = prefix + key
        if not isinstance(value, dict):
            yield name, value
        elif name.count(".") > _DEPTH_MAX:
            raise ConfigError(f"{file}: tables are nested too deep at {name[:100]}")
        else:
            yield from _flat(value, file, name + ".")


def _validated(given: _Given, folder: Path) -> CrawlConfig:
    by_group: dict[str, dict[str, Any]] = {}
    for name, (value, origin) in given.items():
        if name not in PROPERTIES:
            raise ConfigError(f"{origin}: unknown property {name!r:.120}{_hint(name)}")
        where = Path() if origin == OVERRIDE else folder
        by_group.setdefault(PROPERTIES[name][0], {})[name] = _prepared(name, value, origin, where)
    groups = {group: _group(group, values, given) for group, values in by_group.items()}
    return CrawlConfig.model_construct(**groups)


def _prepared(name: str, value: Any, origin: str, folder: Path) -> Any:
    types = _types(_field(name))
    if isinstance(value, bool) and bool not in types:
        raise ConfigError(f"{origin}: {name}: Input should not be a truth value (got {value!r})")
    if isinstance(value, str) and NoneType in types and not value.strip():
        return None
    if isinstance(value, str) and Path in types:
        if "\0" in value:
            raise ConfigError(f"{origin}: {name}: Input should be a file name (got {value!r:.100})")
        return (folder / value).absolute()
    return value


def _field(name: str) -> FieldInfo:
    group, field = PROPERTIES[name]
    return GROUPS[group].model_fields[field]


def _types(field: FieldInfo) -> tuple[Any, ...]:
    return getattr(field.annotation, "__args__", (field.annotation,))


def _group(group: str, values: dict[str, Any], given: _Given) -> Any:
    named = {_field(name).alias or PROPERTIES[name][1]: name for name in values}
    try:
        return GROUPS[group](**{key: values[name] for key, name in named.items()})
    except ValidationError as error:
        first = error.errors()[0]
        name = named[str(first["loc"][0])]
        value, origin = given[name]
        raise ConfigError(f"{origin}: {name}: {first['msg']} (got {value!r:.100})") from None


def _hint(name: str) -> str:
    close = difflib.get_close_matches(name, PROPERTIES, n=1, cutoff=0.7)
    return f"; did you mean {close[0]!r}?" if close else ""
