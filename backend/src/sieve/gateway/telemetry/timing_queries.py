"""What dashboards ask of timings: sums, histograms and columns over time from roll-ups, single records for points.

Everything is for a `Span` of time and `Filters`. A roll-up query uses the coarsest grain that divides by all that is
asked for, and the widest periods that cover the span. So it is exact to the minute for the last days, then to the hour,
then to the day: a span grows to whole periods. Use `Database.browse`: many rows may be read.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry import timing_periods
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, covering, finest_width_s
from sieve.store.models import TimingRecord
from sieve.store.models.timings import HISTOGRAM_FIGURES, Direction, HistogramFigure
from sieve.store.queries import timing_points, timing_rollups, timing_sums
from sieve.store.queries.timing_rollups import SUMS, WIDTHS
from sieve.store.queries.timing_sums import TIME_SUMS, Where

# numpy takes 0.2 s to import, and no gateway needs it to start.
if TYPE_CHECKING:
    from sieve.gateway.telemetry.histograms import Histogram

Dimension: TypeAlias = Literal["direction", "outcome", "cause", "mode", "peer_id", "size_class", "share_class"]

NO_CHANNELS: Final = "0+0"
"""Of attempts that ended before channels were chosen."""
MANY_BYTES: Final = 100_000
"""More bytes of histograms than this are added up in a thread."""
SCANNED: Final = 3
"""A sample of single records reads this many times the records that it may have, because filters leave some out."""


@dataclass(frozen=True, slots=True)
class Span:
    """A range of time, half open, in seconds since the epoch."""

    since_s: int
    until_s: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of `TimingRollup`; its docstring says what each is."""

    count: int = 0
    timed: int = 0
    clock_moved: int = 0
    size: int = 0
    secure_bytes: int = 0
    plain_bytes: int = 0
    waiting_us: int = 0
    sieve_us: int = 0
    split_us: int = 0
    establishment_us: int = 0
    data_transfer_us: int = 0
    combine_us: int = 0
    integrate_us: int = 0
    storing_us: int = 0
    response_us: int = 0
    total_us: int = 0
    stored_us: int = 0
    response_square_ms2: float = 0.0
    predicted: int = 0
    within_two: int = 0
    other_faster: int = 0
    expected: int = 0
    expected_within_two: int = 0
    expected_us: int = 0
    turnaround_us: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(*(getattr(self, name) + getattr(other, name) for name in SUMS))


class Point(NamedTuple):
    """One timed record."""

    transfer_id: str
    direction: str
    at_ns: int
    size: int
    classified_size: int
    response_us: int
    mode: str


class Service(NamedTuple):
    """What one timed record says of the work of a transfer."""

    mode: str
    size: int
    classified_size: int
    secure_channels: int
    plain_channels: int
    batch: int
    total_us: int | None


class PhaseTimes(NamedTuple):
    """The times of one timed record, in microseconds; None if not measured. And which attempt it is of."""

    transfer_id: str
    attempt: int
    direction: Direction
    peer_id: str
    mode: str
    size: int
    waiting_us: int | None
    sieve_us: int | None
    split_us: int | None
    establishment_us: int | None
    data_transfer_us: int | None
    combine_us: int | None
    integrate_us: int | None
    storing_us: int | None

    @property
    def phases(self) -> Sequence[int | None]:
        """The times of all phases, in their order."""
        return self[6:]


