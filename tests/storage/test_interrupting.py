import os
import signal
import threading
import time
from collections.abc import Iterator

import duckdb
import pytest

from crawl_ops.storage.interrupting import each_batch, interruptible

ENDLESS = (
    "SELECT a.range FROM range(10_000_000_000) a, range(10_000_000) b "
    "WHERE a.range * b.range % 7 = -3"
)


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        yield made


def in_a_moment(number: signal.Signals) -> None:
    threading.Timer(0.3, os.kill, (os.getpid(), number)).start()


def test_ctrl_c_ends_a_statement_at_once_and_the_connection_goes_on(connection) -> None:
    started = time.monotonic()
    in_a_moment(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interruptible(connection, lambda: connection.execute(f"CREATE TABLE t AS {ENDLESS}"))
    assert time.monotonic() - started < 5
    assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_ctrl_c_ends_the_wait_for_the_next_batch(connection) -> None:
    reader = connection.sql("SELECT 1 AS x").to_arrow_reader(10)
    assert [batch.num_rows for batch in each_batch(connection, reader)] == [1]
    in_a_moment(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interruptible(connection, lambda: connection.sql(ENDLESS).to_arrow_reader(10))


def test_what_a_call_raises_comes_as_it_is(connection) -> None:
    with pytest.raises(duckdb.ParserException):
        interruptible(connection, lambda: connection.execute("SELEC"))


def test_another_thread_than_the_main_one_calls_directly(connection) -> None:
    called: list[threading.Thread] = []
    thread = threading.Thread(
        target=lambda: interruptible(connection, lambda: called.append(threading.current_thread()))
    )
    thread.start()
    thread.join()
    assert called == [thread]
