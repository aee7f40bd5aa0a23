"""What a group of properties is: a frozen model whose fields carry Nutch's names."""

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict


def _words(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return value


def _short_class_name(value: Any) -> Any:
    # Nutch names classes in full: org.apache.nutch.crawl.AdaptiveFetchSchedule.
    if isinstance(value, str) and value.startswith("org.apache.nutch."):
        return value.rpartition(".")[2]
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_words)]
"""Several names: a TOML array, or one text separated by commas or blanks."""

SHORT_CLASS_NAME = BeforeValidator(_short_class_name)
"""Takes Nutch's full Java class name as its last part."""

ConfigFile = Annotated[Path | None, "resolved against the folder of crawl.toml"]
"""A rule file; empty or missing means the rules that come with crawl_ops."""


class Group(BaseModel):
    """Properties that share a prefix; `server_delay` in prefix `fetcher` is fetcher.server.delay.

    A field whose Nutch name does not follow from its own has that name as alias.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    prefix: ClassVar[str] = ""

    @classmethod
    def property_names(cls) -> dict[str, str]:
        """Property name -> field name."""
        return {
            field.alias or f"{cls.prefix}.{name.replace('_', '.')}": name
            for name, field in cls.model_fields.items()
        }
