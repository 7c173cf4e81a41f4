"""Intervals against values that can be worked out by hand."""

import math

import pytest
from benchmarks.intervals import TRIMMED, Figure, Trimmed, figure, ratio, trimmed
from hypothesis import given
from hypothesis import strategies as st


def test_a_figure_by_hand() -> None:
    found = figure([1.0, 2.0, 3.0, 4.0])
    assert (found.mean, found.median, found.n) == (2.5, 2.5, 4)
    # t(3) = 3.182, s = sqrt(5/3), root of n = 2
    assert found.ci95 == pytest.approx(3.182 * math.sqrt(5 / 3) / 2)


def test_one_sample_has_no_interval() -> None:
    found = figure([7.0])
    assert found.ci95 is None
    assert found.relative == math.inf
    assert found.to_json() == {"mean": 7.0, "ci95": None, "median": 7.0}


def test_a_ratio_has_the_errors_of_both() -> None:
    value, half = ratio(Figure(10.0, 0.3, 10.0, 9), Figure(20.0, 0.8, 20.0, 9))
    assert value == 0.5
    assert half == pytest.approx(0.5 * 0.05)
    assert ratio(Figure(10.0, None, 10.0, 1), Figure(20.0, 0.8, 20.0, 9))[1] is None


def test_what_was_measured_once_for_several_counts_once() -> None:
    """Six transfers of two uploads, whose own times alone differ: two degrees of freedom are one too many."""
    found = figure([11.0, 13.0] * 3, [1.0, 3.0] * 3)
    assert (found.mean, found.n) == (12.0, 6)
    # t(1) = 12.706, s = root of 2, root of n = root of 2
    assert found.ci95 == pytest.approx(12.706)
    assert figure([11.0, 13.0] * 3, [0.0] * 6).ci95 == figure([11.0, 13.0] * 3).ci95


def test_one_upload_leaves_no_interval() -> None:
    assert figure([11.0, 13.0], [1.0, 1.0]).ci95 is None


@given(st.lists(st.integers(1, 1000), min_size=4, max_size=40, unique=True))
def test_a_trimmed_mean_and_its_error_are_those_of_scipy(samples: list[int]) -> None:
    # Here, since the import takes longer than all tests of this file: each test process collects them, one runs them.
    from scipy.stats import trim_mean, ttest_ind

    found, exact = trimmed(samples), [0.0] * 9
    assert found.mean == pytest.approx(trim_mean(samples, TRIMMED))
    assert found.error is not None
    # Yuen's test against what has no error: both are in its statistic.
    of_scipy = ttest_ind(samples, exact, equal_var=False, trim=TRIMMED)
    assert found.mean / found.error == pytest.approx(of_scipy.statistic)
    assert found.degrees == pytest.approx(of_scipy.df)


def test_one_transfer_that_is_held_up_does_not_move_it() -> None:
    samples = [10.0, 11.0, 12.0, 13.0, 14.0]
    assert trimmed([*samples[:-1], 1000.0]) == trimmed(samples)


def test_of_a_trimmed_mean_what_is_shared_is_not_trimmed() -> None:
    found = trimmed([11.0, 13.0] * 3, [1.0, 3.0] * 3)
    # Six transfers that take 10 and two uploads that take 1 and 3: the error is that of the uploads.
    assert (found.mean, found.error, found.degrees) == pytest.approx((12.0, 1.0, 1.0))
    assert trimmed([11.0, 13.0], [1.0, 1.0]).error is None
    assert trimmed([7.0]) == Trimmed(7.0, None, None)
