"""What an index writer says of a document it did not take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that is not in the index, and why. `retryable`: sending it again may help."""

    id: str
    reason: str
    retryable: bool = False
