"""What the crawl says of itself: agent string and request headers, in Nutch's order."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

from crawl_ops.config.http import Http
from crawl_ops.errors import ConfigError
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.cookies import HostCookies

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
NO_HEADER_VALUE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")


def agent_string(http: Http) -> str:
    """name[/version] (description; url; email), what is empty left out (Nutch's HttpBase).

    Raises ConfigError when http.agent.name is empty or when a part cannot stand in a header.
    """
    parts = {
        "name": http.agent_name,
        "version": http.agent_version,
        "description": http.agent_description,
        "url": http.agent_url,
        "email": http.agent_email,
    }
    for part, value in parts.items():
        if NO_HEADER_VALUE.search(value):
            raise ConfigError(f"http.agent.{part}: {value!r:.80} cannot be sent in a header")
    if not http.agent_name.strip():
        raise ConfigError("http.agent.name: must be set, it is how web masters know this crawl")
    agent = http.agent_name.strip()
    if http.agent_version.strip():
        agent += "/" + http.agent_version.strip()
    about = [parts[part].strip() for part in ("description", "url", "email")]
    comment = "; ".join(part for part in about if part)
    return f"{agent} ({comment})" if comment else agent


class RequestHeaders:
    """Headers of requests: the fixed ones checked once, the rest by request."""

    def __init__(self, http: Http) -> None:
        self._send_cookies = http.enable_cookie_header
        self._cookies = HostCookies(http.agent_host_cookie_file)
        self._conditional = http.enable_if_modified_since_header
        fixed = {"Accept-Encoding": ACCEPT_ENCODING, "User-Agent": agent_string(http)}
        named = {
            "Accept-Language": http.accept_language,
            "Accept-Charset": http.accept_charset,
            "Accept": http.accept,
        }
        for name, value in named.items():
            if NO_HEADER_VALUE.search(value):
                prop = "http." + name.lower().replace("-", ".")
                raise ConfigError(f"{prop}: {value!r:.80} cannot be sent in a header")
            if value.strip():
                fixed[name] = value.strip()
        self._fixed = "".join(f"{k}: {v}\r\n" for k, v in fixed.items()).encode("latin-1")

    def of(self, request: FetchRequest, host: str = "") -> dict[str, str]:
        """Headers of this request alone; what is no header value is left out."""
        headers = {}
        cookie = (request.cookie or self._cookies.of(host)) if self._send_cookies else None
        if cookie:
            headers["Cookie"] = cookie
        if self._conditional:
            headers.update(_conditions(request))
        return {k: v for k, v in headers.items() if not NO_HEADER_VALUE.search(v)}

    def head(self, target: str, host_header: str, headers: dict[str, str]) -> bytes:
        """The head of a GET request: Host, the fixed headers and these, in this order."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        start = f"GET {target} HTTP/1.1\r\nHost: {host_header}\r\n"
        return b"".join((start.encode("ascii"), self._fixed, lines.encode("latin-1"), b"\r\n"))


def is_conditional(headers: dict[str, str]) -> bool:
    """Whether a 304 is an answer to these."""
    return "If-None-Match" in headers or "If-Modified-Since" in headers


def _conditions(request: FetchRequest) -> Iterator[tuple[str, str]]:
    if request.etag:
        yield "If-None-Match", request.etag
    if request.last_modified:
        yield "If-Modified-Since", request.last_modified
    elif request.modified_time is not None and request.modified_time > _EPOCH:
        since = request.modified_time.astimezone(UTC)
        yield "If-Modified-Since", format_datetime(since, usegmt=True)


_EPOCH = datetime.fromtimestamp(0, UTC)