@dataclass(frozen=True, slots=True)
class Points:
    """Timed records of a span; `of`: how many there are. If that is more than `rows`, these are a random sample. Each
    row has the fields of a `Point`: to make a point of each would take as long as to read it."""

    of: int
    rows: Sequence[Sequence[Any]]

    @property
    def points(self) -> Sequence[Point]:
        return [Point._make(row) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of dimensions that occur in roll-ups, sorted."""

    peer_ids: Sequence[str]
    channels: Sequence[str]
    suites: Sequence[str]
    batch_classes: Sequence[int]


async def totals(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    by: Sequence[Dimension] = (),
    *,
    column_s: int | None = None,
    sums: Sequence[str] = TIME_SUMS,
    now_s: int | None = None,
) -> dict[tuple[Any, ...], Totals]:
    """The sums of each group of values of `by`; one with the key () if `by` is empty, unless there are no records.

    `column_s`: those of each column of that many seconds, by its start and the values of `by`. It is a multiple of a
    minute, an hour or a day, and at least `narrowest_column_s`.
    `sums`: those that are read; the others stay 0.
    """
    found = await _read(session, span, filters, by, column_s, (), now_s, sums=sums)
    return {key: total for key, (total, _) in found.items()}


async def counts(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    by: Sequence[Dimension] = (),
    *,
    column_s: int | None = None,
    now_s: int | None = None,
) -> dict[tuple[Any, ...], int]:
    """Only the counts of `totals`, which are read in half of the time."""
    found = await sums(session, span, filters, ("count",), by, column_s=column_s, now_s=now_s)
    return {key: count for key, (count,) in found.items()}


async def counts_of_ranges(
    session: AsyncSession, spans: Sequence[Span], filters: Filters, by: Sequence[Dimension], *, now_s: int | None = None
) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """The counts of several ranges, each group's in their order: for thousands of groups."""
    wheres = [await _wheres(session, span, filters, by, None, ("count",), now_s) for span in spans]
    rows = await timing_sums.read_counts(session, wheres, by)
    first = len(by)
    # A sum over no rows is None.
    return {tuple(row[:first]): tuple(map(int, row[first:])) for row in rows if row[first] is not None}


async def sums(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    names: Sequence[str],
    by: Sequence[Dimension] = (),
    *,
    column_s: int | None = None,
    now_s: int | None = None,
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Some sums of `totals`, in the order of `names`, without an object for each group: for thousands of groups."""
    wheres = await _wheres(session, span, filters, by, column_s, names, now_s)
    first, last = (1 if column_s is None else 0), 1 + len(by)
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in await timing_sums.read(session, wheres, by, column_s, names):
        if row[last] is not None:  # a sum over no rows
            key, numbers = tuple(row[first:last]), tuple(_numbers(row[last:]))
            found[key] = tuple(map(add, found[key], numbers)) if key in found else numbers
    return found


async def histograms(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    figure: HistogramFigure,
    by: Sequence[Dimension] = (),
    *,
    column_s: int | None = None,
    now_s: int | None = None,
) -> "dict[tuple[Any, ...], Histogram]":
    """The histogram of each group, or of each column and group, that has one."""
    found = await _read(session, span, filters, by, column_s, (figure,), now_s, sums=("timed",))
    return {key: of[figure] for key, (_, of) in found.items() if figure in of}


async def totals_and_histograms(
    session: AsyncSession, span: Span, filters: Filters, by: Sequence[Dimension] = (), *, now_s: int | None = None
) -> "dict[tuple[Any, ...], tuple[Totals, dict[HistogramFigure, Histogram]]]":
    """The sums of each group, and its histogram of each figure that has one."""
    # With histograms, the sums behind them are read anyway.
    return await _read(session, span, filters, by, None, HISTOGRAM_FIGURES, now_s, sums=SUMS)


def narrowest_column_s(span: Span, filters: Filters, by: Sequence[Dimension] = (), *, now_s: int | None = None) -> int:
    """The narrowest column in which `series` can show the whole span: a minute, an hour or a day."""
    grain = timing_rollups.grain_for([*filters.values(), *by])
    return finest_width_s(grain, span.since_s, _now_s(now_s))


def before(span: Span, filters: Filters, by: Sequence[Dimension] = (), *, now_s: int | None = None) -> Span:
    """The range just before, of about the same length: see `timing_periods.before`."""
    grain = timing_rollups.grain_for([*filters.values(), *by])
    return Span(*timing_periods.before(grain, span.since_s, span.until_s, _now_s(now_s)))


async def points(
    session: AsyncSession, span: Span, filters: Filters, limit: int, *, now_s: int | None = None
) -> Points:
    """Up to `limit` timed records. If there are more, those of a random sample, which is the same each time.

    If filters leave out most of very many records, there may be fewer points than `limit`.
    """
    matching, rows = await _sample(session, span, filters, Point._fields, limit, now_s)
    # Records that are not rolled up yet may be points already.
    return Points(max(matching, len(rows)), rows)


async def services(
    session: AsyncSession, span: Span, filters: Filters, limit: int, *, matching: int, now_s: int | None = None
) -> Sequence[Service]:
    """Up to `limit` delivered records; if there are more, those of a random sample. `matching`: how many there are."""
    _, rows = await _sample(session, span, filters, Service._fields, limit, now_s, matching)
    return [Service._make(row) for row in rows]


async def phase_times(
    session: AsyncSession, span: Span, filters: Filters, limit: int, *, now_s: int | None = None
) -> tuple[int, Sequence[Sequence[Any]]]:
    """How many timed records there are, and up to `limit` of them; if there are more, those of a random sample. Each
    row has the fields of `PhaseTimes`."""
    return await _sample(session, span, filters, PhaseTimes._fields, limit, now_s)


async def _sample(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    columns: Sequence[str],
    limit: int,
    now_s: int | None,
    matching: int | None = None,
) -> tuple[int, Sequence[Any]]:
    """How many timed records there are, which is counted unless given, and these columns of up to `limit` of them."""
    every = await _timed(session, span, Filters(), now_s)
    if matching is None:
        matching = await _timed(session, span, filters, now_s)
    sample = 0
    while matching >> sample > limit or every >> sample > SCANNED * limit:
        sample += 1
    since_ns, until_ns = span.since_s * NS_PER_S, span.until_s * NS_PER_S
    rows = await timing_points.timed(session, columns, since_ns, until_ns, sample, limit, filters.of_records())
    return matching, rows


async def _timed(session: AsyncSession, span: Span, filters: Filters, now_s: int | None) -> int:
    found = await sums(session, span, filters, ("timed",), now_s=now_s)
    return int(found[()][0]) if found else 0


async def in_cell(
    session: AsyncSession, span: Span, filters: Filters, figure: HistogramFigure, low_us: int, high_us: int, limit: int
) -> Sequence[TimingRecord]:
    """Timed records whose figure is over `low_us` and up to `high_us`, latest first."""
    since_ns, until_ns = span.since_s * NS_PER_S, span.until_s * NS_PER_S
    return await timing_points.between(
        session, since_ns, until_ns, figure, low_us, high_us, limit, filters.of_records()
    )


async def choices(session: AsyncSession) -> Choices:
    """What filters can choose from."""
    of_peers = await timing_sums.values(session, "peer", ["peer_id"])
    of_links = await timing_sums.values(session, "link", ["channels", "suite", "batch_class"])
    return Choices(
        peer_ids=[row[0] for row in of_peers],
        channels=sorted({row[0] for row in of_links} - {NO_CHANNELS}),
        suites=sorted({row[1] for row in of_links} - {""}),
        batch_classes=sorted({row[2] for row in of_links}),
    )


async def _read(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    by: Sequence[Dimension],
    column_s: int | None,
    figures: Sequence[HistogramFigure],
    now_s: int | None,
    *,
    sums: Sequence[str] = TIME_SUMS,
) -> "dict[tuple[Any, ...], tuple[Totals, dict[HistogramFigure, Histogram]]]":
    """Sums and histograms of each column and group; without `column_s`, of each group. `sums`: those that are read."""
    names = [*sums, *(f"{figure}_counts" for figure in figures)]
    first, last, numbers_end = (1 if column_s is None else 0), 1 + len(by), 1 + len(by) + len(sums)
    wheres = await _wheres(session, span, filters, by, column_s, names, now_s)
    summed: dict[tuple[Any, ...], Totals] = {}
    joined: dict[tuple[Any, ...], dict[HistogramFigure, list[bytes]]] = {}
    for row in await timing_sums.read(session, wheres, by, column_s, names):
        if row[last] is None:
            continue  # a sum over no rows
        key = tuple(row[first:last])
        total = Totals(**dict(zip(sums, _numbers(row[last:numbers_end]), strict=True)))
        summed[key] = summed[key] + total if key in summed else total
        parts = joined.setdefault(key, {})
        for figure, counts in zip(figures, row[numbers_end:], strict=True):
            if counts:
                parts.setdefault(figure, []).append(counts)
    many = sum(len(each) for of in joined.values() for parts in of.values() for each in parts) > MANY_BYTES
    added = await asyncio.to_thread(_added, joined) if many else _added(joined)
    return {key: (summed[key], of) for key, of in added.items()}


def _numbers(values: Iterable[Any]) -> list[Any]:
    # PostgreSQL's sums of integers are decimals.
    return [each if isinstance(each, float) else int(each) for each in values]


def _added(
    joined: Mapping[tuple[Any, ...], Mapping[HistogramFigure, Sequence[bytes]]],
) -> "dict[tuple[Any, ...], dict[HistogramFigure, Histogram]]":
    from sieve.gateway.telemetry.histograms import Histogram

    return {
        key: {figure: Histogram.from_bytes(b"".join(parts)) for figure, parts in of.items()}
        for key, of in joined.items()
    }


async def _wheres(
    session: AsyncSession,
    span: Span,
    filters: Filters,
    by: Sequence[Dimension],
    column_s: int | None,
    names: Sequence[str],
    now_s: int | None,
) -> Sequence[Where]:
    values = filters.values()
    grain = timing_rollups.grain_for([*values, *by])
    # Whole periods fit into a column if their width divides the column's.
    widest = max(width for width in WIDTHS if (column_s or DAY_S) % width == 0)
    periods = covering(grain, span.since_s, span.until_s, _now_s(now_s), widest_s=widest)
    grains = [timing_rollups.grain_for([*values, *by], each.width_s) for each in periods]
    looked_up = {
        grain for grain, each in zip(grains, periods, strict=True) if not timing_sums.is_indexed(names, grain, *each)
    }
    ids = {grain: await timing_sums.few_groups(session, grain, values) for grain in looked_up}
    return [
        Where(grain, each.width_s, each.since_s, each.until_s, values, ids.get(grain))
        for grain, each in zip(grains, periods, strict=True)
    ]


def _now_s(now_s: int | None) -> int:
    return now_ns() // NS_PER_S if now_s is None else now_s
