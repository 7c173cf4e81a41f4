"""Backoff: bounded, growing, spread out, and never in trouble with large numbers."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.outbound.backoff import backoff_s

draws = st.floats(0, 1, exclude_max=True)
seconds = st.floats(0.001, 1e6)


@given(st.integers(1, 10**9), seconds, seconds, draws)
def test_a_wait_is_neither_negative_nor_beyond_the_cap(tries: int, first_s: float, cap_s: float, draw: float) -> None:
    assert 0 <= backoff_s(tries, first_s, cap_s, lambda: draw) <= cap_s


@given(st.integers(1, 100), seconds, seconds, draws)
def test_the_next_wait_may_be_at_least_as_long(tries: int, first_s: float, cap_s: float, draw: float) -> None:
    assert backoff_s(tries, first_s, cap_s, lambda: draw) <= backoff_s(tries + 1, first_s, cap_s, lambda: draw)


def test_it_doubles_up_to_the_cap() -> None:
    almost_one = 0.5
    assert [backoff_s(tries, 2, 10, lambda: almost_one) for tries in (1, 2, 3, 4, 5)] == [1, 2, 4, 5, 5]


def test_full_jitter_reaches_down_to_nothing() -> None:
    assert backoff_s(7, 2, 600, lambda: 0.0) == 0
