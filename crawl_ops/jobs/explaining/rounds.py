"""What happened to a URL in one segment: generate, fetch, parse, updatedb."""

import json
from collections.abc import Iterator

from crawl_ops.jobs.explaining.evidence import Evidence, Round, Row, Version
from crawl_ops.jobs.explaining.story import Step, iso, joined
from crawl_ops.protocol.exchange import TOO_SLOW

LINKING_ROUNDS = 3
LINKED = {
    "link": "a link",
    "redirect": "a redirect",
    "refresh": "a meta refresh",
    "canonical": "rel=canonical",
    "sitemap": "a sitemap",
    "feed": "a feed",
}


def round_steps(evidence: Evidence, found: Round) -> Iterator[Step]:
    """The steps of one segment."""
    if found.generated is not None:
        yield _generated(found, found.generated)
    yield from _rejected(found, "generate")
    yield from _fetch_steps(found)
    yield from _parse_steps(found)
    yield from _links(evidence, found)
    yield from _rejected(found, "parse")
    yield from _folded(evidence, found)


def _generated(found: Round, row: Row) -> Step:
    place = f"fetch list {row['list']}, position {row['position']}"
    detail = joined(
        f"segment {found.name}",
        f"{row['status']} then",
        f"score {row['score']:.6g}",
        f"retries {row['retries']}" if row["retries"] else None,
    )
    return Step("generate", "generated", place, detail, found.created)


def _rejected(found: Round, step: str) -> Iterator[Step]:
    for row in found.rejected:
        if row["step"] != step:
            continue
        # A redirect or link names its source; a URL of the list was itself left out.
        outcome = "rejected" if row["from_url"] or step != "fetch" else "not_fetched"
        reason = ": ".join(filter(None, (row["rule"], row["detail"])))
        source = f"found on {row['from_url']}{_more(row['n'])}" if row["from_url"] else None
        yield Step(step, outcome, reason, joined(source, f"segment {found.name}"), row["time"])


def _more(n: int) -> str:
    return f" and {n - 1} more" if n > 1 else ""


def _fetch_steps(found: Round) -> Iterator[Step]:
    yield from _rejected(found, "fetch")
    if found.fetch is not None:
        yield _fetched(found, found.fetch)
    elif found.generated is not None and not any(r["step"] == "fetch" for r in found.rejected):
        number = found.generated["list"]
        if found.segment.done("fetch", number) is None:
            reason = "its fetch list is not fetched to its end yet"
            yield Step("fetch", "waiting", reason, f"segment {found.name}, list {number}")
        else:
            reason = "the fetch ended without it and noted no reason"
            yield Step("fetch", "not_fetched", reason, f"segment {found.name}, list {number}")


def _fetched(found: Round, row: Row) -> Step:
    reason = row["reason"] or _default_reason(row)
    truncated = row["truncated"] and f"truncated ({_limit(found, row['truncated'])})"
    detail = joined(
        f"segment {found.name}",
        row["protocol_status"],
        f"http {row['http_status']}" if row["http_status"] is not None else None,
        f"{row['bytes']} bytes of {row['content_type']}" if row["content_type"] else None,
        truncated,
        f"redirects to {row['redirect_url']}" if row["redirect_url"] else None,
        f"reached by a redirect or sitemap from {row['via']}" if row["via"] else None,
        f"{row['hops']} redirects before" if row["hops"] else None,
        f"{row['response_ms']} ms" if row["response_ms"] is not None else None,
        f"from {row['ip_address']}" if row["ip_address"] else None,
        f"attempt {row['attempt']}",
    )
    return Step("fetch", row["fetch_status"], reason, detail, row["fetch_time"])


def _default_reason(row: Row) -> str | None:
    if row["fetch_status"] == "fetch_success":
        return None
    status = f"http {row['http_status']}" if row["http_status"] is not None else None
    return joined(row["protocol_status"], status)


def _limit(found: Round, truncated: str) -> str:
    """What cut content short, with the property that says so."""
    config = found.info.get("config") or {}
    name = {"length": "http.content.limit", "time": "http.time.limit"}.get(truncated)
    if truncated == "time" and ((found.fetch or {}).get("reason") or "").startswith(TOO_SLOW):
        name = "http.min.throughput"
    if name is None:
        return truncated
    return f"{truncated}: {name} {config.get(name, '')}".rstrip()


