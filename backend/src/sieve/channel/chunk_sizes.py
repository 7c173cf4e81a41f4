"""How the plain stream is cut into chunks. Their bounds follow from the size of each sub-stream and from the largest
chunk that the receiver takes.

Invariant: nothing about a chunk depends on where the classified spans were, unless the split itself does (ES and SS,
for research). Split by range, two documents with plain streams of the same length are cut at the same places.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from sieve.core.split.range_split import Contiguous
from sieve.core.split.sub_stream import Range, SubStreams

MIN_CHUNK = 64 * 1024
COMMON_CHUNK = 1024 * 1024
"""The largest chunk if the receiver names no other size. Receivers of this version name `MAX_CHUNK`."""
# A receiver holds a chunk in memory until its seal is checked, and has slots for several.
MAX_CHUNK = 2 * 1024 * 1024
# Each costs a request, a seal and a word between processes; four keep a pipeline full.
_CHUNKS_AIMED_AT = 4


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The chunks of a sub-stream of `size` bytes; all of `chunk_size` bytes, at most `largest`, but the last, which
    takes the rest."""

    size: int
    largest: int = COMMON_CHUNK
    chunk_size: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("a stream cannot have fewer than 0 bytes")
        chunk_size = MIN_CHUNK
        while chunk_size < self.largest and chunk_size * _CHUNKS_AIMED_AT < self.size:
            chunk_size *= 2
        object.__setattr__(self, "chunk_size", chunk_size)
        object.__setattr__(self, "count", -(-self.size // chunk_size))

    def bounds(self, index: int) -> tuple[int, int]:
        """Start and end of chunk `index` in the sub-stream.

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


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a chunk: bytes `start` to `end` of a sub-stream, of which it is chunk `index`."""

    sub_stream: int
    index: int
    start: int
    end: int

    @property
    def length(self) -> int:
        """Bytes in the chunk."""
        return self.end - self.start


@dataclass(frozen=True)
class Chunks:
    """The chunks of all sub-streams, none above `largest` bytes, numbered through, one sub-stream after the other."""

    sub_streams: SubStreams
    largest: int = COMMON_CHUNK
    plans: tuple[ChunkPlan, ...] = field(init=False)
    _firsts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        plans = tuple(ChunkPlan(part.size, self.largest) for part in self.sub_streams)
        object.__setattr__(self, "plans", plans)
        object.__setattr__(self, "_firsts", tuple(accumulate((plan.count for plan in plans), initial=0)))

    @classmethod
    def of_whole(cls, size: int) -> "Chunks":
        """Those of a stream of `size` bytes that one channel carries."""
        return cls((Contiguous(0, size),))

    @property
    def count(self) -> int:
        """How many there are."""
        return self._firsts[-1]

    @property
    def size(self) -> int:
        """Bytes in all of them."""
        return sum(plan.size for plan in self.plans)

    def of(self, sub_stream: int) -> range:
        """The numbers of a sub-stream's chunks."""
        return range(self._firsts[sub_stream], self._firsts[sub_stream + 1])

    def number(self, sub_stream: int, index: int) -> int | None:
        """The number of chunk `index` of a sub-stream; None if there is no such chunk."""
        if 0 <= sub_stream < len(self.plans) and 0 <= index < self.plans[sub_stream].count:
            return self._firsts[sub_stream] + index
        return None

    def place(self, number: int) -> Place:
        """The position of chunk `number`.

        Raises:
            IndexError: there is no such chunk.
        """
        if not 0 <= number < self.count:
            raise IndexError(f"chunk {number} of {self.count}")
        sub_stream = bisect_right(self._firsts, number) - 1
        index = number - self._firsts[sub_stream]
        return Place(sub_stream, index, *self.plans[sub_stream].bounds(index))

    def length(self, number: int) -> int:
        """Bytes in chunk `number`."""
        return self.place(number).length

    def ranges(self, number: int) -> Iterator[Range]:
        """The range of chunk `number` in the stream."""
        place = self.place(number)
        return self.sub_streams[place.sub_stream].ranges(place.start, place.end)


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
