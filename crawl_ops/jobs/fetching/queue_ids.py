"""Which queue a URL stands in (fetcher.queue.mode, Nutch rule 5.1)."""

from collections import deque
from collections.abc import Sequence

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import Token


class QueueIds:
    """Host, registered domain, or address. Addresses have to be looked up by somebody else first.

    A host without an address is a queue of its own: asking for its robots.txt says what is wrong.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._mode = config.fetcher.queue_mode
        self._addresses: dict[str, str] = {}
        self._waiting: dict[str, list[Token]] = {}
        self._unknown: deque[str] = deque()
        self._count = 0

    def __len__(self) -> int:
        """Tokens that wait for an address."""
        return self._count

    def of(self, host: str, domain: str) -> str | None:
        """The queue of a host; None if its address is not known yet."""
        if self._mode == "byIP":
            return self._addresses.get(host)
        return domain if self._mode == "byDomain" else host

    def wait(self, host: str, token: Token) -> None:
        """Keep a token until the address of its host is known."""
        if host not in self._waiting:
            self._waiting[host] = []
            self._unknown.append(host)
        self._waiting[host].append(token)
        self._count += 1

    def to_look_up(self) -> str | None:
        """A host whose address is wanted; asked for once."""
        return self._unknown.popleft() if self._unknown else None

    def found(self, host: str, address: str | None) -> Sequence[Token]:
        """The address of a host is known, or that it has none; the tokens that waited for it."""
        self._addresses[host] = address or host
        tokens = self._waiting.pop(host, [])
        self._count -= len(tokens)
        return tokens

    def drop_all(self) -> list[Token]:
        """Takes out everything that waits."""
        dropped = [token for tokens in self._waiting.values() for token in tokens]
        self._waiting.clear()
        self._unknown.clear()
        self._count = 0
        return dropped
