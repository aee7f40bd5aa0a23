"""Loading a plug by its name: one that comes with crawl_ops, or MODULE:CLASS of one's own."""

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

from crawl_ops.errors import ConfigError


def load_plug(
    prop: str, name: str, built_in: Mapping[str, type], folder: Path | None = None
) -> type:
    """The class behind `name` in property `prop`.

    `name` is a key of `built_in`, or `module:Class`, with the module looked for in `folder`
    (plugin.folders) first, then on the import path. Raises ConfigError naming property and plug.
    """
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
    except Exception as error:
        raise ConfigError(f"{prop}: plug-in {name!r} cannot be loaded: {error}") from error
    return module
