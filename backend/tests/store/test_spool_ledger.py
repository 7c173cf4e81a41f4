"""The spool says that it is full until there is room for all that was refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.store.errors import StorageFull
from sieve.store.spool_ledger import SpoolLedger

LIMIT = 100


@given(
    left=st.integers(1, LIMIT // 2),
    gone=st.integers(1, LIMIT // 2),
    over=st.lists(st.integers(1, LIMIT), min_size=1, max_size=4),
)
def test_it_has_a_problem_until_the_largest_that_was_refused_has_room(left: int, gone: int, over: list[int]) -> None:
    """In any order. What is larger than the spool has room only in an empty one."""
    ledger = SpoolLedger(LIMIT)
    ledger.grow("left", left)
    ledger.grow("gone", gone)
    asked = [LIMIT - left - gone + bytes_over for bytes_over in over]
    for number, size in enumerate(asked):
        with pytest.raises(StorageFull):
            ledger.grow(f"refused {number}", size)
        assert ledger.problem
    ledger.drop("gone")
    assert bool(ledger.problem) == (left + min(max(asked), LIMIT) > LIMIT)
    ledger.drop("left")
    assert ledger.problem is None


@given(left=st.integers(1, LIMIT - 1), pieces=st.lists(st.integers(1, LIMIT), min_size=1))
def test_one_that_grows_is_refused_as_a_whole(left: int, pieces: list[int]) -> None:
    """Its next piece would have room as soon as it is gone."""
    ledger = SpoolLedger(LIMIT)
    ledger.grow("left", left)
    size = 0
    try:
        for piece in pieces:
            size += piece
            ledger.grow("growing", size)
    except StorageFull:
        ledger.drop("growing")
        assert ledger.problem
        ledger.drop("left")
    assert ledger.problem is None
