"""Capacity, from made-up sums of which the true demands and numbers of servers are known."""

import json
from collections.abc import Iterator

import pytest

from sieve.gateway.telemetry.timing_queries import Totals
from sieve.lab.demand import Work
from sieve.lab.queueing import OpenModel
from sieve.web.timings import capacity
from sieve.web.timings.capacity import Measured, Period, Wish

MB = 1_000_000
HOUR_S = 3600
SIZES = (50_000, 500_000, 5_000_000)
SHARES = (0.1, 0.5, 0.9)


def demand_ms(work: Work) -> float:
    """4 ms for any transfer; 30 for a secure MB and 6 for a plain one, over one channel."""
    mb = work.size_bytes * work.batch / MB
    secure = mb * (work.classified_share if work.mode == "sieve" else 1)
    return 4 + 30 * secure / work.secure_channels + 6 * (mb - secure) / work.plain_channels + 2 * (work.batch - 1)


def services() -> Iterator[tuple[tuple[str, int, int, str, int], Totals]]:
    for mode in capacity.MODES:
        for size_class, size in enumerate(SIZES):
            for share_class, share in enumerate(SHARES):
                for channels, batch in (("1+1", 0), ("2+2", 0), ("1+1", 2)):
                    secure, plain = (int(each) for each in channels.split("+"))
                    work = Work(mode, size, share, secure, plain, capacity.BATCHES[batch])
                    us, count = round(1000 * demand_ms(work)), 20
                    yield (
                        (mode, size_class, share_class, channels, batch),
                        Totals(
                            count=count,
                            timed=count,
                            size=size * count,
                            secure_bytes=round(size * (share if mode == "sieve" else 1)) * count,
                            total_us=us * count,
                        ),
                    )


def measured(model: OpenModel, rates: list[float]) -> Measured:
    periods = []
    for rate in rates:
        response_ms = model.response_ms(rate)
        assert response_ms is not None
        count = round(rate * HOUR_S)
        waiting_us = round(1000 * (response_ms - model.demand_ms))
        delivered = Totals(
            count=count, timed=count, waiting_us=waiting_us * count, total_us=round(1000 * model.demand_ms) * count
        )
        periods.append(Period(HOUR_S, count, 0, delivered))
    return Measured(HOUR_S * len(rates), periods, dict(services()))


NOTHING = Measured(HOUR_S, [], {})


@pytest.mark.parametrize("servers", [1, 4])
def test_a_mix_saturates_where_its_model_does(servers: int) -> None:
    true = OpenModel(servers, 50)
    shown = capacity.shown(
        measured(true, [share * true.saturation_per_s for share in (0.1, 0.4, 0.6, 0.8, 0.9)]), Wish()
    )
    assert shown.chosen == ("single-server" if servers == 1 else "several-servers")
    chosen = next(model for model in shown.models if model.name == shown.chosen)
    assert chosen.servers == servers
    assert chosen.saturation_per_s == pytest.approx(true.saturation_per_s, rel=0.01)
    assert chosen.error_percent < 1
    assert len(shown.measured) == 5
    assert shown.load.busiest_per_s == pytest.approx(0.9 * true.saturation_per_s, rel=0.01)


@pytest.mark.parametrize("wish", [Wish(5, MB, 0.3), Wish(5, 2 * MB, 0.6, 5, 2, 2), Wish(1, 100_000, 0.0, mode="sieve")])
def test_the_answer_for_any_document(wish: Wish) -> None:
    shown = capacity.shown(measured(OpenModel(1, 50), [2, 5, 10]), wish)
    found = {
        curve.mode: demand_ms(
            Work(curve.mode, shown.asked.document_bytes, shown.asked.classified_share,
                 wish.secure_channels, wish.plain_channels, wish.documents)
        )
        for curve in shown.curves
    }  # fmt: skip
    for curve in shown.curves:
        assert curve.reason is None and curve.saturation_per_s is not None
        assert curve.demand_ms == pytest.approx(found[curve.mode], rel=0.02)
        assert curve.saturation_per_s == pytest.approx(1000 * wish.documents / found[curve.mode], rel=0.02)
        assert curve.points[-1][0] < curve.saturation_per_s
    assert shown.answer.mode == "sieve" and shown.answer.enough and shown.answer.reason is None
    response_ms = OpenModel(1, found["sieve"]).response_ms(wish.rate_per_s / wish.documents)  # type: ignore[operator]
    assert response_ms is not None
    waits_ms = 1e3 * (wish.documents - 1) / (2 * shown.asked.rate_per_s)
    assert shown.answer.response_ms == pytest.approx(response_ms + waits_ms, rel=0.05)


def test_the_load_measured_is_asked_about_by_default() -> None:
    shown = capacity.shown(measured(OpenModel(1, 50), [2, 5, 10]), Wish())
    assert shown.asked.rate_per_s == shown.load.busiest_per_s == 10
    assert shown.asked.document_bytes == sum(SIZES) / 3
    assert shown.asked.classified_share == pytest.approx(sum(SHARES) / 3)
    assert shown.load.batch == "1"


def test_a_saturated_gateway_has_no_response() -> None:
    shown = capacity.shown(measured(OpenModel(1, 50), [2, 5, 10]), Wish(500, MB, 0.5))
    assert shown.answer.response_ms is None and shown.answer.enough
    assert shown.answer.reason is not None and "saturated" in shown.answer.reason


def test_without_transfers_nothing_is_made_up() -> None:
    shown = capacity.shown(NOTHING, Wish())
    assert not shown.models and shown.chosen is None and shown.models_reason
    assert all(curve.demand_ms is None and not curve.points and curve.reason for curve in shown.curves)
    assert not shown.answer.enough and shown.answer.response_ms is None
    assert shown.answer.reason is not None and shown.answer.reason.startswith("there are not enough transfers")
    json.loads(shown.model_dump_json())


def test_one_mode_without_transfers_is_named() -> None:
    whole = measured(OpenModel(1, 50), [2, 5, 10])
    only = Measured(whole.span_s, whole.periods, {k: v for k, v in whole.services.items() if k[0] == "secure-only"})
    shown = capacity.shown(only, Wish(1, MB, 0.5))
    assert shown.answer.mode == "secure-only"
    assert shown.answer.reason is not None and "sieve is not compared" in shown.answer.reason


def test_periods_with_retries_or_few_deliveries_do_not_count() -> None:
    many = Totals(count=100, timed=100, total_us=100 * 1000)
    few = Totals(count=4, timed=4, total_us=4 * 1000)
    periods = [Period(HOUR_S, 100, 2, many), Period(HOUR_S, 4, 0, few), Period(HOUR_S, 100, 1, many)]
    assert [period.point is not None for period in periods] == [False, False, True]
