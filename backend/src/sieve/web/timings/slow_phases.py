"""Phases that take longer than before, or longer than with other peers.

They are compared in single records, within groups of the same mode and similar size, so that a peer that gets larger
documents is not called slow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from sieve.gateway.telemetry.timing_queries import PhaseTimes
from sieve.web.timings import reports
from sieve.web.timings.schemas import Phase, Standout

# numpy takes 0.2 s to import, and no gateway needs it to start.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

LONGER: Final = 1.5
LEAST_US: Final = 10_000
ERRORS: Final = 5.0
"""A mean stands out if it is `LONGER` times as long as the other, by `LEAST_US` and so many standard errors. A page
compares hundreds of means, and none may stand out by chance."""
PHASES: Final[Sequence[Phase]] = get_args(Phase)
_SMALLEST: Final = 10_000
_SIZES_PER_DECADE: Final = 3


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
