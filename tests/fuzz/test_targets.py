"""The functions of benchmarks/fuzz.py, for a moment: real inputs, and soups of their pieces."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz_targets import TARGETS, TOKENS, samples, tokens

FOUND = {
    # Form feeds in the name of a meta element ended up in the name of a metadata item.
    "html": [b"\0<meta http-equiv='re\f\ffresh' content='2; url=/next'>"],
    "charset": [b"\0a\0<title>\0</title><a href=\0>"],
}


def test_every_target_has_pieces() -> None:
    assert set(TOKENS) == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_real_inputs(name: str) -> None:
    inputs = [*list(samples(name))[:300], *FOUND.get(name, ())]
    assert inputs
    for data in inputs:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_soups(name: str, data: st.DataObject) -> None:
    piece = st.one_of(st.sampled_from(tokens(name)), st.binary(max_size=6))
    pieces = data.draw(st.lists(piece, max_size=40))
    TARGETS[name](data.draw(st.sampled_from((b"", b" ", b"\r\n"))).join(pieces))
