"""http and https through requests: one URL in, one Answer out, never an exception."""

import http.client
from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic

import requests
import urllib3

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.addresses import AddressFilter
from crawl_ops.protocol.agent import RequestHeaders, is_conditional
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.body import read_body
from crawl_ops.protocol.credentials import Credentials
from crawl_ops.protocol.dialer import Dialer
from crawl_ops.protocol.exchange import Exchange, ExchangeError
from crawl_ops.protocol.failures import reason_of
from crawl_ops.protocol.outcome import Received, outcome
from crawl_ops.protocol.proxy import Proxy
from crawl_ops.protocol.resolver import Resolver, literal
from crawl_ops.protocol.target import Target
from crawl_ops.protocol.tls import TlsContext
from crawl_ops.protocol.transport import CrawlAdapter, Leased

TIME_LIMIT_S = 300.0  # http.time.limit = -1: a page has to end some time
DRAIN_BYTES = 65_536  # of a body that nobody keeps, read so that the connection can be kept


class HttpProtocol:
    """Fetches URLs of the schemes http and https; thread-safe, one object for a whole fetch.

    Never follows redirects. Raises ConfigError at construction when http.agent.name is empty, or
    an address rule, a header or the credentials file is wrong. `clock` is only asked for a
    Retry-After date of a server that sends no Date.
    """

    def __init__(self, config: CrawlConfig, clock: Callable[[], datetime] | None = None) -> None:
        self._http = config.http
        self._clock = clock
        self._magic = config.mime.type_magic
        self._headers = RequestHeaders(config.http)
        self._credentials = Credentials(config.http.auth_file)
        self._authorized: dict[tuple[str, str, int], str] = {}
        self._proxy = Proxy(config.http)
        self._resolver = Resolver()
        self._dialer = Dialer(
            self._resolver,
            AddressFilter(
                config.http.filter_ipaddress_include, config.http.filter_ipaddress_exclude
            ),
        )
        context = TlsContext(check=config.http.tls_certificates_check)
        self._adapter = CrawlAdapter(
            self._dialer, context, max(4, config.fetcher.threads_per_queue)
        )

    def fetch(self, request: FetchRequest, *, content_limit: int | None = None) -> Answer:
        """What one request came to; its failure is status exception with a reason.

        `content_limit` takes the place of http.content.limit (robots.txt has its own).
        """
        started = monotonic()
        limit = self._http.content_limit if content_limit is None else content_limit
        exchange: Exchange | None = None
        try:
            target = Target.of(request.url)
            exchange = self._exchange(target)
            answer = self._answer(request, target, exchange, limit)
        except (
            ExchangeError,
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            http.client.HTTPException,
            OSError,
            ValueError,
        ) as error:
            answer = Answer(request.url, ProtocolStatus.EXCEPTION, reason=reason_of(error))
        if exchange is not None:
            answer.ip_address = exchange.ip_address
        answer.response_ms = round((monotonic() - started) * 1000)
        return answer

    def ip_address_of(self, url: str) -> str | None:
        """The address that `url` would be fetched from (fetcher.queue.mode byIP), or None."""
        try:
            return self._resolver.addresses(Target.of(url).host)[0].ip
        except (ExchangeError, ValueError):
            return None

    def close(self) -> None:
        """Closes all kept connections."""
        self._adapter.close()

    def _exchange(self, target: Target) -> Exchange:
        return Exchange(
            target.path,
            timeout_s=self._http.timeout / 1000,
            time_limit_s=self._http.time_limit if self._http.time_limit > 0 else TIME_LIMIT_S,
            header_limit=self._http.header_limit,
            least_rate=self._http.min_throughput,
            least_after_s=self._http.min_throughput_after,
        )

    def _answer(
        self, request: FetchRequest, target: Target, exchange: Exchange, limit: int
    ) -> Answer:
        headers = self._headers.of(request, target.host)
        known = self._authorized.get(target.origin)
        if known is not None:
            headers["Authorization"] = known
        answer = self._once(request, target, exchange, headers, limit)
        if answer.http_status == 401 and self._credentials:
            authorization = self._authorization(target, answer)
            if authorization is not None and authorization != known:
                headers["Authorization"] = authorization
                answer = self._once(request, target, exchange, headers, limit)
                if answer.http_status != 401:
                    self._authorized[target.origin] = authorization
        return answer

    def _authorization(self, target: Target, answer: Answer) -> str | None:
        if target.scheme == "https" and not self._http.tls_certificates_check:
            return None  # whoever answers there may be anyone
        challenges = [v for k, v in answer.headers if k.lower() == "www-authenticate"]
        return self._credentials.answer(target.host, target.port, target.scheme, challenges)

    def _once(
        self,
        request: FetchRequest,
        target: Target,
        exchange: Exchange,
        headers: dict[str, str],
        limit: int,
    ) -> Answer:
        deadline = exchange.deadline
        leased = self._open(target, exchange, headers)
        try:
            status = leased.response.status
            kept = status == 200 or (300 <= status < 400 and status != 304)
            if not kept:
                exchange.hurry()
            body = read_body(leased.response, exchange, limit if kept else DRAIN_BYTES)
        finally:
            leased.close()
            exchange.deadline = deadline
        received = Received(
            request.url,
            status,
            exchange.headers,
            exchange.fields,
            body if kept else None,
            is_conditional(headers),
        )
        return outcome(
            received, partial=self._http.partial_truncated, magic=self._magic, now=self._now()
        )

    def _open(self, target: Target, exchange: Exchange, headers: dict[str, str]) -> Leased:
        proxies = self._proxies(target, exchange)
        if proxies is not None:
            headers = headers | self._adapter.proxy_lines(target.origin, proxies)
        head = self._headers.head(exchange.target, target.host_header, headers)
        for last in (False, True):
            exchange.received = 0
            try:
                return self._adapter.open(target.origin, head, exchange, proxies)
            except ExchangeError as error:
                if last or not error.stale:
                    raise
        raise AssertionError

    def _proxies(self, target: Target, exchange: Exchange) -> dict[str, str] | None:
        if not self._proxy.serves(target.host):
            return None
        ip = literal(target.host)
        if ip is not None:
            self._dialer.check_literal(ip)
        exchange.target = target.path if target.scheme == "https" else target.absolute
        return self._proxy.proxies

    def _now(self) -> datetime | None:
        return self._clock().astimezone(UTC) if self._clock is not None else None
