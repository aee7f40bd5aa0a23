"""Questions that never take the API server's threads."""

import asyncio
import threading
import time

import pytest

from crawl_ops.errors import StoreError
from crawl_ops.web.bounded import KEPT_MOST, Answers, BusyError
from crawl_ops.web.pages import Pages
from crawl_ops.web.sessions import TooLongError, page_session


def test_the_same_question_is_asked_once_at_a_time() -> None:
    answers, asked, go = Answers(), [], threading.Event()

    def ask() -> int:
        asked.append(1)
        go.wait(5)
        return 7

    async def both() -> list[int]:
        first = asyncio.create_task(answers.of("key", ask))
        second = asyncio.create_task(answers.of("key", ask))
        await asyncio.sleep(0)
        go.set()
        return [await first, await second]

    assert asyncio.run(both()) == [7, 7]
    assert asked == [1]


def test_an_answer_is_fresh_for_a_multiple_of_what_it_took() -> None:
    now = [0.0]
    answers, asked = Answers(clock=lambda: now[0]), []

    def ask() -> int:
        now[0] += 2.0
        asked.append(1)
        return len(asked)

    assert asyncio.run(answers.of("key", ask)) == 1
    now[0] += 9.9
    assert asyncio.run(answers.of("key", ask)) == 1
    now[0] += 0.2
    assert asyncio.run(answers.of("key", ask)) == 2


def test_an_error_is_told_and_not_kept() -> None:
    answers = Answers()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(answers.of("key", lambda: 1 // 0))
    assert asyncio.run(answers.of("key", lambda: 3)) == 3


def test_too_many_at_once_are_refused() -> None:
    answers, go = Answers(threads=1, waiting=1), threading.Event()

    async def three() -> str:
        first = asyncio.create_task(answers.of("a", lambda: go.wait(5)))
        second = asyncio.create_task(answers.of("b", lambda: 2))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await answers.of("c", lambda: 3)
        go.set()
        await first
        assert await second == 2
        return await answers.of("c", lambda: "now")

    assert asyncio.run(three()) == "now"


def test_what_takes_too_long_is_there_when_asked_again(client, made) -> None:
    answers, go = Answers(patience_s=0.05), threading.Event()

    def ask() -> int:
        go.wait(5)
        return 1

    with pytest.raises(BusyError):
        asyncio.run(answers.of("key", ask))
    go.set()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            assert asyncio.run(answers.of("key", lambda: 2)) == 1
            break
        except BusyError:
            continue
    else:
        pytest.fail("the answer never came")


def test_a_page_that_is_busy_says_so(client, made) -> None:
    page = client(made.run(), answers=Answers(threads=1, waiting=-1))
    answer = page.get(f"/run/crawl/{made.run_id}/progress")
    assert answer.status_code == 503
    assert answer.json() == {"detail": "Too many questions at once; ask again."}


def test_answers_are_forgotten() -> None:
    answers = Answers()
    for key in range(KEPT_MOST * 2):
        asyncio.run(answers.of(key, lambda: 1))
    assert len(answers._asked) <= KEPT_MOST + 1


def test_a_statement_that_takes_too_long_is_stopped(made) -> None:
    def ask() -> None:
        with page_session(made.crawl, made.config(), longest_s=0.3) as session:
            session.bind_columns("many", n=list(range(20_000)))
            session.bind_select(
                "crawl_fetch",
                "SELECT current_timestamp + to_microseconds(a.n * b.n * c.n) AS fetch_time"
                " FROM many a, many b, many c",
            )
            session.rows("web_span")

    started = time.monotonic()
    with pytest.raises(TooLongError, match="too long for a page"):
        ask()
    assert time.monotonic() - started < 20


def test_other_faults_are_told_as_they_are(made) -> None:
    with (
        pytest.raises(StoreError, match="web_span"),
        page_session(made.crawl, made.config()) as session,
    ):
        session.rows("web_span")


def test_files_that_were_swept_away_meanwhile_are_looked_for_again(made, runs_of) -> None:
    asked = []

    def ask(*_):
        asked.append(1)
        if len(asked) == 1:
            raise StoreError("crawl_fetch: No files found")
        return "found"

    pages = Pages(runs_of(made.run()), None, lambda: made.now, Answers())
    assert asyncio.run(pages.ask("crawl", made.run_id, (), ask)) == "found"
    assert len(asked) == 2
