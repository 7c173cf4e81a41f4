"""How often claims are decided, and how often wrongly, over runs that are made up with the noise that ours have."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from benchmarks.cases import Case, case
from benchmarks.intervals import trimmed
from benchmarks.thesis.claims import COUNTS, below, falls, gains
from benchmarks.thesis.decisions import EARLY_RISK, RISK, Answer, Evidence, Verdict, verdict
from benchmarks.thesis.estimates import Error, Estimate, known
from benchmarks.thesis.figures import Check, Exhibit, Panel, Series
from benchmarks.thesis.readings import Improvement, Reading, Time
from hypothesis import given
from hypothesis import strategies as st

RUNS = 150
NOISE, HELD_UP, HELD_UP_BY = 0.25, 0.01, 5.0
"""One transfer's standard deviation as a part of its mean; and how many are held up by something else, how far."""
FIRST, ALL = 8, 24
"""Transfers of a point at the first look, and those of a point that it does not decide."""
BY_CHANCE = RISK + 3 * math.sqrt(RISK * (1 - RISK) / RUNS)
"""More wrong answers than this have a chance of one in a thousand, if the risk is kept."""
XS = (1, 3, 5, 7, 10)
COUNTED = 1 + COUNTS / 100
Times = Mapping[Case, float]


def _case(x: int, mode: str, n: int = 1) -> Case:
    return case("many", x, 0.5, mode, n)


def _rows(times: Times, samples: Mapping[Case, np.ndarray[Any, Any]], n: int) -> dict[Case, dict[str, Any]]:
    return {
        of: {"transfers": n, "trimmed_ms": {"response": trimmed([ms * one for one in samples[of][:n]]).to_json()}}
        for of, ms in times.items()
    }


def _verdicts(check: Check, exhibit: Exhibit, times: Times) -> Counter[Answer]:
    """Of runs that look twice. `times`: the truth of each case."""
    draw = np.random.default_rng(20261129)
    found: Counter[Answer] = Counter()
    for _ in range(RUNS):
        samples = {of: _noise(draw) for of in times}
        first = check(exhibit, _rows(times, samples, FIRST))
        looks = [first, first]
        if first.answer(EARLY_RISK) is Answer.OPEN:
            looks[1] = check(exhibit, _rows(times, samples, ALL))
        found[verdict(looks).answer] += 1
    return found


def _noise(draw: np.random.Generator) -> np.ndarray[Any, Any]:
    """Skewed, as times are, around a typical 1."""
    sigma = math.sqrt(math.log1p(NOISE**2))
    return draw.lognormal(0.0, sigma, ALL) * np.where(draw.random(ALL) < HELD_UP, HELD_UP_BY, 1.0)


def _exhibit(y_label: str, *series: tuple[str, Callable[[int], Reading]]) -> Exhibit:
    shown = tuple(Series(name, (), tuple((float(x), of(x)) for x in XS)) for name, of in series)
    return Exhibit("Figure 0", "made up", 1, (Panel("", "x", y_label, shown),))


TWO_WAYS = _exhibit(
    "ms", ("one way", lambda x: Time(_case(x, "sieve", 2))), ("the other", lambda x: Time(_case(x, "sieve", 3)))
)
IMPROVEMENTS = _exhibit(
    "improvement (%)",
    ("ours", lambda x: Improvement(Time(_case(x, "secure-only")), Time(_case(x, "sieve")))),
)


def _two_ways(longer: float) -> Times:
    return {_case(x, "sieve", n): 10.0 * x * (longer if n == 3 else 1.0) for x in XS for n in (2, 3)}


def _improvements(points: Sequence[float]) -> Times:
    ours = {_case(x, "sieve"): 10.0 * x * (1 - gain / 100) for x, gain in zip(XS, points, strict=True)}
    return ours | {_case(x, "secure-only"): 10.0 * x for x in XS}


@pytest.mark.parametrize(
    ("check", "exhibit", "times", "wrong"),
    [
        # The difference is just what does not count yet, or just what counts.
        (below(0, "one way", "the other"), TWO_WAYS, _two_ways(COUNTED), Answer.HOLDS),
        (below(0, "one way", "the other"), TWO_WAYS, _two_ways(COUNTED), Answer.FAILS),
        # It wins by far everywhere but at one x.
        (gains(0, until=10), IMPROVEMENTS, _improvements([60, 60, COUNTS, 60, 60]), Answer.HOLDS),
        # It wins everywhere, just so.
        (gains(0, until=10), IMPROVEMENTS, _improvements([COUNTS] * 5), Answer.FAILS),
        # A curve that falls by just what counts; and one that falls, with a step that is flat.
        (falls(0), IMPROVEMENTS, _improvements([40 - COUNTS * (x - 1) / 9 for x in XS]), Answer.HOLDS),
        (falls(0), IMPROVEMENTS, _improvements([60, 60, 40, 20, 0]), Answer.FAILS),
    ],
)
def test_at_the_limit_an_answer_is_wrong_no_more_often_than_stated(
    check: Check, exhibit: Exhibit, times: Times, wrong: Answer
) -> None:
    assert _verdicts(check, exhibit, times)[wrong] <= BY_CHANCE * RUNS


