"""Calls of the engine that Ctrl-C ends.

Python runs signal handlers in the main thread, between two of its own instructions: none while the
engine computes there. So the main thread waits, and another one calls.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

import duckdb
import pyarrow as pa

Answer = TypeVar("Answer")

PATIENCE_S = 10.0
_TRY_S = 0.1


def interruptible(connection: duckdb.DuckDBPyConnection, call: Callable[[], Answer]) -> Answer:
    """What `call` returns or raises; it may use the connection, which nobody else uses meanwhile.

    What a signal handler raises meanwhile (KeyboardInterrupt) interrupts the engine, and is raised.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    answer: Future[Answer] = Future()
    # A daemon: if the engine does not listen, the process ends all the same.
    thread = threading.Thread(target=_answer, args=(answer, call), daemon=True)
    thread.start()
    try:
        return answer.result()
    except BaseException:
        _interrupt(connection, thread)
        raise


def each_batch(
    connection: duckdb.DuckDBPyConnection, reader: pa.RecordBatchReader
) -> Iterator[pa.RecordBatch]:
    """The batches of a reader, each made by an interruptible call."""
    while (batch := interruptible(connection, lambda: next(reader, None))) is not None:
        yield batch


def _answer(answer: "Future[Answer]", call: Callable[[], Answer]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
        answer.set_exception(error)


def _interrupt(connection: duckdb.DuckDBPyConnection, thread: threading.Thread) -> None:
    for _ in range(round(PATIENCE_S / _TRY_S)):
        thread.join(_TRY_S)
        if not thread.is_alive():
            return
        # More than once: the statement may not have begun the first time.
        connection.interrupt()