def _parse_steps(found: Round) -> Iterator[Step]:
    if found.data is not None:
        yield _parsed(found, found.data)
    elif found.fetch is not None and found.fetch["fetch_status"] == "fetch_success":
        number = found.fetch["list"]
        if found.segment.done("parse", number) is None:
            yield Step("parse", "waiting", "not parsed yet", f"segment {found.name}")
        else:
            yield Step("parse", "not_parsed", "no content was stored", f"segment {found.name}")


def _parsed(found: Round, row: Row) -> Step:
    success = str(row["parse_status"]) == "success"
    reason = joined(
        row["reason"] or (None if success else row["parse_status"]),
        "noindex" if row["noindex"] else None,
        "nofollow: its links do not count" if row["nofollow"] else None,
        f"meta refresh to {row['refresh_url']}" if row["refresh_url"] else None,
    )
    rejected = json.loads(row["outlinks_rejected"] or "{}")
    detail = joined(
        f"segment {found.name}",
        f"{row['kind']} of {row['content_type']}" if row["content_type"] else row["kind"],
        f"truncated ({_limit(found, row['truncated'])})" if row["truncated"] else None,
        f"canonical {row['canonical_url']}" if row["canonical_url"] else None,
        f"{row['outlinks_found']} links found, {row['outlinks_kept']} kept",
        *(f"{n} left out by {rule}" for rule, n in rejected.items()),
    )
    return Step("parse", "parsed" if success else row["parse_status"], reason, detail)


def _links(evidence: Evidence, found: Round) -> Iterator[Step]:
    """The links of the first rounds that have some; of the rest only their number."""
    linking = [one.name for one in evidence.rounds if one.links]
    if found.name in linking[:LINKING_ROUNDS]:
        for link in found.links:
            yield _linked(found, link)
    elif linking[-1:] == [found.name]:
        more = len(linking) - LINKING_ROUNDS
        yield Step("link", "linked", f"links in {more} more segments, the last {found.name}")


def _linked(found: Round, row: Row) -> Step:
    source = f"{LINKED[row['kind']]} on {row['from_url']}{_more(row['n'])}"
    anchor = f"anchor {row['anchor'][:100]!r}" if row["anchor"] else None
    return Step("link", "linked", source, joined(anchor, f"segment {found.name}"))


def _folded(evidence: Evidence, found: Round) -> Iterator[Step]:
    """What updatedb made of the segment, from the version that it committed where it is kept."""
    touched = found.fetch is not None or bool(found.links)
    if not touched:
        return
    if found.name not in evidence.current.segments:
        yield Step("updatedb", "waiting", f"segment {found.name} is not folded in yet")
        return
    number = evidence.current.operations.get(f"updatedb:{found.name}")
    version = next((v for v in evidence.history if v.manifest.version == number), None)
    row = version.row if version else _last_by(evidence.row, found)
    if version is not None and row is None:
        reason = "not added: db.update.additions.allowed, or purged"
        yield Step("updatedb", "left_out", reason, f"segment {found.name}", version.created)
    elif row is not None:
        yield from _updated(evidence, found, version, row)


def _last_by(row: Row | None, found: Round) -> Row | None:
    return row if row is not None and found.is_of(row["segment"]) else None


def _updated(evidence: Evidence, found: Round, version: Version | None, row: Row) -> Iterator[Step]:
    time = version.created if version else None
    new = version is not None and _before(evidence, version) is None
    if not found.is_of(row["segment"]) and not new:
        # A link to a known URL changes its score; an older fetch changes nothing.
        if found.fetch is not None:
            reason = "the crawldb had a newer fetch of it"
            yield Step("updatedb", "ignored", reason, f"segment {found.name}", time)
        return
    outcome = "added" if new and row["segment"] is None else row["status"]
    detail = joined(
        f"segment {found.name}",
        row["status"] if outcome == "added" else None,
        f"retries {row['retries']}" if row["retries"] else None,
        f"due {iso(row['fetch_time'])}",
    )
    yield Step("updatedb", outcome, row["reason"], detail, time)


def _before(evidence: Evidence, version: Version) -> Row | None:
    earlier = [v for v in evidence.history if v.manifest.version < version.manifest.version]
    return earlier[-1].row if earlier else None
