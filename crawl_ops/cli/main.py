"""The way in and out: arguments to a verb, errors to one line and an exit code."""

import logging
import os
import sys
from collections.abc import Sequence

import typer

from crawl_ops.cli.app import NAME, command, options_with_value
from crawl_ops.cli.arguments import check_text, hoist
from crawl_ops.cli.stopping import StoppedAtOnce
from crawl_ops.errors import CrawlError, os_reason

WRONG_USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
BUG = 70  # EX_SOFTWARE

logger = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run crawl-ops; returns the exit code.

    0: done; 1: what was asked for does not exist; 2: wrong usage, configuration, crawl folder,
    disk; 130 and 143: stopped by a signal; 141: nobody reads the output any more.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        check_text(given)
        code = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return BROKEN_PIPE
    except StoppedAtOnce as stopped:
        return stopped.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except CrawlError as error:
        return _complain(str(error), error.exit_code)
    except typer.TyperException as error:
        return _complain(_usage_message(error), WRONG_USAGE)
    except OSError as error:
        return _complain(_os_message(error), WRONG_USAGE)
    except Exception:
        logger.critical("this is a bug of crawl_ops", exc_info=True)
        return BUG
    return code


def _run(given: list[str]) -> int:
    try:
        with command().make_context(NAME, hoist(given, options_with_value)) as context:
            command().invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _complain(message: str, code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()
    sys.stderr.write(f"{NAME}: {' '.join(message.split())}\n")
    return code


def _usage_message(error: typer.TyperException) -> str:
    message = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    verb = context.info_name if context is not None and context.parent is not None else None
    if verb:
        return f"{verb}: {message} ({NAME} {verb} --help shows what there is)"
    return f"{message} ({NAME} --help lists the verbs)"


def _os_message(error: OSError) -> str:
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    return f"{' -> '.join(names) or 'standard output or disk'}: {os_reason(error)}"


def _forget_output() -> None:
    # Python flushes standard output once more at its end, which must not fail again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
