"""requests' adapter and urllib3's connections, made to fit: one for all hosts, with our limits."""

import contextlib
import queue
import resource
import ssl
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ClosedPoolError

from crawl_ops.protocol.dialer import Dialer
from crawl_ops.protocol.exchange import Exchange, ExchangeError
from crawl_ops.protocol.head import LenientResponse
from crawl_ops.protocol.tls import TlsContext

POOLS_LEAST, POOLS_MOST = 64, 4_096
Origin = tuple[str, str, int]


class CrawlConnection(HTTPConnection):
    """A connection that is dialled by us, and sends the head of a request exactly as it is given.

    What http.client does for one request (state, header by header, a parser for the answer) costs
    more than the page: a request is one sendall, an answer a LenientResponse.
    """

    dialer: Dialer
    exchange: Exchange

    def __init__(self, *args: Any, dialer: Dialer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dialer = dialer
        self._ip_address: str | None = None
        self._requests = 0

    def _tunnel(self) -> None:
        # What the proxy answers to CONNECT is read like any answer.
        self.response_class: Any = lambda sock, **_: LenientResponse(sock, self.exchange)
        super()._tunnel()

    def _new_conn(self) -> Any:
        exchange = self.exchange
        sock = self.dialer.connect(
            self._dns_host, self.port, exchange, trusted=self.proxy is not None
        )
        self._ip_address, self._requests = exchange.ip_address, 0
        return sock

    @property
    def is_connected(self) -> bool:
        """False also when there is something to read: no answer is due, so it is nobody's."""
        pending = getattr(self.sock, "pending", None)
        return super().is_connected and not (pending is not None and pending())

    def ask(self, head: bytes, exchange: Exchange) -> LenientResponse:
        """Send the head of a request; the answer, its head read and its body not."""
        self.exchange = exchange
        if self.sock is None:
            self.connect()
        exchange.reused = self._requests > 0
        exchange.ip_address = self._ip_address
        self._requests += 1
        self._send(head, exchange)
        response = LenientResponse(self.sock, exchange)
        response.begin()
        return response

    def _send(self, head: bytes, exchange: Exchange) -> None:
        try:
            self.sock.settimeout(exchange.step_s())
            self.sock.sendall(head)
        except TimeoutError:
            raise ExchangeError("timeout in sending the request") from None
        except BrokenPipeError:
            pass  # it may have answered before it hung up
        except OSError as error:
            words = (error.strerror or type(error).__name__).lower()
            raise ExchangeError(f"reset: {words}", stale=exchange.reused) from None


class CrawlTlsConnection(CrawlConnection, HTTPSConnection):
    """The same over TLS; whatever goes wrong in the handshake has a reason that begins with tls."""

    def connect(self) -> None:
        try:
            super().connect()
        except ExchangeError:
            raise
        except ssl.SSLError as error:
            raise ExchangeError(f"tls: {_tls_words(error)}") from None
        except TimeoutError:
            raise ExchangeError("tls: timeout in the handshake") from None
        except OSError as error:
            words = str(error) if "unnel" in str(error) else ""
            what = f"proxy: {words}" if words else f"tls: handshake failed, {error.strerror}"
            raise ExchangeError(what) from None
        except (ValueError, UnicodeError, urllib3.exceptions.HTTPError) as error:
            raise ExchangeError(f"tls: {error}") from None


class KeptConnections:
    """What urllib3 has a LifoQueue for, which is 3 KB of locks a host: nobody waits here."""

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._kept: list[Any] = []
        self._most = most

    def get(self, *_: object, **_waiting: object) -> Any:
        """The connection that was put last. Raises queue.Empty."""
        try:
            return self._kept.pop()
        except IndexError:
            raise queue.Empty from None

    def put(self, connection: Any, *_: object, **_waiting: object) -> None:
        """Keep one more. Raises queue.Full."""
        if len(self._kept) >= self._most:
            raise queue.Full
        self._kept.append(connection)

    def qsize(self) -> int:
        return len(self._kept)


class CrawlPool(HTTPConnectionPool):
    """Connections to one http origin, or to the proxy."""

    ConnectionCls: Any = CrawlConnection
    QueueCls: Any = KeptConnections

    def lease(self) -> CrawlConnection:
        """A kept connection that is idle and open, or a new one. Raises ClosedPoolError."""
        connection: CrawlConnection = self._get_conn()  # type: ignore[assignment]
        return connection

    def give_back(self, connection: CrawlConnection) -> None:
        """Keep a connection for the next request, or close it if there are enough."""
        self._put_conn(connection)


class CrawlTlsPool(HTTPSConnectionPool, CrawlPool):
    """Connections to one https origin, through the proxy's tunnel if there is one."""

    ConnectionCls: Any = CrawlTlsConnection


class Leased:
    """An answer whose body is unread, and its connection."""

    __slots__ = ("_connection", "_pool", "response")

    def __init__(
        self, pool: CrawlPool, connection: CrawlConnection, response: LenientResponse
    ) -> None:
        self._pool = pool
        self._connection = connection
        self.response = response

    def close(self) -> None:
        """The answer is done with: its connection is kept if it can be."""
        if not self.response.is_reusable():
            self._connection.close()
        self.response.close()
        self._pool.give_back(self._connection)


class CrawlAdapter(HTTPAdapter):
    """One for all threads and hosts: pools by origin, one TLS context, no cookies, no retries.

    The pools and proxies are those of requests' adapter; `open` takes the place of its `send`.
    """

    def __init__(self, dialer: Dialer, context: TlsContext, per_host: int) -> None:
        self._dialer = dialer
        self._context = context
        self._per_host = per_host
        super().__init__(pool_connections=_pools(), pool_maxsize=per_host)

    def init_poolmanager(
        self, connections: int, maxsize: int, block: bool = False, **kw: Any
    ) -> None:
        super().init_poolmanager(connections, maxsize, block, **kw)
        self._pools: Any = self.poolmanager.pools

    def open(
        self, origin: Origin, head: bytes, exchange: Exchange, proxies: dict[str, str] | None
    ) -> Leased:
        """The answer with its body unread. Raises ExchangeError, or what http.client does."""
        pool, connection = self._lease(origin, proxies)
        connection.exchange = exchange
        try:
            if pool.proxy is not None and origin[0] == "https" and connection.is_closed:
                pool._prepare_proxy(connection)
            return Leased(pool, connection, connection.ask(head, exchange))
        except BaseException:
            connection.close()
            pool.give_back(connection)
            raise

    def proxy_lines(self, origin: Origin, proxies: dict[str, str]) -> dict[str, str]:
        """Headers for the proxy that a forwarded request has (a tunnel has its own)."""
        headers = self._pool(origin, proxies).proxy_headers
        return dict(headers) if origin[0] == "http" else {}

    def _lease(
        self, origin: Origin, proxies: dict[str, str] | None
    ) -> tuple[CrawlPool, CrawlConnection]:
        for last in (False, True):
            pool = self._pool(origin, proxies)
            try:
                return pool, pool.lease()
            except ClosedPoolError:  # evicted between look-up and use by a thread with a new host
                if last:
                    raise
        raise AssertionError

    def _pool(self, origin: Origin, proxies: dict[str, str] | None) -> CrawlPool:
        pool: CrawlPool | None = self._pools.get(origin)
        if pool is None:
            # Two threads may make one each; the later stays, the other is closed with its use.
            pool = self._pools[origin] = self._new_pool(*origin, proxies)
        return pool

    def _new_pool(self, scheme: str, host: str, port: int, proxies: Any) -> CrawlPool:
        kwargs: dict[str, Any] = {
            "maxsize": self._per_host,
            "dialer": self._dialer,
            "retries": False,
        }
        if proxies:
            manager = self.proxy_manager_for(proxies[scheme])
            kwargs |= {
                "_proxy": manager.proxy,
                "_proxy_headers": manager.proxy_headers,
                "_proxy_config": manager.proxy_config,
            }
            if scheme == "http":  # forwarded: the proxy is the server
                host, port = manager.proxy.host, manager.proxy.port
        if scheme == "https":
            return CrawlTlsPool(host, port, ssl_context=self._context.get(), **kwargs)
        return CrawlPool(host, port, **kwargs)

    def close(self) -> None:
        with contextlib.suppress(ClosedPoolError):
            super().close()


def _pools() -> int:
    """As many idle hosts as half of the descriptors allow."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = POOLS_MOST if files == resource.RLIM_INFINITY else files // 2
    return min(POOLS_MOST, max(POOLS_LEAST, wanted))


def _tls_words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed, {error.verify_message}"
    return (error.reason or error.strerror or str(error)).lower().replace("_", " ")
