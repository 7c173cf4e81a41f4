"""What the figures in roll-ups say: pure functions over sums and histograms."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from sieve.core.sentence import Sentence
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_classes import SHARE_CLASSES, SIZE_CLASSES
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.lab.intervals import t95
from sieve.store.models.timings import PHASES, HistogramFigure
from sieve.web.schemas import shown_said
from sieve.web.timings.schemas import (
    BreakEvenShown,
    CauseCount,
    Headline,
    ModeMean,
    ModesCell,
    Percentiles,
    PhaseGroup,
    PhaseMeans,
    PlannerShown,
)

# numpy takes 0.2 s to import, and no gateway needs it to start.
if TYPE_CHECKING:
    from sieve.gateway.telemetry.histograms import Histogram

ENOUGH: Final = 10
"""Transfers of each mode that a comparison needs."""
MOST_PEERS: Final = 20
OTHERS: Final = "others"
NOT_ENOUGH: Final = Sentence("not-enough-transfers", "not enough transfers")

DISPLAYED: Final = 4
"""Buckets of a histogram that one bucket of a heatmap holds."""

SizeAndShare: TypeAlias = tuple[int, int]


def ms(us: float) -> float:
    """Microseconds as milliseconds, to the microsecond."""
    return round(us / 1000, 3)


def rate(per_s: float) -> float:
    """A rate per second, with four significant digits: one a day is a rate, too."""
    return float(f"{per_s:.4g}")


def share_of(part: int, whole: int) -> float | None:
    """A part of a whole, from 0 to 1; None of nothing."""
    return round(part / whole, 4) if whole else None


def imported_percent(imported_to: str, *, done: bool) -> float:
    """How many of the older transfers have records. `imported_to`: the id of the last one that has."""
    # Ids are random hexadecimal numbers and imported in order, so that the first digits say how many are before it.
    return 100.0 if done else round(100 * int(imported_to[:8] or "0", 16) / 2**32, 1)


# --- headline ---------------------------------------------------------------------------------------------------------


def percentiles(histogram: "Histogram | None", sum_us: int) -> Percentiles:
    """The percentiles of a histogram. `sum_us`: of its values, for the exact mean."""
    if histogram is None or not histogram.count:
        return Percentiles(count=0, p50_ms=None, p95_ms=None, p99_ms=None, mean_ms=None)
    p50, p95, p99 = (percentile_ms(histogram, percent) for percent in (50, 95, 99))
    return Percentiles(count=histogram.count, p50_ms=p50, p95_ms=p95, p99_ms=p99, mean_ms=ms(sum_us / histogram.count))


def percentile_ms(histogram: "Histogram | None", percent: float) -> float | None:
    """A percentile; None of nothing."""
    us = None if histogram is None else histogram.percentile_us(percent)
    return None if us is None else ms(us)


def headline(by_outcome: Mapping[str, Totals], histograms: "Mapping[HistogramFigure, Histogram]") -> Headline:
    """`by_outcome`: sums of each `TimingOutcome` that there was. `histograms`: of delivered transfers."""
    count = {outcome: totals.count for outcome, totals in by_outcome.items()}
    delivered = by_outcome.get("delivered") or Totals()
    carried = delivered.secure_bytes + delivered.plain_bytes
    settled = {outcome: count.get(outcome, 0) for outcome in ("delivered", "failed", "cancelled")}
    return Headline(
        transfers=sum(settled.values()),
        **settled,
        retries=count.get("retry", 0),
        clock_moved=sum(totals.clock_moved for totals in by_outcome.values()),
        secure_bytes=delivered.secure_bytes,
        plain_bytes=delivered.plain_bytes,
        plain_share=share_of(delivered.plain_bytes, carried),
        expected=delivered.expected,
        expected_within_two=delivered.expected_within_two,
        response=percentiles(histograms.get("response"), delivered.response_us),
        total=percentiles(histograms.get("total"), delivered.total_us),
        stored=percentiles(histograms.get("stored"), delivered.stored_us),
        waiting=percentiles(histograms.get("waiting"), delivered.waiting_us),
    )


# --- responses --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heatmap:
    """`edges_ms`: of its buckets, one more than there are. `cells`: column, bucket, transfers."""

    edges_ms: list[float]
    cells: list[tuple[int, int, int]]


def heatmap(columns: "Sequence[Histogram | None]") -> Heatmap:
    """One column for each histogram, with wider buckets than theirs: from the lowest used one to the highest."""
    counted: dict[tuple[int, int], int] = {}
    for column, histogram in enumerate(columns):
        if histogram is None:
            continue
        for bucket, count in zip(histogram.buckets.tolist(), histogram.counts.tolist(), strict=True):
            at = column, -(-bucket // DISPLAYED)
            counted[at] = counted.get(at, 0) + count
    if not counted:
        return Heatmap([], [])
    used = [bucket for _, bucket in counted]
    low, high = min(used), max(used)
    return Heatmap(
        [_edge_ms(bucket) for bucket in range(low - 1, high + 1)],
        [(column, bucket - low, counted[column, bucket]) for column, bucket in sorted(counted)],
    )


def _edge_ms(bucket: int) -> float:
    """The upper edge of a heatmap's bucket; that below the first one is 0."""
    from sieve.gateway.telemetry.histograms import upper_edge_us

    return 0.0 if bucket < 0 else upper_edge_us(DISPLAYED * bucket) / 1000


