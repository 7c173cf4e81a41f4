"""What load this gateway can carry: queueing models, fitted to what roll-ups say of the transfers of a time range.

Each period of the range with enough deliveries is a point: an arrival rate, and the mean total time. The wait before an
attempt is left out: it also depends on peers that do not answer. The service demand of a document of any size, share,
mode and number of channels is fitted to a sample of the transfers, of those whose records are still kept: roll-ups do
not say how the size of a document and the number of documents, channels and bytes of an attempt occur together. The
answer says how many transfers the sample has and since when they are kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Any, Final, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.sentence import Sentence
from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.telemetry import timing_progress, timing_queries
from sieve.gateway.telemetry.timing_classes import BATCH_CLASSES, batch_class, share_class, size_class
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import Dimension, Service, Span, Totals
from sieve.lab import queueing
from sieve.lab.demand import WAY, Demand, MeasuredService, Work, fit_demand
from sieve.lab.not_enough_data import NotEnoughData
from sieve.lab.queueing import LEAST_POINTS, Fit, Fits, MeasuredPoint, OpenModel
from sieve.web.schemas import SaidShown, shown_said
from sieve.web.times import shown as time_of
from sieve.web.times import shown_if
from sieve.web.timings.answers import width_for
from sieve.web.timings.busiest import Busiest, busiest
from sieve.web.timings.queue import SETTLED
from sieve.web.timings.reports import rate
from sieve.web.timings.schemas import (
    CapacityAnswer,
    CapacityCurve,
    CapacityDocument,
    CapacityLoad,
    CapacityModel,
    CapacityShown,
    DeliveryMode,
)

MODES: Final[tuple[DeliveryMode, ...]] = ("sieve", "secure-only")
LEAST_IN_PERIOD: Final = 5
LEAST_IN_POINT: Final = 30
"""Deliveries of a point that models are fitted to. Fits by relative errors are too low where points scatter."""
MOST_POINTS: Final = 40
MOST_SERVICES: Final = 4000
"""Transfers that demands are fitted to."""
_BY: Final[Sequence[Dimension]] = ("outcome", "mode")
_BUSIEST: Final = {
    HOUR_S: Sentence("busiest-hour", "the busiest hour"),
    DAY_S: Sentence("busiest-day", "the busiest day"),
}
EXTRAPOLATED: Final = 2.0
"""An arrival rate over this many times that of the busiest hour, and of any period, is an extrapolation."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What an answer is asked about; None: as measured."""

    rate_per_s: float | None = None
    document_bytes: int | None = None
    classified_share: float | None = None
    documents: int = 1
    secure_channels: int = 1
    plain_channels: int = 1
    mode: Literal["auto", "sieve", "secure-only"] = "auto"


