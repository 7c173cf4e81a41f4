"""How an attempt at a transfer ends, told apart by what follows from it."""

from dataclasses import dataclass
from typing import TypeAlias

from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.telemetry.timing import ReceiverDurations


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receipt holds. `durations` is None where the peer had delivered it before."""

    receipt: str
    durations: ReceiverDurations | None


@dataclass(frozen=True, slots=True)
class Retry:
    """This attempt failed; another may succeed. `unreachable`: the peer could not be reached at all. `off_plain`: the
    next one must not use the plain channel. `disk_full`: the peer's disk is full; the wait leaves time to make room.
    """

    reason: str
    unreachable: bool = False
    off_plain: bool = False
    disk_full: bool = False

    @classmethod
    def after(cls, refused: PeerRefused) -> "Retry":
        """After a refusal that is not final."""
        return cls(str(refused), disk_full=refused.kind is RefusalKind.FULL)


@dataclass(frozen=True, slots=True)
class PermanentFailure:
    """Not at any time."""

    reason: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Ended, as its author asked."""


Outcome: TypeAlias = Delivered | Retry | PermanentFailure | Cancelled
