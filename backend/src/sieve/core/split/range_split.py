"""The range split: each channel gets one contiguous part, all of the same length except for a byte.

It depends only on the stream's size, so it reveals nothing of the contents.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sieve.core.split.sub_stream import Range


@dataclass(frozen=True, slots=True)
class Contiguous:
    """Bytes `first` to `last` of the stream, without `last`."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first

    def ranges(self, start: int, end: int) -> Iterator[Range]:
        until = min(self.first + end, self.last)
        if self.first + start < until:
            yield self.first + start, until


def split(size: int, channels: int) -> tuple[Contiguous, ...]:
    """The sub-streams of a stream of `size` bytes.

    >>> [(part.first, part.last) for part in split(10, 3)]
    [(0, 3), (3, 6), (6, 10)]
    """
    return tuple(Contiguous(k * size // channels, (k + 1) * size // channels) for k in range(channels))
