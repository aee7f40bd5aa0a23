"""urlnormalizer-basic: one spelling for every URL (WHATWG parsing, Nutch's rules on top)."""

import re
from urllib.parse import unquote

from ada_url import URL

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import ascii_host, unicode_host
from crawl_ops.urls.limits import fault_of

# A URL that nothing needs to be done to: no port, login or fragment, no `//`, no segment that
# begins with a dot, host names that WHATWG leaves alone (last label begins with a letter).
_NORMAL = re.compile(
    r"https?://(?:[a-z0-9_-]+\.)*+[a-z][a-z0-9_-]*"
    r"(?:/(?![/.])[A-Za-z0-9\-._~!$&'()*+,;=:@%]*+)++"
    r"(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]++)?"
)
_SLOW_PERCENT = re.compile(
    r"%(?![0-9A-F]{2})|%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
)
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_ESCAPED = re.compile(r'[][|^{}`"<>]')
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DROPPED = re.compile(r"[\t\n\r]")
_AUTHORITY = re.compile(r"[\x00-\x20]*(?:https?|ftp):[/\\]*([^/\\?#]*)", re.IGNORECASE)
_SLASHES = re.compile(r"[/\\]{2,}")
_WEB = ("http:", "https:", "ftp:")


class BasicUrlNormalizer:
    """Lower case, default port, dot segments, `//`, percent encoding, IDN, fragment, userinfo.

    `normalize(normalize(url)) == normalize(url)`.
    """

    name = "basic"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del scope
        self._idn = config.urlnormalizer.basic_host_idn
        self._trim_dot = config.urlnormalizer.basic_host_trim_trailing_dot
        self.fingerprint = f"basic idn={self._idn} trim={self._trim_dot}"

    def normalize(self, url: str) -> str | None:
        """The URL in its one spelling; None when it is malformed."""
        if (
            _NORMAL.fullmatch(url)
            and "xn--" not in url
            and ("%" not in url or not _SLOW_PERCENT.search(url))
        ):
            return url
        if fault_of(url):
            return None
        try:
            fixed = self._fixed(url)
        except ValueError:
            return None
        return None if fixed is None or fault_of(fixed) else fixed

    def _fixed(self, url: str) -> str | None:
        parsed = URL(_one_slash(url))
        scheme = parsed.protocol
        if scheme == "file:":
            return f"file://{parsed.hostname}{_spelled(parsed.pathname)}{_spelled(parsed.search)}"
        if scheme not in _WEB:
            return str(parsed.href)
        host = self._host(parsed.hostname, url)
        if host is None:
            return None
        login = _login(parsed) if scheme == "ftp:" else ""
        port = f":{parsed.port}" if parsed.port else ""
        return f"{scheme}//{login}{host}{port}{_spelled(parsed.pathname)}{_spelled(parsed.search)}"

    def _host(self, host: str, url: str) -> str | None:
        if self._trim_dot and host.endswith("."):
            # Without its dot a name may turn out to be a number, and so an address.
            host = URL(f"http://{host.rstrip('.')}/").hostname
        if not host or host.startswith("["):
            return host or None
        if self._idn == "toUnicode":
            return unicode_host(host)
        if self._idn == "":
            return _as_written(host, url)
        return host


def _one_slash(url: str) -> str:
    """Runs of slashes in the path become one, before dot segments are resolved (as in Nutch)."""
    url = _DROPPED.sub("", url)
    start = _AUTHORITY.match(url)
    if start is None:
        return url
    ends = [at for at in (url.find("?", start.end()), url.find("#", start.end())) if at >= 0]
    end = min(ends, default=len(url))
    return url[: start.end()] + _SLASHES.sub("/", url[start.end() : end]) + url[end:]


def _spelled(text: str) -> str:
    """Percent sequences of unreserved characters decoded, the rest in upper case; stray % fixed."""
    if "%" in text:
        text = _PERCENT.sub(_percent, text)
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def _percent(found: re.Match[str]) -> str:
    digits = found[1]
    if digits is None:
        return "%25"
    char = chr(int(digits, 16))
    return char if char in _UNRESERVED else f"%{digits.upper()}"


def _login(parsed: URL) -> str:
    if not parsed.username and not parsed.password:
        return ""
    return f"{parsed.username}:{parsed.password}@" if parsed.password else f"{parsed.username}@"


def _as_written(host: str, url: str) -> str:
    """The host as the URL has it (decoded, lower case), if that is the same host to IDNA."""
    start = _AUTHORITY.match(_DROPPED.sub("", url))
    if start is None:
        return host
    written = unquote(start[1].rpartition("@")[2].partition(":")[0]).lower()
    same = ascii_host(written) in (host, host + ".")
    return written.rstrip(".") if same and not host.endswith(".") else host
