"""urlnormalizer-basic: one spelling for every URL (WHATWG parsing, Nutch's rules on top)."""

import re
from urllib.parse import unquote

from ada_url import normalize_url

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import ascii_host, unicode_host
from crawl_ops.urls.limits import MAX_URL_CHARS, fault_of
from crawl_ops.urls.plain import Plain

# A URL that nothing needs to be done to: no default port, login or fragment, no `//`, no segment
# that begins with a dot, host names that WHATWG leaves alone (last label begins with a letter).
_NORMAL = re.compile(
    r"https?://(?:[a-z0-9_-]+\.)*+[a-z][a-z0-9_-]*+"
    r"(?::(?!80/|443/)(?:[1-5][0-9]{4}|[1-9][0-9]{1,3}))?+"
    r"(?:/(?![/.])[A-Za-z0-9\-._~!$&'()*+,;=:@%]*+)++"
    r"(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]++)?"
)
_SLOW_PERCENT = re.compile(
    r"%(?![0-9A-F]{2})|%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"
)
_UNPLAIN = (  # _SLOW_PERCENT without a lookahead, and what _NORMAL is not asked for
    r"%(?:[^0-9A-F]|[0-9A-F][^0-9A-F]|[0-9A-F]?$)",
    r"%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])",
    r"xn--",
)
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_ESCAPED = re.compile(r'[][|^{}`"<>]')
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DROPPED = re.compile(r"[\t\n\r]")
_AUTHORITY = re.compile(r"[\x00-\x20]*(?:https?|ftp):[/\\]*([^/\\?#]*)", re.IGNORECASE)
_SLASHES = re.compile(r"[/\\]{2,}")
# What UTS 46 keeps and IDNA 2003 maps: ß, final sigma, the joiners.
_MAPPED_2003 = {0xDF: "ss", 0x3C2: "\u03c3", 0x200C: None, 0x200D: None}
_DEVIATION = re.compile("[\u00df\u03c2\u200c\u200d]")
_HREF = re.compile(r"(https?|ftp)://([^/?#@]*@)?(\[[^\]]*\]|[^/:]+)(:[0-9]+)?(/[^?#]*)(\?[^#]*)?")


class BasicUrlNormalizer:
    """Lower case, default port, dot segments, `//`, percent encoding, IDN, fragment, userinfo.

    `normalize(normalize(url)) == normalize(url)`.
    """

    name = "basic"
    plain = Plain(unless=_UNPLAIN)

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del scope
        self._idn = config.urlnormalizer.basic_host_idn
        self._idna2008 = config.urlnormalizer.basic_host_idna2008
        self._trim_dot = config.urlnormalizer.basic_host_trim_trailing_dot
        self.fingerprint = f"basic idn={self._idn} {self._idna2008} trim={self._trim_dot}"

    def normalize(self, url: str) -> str | None:
        """The URL in its one spelling; None when it is malformed."""
        if (
            len(url) <= MAX_URL_CHARS
            and _NORMAL.fullmatch(url)
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
        url = _one_slash(url)
        if not self._idna2008:
            url = _as_in_2003(url)
        href = str(normalize_url(url))
        found = _HREF.match(href)
        if found is None:
            return _other_scheme(href)
        scheme, login, host, port, path, query = found.groups("")
        kept = self._host(host, url)
        if kept is None:
            return None
        query = _spelled(query) if len(query) > 1 else ""
        login = login if scheme == "ftp" else ""
        return f"{scheme}://{login}{kept}{port}{_spelled(path)}{query}"

    def _host(self, host: str, url: str) -> str | None:
        if self._trim_dot and host.endswith("."):
            # Without its dot a name may turn out to be a number, and so an address.
            trimmed = _HREF.match(str(normalize_url(f"http://{host.rstrip('.')}/")))
            if trimmed is None:
                return None
            host = trimmed[3]
        if not self._idn:
            return _as_written(host, url)
        if self._idn == "toUnicode" and not host.startswith("["):
            return unicode_host(host) if self._idna2008 else _unicode_2003(host)
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


def _as_in_2003(url: str) -> str:
    """The URL with the host names that IDNA 2003 (RFC 3490) would ask for."""
    start = _AUTHORITY.match(url)
    if start is None:
        return url
    login, mark, host = start[1].rpartition("@")
    mapped = (
        unquote(host).lower().translate(_MAPPED_2003) if not host.isascii() or "%" in host else host
    )
    return f"{url[: start.start(1)]}{login}{mark}{mapped}{url[start.end(1) :]}"


def _unicode_2003(host: str) -> str:
    """The host in Unicode, but for labels that IDNA 2003 could not turn back."""
    pairs = zip(host.split("."), unicode_host(host).split("."), strict=True)
    return ".".join(label if _DEVIATION.search(shown) else shown for label, shown in pairs)


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


def _other_scheme(href: str) -> str:
    """file: keeps only path and query; of other schemes nothing but WHATWG's own form is known."""
    if not href.startswith("file://"):
        return href
    rest, _, _ = href.partition("#")
    path, mark, query = rest.partition("?")
    host, slash, path = path[7:].partition("/")
    path = _SLASHES.sub("/", slash + path)
    return f"file://{host}{_spelled(path)}" + (mark + _spelled(query) if query else "")


def _as_written(host: str, url: str) -> str:
    """The host as the URL has it (decoded, lower case), if that is the same host to IDNA."""
    start = _AUTHORITY.match(_DROPPED.sub("", url))
    if start is None:
        return host
    written = unquote(start[1].rpartition("@")[2].partition(":")[0]).lower()
    same = ascii_host(written) in (host, host + ".")
    return written.rstrip(".") if same and not host.endswith(".") else host
