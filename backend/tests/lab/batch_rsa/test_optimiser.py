"""The choice of a batch size, against brute force, and the paper's against its definition."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.arrivals import Experiment, Policy, deterministic
from sieve.lab.batch_rsa.model import (
    PRINTED_RSA_S,
    by_formula,
    largest_by_bound,
    largest_by_key,
    mean_response_s,
    plain_response_s,
    response_bound_s,
    speedup,
)
from sieve.lab.batch_rsa.optimiser import algorithm_3, fastest, optimal
from sieve.lab.errors import LabError

RATES = st.floats(0.5, 200)
BITS = st.sampled_from([512, 1024, 2048, 4096])


@given(rate=RATES, bound=st.floats(0.1, 20), bits=BITS, rsa=st.floats(0.001, 0.3))
def test_algorithm_3_takes_the_largest_stable_size_within_its_bounds(
    rate: float, bound: float, bits: int, rsa: float
) -> None:
    fit = [
        b
        for b in range(2, 29)
        if b <= 0.4 * (rate * bound + 1) + 1e-9
        and b <= bits / math.log2(bits) ** 2
        and rsa / speedup(bits, b) <= 1 / rate
    ]
    assert algorithm_3(rate, bound, bits, rsa).batch == max(fit, default=1)


def test_printed_algorithm_3_ends_without_a_size_where_the_mended_one_takes_plain_rsa() -> None:
    assert algorithm_3(60, 1, 2048, 0.13, mended=False).batch is None
    assert algorithm_3(60, 1, 2048, 0.13).batch == 1


def test_what_algorithm_3_chooses_may_be_slower_than_plain_rsa() -> None:
    """With 512 bits and a cap of 12: equation 1 gives 12 a speed-up of 0.56, and plain RSA would be enough."""
    assert algorithm_3(30, 8, 512, 0.016, cap=12).batch == 12
    assert speedup(512, 12) < 1
    best = optimal(30, 8, by_formula(512, 0.016), range(1, 13))
    assert best is not None and best.batch == 4


@given(
    rate=RATES,
    bound=st.floats(0.01, 5),
    times=st.lists(st.floats(0.001, 0.5), min_size=1, max_size=12),
)
def test_the_optimal_size_is_what_brute_force_finds(rate: float, bound: float, times: list[float]) -> None:
    ours = optimal(rate, bound, lambda b: times[b - 1], range(1, len(times) + 1))
    fit = {}
    for b, service in enumerate(times, 1):
        load = rate * service / b
        if load < 1 and mean_response_s(b, rate, service) <= bound:
            fit[b] = load
    if ours is None:
        assert fit == {}
    else:
        assert fit[ours.batch] == min(fit.values()) == pytest.approx(ours.busy)


@pytest.mark.parametrize(("rate", "batch"), [(10, 8), (20, 1), (30, 4), (30, 10), (60, 6), (90, 5)])
def test_the_mean_response_is_that_of_the_simulation(rate: float, batch: int) -> None:
    service = by_formula(1024, 0.032)(batch)
    found = Experiment(rate, 10_000, 4).summary(deterministic(lambda _: service), Policy(batch))
    assert mean_response_s(batch, rate, service) == pytest.approx(found.mean_turnaround_s.value, rel=0.05)


@given(rate=RATES, rsa=st.floats(0.001, 0.3))
def test_without_batches_the_response_is_that_of_equation_8(rate: float, rsa: float) -> None:
    assert mean_response_s(1, rate, rsa) == pytest.approx(plain_response_s(rate, rsa))


@given(rate=RATES, bound=st.floats(0.1, 20))
def test_the_bound_of_theorem_2_keeps_the_upper_limit_of_the_response(rate: float, bound: float) -> None:
    assert response_bound_s(largest_by_bound(rate, bound), rate) <= bound + 1e-6


def test_the_fastest_size_is_plain_rsa_for_few_requests_and_a_batch_for_many() -> None:
    batch_s = by_formula(1024, PRINTED_RSA_S[1024])
    few, many = fastest(1, batch_s, range(1, 11)), fastest(60, batch_s, range(1, 11))
    assert few is not None and few.batch == 1
    assert many is not None and many.batch > 1
    assert fastest(1000, batch_s, range(1, 11)) is None


def test_values_that_make_no_sense_are_refused() -> None:
    with pytest.raises(LabError):
        algorithm_3(0, 1, 512, 0.016)
    with pytest.raises(LabError):
        optimal(-1, 1, lambda _: 1, [1])
    with pytest.raises(LabError):
        speedup(512, 33)


def test_theorem_1_allows_6_10_and_16() -> None:
    assert [largest_by_key(bits) for bits in (512, 1024, 2048)] == [6, 10, 16]
