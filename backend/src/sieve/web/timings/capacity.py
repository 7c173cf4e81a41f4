"""What load this gateway can carry: queueing models, fitted to what roll-ups say of the transfers of a time range.

Each period of the range with enough deliveries is a point: an arrival rate, and the mean total time. The wait before an
attempt is left out: it also depends on peers that do not answer. The service demand of a document of any size, share,
mode and number of channels is fitted to the mean total times of the groups in roll-ups.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.outbound.worker_settings import WorkerSettings
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_classes import BATCH_CLASSES
from sieve.gateway.telemetry.timing_periods import DAY_S
from sieve.gateway.telemetry.timing_queries import Filters, Span, Totals
from sieve.lab import queueing
from sieve.lab.demand import Demand, MeasuredService, Work, fit_demand
from sieve.lab.enough import NotEnoughData
from sieve.lab.queueing import Fit, Fits, MeasuredPoint, OpenModel
from sieve.web.timings.answers import width_for
from sieve.web.timings.queue import SETTLED
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
SERVICE_DAYS: Final = 7
"""Demands are fitted to the last days of a time range, and to whole ones: there are many groups in each period."""
EXTRAPOLATED: Final = 2.0
"""An arrival rate that is more than this many times the highest measured one is an extrapolation."""
BATCHES: Final = (1, 3, 7, 10)
"""How many documents each batch class stands for."""


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
    """What roll-ups say of a time range of `lasts_s` seconds. `services`: by mode, class of size, class of share,
    channels and batch class.
    """

    lasts_s: int
    periods: Sequence[Period]
    services: Mapping[tuple[str, int, int, str, int], Totals]


async def measured(session: AsyncSession, span: Span, filters: Filters) -> Measured:
    """Reads what was sent, unless the filters say otherwise."""
    sent = replace(filters if filters.direction else replace(filters, direction="sent"), outcome=None)
    width_s = width_for(span, sent)
    series = await timing_queries.series(session, span, width_s, sent, None, by=("outcome",))
    by_start: dict[int, dict[str, Totals]] = {}
    for (start, outcome), (totals, _) in series.items():
        by_start.setdefault(start, {})[outcome] = totals
    periods = []
    for start in sorted(by_start):
        found = by_start[start]
        lasted = min(span.until_s, start + width_s) - max(span.since_s, start)
        settled = sum(found[outcome].count for outcome in SETTLED if outcome in found)
        periods.append(Period(lasted, settled, found.get("delivered") or Totals()))
    last_day_s = span.until_s + -span.until_s % DAY_S
    services = await timing_queries.totals(
        session,
        Span(max(span.since_s // DAY_S * DAY_S, last_day_s - SERVICE_DAYS * DAY_S), last_day_s),
        replace(sent, outcome="delivered"),
        by=("mode", "size_class", "share_class", "channels", "batch_class"),
    )
    return Measured(span.until_s - span.since_s, periods, services)


def shown(measured: Measured, wish: Wish) -> CapacityShown:
    """Fits the models and answers the wish."""
    points = [point for period in measured.periods if (point := period.point)]
    load = _load(measured)
    document = _document(measured, wish, load)
    fits: Fits | NotEnoughData = queueing.fit(pooled(points), WorkerSettings().at_once)
    # Without a fitted number of servers, the model of one server is the careful one.
    servers = 1 if isinstance(fits, NotEnoughData) else fits.better.model.servers
    slowdown = 1.0 if isinstance(fits, NotEnoughData) else _slowdown(points, fits.better.model)
    curves = [_curve(mode, measured, document, servers, slowdown) for mode in MODES]
    models, chosen, reason = [], None, None
    if isinstance(fits, NotEnoughData):
        reason = fits.reason
    else:
        models = [_model("single-server", fits.one_server), _model("several-servers", fits.several_servers)]
        chosen = models[0 if fits.better is fits.one_server else 1].name
    return CapacityShown(
        load=load,
        models=models,
        chosen=chosen,
        models_reason=reason,
        measured=[(round(p.arrival_rate_per_s, 4), round(p.mean_response_ms, 3), p.transfers) for p in points],
        asked=document,
        curves=curves,
        answer=_answer(curves, document, servers, wish, load),
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
    by_batch: dict[int, int] = {}
    for (*_, batch), totals in measured.services.items():
        by_batch[batch] = by_batch.get(batch, 0) + totals.timed
    total_ms = _total_ms(sum((period.delivered for period in measured.periods), Totals()))
    return CapacityLoad(
        rate_per_s=round(settled / measured.lasts_s, 4),
        busiest_per_s=round(max((period.rate_per_s for period in measured.periods), default=0), 4),
        mean_response_ms=round(total_ms, 3) if total_ms else None,
        batch=BATCH_CLASSES[max(by_batch, key=lambda batch: by_batch[batch])] if by_batch else None,
    )


def _document(measured: Measured, wish: Wish, load: CapacityLoad) -> CapacityDocument:
    """What the answer is about."""
    every = sum(measured.services.values(), Totals())
    # In secure-only, all bytes count as secure ones: only sieve says what share was classified.
    sieve = sum((totals for (mode, *_), totals in measured.services.items() if mode == "sieve"), Totals())
    size = wish.document_bytes if wish.document_bytes is not None else round(every.size / max(1, every.count))
    share = wish.classified_share
    if share is None:
        share = round(sieve.secure_bytes / sieve.size, 4) if sieve.size else 0.5
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
) -> CapacityCurve:
    rows = [row for key, totals in measured.services.items() if key[0] == mode and (row := _service(key, totals))]
    count = sum(row.transfers for row in rows)
    demand = _demand(rows, mode, document, slowdown)
    if isinstance(demand, NotEnoughData):
        return CapacityCurve(
            mode=mode,
            count=count,
            demand_ms=None,
            demand_ci95_ms=None,
            extrapolated=False,
            saturation_per_s=None,
            points=[],
            reason=demand.reason,
        )
    model = OpenModel(servers, demand.ms)
    return CapacityCurve(
        mode=mode,
        count=count,
        demand_ms=round(demand.ms, 3),
        demand_ci95_ms=round(demand.ci95_ms, 3),
        extrapolated=demand.extrapolated,
        saturation_per_s=round(model.saturation_per_s * document.documents, 3),
        points=[
            (round(batches_per_s * document.documents, 4), round(response_ms, 3))
            for batches_per_s, response_ms in model.curve()
        ],
        reason=None,
    )


def _demand(
    rows: Sequence[MeasuredService], mode: DeliveryMode, document: CapacityDocument, slowdown: float
) -> Demand | NotEnoughData:
    """The demand of the document asked about. Slowed down, those of the measured transfers add up to what was measured.

    The model is fitted by relative errors, and so the transfers that happened to be fast weigh most: where times
    scatter, it is too low.
    """
    model = fit_demand(rows, mode)
    demand = model if isinstance(model, NotEnoughData) else model.demand(_work(mode, document))
    if isinstance(model, NotEnoughData) or isinstance(demand, NotEnoughData):
        return demand
    each = model.coefficients_ms
    modelled_ms = sum(row.transfers * sum(each[term] * row.work.terms[term] for term in each) for row in rows)
    scale = sum(row.transfers * row.service_ms for row in rows) / modelled_ms / slowdown
    return replace(demand, ms=demand.ms * scale, ci95_ms=demand.ci95_ms * scale)


def _answer(
    curves: Sequence[CapacityCurve], document: CapacityDocument, servers: int, wish: Wish, load: CapacityLoad
) -> CapacityAnswer:
    asked = [curve for curve in curves if wish.mode in ("auto", curve.mode)]
    known = [(curve, curve.demand_ms) for curve in asked if curve.demand_ms is not None]
    if not known:
        return CapacityAnswer(
            mode=None if wish.mode == "auto" else wish.mode,
            response_ms=None,
            saturation_per_s=None,
            enough=False,
            reason=f"there are not enough transfers: {asked[0].reason}",
        )
    # The mode with the smaller demand responds faster at any rate.
    curve, demand_ms = min(known, key=lambda each: each[1])
    response_ms = OpenModel(servers, demand_ms).response_ms(document.rate_per_s / document.documents)
    reasons = []
    if response_ms is None:
        most = curve.saturation_per_s
        reasons.append(
            f"this gateway would be saturated: in mode {curve.mode} it carries up to {most:.3g} documents a second"
        )
    elif document.documents > 1 and document.rate_per_s:
        # The first document of a batch waits for all others, the last one for none.
        response_ms += 1e3 * (document.documents - 1) / (2 * document.rate_per_s)
    if document.rate_per_s > EXTRAPOLATED * load.busiest_per_s:
        reasons.append(f"this is an extrapolation: no more than {load.busiest_per_s:.3g} a second were measured")
    reasons += [f"{each.mode} is not compared: {each.reason}" for each in asked if each.demand_ms is None]
    return CapacityAnswer(
        mode=curve.mode,
        response_ms=None if response_ms is None else round(response_ms, 3),
        saturation_per_s=curve.saturation_per_s,
        enough=True,
        reason="; ".join(reasons) or None,
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


def _service(key: tuple[str, int, int, str, int], totals: Totals) -> MeasuredService | None:
    """The mean service of a group of delivered transfers; None if nothing of it was timed."""
    mode, _, _, channels, batch = key
    if not totals.timed or not totals.total_us or mode not in MODES:
        return None
    secure, plain = (max(1, int(part)) for part in channels.split("+"))
    share = totals.secure_bytes / totals.size if totals.size else 0.0
    work = Work(
        "sieve" if mode == "sieve" else "secure-only",
        totals.size / totals.count,
        min(1.0, share),
        secure,
        plain if mode == "sieve" else 1,
        BATCHES[batch],
    )
    return MeasuredService(work, totals.total_us / totals.timed / 1000, totals.timed)


def _model(name: Literal["single-server", "several-servers"], fit: Fit) -> CapacityModel:
    return CapacityModel(
        name=name,
        demand_ms=round(fit.model.demand_ms, 3),
        servers=fit.model.servers,
        saturation_per_s=round(fit.model.saturation_per_s, 3),
        error_percent=round(100 * fit.relative_rms, 2),
        points=[(round(rate_per_s, 4), round(response_ms, 3)) for rate_per_s, response_ms in fit.model.curve()],
    )


def _total_ms(delivered: Totals) -> float | None:
    """The mean total time; None if nothing was timed."""
    return delivered.total_us / delivered.timed / 1000 if delivered.timed else None
