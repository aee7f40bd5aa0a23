"""The steps of an explanation."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to a URL, or did not.

    outcome: one word, a status where there is one. reason: why, in a few words. detail: the
    circumstances. time: when, if that is known.
    """

    step: str
    outcome: str
    reason: str | None = None
    detail: str | None = None
    time: datetime | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data; time as ISO 8601 in UTC."""
        return {
            "step": self.step,
            "outcome": self.outcome,
            "reason": self.reason or None,
            "detail": self.detail or None,
            "time": iso(self.time),
        }


def iso(time: datetime | None) -> str | None:
    """A time in ISO 8601 with Z."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def joined(*parts: str | None) -> str | None:
    """Circumstances, with commas between."""
    return ", ".join(filter(None, parts)) or None
