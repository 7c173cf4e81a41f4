"""How an attempt at a transfer ends, told apart by what follows from it."""

from dataclasses import dataclass
from typing import TypeAlias

from sieve.gateway.telemetry.timing import ReceiverDurations


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receipt holds. `durations` is None where the peer had delivered it before."""

    receipt: str
    durations: ReceiverDurations | None


@dataclass(frozen=True, slots=True)
class Retry:
    """Not this time. `unreachable`: the peer could not be had at all. `off_plain`: the next attempt must not use the
    plain channel."""

    reason: str
    unreachable: bool = False
    off_plain: bool = False


@dataclass(frozen=True, slots=True)
class PermanentFailure:
    """Not at any time."""

    reason: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Ended, as its author asked."""


Outcome: TypeAlias = Delivered | Retry | PermanentFailure | Cancelled