@dataclass(frozen=True, slots=True)
class Period:
    """Transfers that ended in a period of `width_s` seconds. `delivered`: their sums."""

    width_s: int
    settled: int
    delivered: Totals

    @property
    def rate_per_s(self) -> float:
        return self.settled / self.width_s

    @property
    def point(self) -> MeasuredPoint | None:
        """None if there were too few deliveries."""
        count, total_ms = self.delivered.timed, _total_ms(self.delivered)
        return MeasuredPoint(self.rate_per_s, total_ms, count) if count >= LEAST_IN_PERIOD and total_ms else None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a time range of `lasts_s` seconds says. `delivered`: transfers by mode. `services`: of a sample of these.
    `services_since_ns`: those that ended earlier are no longer kept; None if all of the range are."""

    lasts_s: int
    periods: Sequence[Period]
    busiest: Busiest
    delivered: Mapping[str, int]
    services: Sequence[Service]
    services_since_ns: int | None = None


async def measured(session: AsyncSession, span: Span, filters: Filters) -> Measured:
    """Reads what was sent, unless the filters say otherwise."""
    sent = replace(filters if filters.direction else replace(filters, direction="sent"), outcome=None)
    width_s = width_for(span, sent)
    busiest_s = max(HOUR_S, timing_queries.narrowest_column_s(span, sent, _BY))
    # One question for both, if the columns are of whole hours.
    column_s = busiest_s if width_s % busiest_s == 0 else width_s
    found = await timing_queries.sums(session, span, sent, ("count", "timed", "total_us"), by=_BY, column_s=column_s)
    ended: Counter[int] = Counter()
    settled: Counter[int] = Counter()
    delivered: dict[int, list[int]] = {}
    by_mode: Counter[str] = Counter()
    for (at_s, outcome, mode), sums in found.items():
        start_s = at_s - at_s % width_s
        of_period = delivered.setdefault(start_s, [0, 0, 0])
        if outcome in SETTLED:
            ended[at_s] += sums[0]
            settled[start_s] += sums[0]
        if outcome == "delivered":
            of_period[:] = map(add, of_period, sums)
            by_mode[mode] += sums[1]
    periods = [
        Period(
            min(span.until_s, start_s + width_s) - max(span.since_s, start_s),
            settled[start_s],
            Totals(count=count, timed=timed, total_us=total_us),
        )
        for start_s, (count, timed, total_us) in sorted(delivered.items())
    ]
    services = await timing_queries.services(
        session, span, replace(sent, outcome="delivered"), MOST_SERVICES, matching=by_mode.total()
    )
    kept_from_s = await timing_progress.records_kept_from_s(session)
    services_since_ns = kept_from_s * NS_PER_S if kept_from_s > span.since_s else None
    most = await busiest(session, span, sent, busiest_s, now_ns() // NS_PER_S, ended if column_s == busiest_s else None)
    return Measured(span.until_s - span.since_s, periods, most, by_mode, services, services_since_ns)


def shown(measured: Measured, wish: Wish) -> CapacityShown:
    """Fits the models and answers the wish."""
    points = [point for period in measured.periods if (point := period.point)]
    load = _load(measured)
    document = _document(measured, wish, load)
    together = pooled(points)
    fits: Fits | NotEnoughData = queueing.fit(together, WorkerSettings().at_once)
    # Without a fitted number of servers, the model of one server is the careful one.
    servers = 1 if isinstance(fits, NotEnoughData) else fits.better.model.servers
    slowdown = 1.0 if isinstance(fits, NotEnoughData) else _slowdown(points, fits.better.model)
    curves = [_curve(mode, measured, document, servers, slowdown) for mode in MODES]
    models, chosen, reason = [], None, None
    if isinstance(fits, NotEnoughData):
        reason = fits.reason if len(points) == len(together) else _too_few(together)
    else:
        models = [_model("single-server", fits.one_server), _model("several-servers", fits.several_servers)]
        chosen = models[0 if fits.better is fits.one_server else 1].name
    return CapacityShown(
        load=load,
        models=models,
        chosen=chosen,
        models_reason=reason,
        models_said=shown_said(reason),
        measured=[(rate(p.arrival_rate_per_s), round(p.mean_response_ms, 3), p.transfers) for p in points],
        asked=document,
        sampled=len(measured.services),
        sampled_since=shown_if(measured.services_since_ns),
        curves=[curve for curve, _ in curves],
        answer=_answer(curves, document, servers, wish, load, points),
    )


def _too_few(together: Sequence[MeasuredPoint]) -> Sentence:
    """Why no curve is fitted although enough points are shown: they have too few transfers each."""
    return Sentence(
        "curve-too-few-transfers",
        "a curve needs {points} arrival rates with at least {least} transfers each; the measured {transfers} transfers "
        "give {measured}",
        points=LEAST_POINTS,
        least=LEAST_IN_POINT,
        transfers=sum(point.transfers for point in together),
        measured=len(together),
    )


def pooled(points: Iterable[MeasuredPoint]) -> list[MeasuredPoint]:
    """The same transfers in fewer points: neighbours by rate are joined until each has enough deliveries."""
    ordered = sorted(points, key=lambda point: point.arrival_rate_per_s)
    least = max(LEAST_IN_POINT, sum(point.transfers for point in ordered) // MOST_POINTS)
    found: list[MeasuredPoint] = []
    joined: MeasuredPoint | None = None
    for point in ordered:
        joined = point if joined is None else _joined(joined, point)
        if joined.transfers >= least:
            found.append(joined)
            joined = None
    if joined is not None:
        found[-1:] = [_joined(found[-1], joined) if found else joined]
    return found


def _joined(one: MeasuredPoint, other: MeasuredPoint) -> MeasuredPoint:
    transfers = one.transfers + other.transfers
    part = other.transfers / transfers
    return MeasuredPoint(
        one.arrival_rate_per_s + part * (other.arrival_rate_per_s - one.arrival_rate_per_s),
        one.mean_response_ms + part * (other.mean_response_ms - one.mean_response_ms),
        transfers,
    )


def _slowdown(points: Sequence[MeasuredPoint], model: OpenModel) -> float:
    """How many times as long the measured transfers took as on an idle gateway. Load slows all kinds alike."""
    transfers = sum(point.transfers for point in points)
    mean_ms = sum(point.transfers * point.mean_response_ms for point in points) / transfers
    return max(1.0, mean_ms / model.demand_ms)


def _load(measured: Measured) -> CapacityLoad:
    settled = sum(period.settled for period in measured.periods)
    batches, busiest = Counter(batch_class(service.batch) for service in measured.services), measured.busiest
    total_ms = _total_ms(sum((period.delivered for period in measured.periods), Totals()))
    return CapacityLoad(
        rate_per_s=rate(settled / measured.lasts_s),
        busiest_per_s=rate(busiest.rate_per_s),
        busiest_span_s=busiest.span_s,
        busiest_so_far=busiest.is_so_far,
        busiest_at=None if busiest.start_s is None else time_of(busiest.start_s * NS_PER_S),
        mean_response_ms=round(total_ms, 3) if total_ms else None,
        batch=BATCH_CLASSES[batches.most_common(1)[0][0]] if batches else None,
    )


def _document(measured: Measured, wish: Wish, load: CapacityLoad) -> CapacityDocument:
    """What the answer is about."""
    all_bytes = sum(service.size for service in measured.services)
    size, share = wish.document_bytes, wish.classified_share
    if size is None:
        size = round(all_bytes / max(1, len(measured.services)))
    if share is None:
        share = round(sum(service.classified_size for service in measured.services) / max(1, all_bytes), 4)
    return CapacityDocument(
        rate_per_s=wish.rate_per_s if wish.rate_per_s is not None else load.busiest_per_s,
        document_bytes=size,
        classified_share=min(1.0, share),
        documents=wish.documents,
        secure_channels=wish.secure_channels,
        plain_channels=wish.plain_channels,
    )


def _curve(
    mode: DeliveryMode, measured: Measured, document: CapacityDocument, servers: int, slowdown: float
) -> tuple[CapacityCurve, Demand | NotEnoughData]:
    services = [service for service in measured.services if service.mode == mode]
    rows = grouped(services)
    count = measured.delivered.get(mode, 0)
    demand = _demand(rows, mode, document, slowdown)
    if isinstance(demand, NotEnoughData):
        curve = CapacityCurve(
            mode=mode,
            count=count,
            sampled=len(services),
            demand_ms=None,
            demand_ci95_ms=None,
            extrapolated=False,
            saturation_per_s=None,
            points=[],
            reason=demand.reason,
            said=shown_said(demand.reason),
        )
        return curve, demand
    model = OpenModel(servers, demand.ms)
    curve = CapacityCurve(
        mode=mode,
        count=count,
        sampled=len(services),
        demand_ms=round(demand.ms, 3),
        demand_ci95_ms=round(demand.ci95_ms, 3),
        extrapolated=demand.extrapolated,
        saturation_per_s=rate(model.saturation_per_s * document.documents),
        points=[
            (rate(batches_per_s * document.documents), round(response_ms, 3))
            for batches_per_s, response_ms in model.curve()
        ],
        reason=None,
        said=None,
    )
    return curve, demand


def _demand(
    rows: Sequence[MeasuredService], mode: DeliveryMode, document: CapacityDocument, slowdown: float
) -> Demand | NotEnoughData:
    """The demand of the document asked about: without the waits of the measured transfers."""
    model = fit_demand(rows, mode)
    demand = model if isinstance(model, NotEnoughData) else model.demand(_work(mode, document))
    if isinstance(demand, NotEnoughData):
        return demand
    return replace(demand, ms=demand.ms / slowdown, ci95_ms=demand.ci95_ms / slowdown)


def _answer(
    curves: Sequence[tuple[CapacityCurve, Demand | NotEnoughData]],
    document: CapacityDocument,
    servers: int,
    wish: Wish,
    load: CapacityLoad,
    points: Sequence[MeasuredPoint],
) -> CapacityAnswer:
    asked = [(curve, demand) for curve, demand in curves if wish.mode in ("auto", curve.mode)]
    known = [(curve, demand) for curve, demand in asked if not isinstance(demand, NotEnoughData)]
    if not known:
        return CapacityAnswer(
            mode=None if wish.mode == "auto" else wish.mode,
            response_ms=None,
            saturation_per_s=None,
            enough=False,
            reason=asked[0][0].reason,
            said=[said for curve, _ in asked[:1] if (said := curve.said)],
        )
    # The mode with the smaller demand responds faster at any rate.
    curve, demand = min(known, key=lambda each: each[1].ms)
    found = queueing.capacity(demand, document.documents, document.rate_per_s, servers)
    reasons: list[Sentence] = []
    if found.response_ms is None:
        reasons.append(
            Sentence(
                "capacity-saturated",
                "this gateway would be saturated: {way}, it carries up to {most} documents a second",
                way=WAY[curve.mode],
                most=f"{found.saturation_per_s:.3g}",
            )
        )
    # A period of a short range may be shorter and busier than any hour.
    if document.rate_per_s > EXTRAPOLATED * max([load.busiest_per_s, *(point.arrival_rate_per_s for point in points)]):
        reasons.append(
            Sentence(
                "capacity-extrapolated",
                "this is an extrapolation: {busiest} had {most} a second",
                busiest=_BUSIEST[load.busiest_span_s],
                most=f"{load.busiest_per_s:.3g}",
            )
        )
    if document.documents > 1:
        reasons.append(
            Sentence(
                "capacity-together",
                "this is for {documents} documents that are sent at once: the gateway sends together what waits, and "
                "waits for no others",
                documents=document.documents,
            )
        )
    reasons += [
        Sentence("capacity-not-compared", "sending {way} is not compared: {why}", way=WAY[each.mode], why=demand.reason)
        for each, demand in asked
        if isinstance(demand, NotEnoughData)
    ]
    return CapacityAnswer(
        mode=curve.mode,
        response_ms=None if found.response_ms is None else round(found.response_ms, 3),
        saturation_per_s=rate(found.saturation_per_s),
        enough=True,
        reason="; ".join(reasons) or None,
        said=[SaidShown(**one.to_json()) for one in reasons],
    )


def _work(mode: DeliveryMode, document: CapacityDocument) -> Work:
    return Work(
        mode,
        document.document_bytes,
        document.classified_share,
        document.secure_channels,
        document.plain_channels if mode == "sieve" else 1,
        document.documents,
    )


def grouped(services: Iterable[Service]) -> list[MeasuredService]:
    """The mean size, share and total time of the transfers of one class that were sent in the same way. Single times
    would scatter more.
    """
    groups: dict[tuple[Any, ...], list[Service]] = {}
    for each in services:
        if each.total_us and each.mode in MODES:
            plain_channels = each.plain_channels if each.mode == "sieve" else 1
            way = each.mode, max(1, each.secure_channels), max(1, plain_channels), each.batch
            kind = size_class(each.size), share_class(each.classified_size, each.size)
            groups.setdefault((way, kind), []).append(each)
    rows = []
    for ((mode, secure_channels, plain_channels, batch), _), group in groups.items():
        size = sum(each.size for each in group)
        share = sum(each.classified_size for each in group) / max(1, size)
        work = Work(mode, size / len(group), min(1.0, share), secure_channels, plain_channels, batch)
        mean_ms = sum(each.total_us or 0 for each in group) / len(group) / 1000
        rows.append(MeasuredService(work, mean_ms, len(group)))
    return rows


def _model(name: Literal["single-server", "several-servers"], fit: Fit) -> CapacityModel:
    return CapacityModel(
        name=name,
        demand_ms=round(fit.model.demand_ms, 3),
        servers=fit.model.servers,
        saturation_per_s=rate(fit.model.saturation_per_s),
        error_percent=round(100 * fit.relative_rms, 2),
        points=[(rate(rate_per_s), round(response_ms, 3)) for rate_per_s, response_ms in fit.model.curve()],
    )


def _total_ms(delivered: Totals) -> float | None:
    """The mean total time; None if nothing was timed."""
    return delivered.total_us / delivered.timed / 1000 if delivered.timed else None
