"""Why a known URL is not in a segment: the rules of generate, replayed."""

import struct
from datetime import datetime, timedelta
from typing import Any

from crawl_ops.jobs.explaining.evidence import Evidence, Round, Row
from crawl_ops.jobs.explaining.story import Step, iso, joined


def not_generated(evidence: Evidence, newest: Round) -> Step | None:
    """Why the newest segment did not select the URL; None if it did, a redirect led there, or it
    is on record which filter refused it.
    """
    if newest.generated is not None or newest.fetch is not None or evidence.row is None:
        return None
    if any(row["step"] == "generate" for row in newest.rejected):
        return None
    reason, detail = _why(evidence, newest)
    where = joined(detail, f"segment {newest.name}")
    return Step("generate", "not_selected", reason, where, newest.created)


def _why(evidence: Evidence, newest: Round) -> tuple[str, str | None]:
    info = newest.info
    if info.get("of_segment"):
        reason = f"the segment only asks again for what failed in {info['of_segment']}"
        return reason, None
    version = info.get("crawldb_version")
    at = next((v for v in evidence.history if v.manifest.version == version), None)
    row = at.row if at else evidence.row
    if row is None:
        return "not in the crawldb when the segment was made", f"crawldb version {version}"
    detail = None if at else f"crawldb version {version} is no longer kept: by its state now"
    if found := _by_time(row, info):
        return found, detail
    if marked := _open_segment(evidence, newest, at.manifest.segments if at else ()):
        return f"in segment {marked}, which was open then", detail
    return _by_rule(row, info, evidence.url, evidence.crowd), detail


def _by_time(row: Row, info: dict[str, Any]) -> str | None:
    cur_time = datetime.fromisoformat(info.get("cur_time") or info["created"])
    longest = timedelta(seconds=_property(info, "db.fetch.interval.max", 0))
    if cur_time < row["fetch_time"] <= cur_time + longest:
        return f"not due until {iso(row['fetch_time'])}"
    return None


def _open_segment(evidence: Evidence, newest: Round, folded: tuple[str, ...]) -> str | None:
    """An earlier segment that had the URL and was not folded in yet."""
    delay = timedelta(milliseconds=_property(newest.info, "crawl.gen.delay", 0))
    for earlier in reversed(evidence.rounds):
        open_then = earlier.name < newest.name and earlier.name not in folded
        if open_then and earlier.generated and earlier.created > newest.created - delay:
            return earlier.name
    return None


def _by_rule(row: Row, info: dict[str, Any], url: str, crowd: int) -> str:
    value = _sort_value(row, info)
    status = _property(info, "generate.restrict.status", "")
    if status and row["status"] != status:
        return f"generate.restrict.status {status}: it was {row['status']}"
    least = _property(info, "generate.min.score", 0.0)
    if value < _float32(least):
        return f"generate.min.score {least:g}: its score was {value:.6g}"
    longest = _property(info, "generate.min.interval", -1)
    if longest != -1 and row["interval_s"] > longest:
        return f"generate.min.interval {longest}: its interval was {row['interval_s']} s"
    most = _property(info, "generate.max.count", -1)
    if 0 <= most <= crowd:
        unit = _property(info, "generate.count.mode", "host")
        return f"generate.max.count {most}: {crowd} URLs of its {unit} came before it"
    lowest = (info.get("selection") or {}).get("lowest")
    if lowest and (-value, url) > (-lowest["sort_value"], lowest["url"]):
        return (
            f"below the cut of generate.topN: the lowest score selected was"
            f" {lowest['sort_value']:.6g}, its own was {value:.6g}"
        )
    return "no rule on record left it out"


def _sort_value(row: Row, info: dict[str, Any]) -> float:
    score = float(row["score"])
    if "depth" in str(_property(info, "scoring.filter.order", "")):
        most = row["max_depth"] or _property(info, "scoring.depth.max", 1000)
        score *= 1 + most - (row["depth"] or 1)
    return _float32(score)


def _property(info: dict[str, Any], name: str, default: Any) -> Any:
    found = (info.get("config") or {}).get(name)
    return default if found is None else found


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])
