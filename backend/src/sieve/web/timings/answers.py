"""The answers about timings, read from roll-ups and records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S
from sieve.gateway.telemetry import timing_progress, timing_queries
from sieve.gateway.telemetry.timing_classes import SHARE_CLASSES, SIZE_CLASSES, share_class, share_classes
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_queries import Dimension, Point, Points, Span, Totals
from sieve.store.models import Peer
from sieve.store.models.timings import PHASE_SUMS, HistogramFigure
from sieve.store.queries.peers import OWN_ID
from sieve.store.queries.timing_sums import EXPECTED_SUMS
from sieve.web.times import shown as time_of
from sieve.web.timings import reports
from sieve.web.timings.filters import MOST_COLUMNS, column_width
from sieve.web.timings.schemas import (
    CellShown,
    CellTransfer,
    Headline,
    ModesShown,
    PhaseGroup,
    PhasesBy,
    PhasesShown,
    PointsShown,
    ResponsesShown,
    TimingsChoices,
    TimingsProgress,
    TimingsSummary,
)

MOST_IN_CELL: Final = 50
_DIMENSIONS: Final[Mapping[PhasesBy, Dimension]] = {
    "size": "size_class",
    "share": "share_class",
    "peer": "peer_id",
    "mode": "mode",
}


def columns_of(span: Span, width_s: int) -> range:
    """The starts of the columns that cover a span, in seconds since the epoch; the first one may begin before it."""
    return range(span.since_s // width_s * width_s, span.until_s, width_s)


def sent(filters: Filters) -> Filters:
    """What was sent, unless `filters` have a direction."""
    return filters if filters.direction else replace(filters, direction="sent")


def delivered(filters: Filters) -> Filters:
    """The filters for figures that only delivered transfers have."""
    return filters if filters.outcome is not None else replace(filters, outcome="delivered")


async def summary(session: AsyncSession, span: Span, filters: Filters) -> TimingsSummary:
    choices = await timing_queries.choices(session)
    names = await peer_names(session)
    before = timing_queries.before(span, filters, ("outcome",))
    return TimingsSummary(
        since=time_of(span.since_s * NS_PER_S),
        until=time_of(span.until_s * NS_PER_S),
        progress=await progress(session),
        own=await _own(session, span, filters),
        current=await _headline(session, span, filters),
        previous=await _headline(session, before, filters),
        previous_since=time_of(before.since_s * NS_PER_S),
        previous_until=time_of(before.until_s * NS_PER_S),
        choices=TimingsChoices(
            peers=sorted({names[peer_id] for peer_id in choices.peer_ids if peer_id in names}),
            channels=[*choices.channels],
            suites=[*choices.suites],
        ),
    )


async def _own(session: AsyncSession, span: Span, filters: Filters) -> int:
    if filters.direction is not None or OWN_ID not in (filters.peer_ids or (OWN_ID,)):
        return 0
    of_own = replace(filters, direction="sent", peer_ids=frozenset((OWN_ID,)))
    settled = await timing_queries.counts(session, span, of_own, by=("outcome",))
    return sum(count for (outcome,), count in settled.items() if outcome != "retry")


async def progress(session: AsyncSession) -> TimingsProgress:
    found = await timing_progress.progress(session)
    return TimingsProgress(
        rolled_up=not found.waiting_records,
        waiting_records=found.waiting_records,
        import_done=found.import_done,
        imported_percent=reports.imported_percent(found.imported_to, done=found.import_done),
        rebuild_percent=None if found.rebuilt is None else round(100 * found.rebuilt, 1),
    )


async def _headline(session: AsyncSession, span: Span, filters: Filters) -> Headline:
    found = await timing_queries.totals_and_histograms(session, span, filters, by=("outcome",))
    _, histograms = found.get((delivered(filters).outcome,), (None, {}))
    return reports.headline({outcome: totals for (outcome,), (totals, _) in found.items()}, histograms)


def width_for(span: Span, filters: Filters, by: Sequence[Dimension] = (), most: int = MOST_COLUMNS) -> int:
    """The width of columns, in seconds, for which roll-ups are kept; about `most` show the span, or fewer."""
    return column_width(span, timing_queries.narrowest_column_s(span, filters, by), most)


async def responses(
    session: AsyncSession, span: Span, filters: Filters, figure: HistogramFigure, columns: int = MOST_COLUMNS
) -> ResponsesShown:
    width_s = width_for(span, delivered(filters), most=columns)
    found = await timing_queries.histograms(session, span, delivered(filters), figure, column_s=width_s)
    starts = columns_of(span, width_s)
    histograms = [found.get((start,)) for start in starts]
    heatmap = reports.heatmap(histograms)
    p50, p95, p99 = ([reports.percentile_ms(each, percent) for each in histograms] for percent in (50, 95, 99))
    return ResponsesShown(
        figure=figure,
        width_s=width_s,
        columns=[time_of(start * NS_PER_S) for start in starts],
        bucket_edges_ms=heatmap.edges_ms,
        cells=heatmap.cells,
        count=[each.count if each is not None else 0 for each in histograms],
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
    )


async def cell(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    figure: HistogramFigure,
    low_ms: float,
    high_ms: float,
    limit: int = MOST_IN_CELL,
) -> CellShown:
    # Durations of 0 and 1 µs are in the first bucket, above its lower edge of 0.
    low_us = reports.whole_us(low_ms) if low_ms else -1
    rows = await timing_queries.in_cell(
        session, span, delivered(filters), figure, low_us, reports.whole_us(high_ms), limit + 1
    )
    names = await peer_names(session)
    return CellShown(
        transfers=[
            CellTransfer(
                transfer_id=row.transfer_id,
                direction=row.direction,
                at=time_of(row.at_ns),
                peer=names.get(row.peer_id, ""),
                mode=row.mode,
                outcome=row.outcome,
                size=row.size,
                share=SHARE_CLASSES[share_class(row.classified_size, row.size)],
                value_ms=reports.ms(getattr(row, f"{figure}_us")),
                clock_moved=row.clock_moved,
            )
            for row in rows[:limit]
        ],
        more=len(rows) > limit,
    )


async def phases(session: AsyncSession, span: Span, filters: Filters, by: PhasesBy) -> PhasesShown:
    # What was received has no time before its data transfer, so it would make the means of those phases too small.
    found = await timing_queries.totals(session, span, delivered(sent(filters)), by=(_DIMENSIONS[by],), sums=PHASE_SUMS)
    groups = {key: totals for (key,), totals in found.items() if totals.timed}
    match by:
        case "size":
            shown = [
                reports.phase_group(SIZE_CLASSES[key], reports.size_label(key), groups[key]) for key in sorted(groups)
            ]
        case "share":
            shown = [
                reports.phase_group(SHARE_CLASSES[key], reports.share_label(key), groups[key]) for key in sorted(groups)
            ]
        case "mode":
            shown = [reports.phase_group(key, key, totals) for key, totals in reports.largest(groups, 10)[0]]
        case "peer":
            shown = await _by_peer(session, groups)
    return PhasesShown(by=by, groups=shown)


async def _by_peer(session: AsyncSession, groups: Mapping[str, Totals]) -> list[PhaseGroup]:
    most, others = reports.largest(groups, reports.MOST_PEERS)
    names = await peer_names(session, tell_apart=True)
    shown = [reports.phase_group(key, names.get(key, "unknown"), totals) for key, totals in most]
    if others is not None:
        left_out = len(groups) - len(most)
        shown.append(reports.phase_group(reports.OTHERS, f"{left_out} others", others))
    return shown


async def modes(session: AsyncSession, span: Span, filters: Filters) -> ModesShown:
    by: tuple[Dimension, ...] = ("mode", "size_class", "share_class")
    of = delivered(sent(filters))
    found = await timing_queries.totals(session, span, of, by=by)
    # From the coarser grain, which has fewer rows with these sums.
    expected = await timing_queries.totals(session, span, of, sums=EXPECTED_SUMS)
    cells, break_even = reports.matrix({(mode, size, share): totals for (mode, size, share), totals in found.items()})
    planner = reports.planner(sum(found.values(), Totals()), expected.get((), Totals()))
    return ModesShown(cells=cells, break_even=break_even, planner=planner)


async def points(session: AsyncSession, span: Span, filters: Filters, limit: int) -> Points:
    return await timing_queries.points(session, span, delivered(filters), limit)


def points_shown(found: Points) -> PointsShown:
    """The answer with these points. It is not checked again: there may be 100,000."""
    lists = [[*each] for each in zip(*found.rows, strict=True)] or [[] for _ in Point._fields]
    of = dict(zip(Point._fields, lists, strict=True))
    return PointsShown.model_construct(
        of=found.of,
        count=len(found.rows),
        transfer_id=of["transfer_id"],
        direction=of["direction"],
        at=[time_of(at_ns) for at_ns in of["at_ns"]],
        size=of["size"],
        share=[SHARE_CLASSES[each] for each in share_classes(of["classified_size"], of["size"])],
        # Of whole microseconds, these are the milliseconds to the microsecond.
        response_ms=[us / 1000 for us in of["response_us"]],
        mode=of["mode"],
    )


async def peer_names(session: AsyncSession, *, tell_apart: bool = False) -> Mapping[str, str]:
    """The name of every peer by id, removed or not. `tell_apart`: those of removed peers say when they were removed, if
    another peer has the name.
    """
    rows = (await session.execute(select(Peer.id, Peer.name, Peer.removed_at_ns))).all()
    count: dict[str, int] = {}
    for _, name, _ in rows:
        count[name] = count.get(name, 0) + 1
    return {
        peer_id: f"{name} (removed {time_of(removed_at_ns):%Y-%m-%d})"
        if tell_apart and removed_at_ns is not None and count[name] > 1
        else name
        for peer_id, name, removed_at_ns in rows
    }
