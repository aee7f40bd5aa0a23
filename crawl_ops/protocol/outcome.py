"""From status, headers and body to an Answer."""

from datetime import datetime
from email.utils import format_datetime
from typing import NamedTuple

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.body import Body
from crawl_ops.protocol.headers import Fields, as_text, first, misspelt
from crawl_ops.protocol.location import target
from crawl_ops.protocol.media_type import detect, parse_type
from crawl_ops.protocol.statuses import ASKS_TO_WAIT, REDIRECTS, protocol_status, retry_after


class Received(NamedTuple):
    """What came over the wire; `body` is None where Nutch keeps none."""

    url: str
    code: int
    raw_headers: list[tuple[bytes, bytes]]
    fields: Fields
    body: Body | None
    conditional: bool


def outcome(received: Received, *, partial: bool, magic: bool, now: datetime | None) -> Answer:
    """The Answer. `partial` is http.partial.truncated, `magic` mime.type.magic."""
    headers = as_text(received.raw_headers)
    answer = Answer(received.url, protocol_status(received.code), received.code, headers=headers)
    fields = received.fields
    answer.etag = first(fields, b"etag")
    answer.last_modified = first(fields, b"last-modified")
    if answer.status is ProtocolStatus.SUCCESS:
        _with_body(answer, received, partial)
    elif answer.status in REDIRECTS:
        _redirect(answer, received)
    elif answer.status is ProtocolStatus.NOTMODIFIED:
        if not received.conditional:
            answer.status = ProtocolStatus.EXCEPTION
            answer.reason = "http 304 that was not asked for"
    else:
        answer.reason = f"http {received.code}"
    if received.code in ASKS_TO_WAIT:
        _wait(answer, fields, now)
    if answer.content or answer.status is ProtocolStatus.SUCCESS:
        _type(answer, fields, magic)
    return answer


def _with_body(answer: Answer, received: Received, partial: bool) -> None:
    body = received.body
    if body is None:
        return
    lost = body.truncated == "disconnect" and not (partial and body.content)
    if lost or (body.truncated == "time" and not body.content):
        answer.status = ProtocolStatus.EXCEPTION
        answer.reason = body.reason
        return
    answer.content = body.content
    answer.truncated = body.truncated
    answer.reason = body.reason


def _redirect(answer: Answer, received: Received) -> None:
    # A redirect is told by its head; how its body ends makes no difference.
    if received.body is not None:
        answer.content = received.body.content
    values = received.fields.get(b"location")
    if values is None:
        at = misspelt(answer.headers, "location")
        values = [] if at is None else [received.raw_headers[at][1]]
    answer.location, answer.reason = target(received.url, values[0] if values else b"")


def _wait(answer: Answer, fields: Fields, now: datetime | None) -> None:
    value = first(fields, b"retry-after")
    if value is None:
        return
    date = first(fields, b"date")
    if date is None and now is not None:
        date = format_datetime(now, usegmt=True)
    answer.retry_after_s = retry_after(value, date)


def _type(answer: Answer, fields: Fields, magic: bool) -> None:
    value = first(fields, b"content-type")
    if value is None:
        at = misspelt(answer.headers, "content-type")
        value = "" if at is None else answer.headers[at][1]
    declared, answer.charset_hint = parse_type(value)
    answer.content_type = detect(declared, answer.url, answer.content, magic=magic)
