"""Which protocol fetches a URL: by its scheme: http, https, and file where it is allowed."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ProtocolStatus
from crawl_ops.plugins import as_declared, load_plug, make_plug
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.file import FileProtocol
from crawl_ops.protocol.http import HttpProtocol

PROP = "fetcher.protocols"


class FetchProtocol(Protocol):
    """A plug: made with the configuration, fetches from several threads, never raises for a URL.

    Anything with these two methods will do; `HttpProtocol` is one.
    """

    def fetch(self, request: FetchRequest, /) -> Answer: ...

    def close(self) -> None: ...


class _OwnProtocol:
    """Somebody's protocol, whose answers are checked."""

    def __init__(self, own: FetchProtocol) -> None:
        self._own = own
        self.close = own.close

    def fetch(self, request: FetchRequest) -> Answer:
        return as_declared(self._own.fetch(request), Answer)


class Protocols:
    """The protocols of one fetch; fetcher.protocols names more, as `scheme=module:Class`.

    Raises ConfigError when one cannot be loaded, or as HttpProtocol does.
    """

    def __init__(self, config: CrawlConfig, http: HttpProtocol) -> None:
        self._by_scheme: dict[str, FetchProtocol] = {"http": http, "https": http}
        if config.file.roots:
            self._by_scheme["file"] = FileProtocol(config)
        for entry in config.fetcher.protocols:
            scheme, _, name = entry.partition("=")
            plug: Callable[[CrawlConfig], FetchProtocol] = load_plug(
                PROP, name, {}, config.plugin.folders
            )
            own = make_plug(PROP, name, partial(plug, config))
            self._by_scheme[scheme.strip().lower()] = _OwnProtocol(own)

    def protocol_for(self, url: str) -> FetchProtocol | None:
        """The protocol of the URL's scheme; None when there is none."""
        return self._by_scheme.get(url.partition(":")[0].lower())

    def fetch(self, request: FetchRequest) -> Answer:
        """Fetches by scheme; one without a protocol is status proto_not_found (Nutch)."""
        protocol = self.protocol_for(request.url)
        if protocol is None:
            scheme = request.url.partition(":")[0][:20]
            reason = f"no protocol for scheme {scheme!r}"
            return Answer(request.url, ProtocolStatus.PROTO_NOT_FOUND, reason=reason)
        return protocol.fetch(request)

    def close(self) -> None:
        """Closes all of them."""
        for protocol in dict.fromkeys(self._by_scheme.values()):
            protocol.close()
