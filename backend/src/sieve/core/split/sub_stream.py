"""A sub-stream: what one channel carries of a stream, as ranges of it."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

Range: TypeAlias = tuple[int, int]
"""Bytes of a stream, from the first number to the second, without that. No class of its own: there are many."""


class SubStream(Protocol):
    """Bytes of a stream, in its order. No two sub-streams of a split share one."""

    @property
    def size(self) -> int:
        """How many bytes."""

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        """Where bytes `start` to `end` of the sub-stream stand in the stream: rising, none empty, none touching.

        What lies beyond the sub-stream's ends stands nowhere.
        """


SubStreams: TypeAlias = Sequence[SubStream]