@pytest.mark.parametrize(
    ("check", "exhibit", "times", "right"),
    [
        (below(0, "one way", "the other"), TWO_WAYS, _two_ways(1.15), Answer.HOLDS),
        (below(0, "one way", "the other"), TWO_WAYS, _two_ways(0.9), Answer.FAILS),
        (gains(0, until=10), IMPROVEMENTS, _improvements([60, 50, 50, 30, 30]), Answer.HOLDS),
        (gains(0, until=10), IMPROVEMENTS, _improvements([60, 50, -40, 30, 30]), Answer.FAILS),
        (falls(0), IMPROVEMENTS, _improvements([40, 30, 20, 10, 0]), Answer.HOLDS),
        (falls(0), IMPROVEMENTS, _improvements([0, 10, 20, 30, 40]), Answer.FAILS),
    ],
)
def test_what_is_clear_is_decided_in_nine_of_ten_runs(
    check: Check, exhibit: Exhibit, times: Times, right: Answer
) -> None:
    assert _verdicts(check, exhibit, times)[right] >= 0.9 * RUNS


values = st.floats(-50, 50)
estimates = st.builds(
    lambda value, standard, degrees, name: Estimate(value, {name: Error(standard, degrees)}),
    values,
    st.floats(0.01, 20),
    st.floats(1, 100),
    st.integers(0, 3),
)


def _evidence(needed: Sequence[Estimate], against: Sequence[Estimate]) -> Evidence:
    return Evidence(tuple(needed), tuple(against), 1, 1, (), COUNTS, "points")


@given(st.lists(values, min_size=1), st.lists(values))
def test_without_errors_the_answer_is_what_the_numbers_say(needed: list[float], against: list[float]) -> None:
    answer = _evidence([known(one) for one in needed], [known(one) for one in against]).answer(RISK)
    if min(needed) < COUNTS or min(against, default=0.0) < -COUNTS:
        assert answer is Answer.FAILS
    else:
        assert answer is Answer.HOLDS or min(needed) == COUNTS


@given(st.lists(estimates, min_size=1), st.lists(estimates))
def test_less_risk_decides_nothing_more(needed: list[Estimate], against: list[Estimate]) -> None:
    evidence = _evidence(needed, against)
    if evidence.answer(EARLY_RISK) is not Answer.OPEN:
        assert evidence.answer(RISK) is not Answer.OPEN
    if evidence.answer(EARLY_RISK) is Answer.FAILS:
        assert evidence.answer(RISK) is Answer.FAILS


def test_what_the_first_look_decides_is_decided() -> None:
    sure, unsure = (_evidence([Estimate(10.0, {"a": Error(error, 30)})], []) for error in (1.0, 20.0))
    assert verdict([sure, unsure]).answer is Answer.HOLDS
    assert verdict([unsure, sure]).answer is Answer.HOLDS
    assert verdict([unsure, unsure]).answer is Answer.OPEN


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (10.0, "10.0, at least 8.3 points"),
        (0.0, "0.0, at most 1.7 points"),
        (3.5, "3.5, between 1.8 and 5.2 points; about 12 times the transfers would decide it"),
        (3.0, "3.0, between 1.3 and 4.7 points; it is at the limit, 3.0, as far as can be measured"),
    ],
)
def test_a_verdict_says_what_it_rests_on(value: float, says: str) -> None:
    assert verdict([_evidence([Estimate(value, {"a": Error(1.0, 30)})], [])]).rests_on == says


def test_a_single_point_against_it_is_said() -> None:
    against = Estimate(-20.0, {"a": Error(1.0, 30)})
    found = verdict([_evidence([known(10.0)], [known(5.0), against])])
    assert found.answer is Answer.FAILS
    assert found.rests_on.startswith("at one point -20.0, at most -17")


def test_too_few_transfers_decide_nothing() -> None:
    found = verdict([_evidence([Estimate(10.0, None)], [])])
    assert (found.answer, found.rests_on) == (Answer.OPEN, "too few transfers of a point")
    assert verdict([_evidence([], [])]) == Verdict(Answer.MISSING, 1, 1)
