"""What sending costs: what every prediction promises, and that the truth is found, with noise, stalls and drift."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.outbound.planner.simulated_peer import MEGABYTES, PEERS, PROPORTIONS, Truth, scattered, truth, work
from sieve.gateway.outbound.planner.costs import NUMBERS, OVERLAP, SERIAL_PLAIN, SERIAL_SECURE, Costs, Way, Work

SIEVE, SECURE = Way("sieve"), Way("secure-only")
sizes = st.integers(0, 10**12)
works = st.builds(Work, sizes, sizes, st.integers(1, 500))
channels = st.integers(1, 8)
ways = st.builds(Way, st.just("sieve"), channels, channels) | st.builds(Way, st.just("secure-only"), channels)
responses = st.floats(allow_nan=True, allow_infinity=True) | st.floats(0.001, 1e9)
histories = st.lists(st.tuples(works, ways, responses), max_size=12)


def after(history: list[tuple[Work, Way, float]]) -> Costs:
    costs = Costs()
    for sent, way, response_ms in history:
        costs = costs.learn(sent, way, response_ms)
    return costs


@given(histories, works, ways, works)
def test_whatever_was_measured_predictions_are_positive_and_grow_with_either_stream(
    history: list[tuple[Work, Way, float]], sent: Work, way: Way, more: Work
) -> None:
    costs = after(history)
    predicted = costs.predict_ms(sent, way)
    assert 0 < predicted < math.inf
    for larger in (
        Work(sent.classified + more.classified, sent.plain, sent.documents),
        Work(sent.classified, sent.plain + more.plain, sent.documents),
        Work(sent.classified, sent.plain, sent.documents + more.documents),
    ):
        assert costs.predict_ms(larger, way) >= predicted * (1 - 1e-9)


@given(histories, works, ways)
def test_whatever_was_measured_the_numbers_stay_within_their_bounds(
    history: list[tuple[Work, Way, float]], sent: Work, way: Way
) -> None:
    costs, first = after(history), Costs()
    for index in range(NUMBERS):
        assert 0 < costs.means[index] < math.inf
        assert index not in (OVERLAP, SERIAL_PLAIN, SERIAL_SECURE) or costs.means[index] <= 1
        # Never less sure than at first, and never quite sure.
        assert -1e-6 <= costs.covariance[index][index] <= first.covariance[index][index] * (1 + 1e-9)
    assert 0 <= costs.spread(sent, way) < math.inf


@given(works, ways, st.sampled_from([0.0, -1.0, math.nan, math.inf]))
def test_what_cannot_have_been_measured_teaches_nothing(sent: Work, way: Way, response_ms: float) -> None:
    assert Costs().learn(sent, way, response_ms) == Costs()


def taught(
    peer: Truth, transfers: int, seed: int, costs: Costs | None = None, noise: float = 0.1, outliers: float = 0.02
) -> Costs:
    """After so many transfers in both modes, of the documents of systems.md."""
    draw, costs = random.Random(seed), costs or Costs()
    for _ in range(transfers):
        sent = work(draw.choice(MEGABYTES), draw.choice(PROPORTIONS))
        way = draw.choice((SIEVE, SECURE))
        costs = costs.learn(sent, way, peer(sent, way) * scattered(draw, noise, outliers))
    return costs


def worst_error(costs: Costs, peer: Truth) -> float:
    """Of a prediction, over all documents and both modes, as a factor."""
    return max(
        math.exp(abs(math.log(costs.predict_ms(sent, way) / peer(sent, way))))
        for sent in (work(x, p) for x in MEGABYTES for p in PROPORTIONS)
        for way in (SIEVE, SECURE)
    )


@pytest.mark.parametrize("name", PEERS)
def test_the_true_costs_are_found(name: str) -> None:
    peer = PEERS[name]
    for seed in range(3):
        assert worst_error(taught(peer, 300, seed, noise=0.03, outliers=0.0), peer) < 1.15
        assert worst_error(taught(peer, 300, seed), peer) < 1.6


def test_they_are_found_again_once_they_change() -> None:
    before, now = PEERS["a faster machine"], PEERS["the thesis's 3DES"]
    for seed in range(3):
        costs = taught(before, 200, seed)
        assert worst_error(costs, now) > 10
        assert worst_error(taught(now, 200, seed, costs), now) < 1.6
        assert worst_error(taught(before, 200, seed, taught(now, 200, seed, costs)), before) < 1.6


def test_slow_drift_is_followed() -> None:
    costs, worst = taught(PEERS["as believed first"], 100, 1), 0.0
    for step in range(100):
        peer = truth((3, 2, 1, 0.5), (2.5, 2, 1.8), factor=1.01**step)
        costs = taught(peer, 5, step, costs, noise=0.05, outliers=0.0)
        worst = max(worst, worst_error(costs, peer))
    assert worst < 1.5


def test_one_stall_changes_little() -> None:
    costs = taught(PEERS["as believed first"], 200, 3, noise=0.05, outliers=0.0)
    for way in (SIEVE, SECURE):
        sent = work(1, 0.5)
        before = costs.predict_ms(sent, way)
        assert costs.learn(sent, way, before * 1000).predict_ms(sent, way) < before * 1.5


def test_further_channels_and_documents_are_learnt_too() -> None:
    draw, costs = random.Random(5), Costs()
    sent = [Work(round(5e6 * p), round(5e6 * (1 - p)), k) for p in (0.2, 0.5, 0.9) for k in (1, 5, 20)]

    def peer(what: Work, way: Way) -> float:
        # Half of the time of each stream is shared among its channels; a document more costs 2 ms.
        secure, plain = 0.5 + 0.5 / way.secure_channels, 0.5 + 0.5 / way.plain_channels
        further = way.secure_channels + way.plain_channels - 2
        both = 8 * what.classified / 1e6 * secure, 4 * what.plain / 1e6 * plain
        return 5 + max(both) + 0.2 * min(both) + 0.3 * further + 2 * (what.documents - 1)

    for _ in range(400):
        what, way = draw.choice(sent), Way("sieve", draw.choice((1, 2, 5)), draw.choice((1, 2, 5)))
        costs = costs.learn(what, way, peer(what, way) * scattered(draw, 0.05, 0.0))
    for what in sent:
        for way in (Way("sieve"), Way("sieve", 5, 1), Way("sieve", 1, 5), Way("sieve", 5, 5)):
            assert costs.predict_ms(what, way) == pytest.approx(peer(what, way), rel=0.2)


def test_set_up_is_learnt_apart() -> None:
    costs = Costs()
    for _ in range(40):
        costs = costs.learn_setup(secure_ms=40.0, plain_ms=3.0)
    assert costs.setup_ms(SECURE) == pytest.approx(40.0, rel=0.05)
    assert costs.setup_ms(SIEVE) == pytest.approx(40.0, rel=0.05)
    assert costs.plain_setup_ms == pytest.approx(3.0, rel=0.05)
    assert costs.setup_ms(Way("sieve", 3, 2)) > costs.setup_ms(SIEVE)
    assert costs.learn_setup(secure_ms=1e9).secure_setup_ms < 50
    for nonsense in (None, 0.0, -1.0, math.nan, math.inf):
        assert costs.learn_setup(secure_ms=nonsense, plain_ms=nonsense) == costs


def test_work_is_of_at_least_one_document() -> None:
    for nonsense in ((-1, 0, 1), (0, -1, 1), (0, 0, 0)):
        with pytest.raises(ValueError, match="work is of"):
            Work(*nonsense)
