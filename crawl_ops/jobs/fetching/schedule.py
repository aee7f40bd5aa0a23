"""What is still to be asked for, and when: the queues over the rows of the fetch lists."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import FetchItem, Taken, Token
from crawl_ops.jobs.fetching.queue_ids import QueueIds
from crawl_ops.protocol.queues import FetchQueues, queues_of
from crawl_ops.protocol.target import Target
from crawl_ops.storage.fetch_list import FetchList


class Schedule:
    """The open rows of some fetch lists, and what was found on the way. Not thread-safe.

    Rows stay in their columns until their turn comes. Times are monotonic seconds.
    """

    def __init__(
        self, config: CrawlConfig, lists: Mapping[int, FetchList], done: Mapping[int, set[int]]
    ) -> None:
        self._lists = lists
        self._ids = QueueIds(config)
        self._queues: FetchQueues[Token] = queues_of(config)
        self._delays: dict[str, float] = {}
        self._hosts = {number: rows.hosts() for number, rows in lists.items()}
        self._seen: set[int] = set().union(*done.values())
        for number, rows in lists.items():
            for position, k, host, domain in rows.entries():
                if k not in done[number]:
                    self._put((number, position), host, domain)
                self._seen.add(k)

    def __len__(self) -> int:
        """URLs that wait."""
        return len(self._queues) + len(self._ids)

    def has_seen(self, k: int) -> bool:
        """Whether a URL is or was asked for in this fetch."""
        return k in self._seen

    def is_ours(self, host: str, number: int) -> bool:
        """Whether a host belongs to a list: no other fetch asks it meanwhile."""
        return host in self._hosts[number]

    def add(self, item: FetchItem) -> None:
        """Put an item at the end of its queue; `purged` has it if that takes no more."""
        self._seen.add(item.k)
        self._put(item, item.host, item.domain)

    def _put(self, token: Token, host: str, domain: str) -> None:
        queue_id = self._ids.of(host, domain)
        if queue_id is None:
            self._ids.wait(host, token)
        else:
            self._queues.add(token, queue_id)

    def take(self, now: float, most: int = 1) -> list[Taken]:
        """The next item that may be asked for, and up to `most` of its site, one after the other.

        Others come with it only where a site is asked without a wait in between.
        """
        token = self._queues.take(now)
        if token is None:
            return []
        tokens = [token, *self._queues.follow(token, most - 1)]
        return [Taken(token, self._item(token)) for token in tokens]

    def give_back(self, taken: Sequence[Taken]) -> None:
        """What was not asked for is next again; `purged` has it if its queue is blocked."""
        self._queues.give_back([token for token, _ in taken])

    def release(self, token: Token, ended: float, *, requested: bool) -> None:
        """A taken item is done; its queue's next time is counted from `ended`."""
        self._queues.release(token, ended, requested=requested)

    def ready_at(self) -> float | None:
        """When the next item may be taken, if there is any."""
        return self._queues.ready_at()

    def hosts(self, now: float) -> dict[str, Any]:
        """Open queues by what they are at, for people."""
        return self._queues.hosts(now)

    def on_the_wire(self, now: float) -> list[tuple[str, float]]:
        """URLs that are being asked for, and for how many seconds, the longest first."""
        found = [(self._url(token), now - since) for token, since in self._queues.running()]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    # addresses

    def to_look_up(self) -> str | None:
        """A host whose address is wanted, or None."""
        return self._ids.to_look_up()

    def address_found(self, host: str, address: str | None) -> None:
        """The address of a host, or that it has none."""
        for token in self._ids.found(host, address):
            item = self._item(token)
            self._put(token, item.host, item.domain)

    # one queue

    def queue_of(self, item: FetchItem) -> str:
        """The queue of an item that was taken."""
        return self._ids.of(item.host, item.domain) or item.host

    def set_delay(self, item: FetchItem, seconds: float) -> None:
        """The Crawl-delay of an item's host. Of several hosts in a queue the longest counts."""
        queue_id = self.queue_of(item)
        if seconds > self._delays.get(queue_id, -1.0):
            self._delays[queue_id] = seconds
            self._queues.set_delay(queue_id, seconds)

    def back_off(self, item: FetchItem, until: float) -> None:
        """Nothing of the item's queue before `until`."""
        self._queues.back_off(self.queue_of(item), until)

    def fail(self, item: FetchItem, ended: float) -> None:
        """Asking for an item failed; `purged` has what its queue loses for it (Nutch rule 5.3)."""
        self._queues.fail(self.queue_of(item), ended)

    # taking out

    def purged(self) -> list[FetchItem]:
        """Items lost to blocked queues since this was asked last."""
        return [self._item(token) for token in self._queues.purged()]

    def drop_all(self) -> Iterator[FetchItem]:
        """Takes out everything."""
        return map(self._item, [*self._queues.drop_all(), *self._ids.drop_all()])

    def drop_origin(self, item: FetchItem, origin: str) -> Iterator[FetchItem]:
        """Takes out what an origin has in the queue of an item; others keep their order."""
        queue_id = self.queue_of(item)
        mine: list[Token] = []
        for token in self._queues.drop(queue_id):
            if _origin(self._url(token)) == origin:
                mine.append(token)
            else:
                self._queues.add(token, queue_id)
        return map(self._item, mine)

    def _item(self, token: Token) -> FetchItem:
        if isinstance(token, FetchItem):
            return token
        number, position = token
        return FetchItem(number, self._lists[number].row(position))

    def _url(self, token: Token) -> str:
        if isinstance(token, FetchItem):
            return token.url
        number, position = token
        return self._lists[number].url(position)


def _origin(url: str) -> str:
    try:
        return Target.of(url).site
    except ValueError:
        return ""
