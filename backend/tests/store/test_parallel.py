"""Blocking steps side by side."""

from sieve.store.errors import StorageFull
from sieve.store.parallel import in_parallel


def test_steps_side_by_side_each_have_their_outcome_in_order() -> None:
    def fails() -> int:
        raise StorageFull("the disk is full")

    made = in_parallel([lambda: 1, fails, lambda: 3])
    assert (made[0], made[2]) == (1, 3) and isinstance(made[1], StorageFull)
