"""http.proxy.*: whether a request goes through the proxy, and how."""

from fnmatch import fnmatchcase
from urllib.parse import quote

from crawl_ops.config.http import Http
from crawl_ops.errors import ConfigError


class Proxy:
    """The proxy of the configuration, if there is one. Hosts in http.proxy.exception.list (each
    may hold `*`) go without.
    """

    def __init__(self, http: Http) -> None:
        self.proxies: dict[str, str] | None = None
        self._exceptions = tuple(pattern.lower() for pattern in http.proxy_exception_list)
        if not http.proxy_host:
            return
        if http.proxy_port is None:
            raise ConfigError("http.proxy.port: must be set when http.proxy.host is")
        user = quote(http.proxy_username, safe="")
        if user:
            user += ":" + quote(http.proxy_password, safe="") + "@"
        url = f"http://{user}{http.proxy_host}:{http.proxy_port}"
        self.proxies = {"http": url, "https": url}

    def serves(self, host: str) -> bool:
        """Whether requests to `host` go through the proxy."""
        return self.proxies is not None and not any(
            fnmatchcase(host.lower(), pattern) for pattern in self._exceptions
        )