def whole_us(edge_ms: float) -> int:
    """The longest duration, in whole microseconds, up to an edge of a heatmap."""
    return math.floor(edge_ms * 1000)


# --- phases -----------------------------------------------------------------------------------------------------------


def phase_group(key: str, label: str, totals: Totals) -> PhaseGroup:
    """The mean phases of a group with at least one timed transfer."""
    means = {phase: ms(getattr(totals, f"{phase}_us") / totals.timed) for phase in PHASES}
    return PhaseGroup(key=key, label=label, count=totals.timed, mean_ms=PhaseMeans(**means))


def size_label(size_class: int) -> str:
    """A size class for people."""
    name = SIZE_CLASSES[size_class]
    return f"over {_spaced(SIZE_CLASSES[size_class - 1])}" if name == "more" else f"up to {_spaced(name)}"


def share_label(share_class: int) -> str:
    """A share class for people."""
    match SHARE_CLASSES[share_class]:
        case "0":
            return "nothing"
        case "99":
            return "over 90 %"
        case "100":
            return "everything"
        case name:
            return f"up to {name} %"


def _spaced(size: str) -> str:
    return f"{size[:-2]} {size[-2:]}"


def largest(groups: Mapping[str, Totals], most: int) -> tuple[list[tuple[str, Totals]], Totals | None]:
    """The `most` groups with the most timed transfers, and the sum of all others, if there are any."""
    ranked = sorted(
        ((key, totals) for key, totals in groups.items() if totals.timed), key=lambda x: (-x[1].timed, x[0])
    )
    if len(ranked) <= most:
        return ranked, None
    return ranked[:most], sum((totals for _, totals in ranked[most:]), Totals())


# --- modes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Improvement:
    """In percent, with its 95 % confidence interval."""

    percent: float
    low: float
    high: float


def improvement(sieve: Totals, secure_only: Totals) -> Improvement | None:
    """How much shorter the mean response of sieve is; None with fewer than `ENOUGH` transfers of either mode.

    The interval is by the delta method for the logarithm of the quotient of the two means: its variance is about the
    sum of their relative variances, and no end of the interval is over 100 %. Student's t with the degrees of freedom
    of Welch and Satterthwaite allows for few transfers.
    """
    if min(sieve.timed, secure_only.timed) < ENOUGH or not sieve.response_us or not secure_only.response_us:
        return None
    quotient = _mean_ms(sieve) / _mean_ms(secure_only)
    parts = [(_relative_variance(totals), totals.timed) for totals in (sieve, secure_only)]
    variance = sum(part for part, _ in parts)
    factor = 1.0
    if variance:
        freedom = variance**2 / sum(part**2 / (count - 1) for part, count in parts)
        factor = math.exp(t95(max(1, math.floor(freedom))) * math.sqrt(variance))
    return Improvement(*(round(100 * (1 - each), 2) for each in (quotient, quotient * factor, quotient / factor)))


def _mean_ms(totals: Totals) -> float:
    return totals.response_us / totals.timed / 1000


def _relative_variance(totals: Totals) -> float:
    """Of the mean response, as a part of its square."""
    n, mean = totals.timed, _mean_ms(totals)
    # Rounding may leave a variance of equal values a little below 0.
    variance = max(0.0, totals.response_square_ms2 - n * mean**2) / (n - 1)
    return variance / n / mean**2


def modes_cell(size_class: int, share_class: int, sieve: Totals, secure_only: Totals) -> ModesCell:
    """One cell of the matrix."""
    found = improvement(sieve, secure_only)
    return ModesCell(
        size=SIZE_CLASSES[size_class],
        share=SHARE_CLASSES[share_class],
        sieve=_mode_mean(sieve),
        secure_only=_mode_mean(secure_only),
        improvement_percent=found and found.percent,
        low=found and found.low,
        high=found and found.high,
        enough=found is not None,
    )


def _mode_mean(totals: Totals) -> ModeMean:
    return ModeMean(count=totals.timed, mean_ms=ms(totals.response_us / totals.timed) if totals.timed else None)


