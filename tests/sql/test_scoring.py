"""The scoring macros: exact sums that do not depend on the order of links."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.session import Session

FLOATS = st.floats(width=32, allow_nan=False, min_value=-(2.0**99), max_value=2.0**99)


@pytest.fixture(scope="module")
def summed(tmp_path_factory):
    with Session(LocalFiles(tmp_path_factory.mktemp("crawl")), load()) as session:
        session.define("scoring/shares")
        session.define("scoring/opic")

        def ask(shares):
            return session.connection.execute(
                "SELECT summed_shares(bounded_share(x)) FROM unnest($shares::FLOAT[]) AS t(x)",
                {"shares": shares},
            ).fetchall()[0][0]

        ask.session = session
        yield ask


def test_a_sum_is_that_of_exact_numbers(summed):
    for shares in ([0.25, 0.5], [1e8, 1.0, -1e8], [2.0**24, 2.0**-20], [0.1] * 1000, []):
        exact = math.fsum(shares)
        assert summed(shares) == pytest.approx(exact, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(shares=st.lists(FLOATS, max_size=30), order=st.randoms(use_true_random=False))
def test_the_order_of_links_makes_no_difference(summed, shares, order):
    mixed = list(shares)
    order.shuffle(mixed)
    assert summed(shares) == summed(mixed)


def test_many_links_of_every_size(summed):
    dice = random.Random(5)
    shares = [dice.choice((1e-30, 1e-9, 1.0, 1e9, 1e29)) * dice.random() for _ in range(5000)]
    assert summed(shares) == summed(sorted(shares)) == summed(sorted(shares, reverse=True))
    assert summed([1e30] * 5000) == pytest.approx(1e30)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_share_that_is_no_number_counts_nothing(summed, bad):
    assert summed([bad, 0.5]) == 0.5


def test_a_way_holds_depth_and_maximum(summed):
    for depth, most in ((1, None), (3, 7), (2**31 - 1, 2**31 - 2), (0, 5)):
        way = depth * 2**31 - (most or 0)
        row = summed.session.connection.execute(
            "SELECT way_depth($way::BIGINT), way_max_depth($way::BIGINT)", {"way": way}
        ).fetchall()[0]
        assert row == (depth, most)
