"""How long an author waits: forecast only if the costs are well measured, shown only if earlier forecasts were good."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.outbound.planner.simulated_peer import MEGABYTES, PEERS, PROPORTIONS, scattered, work
from sieve.gateway.outbound.planner.choice import Wish, choose
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.outbound.planner.forecasts import LAST, LEAST, WITHIN, Ahead, Record, forecast_ms

SIEVE = Way("sieve")
NOBODY = Ahead()


def test_without_measurements_there_is_no_forecast() -> None:
    costs, sent = Costs(), work(1, 0.5)
    assert forecast_ms(costs, Record(), SIEVE, 5.0, costs.spread(sent, SIEVE), ahead=NOBODY, warm=True) is None


def test_small_transfers_say_nothing_about_large_ones() -> None:
    costs = Costs()
    for _ in range(20):
        costs = costs.learn(work(0.005, 0.5), SIEVE, 20.0)
    for megabytes, known in ((0.005, True), (0.01, True), (300, False)):
        sent = work(megabytes, 0.5)
        ms, spread = costs.predict_ms(sent, SIEVE), costs.spread(sent, SIEVE)
        assert (forecast_ms(costs, Record(), SIEVE, ms, spread, ahead=NOBODY, warm=True) is not None) == known


def test_waiting_and_opening_channels_count() -> None:
    costs = Costs()
    for _ in range(20):
        costs = costs.learn(work(1, 0.5), SIEVE, 100.0).learn(Work(10**6, 10**6, 2), SIEVE, 200.0)
    sent, record = work(1, 0.5), Record(beside_ms=40.0)
    ms, spread = costs.predict_ms(sent, SIEVE), costs.spread(sent, SIEVE)

    def forecast(ahead: Ahead = NOBODY, *, warm: bool = True) -> float:
        found = forecast_ms(costs, record, SIEVE, ms, spread, ahead=ahead, warm=warm)
        assert found is not None
        return found

    assert forecast() == pytest.approx(40 + ms)
    assert forecast(warm=False) == pytest.approx(40 + ms + costs.setup_ms(SIEVE))
    two = Work(sent.classified * 2, sent.plain * 2, 2)
    assert forecast(Ahead(two)) == pytest.approx(40 + ms + costs.predict_ms(two, SIEVE))
    assert forecast_ms(costs, record, SIEVE, ms, spread, ahead=Ahead(many=True), warm=True) is None


@pytest.mark.parametrize(
    ("forecast", "took", "good"),
    [
        (3.2, 97.0, True),  # "under a second"
        (86.0, 1400.0, True),
        (86.0, 2100.0, False),
        (357_000.0, 7_500.0, False),
        (5_000.0, 9_900.0, True),
        (5_000.0, 10_100.0, False),
        (5_000.0, 2_400.0, False),
    ],
)
def test_a_forecast_is_good_within_a_factor_of_two(forecast: float, took: float, good: bool) -> None:
    assert Record().judged(forecast, took).good == (good,)


def test_forecasts_are_shown_while_nine_of_ten_were_good() -> None:
    record = Record()
    for number in range(LEAST):
        assert not record.is_good, number
        record = record.judged(5000, 5000)
    assert record.is_good
    assert not record.judged(5000, 50_000).is_good
    for _ in range(LAST):
        record = record.judged(5000, 5000)
    assert record.judged(5000, 50_000).judged(5000, 50_000).is_good
    assert not record.judged(5000, 50_000).judged(5000, 50_000).judged(5000, 50_000).is_good


@given(st.lists(st.floats(-1e9, 1e9), max_size=30))
def test_what_a_transfer_takes_besides_stays_positive(measured: list[float]) -> None:
    record = Record()
    for ms in measured:
        record = record.learn_beside(ms)
    assert record.is_sound


@pytest.mark.parametrize("name", PEERS)
def test_forecasts_that_are_made_are_within_a_factor_of_two_in_nine_of_ten(name: str) -> None:
    """From the very first transfer on, with noise and stalls: where too little is known, there is none."""
    draw, peer, costs, record, last = random.Random(5), PEERS[name], Costs(), Record(), None
    shown: list[bool] = []
    for _ in range(150):
        sent = work(draw.choice(MEGABYTES), draw.choice(PROPORTIONS))
        found = choose(costs, sent, Wish(), last)
        way, last = found.way, found.way.mode
        forecast = forecast_ms(costs, record, way, found.estimate.predicted_ms, found.spread, ahead=NOBODY, warm=True)
        took = peer(sent, way) * scattered(draw, 0.1, 0.01) + 30
        if forecast is not None:
            if record.is_good:
                shown.append(1 / WITHIN <= forecast / took <= WITHIN)
            record = record.judged(forecast, took)
        costs = costs.learn(sent, way, took - 30)
    assert len(shown) >= 75
    assert sum(shown) >= 0.9 * len(shown), (len(shown), sum(shown))
