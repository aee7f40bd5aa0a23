"""A table by host, where `*.domain` covers a domain and all hosts below it (Nutch)."""

from typing import Generic, TypeVar

V = TypeVar("V")


class HostTable(Generic[V]):
    """Looks a host up: first itself, then `*.` entries from the longest to the shortest."""

    def __init__(self) -> None:
        self._exact: dict[str, V] = {}
        self._below: dict[str, V] = {}

    def __bool__(self) -> bool:
        return bool(self._exact or self._below)

    def put(self, host: str, value: V) -> None:
        """Enter a host or a `*.domain`."""
        host = host.lower()
        if host.startswith("*."):
            self._below[host[2:]] = value
        else:
            self._exact[host] = value

    def get(self, host: str) -> V | None:
        """The value for a host in lower case, or None."""
        found = self._exact.get(host)
        if found is not None or not self._below:
            return found
        while True:
            found = self._below.get(host)
            if found is not None:
                return found
            _, dot, host = host.partition(".")
            if not dot:
                return None
