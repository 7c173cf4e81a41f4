"""What stands out: peers that are paused, causes for which many attempts fail, and phases that take longer than before
or longer than with other peers.

Causes are counted from roll-ups. Phases are compared in single records, within groups of the same mode and similar
size, so that a peer that gets larger documents is not called slow.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, get_args

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry import timing_queries
from sieve.gateway.telemetry.timing_classes import TimingCause
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S
from sieve.gateway.telemetry.timing_queries import Dimension, PhaseTimes, Span
from sieve.store.queries import peer_contacts, queue_state
from sieve.web.times import shown as time_of
from sieve.web.times import shown_if
from sieve.web.timings import answers, reports, slow_channels
from sieve.web.timings.schemas import Phase, Standout, StandoutsShown

# numpy takes 0.2 s to import, and no gateway needs it to start.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

MOST: Final = 12
SAMPLED: Final = 2000
"""Records of each time range in which phases are compared."""
FEWEST_FAILED: Final = 3
SHARE_FAILED: Final = 0.1
"""Of the attempts to a peer: a smaller share for one cause does not stand out."""
ROSE: Final = 5
"""Fewer do not stand out by having become more frequent."""
ROSE_TIMES: Final = 4
COMPARED_BEFORE: Final = 30
"""Attempts before, without which nothing can have become more frequent."""
LONGER: Final = 1.5
LEAST_US: Final = 10_000
ERRORS: Final = 5.0
"""A mean stands out if it is `LONGER` times as long as the other, by `LEAST_US` and so many standard errors. A page
compares hundreds of means, and none may stand out by chance."""
PHASES: Final[Sequence[Phase]] = get_args(Phase)
_PEER: Final = PhaseTimes._fields.index("peer_id")
_SMALLEST: Final = 10_000
_SIZES_PER_DECADE: Final = 3
_COUNTED_BY: Final[Sequence[Dimension]] = ("peer_id", "mode", "cause")
_WHOLE_S: Final = ((7 * DAY_S, DAY_S), (DAY_S, HOUR_S))
"""From the first length on, a range is of whole periods of the second one: far fewer roll-ups are read."""
_HERE: Final = frozenset({TimingCause.STORED_DATA, TimingCause.INTERRUPTED, TimingCause.OTHER})
"""Causes that say nothing about the peer."""


async def shown(session: AsyncSession, span: Span, filters: Filters) -> StandoutsShown:
    """Of what was sent, unless `filters` have a direction; the most urgent first. A range of a day or more grows to
    whole hours, one of a week or more to whole days."""
    span = _grown(span)
    sent = answers.sent(filters)
    names = await answers.peer_names(session)
    span_before = timing_queries.before(span, sent, _COUNTED_BY)
    now, before = await _counted(session, (span, span_before), sent, names)
    compared = answers.delivered(sent)
    (of, times), (_, times_before) = [
        await timing_queries.phase_times(session, each, compared, SAMPLED) for each in (span, span_before)
    ]
    times, times_before = _named(times, names), _named(times_before, names)
    of_all = times
    if filters.peer_ids is not None:
        every = replace(compared, peer_ids=None)
        of_all = _named((await timing_queries.phase_times(session, span, every, SAMPLED))[1], names)
    slow, count = slow_phases(times, times_before, of_all)
    if any(each.phase == "data_transfer" for each in slow):
        slow = await _with_channels(session, slow, (times, times_before, of_all), names)
    found = [
        *await _paused(session, {names[each] for each in filters.peer_ids} if filters.peer_ids else None),
        *failures(now, before),
        *slow,
    ]
    return StandoutsShown(
        since=time_of(span.since_s * NS_PER_S),
        until=time_of(span.until_s * NS_PER_S),
        previous_since=time_of(span_before.since_s * NS_PER_S),
        previous_until=time_of(span_before.until_s * NS_PER_S),
        items=found[:MOST],
        more=max(0, len(found) - MOST),
        attempts=now.all.total(),
        attempts_compared=sum(count for peer, count in now.all.items() if before.all[peer] >= COMPARED_BEFORE),
        compared=count,
        sampled_of=of if len(times) < of else None,
    )


def _grown(span: Span) -> Span:
    length_s = span.until_s - span.since_s
    width_s = next((width_s for least_s, width_s in _WHOLE_S if length_s >= least_s), 1)
    return Span(span.since_s - span.since_s % width_s, span.until_s + -span.until_s % width_s)


async def _with_channels(
    session: AsyncSession, slow: Sequence[Standout], times: Sequence[Sequence[PhaseTimes]], names: Mapping[str, str]
) -> list[Standout]:
    alone, _ = slow_phases(*([one for one in each if one.mode == "secure-only"] for each in times))
    contacts = await peer_contacts.all_of_them(session)
    return await slow_channels.named(
        session,
        slow,
        times[0],
        {each.peer for each in alone if each.phase == "data_transfer"},
        {names[each.peer_id]: each.latency_us for each in contacts if each.peer_id in names and each.latency_us},
    )


async def _paused(session: AsyncSession, wanted: Collection[str] | None) -> list[Standout]:
    """The peers to which nothing is sent now, of those `wanted`; of all if None."""
    return [
        Standout(kind="paused", peer=row.name, count=row.failures, paused_until=shown_if(row.open_until_ns))
        for row in sorted(await queue_state.paused(session, now_ns()), key=lambda row: (-row.waiting, row.name))
        if wanted is None or row.name in wanted
    ]


def _named(times: Iterable[PhaseTimes], names: Mapping[str, str]) -> list[PhaseTimes]:
    """The same with the peers' names in place of their ids: a filter is for a name."""
    # Of thousands, `_replace` would take four times as long.
    return [PhaseTimes._make((*each[:_PEER], names.get(each.peer_id, ""), *each[_PEER + 1 :])) for each in times]


