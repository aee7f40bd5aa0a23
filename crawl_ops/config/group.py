"""What a group of properties is: a frozen model whose fields carry Nutch's names."""

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints

INTEGER_MAX = 2**31 - 1
"""The largest number of an INTEGER column (seconds, counts)."""


def split_words(value: Any) -> Any:
    """Text as the names in it; anything else as it is."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return value


def _short_class_name(value: Any) -> Any:
    # Nutch names classes in full: org.apache.nutch.crawl.AdaptiveFetchSchedule.
    if isinstance(value, str) and value.startswith("org.apache.nutch."):
        return value.rpartition(".")[2]
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(split_words)]
"""Several names: a TOML array, or one text separated by commas or blanks."""

SHORT_CLASS_NAME = BeforeValidator(_short_class_name)
"""Takes Nutch's full Java class name as its last part."""

HeaderText = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$")]
"""Text that goes into a request header: no control characters, so no second header."""

ConfigFile = Annotated[Path | None, "resolved against the folder of crawl.toml"]
"""A rule file; empty or missing means the rules that come with crawl_ops."""


class Group(BaseModel):
    """Properties that share a prefix; `server_delay` in prefix `fetcher` is fetcher.server.delay.

    A field whose Nutch name does not follow from its own has that name as alias.
    """

    # Built on first use: a command that changes three properties validates three groups.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)
    prefix: ClassVar[str] = ""

    @classmethod
    def property_names(cls) -> dict[str, str]:
        """Property name -> field name."""
        return {
            field.alias or f"{cls.prefix}.{name.replace('_', '.')}": name
            for name, field in cls.model_fields.items()
        }
