"""Logging of the command line, on standard error. The package itself configures nothing."""

import logging
import sys

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def configure(verbosity: int) -> None:
    """Log records to standard error; 0: warnings, 1: what jobs do, 2: every URL."""
    logger = logging.getLogger("crawl_ops")
    for handler in [h for h in logger.handlers if isinstance(h, _StderrHandler)]:
        logger.removeHandler(handler)
    handler = _StderrHandler()
    handler.setFormatter(logging.Formatter(FORMAT))
    logger.addHandler(handler)
    logger.setLevel(LEVELS[min(verbosity, len(LEVELS) - 1)])


def at_least_info() -> None:
    """Long verbs say what they do, unless a live line shows it."""
    logger = logging.getLogger("crawl_ops")
    if logger.level > logging.INFO:
        logger.setLevel(logging.INFO)


class _StderrHandler(logging.StreamHandler):  # type: ignore[type-arg]  # generic in stubs only
    """Writes to what standard error is now."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