# --- causes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attempts:
    """How many attempts ended, by peer: all, those over both channels, and those of each cause. The peer is "" for
    causes that say nothing about it."""

    all: Counter[str] = field(default_factory=Counter)
    over_both: Counter[str] = field(default_factory=Counter)
    of_cause: Counter[tuple[str, str]] = field(default_factory=Counter)

    def of(self, peer: str, cause: str) -> int:
        """Those that could have had this cause."""
        counted = self.over_both if cause == TimingCause.PLAIN_CHANNEL else self.all
        return counted[peer] if peer else counted.total()


async def _counted(
    session: AsyncSession, spans: Sequence[Span], filters: Filters, names: Mapping[str, str]
) -> Sequence[Attempts]:
    """Those of each span."""
    found = [Attempts() for _ in spans]
    by = await timing_queries.counts_of_ranges(session, spans, filters, by=_COUNTED_BY)
    for (peer_id, mode, cause), counts in by.items():
        # A cancelled transfer may have had no attempt, and says nothing about the peer.
        if cause == TimingCause.CANCELLED:
            continue
        peer = names.get(peer_id, "")
        for attempts, count in zip(found, counts, strict=True):
            if not count:
                continue
            attempts.all[peer] += count
            # A later attempt that is kept off the plain channel, because an earlier one failed on it, is secure-only.
            if mode == "sieve":
                attempts.over_both[peer] += count
            if cause:
                attempts.of_cause["" if cause in _HERE else peer, cause] += count
    return found


def failures(now: Attempts, before: Attempts) -> list[Standout]:
    """The causes for which at least 3 attempts and a tenth of those to a peer failed, or left the plain channel; and
    those for which at least 5 did, 4 times as often as before.
    """
    found = []
    for (peer, cause), count in now.of_cause.items():
        if count < FEWEST_FAILED:
            continue
        of = max(count, now.of(peer, cause))
        count_before = before.of_cause[peer, cause]
        of_before = max(count_before, before.of(peer, cause))
        is_frequent = count >= SHARE_FAILED * of
        has_risen = (
            count >= ROSE and of_before >= COMPARED_BEFORE and count * of_before >= ROSE_TIMES * count_before * of
        )
        if not is_frequent and not has_risen:
            continue
        found.append(
            Standout(
                kind="plain-channel" if cause == TimingCause.PLAIN_CHANNEL else "failures",
                peer=peer or None,
                cause=TimingCause(cause),
                label=reports.cause_label(cause),
                count=count,
                of=of,
                count_before=count_before,
                of_before=of_before,
            )
        )
    return sorted(found, key=lambda each: (-each.count, each.peer or "", each.cause or ""))


# --- phases -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moments:
    """Of records by peer and group of the same mode and similar size. `n`: how many, as peers x groups. `sums`,
    `squares`: of the times of each phase, as peers x groups x phases, in microseconds."""

    n: "Floats"
    sums: "Floats"
    squares: "Floats"

    def added(self, peers: "Flags") -> "Moments":
        """Those of some peers, as if they were one."""
        return Moments(*(each[peers].sum(axis=0, keepdims=True) for each in (self.n, self.sums, self.squares)))

    def less(self, others: "Moments") -> "Moments":
        return Moments(self.n - others.n, self.sums - others.sums, self.squares - others.squares)


@dataclass(frozen=True, slots=True)
class Compared:
    """The mean of each phase of some records and of others, as if both had as many of each group, by peers x phases.
    `count`: of the former, by peer. `enough`: of both. `longer`: the difference stands out."""

    count: "Floats"
    mean_us: "Floats"
    other_us: "Floats"
    enough: "Flags"
    longer: "Flags"


def compared(these: Moments, others: Moments) -> Compared:
    """Compares the mean phases in the groups in which there are at least two records of both."""
    import numpy as np

    both = (these.n >= 2) & (others.n >= 2)
    weight = np.where(both, these.n, 0.0)
    count, other_count = weight.sum(axis=1), np.where(both, others.n, 0.0).sum(axis=1)
    share = (weight / np.maximum(count, 1)[:, None])[:, :, None]
    means, error_squares = [], np.zeros((len(count), len(PHASES)))
    for each in (these, others):
        n = np.maximum(each.n, 2)[:, :, None]
        mean = each.sums / n
        variance = np.maximum(each.squares / n - mean**2, 0.0) * n / (n - 1)
        means.append((share * mean).sum(axis=1))
        error_squares += (share**2 * variance / n).sum(axis=1)
    mean_us, other_us = means
    enough = (count >= reports.ENOUGH) & (other_count >= reports.ENOUGH)
    least = np.maximum(LEAST_US, ERRORS * np.sqrt(error_squares))
    longer = enough[:, None] & (mean_us >= LONGER * other_us) & (mean_us - other_us >= least)
    return Compared(count, mean_us, other_us, enough, longer)


