"""http.auth.file: user names and passwords, each for one host and port only."""

import base64
import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from crawl_ops.errors import ConfigError, os_reason

PROP = "http.auth.file"
FILE_MOST_BYTES = 1 << 20
REALM = re.compile(r'\bbasic\b[^"]*?realm\s*=\s*"([^"]*)"|\b(basic)\b', re.IGNORECASE)


class Credential(NamedTuple):
    """A password; `port` None is the default port, `realm` None is any."""

    user: str
    password: str
    realm: str | None

    def authorization(self) -> str:
        """The Authorization header (RFC 7617)."""
        pair = f"{self.user}:{self.password}".encode()
        return "Basic " + base64.b64encode(pair).decode("ascii")


class Credentials:
    """Passwords by host and port, from a file in the form of Nutch's httpclient-auth.xml.

    Only the scheme Basic; `<default>`, which sends a password to whoever asks, is refused, as is
    an authscope without host: all raise ConfigError.
    """

    def __init__(self, file: Path | None) -> None:
        self._by_origin: dict[tuple[str, int | None], list[Credential]] = {}
        if file is not None:
            for element in _root(file).iter("credentials"):
                self._read(file, element)

    def __bool__(self) -> bool:
        return bool(self._by_origin)

    def answer(self, host: str, port: int, scheme: str, challenges: list[str]) -> str | None:
        """The Authorization that answers a 401 with these WWW-Authenticate headers, or None."""
        known = self._by_origin.get((host.lower(), port))
        if known is None and port == {"http": 80, "https": 443}.get(scheme):
            known = self._by_origin.get((host.lower(), None))
        for credential in known or ():
            for challenge in challenges:
                match = REALM.search(challenge)
                if match and credential.realm in (None, match.group(1)):
                    return credential.authorization()
        return None

    def _read(self, file: Path, element: ElementTree.Element) -> None:
        user = element.get("username")
        if not user:
            raise ConfigError(f"{PROP}: {file}: credentials without username")
        for scope in element:
            if scope.tag == "default":
                raise ConfigError(
                    f"{PROP}: {file}: <default> would send the password of {user!r} to every "
                    "host; name each by <authscope host= port=>"
                )
            self._add(file, user, element.get("password") or "", scope)

    def _add(self, file: Path, user: str, password: str, scope: ElementTree.Element) -> None:
        host, port = scope.get("host"), scope.get("port")
        scheme = scope.get("scheme") or "basic"
        if scope.tag != "authscope" or not host:
            raise ConfigError(f"{PROP}: {file}: expected <authscope host= port=> for {user!r}")
        if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise ConfigError(f"{PROP}: {file}: port {port!r:.20} of {host} is no port")
        if scheme.lower() != "basic":
            raise ConfigError(f"{PROP}: {file}: scheme {scheme!r:.20}: only basic is supported")
        credential = Credential(user, password, scope.get("realm") or None)
        key = (host.lower().strip("[]"), int(port) if port else None)
        self._by_origin.setdefault(key, []).append(credential)


def _root(file: Path) -> ElementTree.Element:
    try:
        with file.open("rb") as stream:
            data = stream.read(FILE_MOST_BYTES + 1)
        if len(data) > FILE_MOST_BYTES or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise ConfigError(f"{PROP}: {file}: too large, or with a DOCTYPE")
        return ElementTree.fromstring(data)  # noqa: S314  (the user's own file, without entities)
    except OSError as error:
        raise ConfigError(f"{PROP}: {file}: cannot be read: {os_reason(error)}") from None
    except ElementTree.ParseError as error:
        raise ConfigError(f"{PROP}: {file}: is no XML: {error}") from None
