"""The clocks of a gateway.

The *wall clock* gives points in time: those that are stored, shown, or compared with a stored time. It may be wrong,
and an admin or NTP may set it at any moment, in either direction. The *monotonic clock* gives durations.

Invariants: a duration never comes from the wall clock. No wait gets longer because the wall clock was set. No transfer
fails for its deadline, and nothing is deleted for its age, by a clock that was set recently, or that is far from what
is expected of it until something confirms it (`is_doubted`). `gateway.peering.clock_trust` finds what does.
"""

import logging
import time
from collections.abc import Callable
from typing import Final

from sieve.core.utc import utc
from sieve.store.clock_doubt import is_far

log = logging.getLogger(__name__)

NS_PER_S: Final = 1_000_000_000
NOTICED_NS: Final = NS_PER_S
"""If the wall clock differs by this much from the time that passed, it was set."""
DOUBTED_NS: Final = 60 * NS_PER_S
"""A clock that was set by this much may be wrong."""
DOUBT_NS: Final = 3600 * NS_PER_S
"""How long such a clock decides nothing irreversible."""
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

    The clock is *believed* at first, and as long as it goes with the time that passes or is set by a day at most. One
    that is further from what was believed is *unconfirmed*, until it is near that again or `confirm` is called.
    """

    def __init__(self, wall: Callable[[], int] = now_ns, monotonic: Callable[[], int] = time.monotonic_ns) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._offset_ns = self._believed_ns = self._difference_ns()
        self._doubted_until_ns: int | None = None
        self._unconfirmed_since_ns: int | None = None
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
        self._judge()

    def begin(self, believed_at_ns: int, unconfirmed_ns: int | None) -> None:
        """Continues from what was noted: what a clock that was believed read, and for how long one that is far from
        that has run unconfirmed. Nobody can tell a clock that is ahead from a gateway that was off for so long.
        """
        self.look()
        now_ns = self._monotonic()
        self._believed_ns = believed_at_ns - now_ns
        if unconfirmed_ns is not None:
            self._unconfirmed_since_ns = now_ns - unconfirmed_ns
        self._judge()

    def confirm(self) -> None:
        """The clock is right as it is now."""
        self.look()
        self._believed_ns = self._offset_ns
        self._doubted_until_ns = self._unconfirmed_since_ns = None

    def contradict(self) -> None:
        """Something says that the unconfirmed clock is wrong: its time starts over."""
        if self._unconfirmed_since_ns is not None:
            self._unconfirmed_since_ns = self._monotonic()

    @property
    def expected_ns(self) -> int:
        """What a clock that is believed would read now."""
        self.look()
        return self._believed_ns + self._monotonic()

    @property
    def unconfirmed_ns(self) -> int | None:
        """For how long the gateway has run with an unconfirmed clock; None if it is believed."""
        self.look()
        return None if self._unconfirmed_since_ns is None else self._monotonic() - self._unconfirmed_since_ns

    @property
    def is_doubted(self) -> bool:
        """Whether it must not decide anything irreversible: it was set recently by so much, or is unconfirmed."""
        if self.unconfirmed_ns is not None:
            return True
        return self._doubted_until_ns is not None and self._monotonic() < self._doubted_until_ns

    def _judge(self) -> None:
        """Whether the clock is near enough to what is expected to be believed."""
        if not is_far(self._offset_ns, self._believed_ns):
            if self._unconfirmed_since_ns is not None:
                log.info("this machine's clock is near the expected time again, and reads %s", utc(self._wall()))
            self._believed_ns, self._unconfirmed_since_ns = self._offset_ns, None
        elif self._unconfirmed_since_ns is None:
            self._unconfirmed_since_ns = self._monotonic()

    def _difference_ns(self) -> int:
        """Wall clock minus monotonic clock, both read at the same moment, even if the process is interrupted."""
        while True:
            before_ns = self._monotonic()
            difference_ns = self._wall() - before_ns
            if self._monotonic() - before_ns < _AT_ONCE_NS:
                return difference_ns
