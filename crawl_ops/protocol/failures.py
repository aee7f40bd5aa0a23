"""Reasons for people, from whatever requests, urllib3 and http.client raise."""

import http.client

import requests
import urllib3

from crawl_ops.protocol.exchange import ExchangeError


def reason_of(error: BaseException) -> str:
    """One line that says which part failed. The room's own errors have theirs already."""
    for cause in _chain(error):
        if isinstance(cause, ExchangeError):
            return cause.reason
    if isinstance(error, (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError)):
        return "timeout in sending the request"
    for cause in _chain(error):
        if isinstance(cause, ConnectionError):
            return f"reset: {(cause.strerror or type(cause).__name__).lower()}"
    if isinstance(error, (http.client.HTTPException, urllib3.exceptions.HTTPError)):
        return f"bad answer: {type(error).__name__}: {error}"[:300]
    return f"{error}"[:300] or type(error).__name__


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and len(found) < 10:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
