"""Loading a plug by its name: one that comes with crawl_ops, or MODULE:CLASS of one's own."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from crawl_ops.errors import ConfigError, CrawlError

Made = TypeVar("Made")


def load_plug(
    prop: str, name: str, built_in: Mapping[str, type], folder: Path | None = None
) -> type:
    """The class behind `name` in property `prop`.

    `name` is a key of `built_in`, or `module:Class`, with the module looked for in `folder`
    (plugin.folders) first, then on the import path. Raises ConfigError naming property and plug.
    """
    if folder is not None and not folder.is_dir():
        why = ": it is a file" if folder.exists() else ""
        raise ConfigError(f"plugin.folders: there is no folder {folder}{why}")
    if name in built_in:
        return built_in[name]
    module_name, colon, class_name = name.partition(":")
    if not colon:
        known = ", ".join(sorted(built_in))
        raise ConfigError(f"{prop}: unknown plug-in {name!r}; there are {known}, or MODULE:CLASS")
    found = getattr(_module(prop, name, module_name, folder), class_name, None)
    if not isinstance(found, type):
        raise ConfigError(
            f"{prop}: plug-in {name!r}: module {module_name} has no class {class_name}"
        )
    return found


def _module(prop: str, name: str, module_name: str, folder: Path | None) -> object:
    try:
        file = folder / f"{module_name}.py" if folder else None
        if file is None or not file.is_file():
            return importlib.import_module(module_name)
        spec = importlib.util.spec_from_file_location(f"crawl_plugins.{module_name}", file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} is no module")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # sys.exit is a failure of the plug too, not the end of the job
        raise ConfigError(f"{prop}: plug-in {name!r} cannot be loaded: {told(error)}") from error
    return module


def make_plug(prop: str, name: str, make: Callable[[], Made]) -> Made:
    """What `make` makes of a plug. Raises ConfigError naming property and plug if it cannot."""
    try:
        return make()
    except (CrawlError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise ConfigError(f"{prop}: plug-in {name!r} cannot be made: {told(error)}") from error


def plain_text(text: str) -> str:
    """`text` as str itself: lxml's strings and markupsafe's Markup are subclasses of it."""
    return text if type(text) is str else str.__str__(text)


def as_declared(answer: object, kind: type[Made]) -> Made:
    """What somebody's plug answered as a `kind`, with values of exactly the types it declares.

    Raises TypeError if it is none, and msgspec.ValidationError naming the field that is not so.
    """
    if not isinstance(answer, kind):
        raise TypeError(f"gave {type(answer).__name__}, not {kind.__name__}")
    plain = msgspec.to_builtins(answer, builtin_types=(bytes, datetime), enc_hook=_plain)
    return msgspec.convert(plain, kind)


def _plain(value: Any) -> Any:
    """A value of a subclass as one of the class that can be stored."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, bytes):
        return bytes(memoryview(value))
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int):
        return int.__int__(value)
    raise TypeError(f"gave {type(value).__name__} where it cannot be stored")


def told(error: BaseException) -> str:
    """What somebody's plug raised: kind and message."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")
