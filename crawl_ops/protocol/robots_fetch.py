"""Getting a robots.txt, and what the way it came (or not) means (RFC 9309 §2.3.1)."""

from typing import Literal, NamedTuple

from crawl_ops.config.http import Http
from crawl_ops.protocol.addresses import ADDRESS
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.statuses import REDIRECTS

Outcome = Literal["rules", "allow_all", "disallow_all", "deferred"]
ROBOTS_TXT = "/robots.txt"


class Fetched(NamedTuple):
    """How asking went; `url` is where the last answer came from."""

    url: str
    http_status: int | None
    outcome: Outcome
    reason: str | None = None
    content: bytes = b""
    retry_after_s: float = 0.0


def fetch_robots(http: HttpProtocol, settings: Http, origin: str) -> Fetched:
    """Asks `origin` (scheme://host[:port]) for its robots.txt.

    Redirects are followed to any host, each hop under the address filter, at most
    http.robots.redirect.max; past that the file counts as not there (§2.3.1.2), and so it does
    when they lead in a circle.
    """
    url = origin + ROBOTS_TXT
    asked = {url}
    for _ in range(settings.robots_redirect_max + 1):
        answer = http.fetch(FetchRequest(url), content_limit=settings.robots_content_limit)
        if answer.status not in REDIRECTS or answer.location is None:
            found = _judged(answer, settings)
            return _of_host(found, answer) if len(asked) == 1 else found
        url = answer.location
        if url in asked:
            return Fetched(url, answer.http_status, "allow_all", f"robots.txt: redirects to {url}")
        asked.add(url)
    reason = f"robots.txt: more than {settings.robots_redirect_max} redirects"
    return Fetched(url, answer.http_status, "allow_all", reason)


def _judged(answer: Answer, settings: Http) -> Fetched:
    code = answer.http_status
    reason = f"robots.txt: {answer.reason or f'http {code}'}"
    outcome: Outcome = "allow_all"
    if code is None or code == 429 or code >= 500 or (code == 200 and _is_incomplete(answer)):
        # Half a file could leave out the very line that forbids.
        outcome = "deferred" if settings.robots_503_defer_visits else "allow_all"
    elif code == 200:
        return Fetched(answer.url, code, "rules", None, answer.content)
    elif code == 403 and not settings.robots_403_allow:
        outcome = "disallow_all"
    return Fetched(answer.url, code, outcome, reason, b"", answer.retry_after_s or 0.0)


def _of_host(found: Fetched, answer: Answer) -> Fetched:
    """A host at an address that may not be asked is not refused for its robots.txt."""
    if answer.http_status is None and (answer.reason or "").startswith(ADDRESS):
        return found._replace(reason=answer.reason)
    return found


def _is_incomplete(answer: Answer) -> bool:
    return answer.status != "success" or answer.truncated in ("time", "disconnect")
