"""How the plain stream is cut: into chunks whose bounds follow from its size alone.

The law: nothing about a chunk depends on where the classified spans stood. Two documents with plain streams of one
length are cut alike.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

MIN_CHUNK = 64 * 1024
# A receiver holds a chunk in memory until its seal is checked, and has slots for several.
MAX_CHUNK = 1024 * 1024
# Each costs a request, a seal and a word between processes; four keep a pipeline full.
_CHUNKS_AIMED_AT = 4


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The chunks of a stream of `size` bytes; all of `chunk_size` bytes but the last, which takes the rest."""

    size: int
    chunk_size: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("a stream cannot have fewer than 0 bytes")
        chunk_size = MIN_CHUNK
        while chunk_size < MAX_CHUNK and chunk_size * _CHUNKS_AIMED_AT < self.size:
            chunk_size *= 2
        object.__setattr__(self, "chunk_size", chunk_size)
        object.__setattr__(self, "count", -(-self.size // chunk_size))

    def bounds(self, index: int) -> tuple[int, int]:
        """Start and end of chunk `index` in the stream.

        Raises:
            IndexError: there is no such chunk.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"chunk {index} of {self.count}")
        start = index * self.chunk_size
        return start, min(start + self.chunk_size, self.size)

    def length(self, index: int) -> int:
        """Bytes in chunk `index`."""
        start, end = self.bounds(index)
        return end - start


def to_ranges(indexes: Iterable[int]) -> list[list[int]]:
    """Half-open ranges that hold exactly `indexes`, in order: {0, 1, 2, 5} is [[0, 3], [5, 6]]."""
    ranges: list[list[int]] = []
    for index in sorted(indexes):
        if ranges and ranges[-1][1] == index:
            ranges[-1][1] = index + 1
        else:
            ranges.append([index, index + 1])
    return ranges


def from_ranges(ranges: Iterable[Iterable[int]], count: int) -> frozenset[int]:
    """The indexes that `ranges` hold.

    Raises:
        ValueError: not ranges, a range that is not two integers inside 0..count, or not in order.
    """
    indexes: set[int] = set()
    before = 0
    try:
        for start, end in ranges:
            if not (type(start) is type(end) is int and before <= start < end <= count):
                raise ValueError
            indexes.update(range(start, end))
            before = end
    except (TypeError, ValueError):
        raise ValueError(f"chunk ranges must rise and stay within {count} chunks") from None
    return frozenset(indexes)
