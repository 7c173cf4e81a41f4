"""A sub-stream: the part of a stream that one channel carries, as ranges of the stream."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

Range: TypeAlias = tuple[int, int]
"""Bytes of a stream, from the first number to the second, without that. A plain tuple, since there are many."""


class SubStream(Protocol):
    """Bytes of a stream, in its order. No two sub-streams of a split share one."""

    @property
    def size(self) -> int:
        """How many bytes."""

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        """The ranges of the stream for bytes `start` to `end` of the sub-stream: in order, not empty, not touching.

        Ignores what is beyond the end of the sub-stream.
        """


SubStreams: TypeAlias = Sequence[SubStream]
