"""The periods of timing roll-ups: how long each width is kept, and which periods cover a range of time.

All in seconds since the epoch, UTC. A period starts at a multiple of its width: a minute, an hour or a day.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sieve.store.models.timings import Grain
from sieve.store.queries.timing_rollups import WIDTHS

MINUTE_S, HOUR_S, DAY_S = WIDTHS
_KEPT_S: Final[Mapping[int, int]] = {MINUTE_S: 3 * DAY_S, HOUR_S: 100 * DAY_S, DAY_S: 5 * 366 * DAY_S}
_KEPT_FINE_S: Final[Mapping[int, int]] = {MINUTE_S: 3 * DAY_S, HOUR_S: 10 * DAY_S, DAY_S: 400 * DAY_S}
"""The finest grain has nearly as many groups as an hour has records. It also divides the days of its neighbours."""
MARGIN_S: Final = DAY_S
"""Roll-ups are removed this much later: whole days and hours that reach back behind a limit can still be divided."""


class Periods(NamedTuple):
    """The periods of one width that start from `since_s` on and end by `until_s`."""

    width_s: int
    since_s: int
    until_s: int


def kept_s(grain: Grain, width_s: int) -> int:
    """How long roll-ups of that width are kept."""
    coarse = grain in ("base", "peer", "size", "link")
    return (_KEPT_S if coarse else _KEPT_FINE_S)[width_s]


def removed_before_s(grain: Grain, width_s: int, now_s: int) -> int:
    """Periods that start earlier are removed."""
    return now_s - kept_s(grain, width_s) - MARGIN_S


def finest_width_s(grain: Grain, at_s: int, now_s: int) -> int:
    """The finest width that is kept of the time from `at_s` on."""
    return next((width for width in WIDTHS if at_s >= now_s - kept_s(grain, width)), DAY_S)


def covering(grain: Grain, since_s: int, until_s: int, now_s: int, *, widest_s: int = DAY_S) -> Sequence[Periods]:
    """The fewest periods that cover the range, each moment once, in order. The range grows at both ends to whole
    periods of the finest width that is kept there.
    """
    since_s -= since_s % finest_width_s(grain, since_s, now_s)
    until_s += -until_s % finest_width_s(grain, until_s, now_s)
    return list(_covering(since_s, until_s, [width for width in reversed(WIDTHS) if width <= widest_s]))


def before(grain: Grain, since_s: int, until_s: int, now_s: int) -> tuple[int, int]:
    """The range before the one that covers `since_s` to `until_s`: as long, to half a period of the width that is kept
    there. The two do not overlap."""
    until_s += -until_s % finest_width_s(grain, until_s, now_s)
    since_s -= since_s % finest_width_s(grain, since_s, now_s)
    first_s = 2 * since_s - until_s
    width_s = finest_width_s(grain, first_s, now_s)
    first_s = (first_s + width_s // 2) // width_s * width_s
    return min(first_s, since_s - width_s), since_s


def _covering(since_s: int, until_s: int, widths: Sequence[int]) -> Iterator[Periods]:
    if since_s >= until_s:
        return
    width, *finer = widths
    first, last = since_s + -since_s % width, until_s - until_s % width
    if first >= last:
        yield from _covering(since_s, until_s, finer)
        return
    yield from _covering(since_s, first, finer)
    yield Periods(width, first, last)
    yield from _covering(last, until_s, finer)
