"""The schedule macros against Nutch's facts."""

import json
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.session import Session

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "schedules.jsonl").read_text("utf-8").splitlines()
]
RULES = {
    "interval_default": 2_592_000,
    "interval_max": 7_776_000,
    "inc_rate": 0.4,
    "dec_rate": 0.2,
    "min_interval": 60.0,
    "max_interval": 31_536_000.0,
    "sync_delta": True,
    "sync_delta_rate": 0.3,
}
DAY_MS = 86_400_000
ARGUMENTS = {
    "adaptive": "next_fetch($state, {fetched}, {modified}, $interval_s, $fixed_s, $rules)",
    "default": "next_fetch($state, {fetched}, {modified}, $interval_s, $fixed_s, $rules)",
    "gone": "gone_fetch({fetched}, {modified}, $interval_s, $rules)",
    "retry": "retry_fetch({fetched}, {modified}, $interval_s)",
}


@pytest.fixture
def plan(tmp_path):
    """Asks a schedule; times in and out are epoch milliseconds, 0 is unknown."""
    with Session(LocalFiles(tmp_path), load()) as session:

        def ask(
            what, state="unknown", fetched_ms=0, modified_ms=0, interval_s=0, fixed_s=None, **rules
        ):
            session.define(
                f"schedule/{what}" if what in ("adaptive", "default") else "schedule/failed"
            )
            call = ARGUMENTS[what].format(
                fetched="make_timestamp_ms($fetched_ms)::TIMESTAMPTZ",
                modified="make_timestamp_ms(nullif($modified_ms, 0))::TIMESTAMPTZ",
            )
            given = {
                "state": state,
                "fetched_ms": fetched_ms,
                "modified_ms": modified_ms,
                "interval_s": interval_s,
                "fixed_s": fixed_s,
                "rules": RULES | rules,
            }
            used = {name: value for name, value in given.items() if f"${name}" in call}
            row = session.connection.execute(
                "SELECT plan.interval_s, epoch_ms(plan.fetch_time),"
                f" coalesce(epoch_ms(plan.modified_time), 0) FROM (SELECT {call} AS plan)",
                used,
            ).fetchall()[0]
            return dict(zip(("interval_s", "due_ms", "modified_ms"), row, strict=True))

        yield ask


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['what']} {fact['source']}")
def test_every_fact_of_nutch(plan, fact):
    given = {
        name: value
        for name, value in fact["given"].items()
        if name != "retries" and value is not None
    }
    found = plan(fact["what"], **given, **fact["rules"])
    becomes = dict(fact["becomes"])
    retries = becomes.pop("retries", None)
    assert retries in (None, 0, (fact["given"].get("retries") or 0) + 1)  # set beside the schedule
    wait_s = (found["due_ms"] - given["fetched_ms"]) / 1000
    assert becomes.pop("wait_min_s", 0) <= wait_s <= becomes.pop("wait_max_s", wait_s)
    assert {name: found[name] for name in becomes} == becomes


def test_a_fixed_interval_has_no_bounds_and_is_not_shifted(plan):
    found = plan("adaptive", "modified", 10 * DAY_MS, DAY_MS, 100, fixed_s=5.5)
    assert found == {"interval_s": 6, "due_ms": 10 * DAY_MS + 5500, "modified_ms": DAY_MS}
    assert plan("default", "modified", 10 * DAY_MS, DAY_MS, 100, fixed_s=5.5)["interval_s"] == 100


def test_the_next_fetch_moves_towards_the_time_of_change(plan):
    found = plan("adaptive", "notmodified", 10 * DAY_MS, 9 * DAY_MS, 864_000)
    assert found["interval_s"] == 1_209_600
    assert found["due_ms"] == 10 * DAY_MS + 1_209_600_000 - 0.3 * DAY_MS
    still = plan("adaptive", "notmodified", 10 * DAY_MS, 9 * DAY_MS, 864_000, sync_delta=False)
    assert still["due_ms"] == 10 * DAY_MS + 1_209_600_000


def test_a_page_that_was_quiet_for_long_waits_as_long(plan):
    found = plan("adaptive", "notmodified", 100 * DAY_MS, 40 * DAY_MS, 86_400)
    assert found["interval_s"] == 60 * 86_400


@pytest.mark.parametrize(("rate", "shift_days"), [(0.9, 0), (1.0, 2)])
def test_beyond_the_longest_interval_the_shift_is_divided_whole(plan, rate, shift_days):
    found = plan(
        "adaptive",
        "unknown",
        100 * DAY_MS,
        40 * DAY_MS,
        100,
        max_interval=2.0 * 86_400,
        sync_delta_rate=rate,
    )
    assert found["due_ms"] == (100 + 2 - shift_days) * DAY_MS


@pytest.mark.parametrize(("wanted", "bounded"), [(10, 60), (10**8, 31_536_000)])
def test_intervals_are_bounded(plan, wanted, bounded):
    assert plan("adaptive", "modified", DAY_MS, DAY_MS, wanted)["interval_s"] == bounded


def test_seconds_are_rounded_half_up(plan):
    assert plan("gone", interval_s=3)["interval_s"] == 5
    assert plan("adaptive", "modified", DAY_MS, 0, 99, min_interval=1.0)["interval_s"] == 79
