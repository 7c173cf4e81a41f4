"""Capacity, from made-up sums of which the true demands and numbers of servers are known."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_queries import Service, Span, Totals
from sieve.lab.demand import Work
from sieve.lab.queueing import MeasuredPoint, OpenModel
from sieve.web.timings import capacity
from sieve.web.timings.busiest import Busiest, busiest
from sieve.web.timings.capacity import Measured, Period, Wish
from web.timed import (
    HOURS,
    MB,
    Timed,
    delivered,
    iso,
)

HOUR_S = 3600
SIZES = (50_000, 500_000, 5_000_000)
SHARES = (0.1, 0.5, 0.9)


def demand_ms(work: Work) -> float:
    """4 ms for any transfer; 30 for a secure MB and 6 for a plain one, over one channel."""
    mb = work.size_bytes * work.batch / MB
    secure = mb * (work.classified_share if work.mode == "sieve" else 1)
    return 4 + 30 * secure / work.secure_channels + 6 * (mb - secure) / work.plain_channels + 2 * (work.batch - 1)


def services(slowdown: float = 1) -> list[Service]:
    """20 of each kind, in each mode."""
    found = []
    for mode, size, share in product(capacity.MODES, SIZES, SHARES):
        for secure, plain, batch in ((1, 1, 1), (2, 2, 1), (1, 1, 7)):
            us = round(1000 * slowdown * demand_ms(Work(mode, size, share, secure, plain, batch)))
            found += [Service(mode, size, round(size * share), secure, plain, batch, us)] * 20
    return found


def measured(model: OpenModel, rates: list[float]) -> Measured:
    """Periods with these rates; services are slowed down as the model is on average."""
    periods = []
    for rate in rates:
        response_ms = model.response_ms(rate)
        assert response_ms is not None
        count = round(rate * HOUR_S)
        delivered = Totals(count=count, timed=count, total_us=round(1000 * response_ms) * count)
        periods.append(Period(HOUR_S, count, delivered))
    whole = sum((period.delivered for period in periods), Totals())
    slowdown = whole.total_us / whole.timed / 1000 / model.demand_ms
    return measured_services(services(slowdown), periods)


def measured_services(services: list[Service], periods: Sequence[Period] = ()) -> Measured:
    counts = Counter(service.mode for service in services)
    busiest = Busiest(HOUR_S, 0, max((period.settled for period in periods), default=0))
    return Measured(HOUR_S * max(1, len(periods)), periods, busiest, counts, services)


def test_a_sample_changes_no_measured_point_and_gives_the_same_demands() -> None:
    chance = random.Random(8)
    every = measured(OpenModel(1, 50), [2, 5, 10])
    scattered = [
        each._replace(total_us=round(each.total_us * chance.gauss(1, 0.1))) for each in every.services if each.total_us
    ]
    wish = Wish(5, MB, 0.3)
    whole = capacity.shown(replace(every, services=scattered), wish)
    part = capacity.shown(replace(every, services=chance.sample(scattered, len(scattered) // 5)), wish)
    assert (part.measured, part.models, part.load.rate_per_s) == (whole.measured, whole.models, whole.load.rate_per_s)
    assert part.sampled == len(scattered) // 5 == sum(curve.sampled for curve in part.curves)
    for few, all_ in zip(part.curves, whole.curves, strict=True):
        assert few.count == all_.count == all_.sampled > few.sampled
        assert few.demand_ms is not None and few.demand_ci95_ms is not None and all_.demand_ms is not None
        assert few.demand_ms == pytest.approx(all_.demand_ms, abs=1.5 * few.demand_ci95_ms)
        assert few.demand_ci95_ms < 0.1 * few.demand_ms


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
    assert 0.9 * chosen.saturation_per_s < chosen.points[-1][0] < chosen.saturation_per_s
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
    assert shown.answer.mode == "sieve" and shown.answer.enough
    assert [one.code for one in shown.answer.said] == ["capacity-together"] * (wish.documents > 1)
    assert wish.rate_per_s is not None
    response_ms = OpenModel(1, found["sieve"]).response_ms(wish.rate_per_s / wish.documents)
    assert shown.answer.response_ms == pytest.approx(response_ms, rel=0.05)


def test_documents_that_come_together_wait_for_no_others() -> None:
    found = measured(OpenModel(1, 50), [0.001, 0.005, 0.01])
    alone, together = (capacity.shown(found, Wish(0.001, MB, 0.5, documents)).answer for documents in (1, 20))
    assert alone.response_ms is not None and together.response_ms is not None
    assert together.response_ms == pytest.approx(demand_ms(Work("sieve", MB, 0.5, batch=20)), rel=0.05)
    assert alone.reason is None
    assert together.reason == (
        "this is for 20 documents that are sent at once: the gateway sends together what waits, and waits for no others"
    )


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
    shown = capacity.shown(measured_services([]), Wish())
    assert not shown.models and shown.chosen is None and shown.models_reason
    assert all(curve.demand_ms is None and not curve.points and curve.reason for curve in shown.curves)
    assert not shown.answer.enough and shown.answer.response_ms is None
    assert shown.answer.reason == "at least 10 measured transfers over both channels are needed; there are 0"
    json.loads(shown.model_dump_json())


def test_one_mode_without_transfers_is_named() -> None:
    whole = measured(OpenModel(1, 50), [2, 5, 10])
    only = measured_services([each for each in whole.services if each.mode == "secure-only"], whole.periods)
    shown = capacity.shown(only, Wish(1, MB, 0.5))
    assert shown.answer.mode == "secure-only"
    assert shown.answer.reason is not None and "sending over both channels is not compared" in shown.answer.reason


@given(st.lists(st.tuples(st.floats(1e-4, 1e3), st.floats(0.1, 1e5), st.integers(5, 100)), max_size=30))
def test_pooled_points_have_the_same_transfers_and_the_same_means(points: list[tuple[float, float, int]]) -> None:
    given_ = [MeasuredPoint(*point) for point in points]
    found = capacity.pooled(given_)
    assert sum(each.transfers for each in found) == sum(count for _, _, count in points)
    assert all(each.transfers >= capacity.LEAST_IN_POINT for each in found) or len(found) <= 1
    for name in ("arrival_rate_per_s", "mean_response_ms"):
        sums = [sum(getattr(each, name) * each.transfers for each in every) for every in (found, given_)]
        assert sums[0] == pytest.approx(sums[1])
    assert [each.arrival_rate_per_s for each in found] == sorted(each.arrival_rate_per_s for each in found)


def test_periods_with_few_deliveries_do_not_count() -> None:
    periods = [Period(HOUR_S, 100, Totals(count=n, timed=n, total_us=n * 1000)) for n in (4, 5)]
    assert [period.point is not None for period in periods] == [False, True]


def test_the_wait_for_a_peer_that_does_not_answer_is_no_load() -> None:
    delivered = Totals(count=10, timed=10, waiting_us=10 * HOUR_S * 10**6, total_us=10 * 20_000)
    point = Period(HOUR_S, 10, delivered).point
    assert point is not None and point.mean_response_ms == 20


def test_demands_add_up_to_what_was_measured() -> None:
    """Also if times scatter: a fit by relative errors alone would be too low."""
    chance = random.Random(3)
    scattered = [
        each._replace(total_us=round(each.total_us * chance.choice([0.6, 1.4]))) for each in services() if each.total_us
    ]
    for mode in capacity.MODES:
        found_ms = 0.0
        for each in {each._replace(total_us=None) for each in scattered if each.mode == mode}:
            wish = Wish(
                1, each.size, each.classified_size / each.size, each.batch, each.secure_channels, each.plain_channels
            )
            curves = capacity.shown(measured_services(scattered), wish).curves
            [demand] = [curve.demand_ms for curve in curves if curve.mode == mode]
            assert demand is not None
            found_ms += 20 * demand
        assert found_ms == pytest.approx(
            sum(each.total_us or 0 for each in scattered if each.mode == mode) / 1000, rel=1e-3
        )


def test_a_rate_far_above_what_was_measured_is_an_extrapolation() -> None:
    measured_ = measured(OpenModel(1, 50), [0.1, 0.2, 0.4])
    assert capacity.shown(measured_, Wish(0.5, MB, 0.5)).answer.reason is None
    reason = capacity.shown(measured_, Wish(5, MB, 0.5)).answer.reason
    assert reason == "this is an extrapolation: the busiest hour had 0.4 a second"
    # A busy minute in an idle hour was measured, too.
    calm = replace(measured_, busiest=Busiest(HOUR_S, 0, 36))
    assert capacity.shown(calm, Wish(0.5, MB, 0.5)).answer.reason is None
    days = replace(measured_, busiest=Busiest(24 * HOUR_S, 0, 8640))
    reason = capacity.shown(days, Wish(5, MB, 0.5)).answer.reason
    assert reason == "this is an extrapolation: the busiest day had 0.1 a second"


async def test_capacity_is_answered_from_what_was_measured(timed: Timed) -> None:
    asked = {"rate": 2, "document_bytes": 800_000, "classified_share": 0.5, "send_mode": "sieve"}
    shown = await timed.json("capacity", **asked)
    sent = [row for row in timed.rows if row["direction"] == "sent"]
    ended = [row for row in sent if row["outcome"] != "retry"]
    assert shown["load"]["rate_per_s"] == pytest.approx(len(ended) / (3600 * HOURS), rel=1e-3)
    assert {curve["mode"]: curve["count"] for curve in shown["curves"]} == Counter(
        row["mode"] for row in delivered(sent)
    )
    assert shown["asked"]["document_bytes"] == 800_000 and shown["answer"]["mode"] == "sieve"
    assert len(await timed.csv("capacity", **asked, table="measured")) == len(shown["measured"])
    rows = await timed.csv("capacity", **asked, table="curves")
    assert len(rows) == sum(len(curve["points"]) for curve in shown["curves"])
    rows = await timed.csv("capacity", **asked, table="model-curves")
    assert len(rows) == sum(len(model["points"]) for model in shown["models"])
    modes = await timed.csv("capacity", **asked, table="modes")
    assert [(row["mode"], row["demand_ci95_ms"]) for row in modes] == [
        (curve["mode"], "" if curve["demand_ci95_ms"] is None else str(curve["demand_ci95_ms"]))
        for curve in shown["curves"]
    ]
    [load] = await timed.csv("capacity", **asked, table="load")
    assert float(load["busiest_per_s"]) == shown["load"]["busiest_per_s"]
    [answer] = await timed.csv("capacity", **asked, table="answer")
    assert (answer["document_bytes"], answer["mode"]) == ("800000", "sieve")
    for name in ("response_ms", "saturation_per_s"):
        assert answer[name] == ("" if shown["answer"][name] is None else str(shown["answer"][name]))
    assert answer["reason"] == shown["answer"]["reason"]


async def test_the_busiest_hour_is_the_same_in_every_range_that_touches_it(timed: Timed) -> None:
    ended_s = [
        row["at_ns"] // NS_PER_S for row in timed.rows if row["direction"] == "sent" and row["outcome"] != "retry"
    ]
    hours = Counter(at_s // 3600 * 3600 for at_s in ended_s)
    most, at_s = max((count, start_s) for start_s, count in hours.items())
    until_s = timed.begin_s + 3600 * HOURS
    ranges = [
        (at_s, at_s + 3600),
        (at_s + 600, at_s + 1200),
        *((until_s - days * 86_400, until_s) for days in (1, 7, 30, 90)),
    ]
    for since_s, end_s in ranges:
        load = (await timed.json("capacity", since=iso(since_s), until=iso(end_s)))["load"]
        assert load["busiest_per_s"] == pytest.approx(most / 3600, rel=1e-3)
        assert (load["busiest_at"], load["busiest_span_s"]) == (iso(at_s), 3600)
    # Of half a year ago, only days are kept. The current one has not lasted a day.
    load = (await timed.json("capacity", since=iso(until_s - 180 * 86_400), until=iso(until_s)))["load"]
    days = Counter(at_s // 86_400 * 86_400 for at_s in ended_s)
    now_s = now_ns() / NS_PER_S
    rates = {start_s: count / min(86_400, max(600, now_s - start_s)) for start_s, count in days.items()}
    day_s = max(rates, key=rates.__getitem__)
    assert load["busiest_per_s"] == pytest.approx(rates[day_s], rel=1e-2)
    assert (load["busiest_at"], load["busiest_span_s"]) == (iso(day_s), 86_400)
    assert load["busiest_so_far"] == (now_s < day_s + 86_400)


@pytest.mark.parametrize(("minutes", "lasted_s"), [(3, 600), (30, 1800), (60, 3600), (500, 3600)])
async def test_the_current_hour_is_as_busy_as_it_was_so_far(timed: Timed, minutes: int, lasted_s: int) -> None:
    sent = Filters(direction="sent")
    start_s = timed.begin_s - timed.begin_s % 3600 + 3600
    hour = Span(start_s, start_s + 3600)
    async with timed.world.database.read() as session:
        found = await busiest(session, hour, sent, 3600, start_s + 60 * minutes, {start_s: 90})
    count = sum(
        start_s <= row["at_ns"] // NS_PER_S < start_s + 3600
        for row in timed.rows
        if row["direction"] == "sent" and row["outcome"] != "retry"
    )
    assert (found.start_s, found.rate_per_s, found.is_so_far) == (start_s, count / lasted_s, minutes < 60)
