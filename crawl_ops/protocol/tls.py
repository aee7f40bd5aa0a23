"""The one TLS context of a fetch."""

import ssl
import threading

from requests.utils import DEFAULT_CA_BUNDLE_PATH

OP_LEGACY_SERVER_CONNECT = 0x4  # named by the ssl module from Python 3.12


class TlsContext:
    """The context, made when it is wanted first. Thread-safe: never made twice."""

    def __init__(self, *, check: bool) -> None:
        self._check = check
        self._lock = threading.Lock()
        self._made: ssl.SSLContext | None = None

    def get(self) -> ssl.SSLContext:
        """The context of all connections."""
        with self._lock:
            if self._made is None:
                self._made = tls_context(check=self._check)
            return self._made


def tls_context(*, check: bool) -> ssl.SSLContext:
    """With `check`: certificates and names are verified against the system's and certifi's roots.

    Without: any server that speaks TLS at all, old protocol versions and ciphers included. Made
    once for all hosts: loading the roots takes 20 ms of CPU, which requests spends on every host.
    """
    if check:
        context = ssl.create_default_context()
        context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.options |= OP_LEGACY_SERVER_CONNECT
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    return context