def slow_phases(
    times: Sequence[PhaseTimes], before: Sequence[PhaseTimes], of_all: Sequence[PhaseTimes]
) -> tuple[list[Standout], int]:
    """The phases that take longer than in the time range before, or than with other peers: those that cost most time
    first; and how many of `times` could be compared. `of_all`: the records to compare a peer with; may be `times`.
    """
    import numpy as np

    if not times:
        return [], 0
    peers = sorted({each.peer_id for each in times} - {""})
    now, then, all_peers, everyone = _moments(times, before, of_all, peers)
    vs_before, vs_others = compared(now, then), compared(now, everyone.less(all_peers))
    costs: list[tuple[float, Standout]] = []

    def add(row: int, phase: int, peer: str | None, by_time: Compared, by_peer: Compared | None) -> None:
        slower = [each for each in (by_time, by_peer) if each is not None and each.longer[row, phase]]
        main = slower[0]
        cost = max(float(each.count[row] * (each.mean_us - each.other_us)[row, phase]) for each in slower)
        found = Standout(
            kind="phase",
            peer=peer,
            phase=PHASES[phase],
            count=round(float(main.count[row])),
            mean_ms=reports.ms(float(main.mean_us[row, phase])),
            before_ms=reports.ms(float(by_time.other_us[row, phase])) if by_time.enough[row] else None,
            others_ms=reports.ms(float(by_peer.other_us[row, phase])) if by_peer and by_peer.enough[row] else None,
            than="before" if by_time.longer[row, phase] else "others",
        )
        costs.append((cost, found))

    for phase in range(len(PHASES)):
        # What peers have in common is said once.
        alike = ~vs_others.longer[:, phase]
        together = compared(now.added(alike), then.added(alike))
        is_common = alike.sum() > 1 and bool(together.longer[0, phase])
        if is_common:
            add(0, phase, None, together, None)
        for row, peer in enumerate(peers):
            if vs_others.longer[row, phase] or (vs_before.longer[row, phase] and not is_common):
                add(row, phase, peer, vs_before, vs_others)
    count = sum(np.maximum(*(np.where(each.enough, each.count, 0) for each in (vs_before, vs_others))))
    return [found for _, found in sorted(costs, key=lambda each: -each[0])], round(count)


def _moments(
    times: Sequence[PhaseTimes], before: Sequence[PhaseTimes], of_all: Sequence[PhaseTimes], peers: Sequence[str]
) -> tuple[Moments, Moments, Moments, Moments]:
    """Those of these peers in `times`, in `before` and in `of_all`, and those of all records of `of_all` together."""
    import numpy as np

    row_of = {peer: row for row, peer in enumerate(peers)}
    parts, all_at = ([times, before], 0) if of_all is times else ([times, before, of_all], 2)
    sizes = np.array([each.size for part in parts for each in part], np.float64)
    size_groups = np.floor(_SIZES_PER_DECADE * np.log10(np.maximum(sizes, _SMALLEST))).astype(np.int64)
    modes = np.unique([each.mode for part in parts for each in part], return_inverse=True)[1]
    groups, group = np.unique(modes * (int(size_groups.max()) + 1) + size_groups, return_inverse=True)
    found, first = [], 0
    for part in parts:
        peer = np.array([row_of.get(each.peer_id, -1) for each in part], np.int64)
        # Times that were not measured count as none.
        phases = np.nan_to_num(np.array([each.phases for each in part], np.float64).reshape(len(part), len(PHASES)))
        found.append((peer, group[first : first + len(part)], phases))
        first += len(part)
    by_peer = [_moments_of(*each, len(peers), len(groups)) for each in found]
    peer, group, phases = found[all_at]
    everyone = _moments_of(np.zeros_like(peer), group, phases, 1, len(groups))
    return by_peer[0], by_peer[1], by_peer[all_at], everyone


def _moments_of(peer: "Integers", group: "Integers", phases: "Floats", peers: int, groups: int) -> Moments:
    """`peer`, `group`, `phases`: of each record. Those of no peer, which have a negative number, do not count."""
    import numpy as np

    of_peers = peer >= 0
    at, phases = (peer * groups + group)[of_peers], phases[of_peers]

    def added(weights: "Floats | None") -> "Floats":
        return np.bincount(at, weights, minlength=peers * groups).reshape(peers, groups).astype(np.float64)

    return Moments(
        added(None),
        np.stack([added(phases[:, phase]) for phase in range(len(PHASES))], axis=-1),
        np.stack([added(phases[:, phase] ** 2) for phase in range(len(PHASES))], axis=-1),
    )
