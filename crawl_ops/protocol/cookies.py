"""http.agent.host.cookie.file: what is sent as Cookie to a host (Nutch's cookies.txt)."""

import re
from pathlib import Path

from crawl_ops.errors import ConfigError, os_reason

PROP = "http.agent.host.cookie.file"
FILE_MOST_BYTES = 1 << 20
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]+")


class HostCookies:
    """Cookies by host: lines `HOST TAB COOKIE`, blank ones and comments (`#`) left out.

    A cookie goes to that host alone, not to those below it, nor to where the host redirects.
    Raises ConfigError naming file and line.
    """

    def __init__(self, file: Path | None) -> None:
        self._by_host: dict[str, str] = {}
        if file is None:
            return
        for number, line in enumerate(_lines(file), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            host, tab, cookie = line.partition("\t")
            if not tab or not host.strip() or not VALUE.fullmatch(cookie.strip()):
                raise ConfigError(f"{PROP}: {file}:{number}: a line is HOST TAB COOKIE")
            self._by_host[host.strip().lower()] = cookie.strip()

    def of(self, host: str) -> str | None:
        """The cookie for a host, or None."""
        return self._by_host.get(host.lower())


def _lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as stream:
            data = stream.read(FILE_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{PROP}: {file}: cannot be read: {os_reason(error)}") from None
    if len(data) > FILE_MOST_BYTES:
        raise ConfigError(f"{PROP}: {file}: is larger than {FILE_MOST_BYTES} bytes")
    try:
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{PROP}: {file}: is not UTF-8 text (byte {error.start})") from None
