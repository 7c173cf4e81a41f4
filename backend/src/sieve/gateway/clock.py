"""The clocks of a gateway.

The *wall clock* gives points in time: those that are stored, shown, or compared with a stored time. It may be wrong,
and an admin or NTP may set it at any moment, in either direction. The *monotonic clock* gives durations.

Invariants: a duration never comes from the wall clock. No wait gets longer because the wall clock was set. No transfer
fails for its deadline, and nothing is deleted for its age, by a clock that was set recently, or that may have been
wrong when the gateway started (`is_doubted`).
"""

import logging
import time
from collections.abc import Callable
from typing import Final

from sieve.core.utc import utc

log = logging.getLogger(__name__)

NS_PER_S: Final = 1_000_000_000
NOTICED_NS: Final = NS_PER_S
"""If the wall clock differs by this much from the time that passed, it was set."""
DOUBTED_NS: Final = 60 * NS_PER_S
"""A clock that was set by this much may be wrong."""
DOUBT_NS: Final = 3600 * NS_PER_S
"""How long such a clock decides nothing irreversible."""
GAP_NS: Final = 24 * 3600 * NS_PER_S
"""A start so long after the last entry of the audit log may come from a wrong clock."""
_AT_ONCE_NS: Final = NS_PER_S // 10


_followed: Callable[[], int] | None = None


def follow(wall: Callable[[], int]) -> None:
    """From now on `wall` is the wall clock of this process: the one by which all replicas of its gateway agree
    (`Database.now_ns`), because what one of them stores the others compare with their own time."""
    global _followed
    _followed = wall


def now_ns() -> int:
    """The wall clock, in nanoseconds since the epoch: this machine's, unless the process follows another one."""
    return time.time_ns() if _followed is None else _followed()


def steady() -> Callable[[], int]:
    """A clock for one piece of work: the wall clock's time of this moment, and from then on the monotonic clock."""
    epoch_ns = now_ns() - time.monotonic_ns()
    return lambda: epoch_ns + time.monotonic_ns()


class Clock:
    """The wall clock, which notices when it is set. `wall` and `monotonic` give nanoseconds.

    A machine that slept looks like one whose clock was set forward.
    """

    def __init__(self, wall: Callable[[], int] = now_ns, monotonic: Callable[[], int] = time.monotonic_ns) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._offset_ns = self._difference_ns()
        self._doubted_until_ns: int | None = None
        self.is_followed = False
        """Whether the stored waits were adjusted since the clock was last set, or since the start. The outbox worker
        sets this."""

    def now_ns(self) -> int:
        """The wall clock, in nanoseconds since the epoch."""
        self.look()
        return self._wall()

    def look(self) -> None:
        """Checks whether the wall clock was set since the last check."""
        by_ns = self._difference_ns() - self._offset_ns
        if abs(by_ns) < NOTICED_NS:
            return
        self._offset_ns += by_ns
        self.is_followed = False
        if abs(by_ns) >= DOUBTED_NS:
            self._doubted_until_ns = self._monotonic() + DOUBT_NS
        log.warning(
            "this machine's clock was set %s by %.0f s, or the machine slept; it reads %s now",
            "forward" if by_ns > 0 else "back",
            abs(by_ns) / NS_PER_S,
            utc(self._wall()),
        )

    def begin_after(self, last_ns: int | None) -> None:
        """The gateway starts. `last_ns`: when it noted something last. After a long gap nobody can tell a clock that is
        ahead from a gateway that was off for so long, so the clock is doubted for a while.
        """
        gap_ns = 0 if last_ns is None else self._wall() - last_ns
        if gap_ns > GAP_NS:
            self._doubted_until_ns = self._monotonic() + DOUBT_NS
            log.warning(
                "nothing was noted here for %.0f days: in case this machine's clock is ahead, nothing is deleted for "
                "its age, and no transfer fails for its deadline, for the next hour; the clock reads %s",
                gap_ns / GAP_NS,
                utc(self._wall()),
            )

    @property
    def is_doubted(self) -> bool:
        """Whether it must not decide anything irreversible: it was set recently by so much, or may have been wrong at
        the start."""
        self.look()
        return self._doubted_until_ns is not None and self._monotonic() < self._doubted_until_ns

    def _difference_ns(self) -> int:
        """Wall clock minus monotonic clock, both read at the same moment, even if the process is interrupted."""
        while True:
            before_ns = self._monotonic()
            difference_ns = self._wall() - before_ns
            if self._monotonic() - before_ns < _AT_ONCE_NS:
                return difference_ns
