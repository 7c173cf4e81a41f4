"""Which of two pieces of work is faster, whatever else the machine does."""

from collections.abc import Callable
from itertools import chain, repeat

import pytest

from sieve.aes_speed import aes_is_fast, is_faster


def runs(durations: list[int], now: list[int]) -> Callable[[], None]:
    each = chain(durations, repeat(durations[-1]))

    def work() -> None:
        now[0] += next(each)

    return work


@pytest.mark.parametrize(
    ("one", "other", "faster"),
    [([2], [5], True), ([5], [2], False), ([90, 90, 2, 90], [5, 90, 5], True), ([3], [3], False)],
)
def test_the_quickest_run_of_each_counts(one: list[int], other: list[int], faster: bool) -> None:
    now = [0]
    assert is_faster(runs(one, now), runs(other, now), lambda: now[0]) is faster


def test_a_process_measures_once() -> None:
    assert aes_is_fast() is aes_is_fast()
    assert aes_is_fast.cache_info().misses == 1
