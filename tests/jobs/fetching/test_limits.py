"""When a fetch ends early (Nutch rule 5.6)."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.fetching.limits import CHECK_S, Limits

SLOW = "fetcher.throughput.threshold.pages"


def limits(**properties):
    conf = {f"fetcher.{name.replace('_', '.')}": value for name, value in properties.items()}
    return Limits(load(None, conf), 1000.0)


def test_without_limits_it_never_ends():
    assert limits().broken(1e9, 0) is None


@pytest.mark.parametrize(("seconds", "ended"), [(0, False), (119.9, False), (120, True)])
def test_time(seconds, ended):
    limit = limits(timelimit_mins=2)
    assert (limit.broken(1000.0 + seconds, 10) is not None) == ended


def throughput(**more):
    return limits(
        **{
            "throughput_threshold_pages": 1.0,
            "throughput_threshold_retries": 0,
            "throughput_threshold_check_after": 1.0,
            **more,
        }
    )


def test_slow_pages_end_it_once_the_time_to_check_has_come():
    limit = throughput()
    assert limit.broken(1030.0, 0) is None
    assert limit.broken(1060.0, 0) is None, "from here on it counts"
    assert limit.broken(1060.0 + CHECK_S - 1, 0) is None
    assert limit.broken(1060.0 + CHECK_S, 30) == SLOW
    assert limit.broken(1060.0 + CHECK_S + 1, 10_000) == SLOW, "what is found later is left too"


def test_what_came_before_the_first_check_does_not_count():
    limit = throughput()
    limit.broken(1060.0, 10_000)
    assert limit.broken(1060.0 + CHECK_S, 10_010) == SLOW


def test_fast_enough():
    limit = throughput()
    for minute in range(100):
        assert limit.broken(1060.0 + CHECK_S * minute, 60 * minute) is None


def test_misses_are_let_pass():
    limit = throughput(throughput_threshold_retries=2)
    found = [limit.broken(1060.0 + CHECK_S * minute, 0) for minute in range(5)]
    assert found == [None, None, None, SLOW, SLOW]