def break_even(size_class: int, points: Iterable[tuple[float, float]]) -> BreakEvenShown:
    """Where the improvement falls to 0, by straight lines between points of share classified and improvement."""
    size = SIZE_CLASSES[size_class]
    ordered = sorted(points)
    if len(ordered) < 2:
        return BreakEvenShown(size=size, share=None, reason=NOT_ENOUGH, said=shown_said(NOT_ENOUGH))
    if ordered[-1][1] >= 0:
        reason = Sentence("both-channels-faster", "both channels are faster at the largest share that was measured")
        return BreakEvenShown(size=size, share=None, reason=reason, said=shown_said(reason))
    for (share, gain), (next_share, next_gain) in reversed([*pairwise(ordered)]):
        if gain >= 0 > next_gain:
            crossing = share + (next_share - share) * gain / (gain - next_gain)
            return BreakEvenShown(size=size, share=round(crossing, 4), reason="", said=None)
    reason = Sentence("secure-only-faster", "the secure channel only is faster at every share that was measured")
    return BreakEvenShown(size=size, share=None, reason=reason, said=shown_said(reason))


def _unclear(size_class: int) -> BreakEvenShown:
    reason = Sentence("no-clear-difference", "no clear difference at any share that was measured")
    return BreakEvenShown(size=SIZE_CLASSES[size_class], share=None, reason=reason, said=shown_said(reason))


def matrix(
    totals: Mapping[tuple[str, int, int], Totals],
) -> tuple[list[ModesCell], list[BreakEvenShown]]:
    """Cells and break-evens from sums by mode, size class and share class."""
    cells, edges = [], []
    for size in sorted({size for _, size, _ in totals}):
        points, is_clear = [], False
        for share in sorted({share for _, of, share in totals if of == size}):
            sieve = totals.get(("sieve", size, share)) or Totals()
            secure_only = totals.get(("secure-only", size, share)) or Totals()
            if not sieve.timed and not secure_only.timed:
                continue
            cell = modes_cell(size, share, sieve, secure_only)
            cells.append(cell)
            if cell.improvement_percent is not None:
                # In this mode, only classified bytes are planned for the secure channel.
                points.append((sieve.secure_bytes / max(1, sieve.size), cell.improvement_percent))
                is_clear |= (cell.low or 0) > 0 or (cell.high or 0) < 0
        if any(cell.size == SIZE_CLASSES[size] for cell in cells):
            edges.append(break_even(size, points) if is_clear or len(points) < 2 else _unclear(size))
    return cells, edges


def planner(totals: Totals, expected: Totals) -> PlannerShown:
    """How good the planner's estimates were. `expected`: the same, with `EXPECTED_SUMS`."""
    return PlannerShown(
        predicted=totals.predicted,
        within_two=totals.within_two,
        other_faster=totals.other_faster,
        within_two_share=share_of(totals.within_two, totals.predicted),
        other_faster_share=share_of(totals.other_faster, totals.predicted),
        expected=expected.expected,
        expected_within_two=expected.expected_within_two,
        expected_within_two_share=share_of(expected.expected_within_two, expected.expected),
        mean_expected_ms=ms(expected.expected_us / expected.expected) if expected.expected else None,
        mean_turnaround_ms=ms(expected.turnaround_us / expected.expected) if expected.expected else None,
    )


# --- causes -----------------------------------------------------------------------------------------------------------

_CAUSES: Final[Mapping[TimingCause, str]] = {
    TimingCause.UNREACHABLE: "The peer did not answer",
    TimingCause.LINK_BROKE: "The secure channel broke",
    TimingCause.PLAIN_CHANNEL: "The plain channel failed or was too slow",
    TimingCause.PEER_BUSY: "The peer was busy",
    TimingCause.PEER_FULL: "The peer’s disk was full",
    TimingCause.PEER_REFUSED: "The peer refused",
    TimingCause.UNKNOWN_RECIPIENT: "The peer does not know a recipient",
    TimingCause.DEADLINE: "The deadline passed",
    TimingCause.STORED_DATA: "The document could not be read here",
    TimingCause.PEER_REMOVED: "The peer was removed",
    TimingCause.CANCELLED: "The author cancelled",
    TimingCause.INTERRUPTED: "This gateway stopped while sending",
    TimingCause.OTHER: "Another reason",
}


def cause_label(cause: str) -> str:
    """A cause for people."""
    return _CAUSES[TimingCause(cause)]


def causes(by_cause: Mapping[str, int]) -> list[CauseCount]:
    """The causes of attempts that failed, the most frequent first."""
    ranked = sorted(
        ((count, cause) for cause, count in by_cause.items() if cause and count), key=lambda x: (-x[0], x[1])
    )
    return [CauseCount(cause=TimingCause(cause), label=cause_label(cause), count=n) for n, cause in ranked]
