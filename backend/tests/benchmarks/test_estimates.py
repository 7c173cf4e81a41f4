"""Errors of what is worked out of means: against the formula by hand, and against derivatives taken in small steps."""

import math
from collections.abc import Callable

import pytest
from benchmarks.thesis.estimates import Error, Estimate, change, combined, known, logarithm, mean, saved
from hypothesis import given
from hypothesis import strategies as st

times = st.floats(1, 1000)
STEP = 1e-6


def _of(value: float, name: str, standard: float = 1.0, degrees: float = 9.0) -> Estimate:
    return Estimate(value, {name: Error(standard, degrees)})


@given(times)
def test_errors_of_one_mean_cancel(value: float) -> None:
    one = _of(value, "a")
    assert (one - one).standard == 0.0
    assert (one - _of(value, "b")).standard == pytest.approx(math.sqrt(2))
    assert saved(one, one).standard == pytest.approx(0.0, abs=1e-12)


def test_a_mean_of_four_has_half_the_error_and_all_degrees() -> None:
    found = mean([_of(1.0, name) for name in "abcd"])
    assert found.standard == pytest.approx(0.5)
    assert found.degrees == pytest.approx(36.0)


def test_degrees_by_hand() -> None:
    """(4 + 1)^2 / (16/4 + 1/9)"""
    found = _of(1.0, "a", 2.0, 4.0) - _of(1.0, "b", 1.0, 9.0)
    assert found.degrees == pytest.approx(25 / (4 + 1 / 9))


@pytest.mark.parametrize("of", [lambda one: saved(known(80.0), one), lambda one: saved(one, known(30.0)), logarithm])
@given(value=times)
def test_errors_propagate_by_the_derivative(of: Callable[[Estimate], Estimate], value: float) -> None:
    by_steps = (of(known(value + STEP)).value - of(known(value - STEP)).value) / (2 * STEP)
    assert of(_of(value, "a")).standard == pytest.approx(abs(by_steps), rel=1e-3, abs=1e-4)


@given(st.floats(-20, 20), st.floats(-5, 5))
def test_the_change_of_a_straight_line_is_its_own(start: float, slope: float) -> None:
    xs = (0.1, 0.25, 0.5, 1.0)
    assert change(xs, [known(start + slope * x) for x in xs]).value == pytest.approx(0.9 * slope, abs=1e-9)


def test_a_bound_is_students() -> None:
    assert _of(0.0, "a", 2.0, 9.0).reach(0.05) == pytest.approx(2 * 1.833, abs=2e-3)
    assert _of(0.0, "a", 2.0, 9.0).half == pytest.approx(2 * 2.262, abs=2e-3)
    assert known(1.0).half == 0.0


def test_what_is_not_known_leaves_all_unknown() -> None:
    unknown = combined(1.0, [(1.0, known(1.0)), (0.0, Estimate(1.0, None))])
    assert (unknown.errors, unknown.half, unknown.reach(0.05)) == (None, None, math.inf)
