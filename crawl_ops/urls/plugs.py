"""Which normalizers and filters there are, and how those of a scope are made."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError, CrawlError
from crawl_ops.plugins import load_plug, make_plug, plain_text, told
from crawl_ops.urls.filters.automaton import AutomatonUrlFilter
from crawl_ops.urls.filters.domain import DomainDenylistUrlFilter, DomainUrlFilter
from crawl_ops.urls.filters.fast import FastUrlFilter
from crawl_ops.urls.filters.prefix import PrefixUrlFilter
from crawl_ops.urls.filters.regex import RegexUrlFilter
from crawl_ops.urls.filters.suffix import SuffixUrlFilter
from crawl_ops.urls.filters.traps import TrapsUrlFilter
from crawl_ops.urls.filters.validator import ValidatorUrlFilter
from crawl_ops.urls.normalizers.ajax import AjaxUrlNormalizer
from crawl_ops.urls.normalizers.basic import BasicUrlNormalizer
from crawl_ops.urls.normalizers.host import HostUrlNormalizer
from crawl_ops.urls.normalizers.pass_ import PassUrlNormalizer
from crawl_ops.urls.normalizers.protocol import ProtocolUrlNormalizer
from crawl_ops.urls.normalizers.querystring import QuerystringUrlNormalizer
from crawl_ops.urls.normalizers.regex import RegexUrlNormalizer
from crawl_ops.urls.normalizers.slash import SlashUrlNormalizer

SCOPES = (
    "default",
    "inject",
    "outlink",
    "fetcher",
    "crawldb",
    "linkdb",
    "indexer",
    "partition",
    "generate_host_count",
)

NORMALIZERS: Mapping[str, type] = {
    "basic": BasicUrlNormalizer,
    "regex": RegexUrlNormalizer,
    "querystring": QuerystringUrlNormalizer,
    "host": HostUrlNormalizer,
    "protocol": ProtocolUrlNormalizer,
    "slash": SlashUrlNormalizer,
    "ajax": AjaxUrlNormalizer,
    "pass": PassUrlNormalizer,
}
FILTERS: Mapping[str, type] = {
    "regex": RegexUrlFilter,
    "automaton": AutomatonUrlFilter,
    "prefix": PrefixUrlFilter,
    "suffix": SuffixUrlFilter,
    "domain": DomainUrlFilter,
    "domaindenylist": DomainDenylistUrlFilter,
    "fast": FastUrlFilter,
    "validator": ValidatorUrlFilter,
    "traps": TrapsUrlFilter,
}
_PLUGIN_ID = re.compile(r"url(?:normalizer|filter)-([a-z]+)")
_JAVA_CLASS = re.compile(r"org\.apache\.nutch\.[a-z.]+\.(?:(\w+)URL(?:Normalizer|Filter)|Url(\w+))")


@runtime_checkable
class UrlNormalizer(Protocol):
    """Rewrites a URL; None drops it. `fingerprint` changes with anything that decides."""

    name: str
    fingerprint: str

    def normalize(self, url: str) -> str | None: ...


class UrlFilter(Protocol):
    """Says which rule refuses a URL; None accepts it."""

    name: str
    fingerprint: str

    def refusal(self, url: str) -> str | None: ...


def normalizers_of(config: CrawlConfig, scope: str) -> Sequence[UrlNormalizer]:
    """The normalizers of a scope in their order. Raises ConfigError."""
    if scope not in SCOPES:
        raise ConfigError(f"unknown scope {scope!r}; there are {', '.join(SCOPES)}")
    prop, order = (
        f"urlnormalizer.order.{scope}",
        getattr(config.urlnormalizer, f"order_{scope}", ()),
    )
    if not order:
        prop, order = "urlnormalizer.order", config.urlnormalizer.order
    only = set(map(_short, getattr(config.urlnormalizer, f"scope_{scope}")))
    made: list[UrlNormalizer] = []
    for name in map(_short, order):
        if only and name not in only:
            continue
        plug = load_plug(prop, name, NORMALIZERS, config.plugin.folders)
        known = name in NORMALIZERS
        made.append(plug(config, scope) if known else _OwnNormalizer(prop, name, plug))
    return made


def filters_of(config: CrawlConfig) -> Sequence[UrlFilter]:
    """The filters in the order they are asked in. Raises ConfigError."""
    prop = "urlfilter.order"
    made: list[UrlFilter] = []
    for name in map(_short, config.urlfilter.order):
        plug = load_plug(prop, name, FILTERS, config.plugin.folders)
        made.append(plug(config) if name in FILTERS else _OwnFilter(prop, name, plug))
    return made


def _short(name: str) -> str:
    """A plug by its short name; Nutch's plugin id or class name is understood too."""
    if found := _PLUGIN_ID.fullmatch(name):
        return found[1]
    if found := _JAVA_CLASS.fullmatch(name):
        return (found[1] or found[2]).lower()
    return name


class _Own:
    """A plug of one's own: made without arguments; whatever it raises stops the job."""

    def __init__(self, prop: str, name: str, plug: type, method: str) -> None:
        made: Any = make_plug(prop, name, plug)
        call = getattr(made, method, None)
        if not callable(call):
            raise ConfigError(f"{prop}: plug-in {name!r} has no method {method}(url)")
        self._call: Callable[[str], Any] = call
        self.name = str(getattr(made, "name", name))
        self.fingerprint = f"{name} {_source(plug)}"

    def _ask(self, url: str) -> Any:
        try:
            return self._call(url)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # Fail closed: what it would say is not known.
            raise CrawlError(
                f"plug-in {self.name!r} failed on {url!r:.200}: {told(error)}"
            ) from error


class _OwnFilter(_Own):
    """Somebody's `accepts(url) -> bool` as a filter."""

    def __init__(self, prop: str, name: str, plug: type) -> None:
        super().__init__(prop, name, plug, "accepts")

    def refusal(self, url: str) -> str | None:
        return None if self._ask(url) else "does not accept it"


class _OwnNormalizer(_Own):
    """Somebody's `normalize(url) -> str | None` as a normalizer."""

    def __init__(self, prop: str, name: str, plug: type) -> None:
        super().__init__(prop, name, plug, "normalize")

    def normalize(self, url: str) -> str | None:
        found = self._ask(url)
        if found is None:
            return None
        if not isinstance(found, str):
            raise CrawlError(f"plug-in {self.name!r} gave {type(found).__name__} for {url!r:.200}")
        return plain_text(found)


def _source(plug: type) -> str:
    try:
        return inspect.getsource(inspect.getmodule(plug) or plug)
    except (OSError, TypeError):
        return f"{plug.__module__}:{plug.__qualname__}"
