"""requests and urllib3, made to fit: one adapter for all hosts, connections with our limits."""

import contextlib
import resource
import ssl
from typing import Any, cast

import urllib3
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ClosedPoolError

from crawl_ops.protocol.dialer import Dialer
from crawl_ops.protocol.exchange import ExchangeError, current
from crawl_ops.protocol.head import LenientResponse

POOLS_LEAST, POOLS_MOST = 64, 4_096


class CrawlConnection(HTTPConnection):
    """A connection that is dialled by us, and sends the target exactly as the URL has it."""

    response_class = LenientResponse
    dialer: Dialer
    _requests = 0

    def __init__(self, *args: Any, dialer: Dialer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dialer = dialer
        self._ip_address: str | None = None

    def _new_conn(self) -> Any:
        exchange = current()
        sock = self.dialer.connect(
            self._dns_host, self.port, exchange, trusted=self.proxy is not None
        )
        self._ip_address, self._requests = exchange.ip_address, 0
        return sock

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        # urllib3 re-encodes targets ("/100%" becomes "/100%25"); servers mean their own spelling.
        exchange = current()
        exchange.reused = not self.is_closed and self._requests > 0
        super().request(method, exchange.target, *args, **kwargs)  # connects when it is closed
        exchange.ip_address = self._ip_address
        self._requests += 1


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


class CrawlPool(HTTPConnectionPool):
    """Connections to one http origin, or to the proxy."""

    ConnectionCls: Any = CrawlConnection


class CrawlTlsPool(HTTPSConnectionPool):
    """Connections to one https origin."""

    ConnectionCls: Any = CrawlTlsConnection

    def _validate_conn(self, conn: Any) -> None:
        # Without urllib3's warning a request: http.tls.certificates.check is the user's choice.
        if conn.is_closed:
            conn.connect()


class CrawlAdapter(HTTPAdapter):
    """One for all threads and hosts: pools by origin, one TLS context, no cookies, no retries."""

    def __init__(self, dialer: Dialer, context: ssl.SSLContext, per_host: int) -> None:
        self._dialer = dialer
        self._context = context
        self._per_host = per_host
        super().__init__(pool_connections=_pools(), pool_maxsize=per_host)

    def init_poolmanager(
        self, connections: int, maxsize: int, block: bool = False, **kw: Any
    ) -> None:
        super().init_poolmanager(connections, maxsize, block, **kw)
        self._pools: Any = self.poolmanager.pools

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: Any,  # noqa: ARG002
        proxies: Any = None,
        cert: Any = None,  # noqa: ARG002
    ) -> HTTPConnectionPool:
        origin = cast("CrawlRequest", request).origin
        pool: HTTPConnectionPool | None = self._pools.get(origin)
        if pool is None:
            # Two threads may make one each; the later stays, the other is closed with its use.
            pool = self._pools[origin] = self._new_pool(*origin, proxies)
        return pool

    def _new_pool(self, scheme: str, host: str, port: int, proxies: Any) -> HTTPConnectionPool:
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
            return CrawlTlsPool(host, port, ssl_context=self._context, **kwargs)
        return CrawlPool(host, port, **kwargs)

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """The context has been told already."""

    def request_url(self, request: PreparedRequest, proxies: Any) -> str:
        scheme, host, port = cast("CrawlRequest", request).origin
        return f"http://{host}:{port}/" if proxies and scheme == "http" else "/"

    def build_response(self, req: PreparedRequest, resp: Any) -> Response:
        response = Response()
        response.status_code = resp.status
        response.raw = resp
        response.request = req
        return response

    def open(
        self, request: "CrawlRequest", timeout_s: float, proxies: dict[str, str] | None
    ) -> Any:
        """The urllib3 response with its body unread. Raises ExchangeError or what requests does."""
        for last in (False, True):
            try:
                return self.send(
                    request, stream=True, timeout=timeout_s, verify=False, proxies=proxies
                ).raw
            except ClosedPoolError:  # evicted between look-up and use by a thread with a new host
                if last:
                    raise
        raise AssertionError

    def close(self) -> None:
        with contextlib.suppress(ClosedPoolError):
            super().close()


class CrawlRequest(PreparedRequest):
    """A request that was prepared by hand: requests' own preparing costs more than the page."""

    def __init__(self, origin: tuple[str, str, int], headers: dict[str, str]) -> None:
        super().__init__()
        self.origin = origin
        self.method = "GET"
        self.url = f"{origin[0]}://{origin[1]}:{origin[2]}/"
        self.headers = headers  # type: ignore[assignment]


def _pools() -> int:
    """As many idle hosts as half of the descriptors allow."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = POOLS_MOST if files == resource.RLIM_INFINITY else files // 2
    return min(POOLS_MOST, max(POOLS_LEAST, wanted))


def _tls_words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed, {error.verify_message}"
    return (error.reason or error.strerror or str(error)).lower().replace("_", " ")
