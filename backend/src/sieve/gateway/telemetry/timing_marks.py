"""Timing marks: timestamps of a transfer's phases, by this host's clock.

A timing mark has a name (`TimingMarkName`), a channel ("" if none) and a time in nanoseconds since the epoch. The marks
of one attempt never go back, even if the wall clock is set: they use wall time once, then the monotonic clock.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from sieve.gateway.clock import steady

TimingMarkName: TypeAlias = Literal[
    # the sender's
    "sieved",
    "accepted",
    "claimed",
    "splitting",
    "split",
    "connecting",
    "connected",
    "handshaken",
    "first-byte",
    "last-byte",
    "answered",
    "acknowledged",
    "verified-heard",
    "receipt-heard",
    # the receiver's
    "announced",
    "combining",
    "combined",
    "verified",
    "fenced",
    "integrating",
    "integrated",
    "digests-fit",
    "synced",
    "committed",
    "receipted",
]

SECURE, PLAIN = "secure-0", "plain-0"
"""The first channel of each kind. Most transfers have no others."""


def secure_channel(number: int) -> str:
    """The name of a secure channel in marks."""
    return f"secure-{number}"


def plain_channel(number: int) -> str:
    """The name of a plain channel in marks."""
    return f"plain-{number}"


class TimingMark(NamedTuple):
    """The timestamp of an event."""

    name: TimingMarkName
    channel: str
    at_ns: int


@dataclass(slots=True)
class TimingMarks:
    """The marks of one attempt on one side, in the order in which they were made."""

    clock: Callable[[], int] = field(default_factory=steady)
    taken: list[TimingMark] = field(default_factory=list)

    def at(self, name: TimingMarkName, channel: str = "", at_ns: int | None = None) -> None:
        """Adds a mark for now, or for `at_ns`."""
        self.taken.append(TimingMark(name, channel, self.clock() if at_ns is None else at_ns))

    def move(self, name: TimingMarkName, channel: str = "") -> None:
        """Adds a mark for now in place of earlier ones with that name and channel."""
        self.taken[:] = [m for m in self.taken if (m.name, m.channel) != (name, channel)]
        self.at(name, channel)

    def first(self, name: TimingMarkName, channel: str | None = None) -> int | None:
        """The first mark of that name, on any channel unless one is given."""
        return min(self._times(name, channel), default=None)

    def last(self, name: TimingMarkName, channel: str | None = None) -> int | None:
        """The last mark of that name, on any channel unless one is given."""
        return max(self._times(name, channel), default=None)

    def _times(self, name: TimingMarkName, channel: str | None) -> list[int]:
        return [m.at_ns for m in self.taken if m.name == name and (channel is None or m.channel == channel)]
