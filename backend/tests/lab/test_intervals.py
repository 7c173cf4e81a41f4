"""Intervals against values that can be worked out by hand."""

import math

import pytest

from sieve.lab.errors import LabError
from sieve.lab.intervals import mean_of, t95


def test_a_mean_by_hand() -> None:
    found = mean_of([1.0, 2.0, 3.0, 4.0])
    assert (found.value, found.n) == (2.5, 4)
    # t(3) = 3.182, s = sqrt(5/3), root of n = 2
    assert found.ci95 == pytest.approx(3.182 * math.sqrt(5 / 3) / 2)
    # The mean of 4 others scatters as much again as this one.
    assert found.half_width_of(4) == pytest.approx(math.sqrt(2) * 3.182 * math.sqrt(5 / 3) / 2)


def test_one_sample_has_no_interval() -> None:
    found = mean_of([7.0])
    assert (found.value, found.ci95, found.half_width_of(5)) == (7.0, None, None)


def test_no_samples_have_no_mean_and_no_degrees_of_freedom() -> None:
    with pytest.raises(LabError):
        mean_of([])
    with pytest.raises(LabError):
        t95(0)


def test_between_two_entries_of_the_table_the_wider_is_taken() -> None:
    assert t95(25) == t95(24) > t95(26)
    assert t95(10_000) == t95(1000)
