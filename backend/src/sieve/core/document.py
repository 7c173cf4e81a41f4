"""A document: its bytes, and which of them are classified.

Invariant: spans are half-open byte ranges, in order, without overlaps. Their bounds, written as start, end, start, end,
never decrease: that is the complete check, and why only an array of bounds is kept. Spans may touch and may be empty;
such spans stay separate.

The position of a span is as secret as its contents, so no `repr` here shows a position or a byte.
"""

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from operator import le, sub
from typing import ClassVar, Final, NamedTuple, Self, overload

from blake3 import blake3

from sieve.core.errors import SpanError

MAX_SPANS: Final = 1_000_000
SPAN_BYTES: Final = 16
_SLICE: Final = 4096 * SPAN_BYTES
"""Bytes of spans that are processed at a time, so that other threads can run in between: a million spans would block
them for 0.3 s."""


class Span(NamedTuple):
    """Bytes `start` to `end`, without `end`."""

    start: int
    end: int


class Segment(NamedTuple):
    """The bytes of a document after the previous segment: either all of them classified, or none."""

    classified: bool
    data: bytes | memoryview


class Spans(Sequence[Span]):
    """Immutable and compact: 16 bytes a span.

    >>> Spans.of([(0, 2), (2, 5)]).classified_size
    5
    """

    EMPTY: ClassVar["Spans"]

    def __init__(self, bounds: Iterable[int] = ()) -> None:
        """Spans from their bounds: start, end, start, end and so on. `of` takes pairs.

        Raises:
            SpanError: the bounds do not come in pairs, decrease, or are not integers of 64 bits.
        """
        try:
            self._bounds = array("Q", bounds)
        except (OverflowError, TypeError):
            raise SpanError("the bounds of spans must be integers from 0 to 2^64 - 1") from None
        if len(self._bounds) % 2:
            raise SpanError("the last span has a start but no end")
        if not _rise(self._bounds):
            raise SpanError(self._first_fall(self._bounds))

    @staticmethod
    def _first_fall(bounds: "array[int]", begin: int = 1) -> str:
        """Which span is wrong. `begin`: the bounds before it rise."""
        index = next(i for i in range(begin, len(bounds)) if bounds[i] < bounds[i - 1])
        number = index // 2 + 1
        if index % 2:
            return f"span {number} ends before it begins"
        return f"span {number} begins before span {number - 1} ends; sort the spans and join those that overlap"

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> "Spans":
        """Spans from pairs of start and end; `pairs` itself if it is `Spans` already.

        Raises:
            SpanError: an item is not a pair of integers of 64 bits, or the pairs are out of order or overlap.
        """
        if isinstance(pairs, Spans):
            return pairs
        bounds = array("Q")
        try:
            for start, end in pairs:
                bounds.append(start)
                bounds.append(end)
        except (OverflowError, TypeError, ValueError):
            number = len(bounds) // 2 + 1
            raise SpanError(f"span {number} must be a pair of integers from 0 to 2^64 - 1") from None
        return cls(bounds)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Spans":
        """What `to_bytes` wrote.

        Raises:
            SpanError: the length is not a multiple of 16, or the spans are out of order or overlap.
        """
        reader = SpansReader()
        with memoryview(data) as view:
            for start in range(0, len(data), _SLICE):
                reader.feed(view[start : start + _SLICE])
        return reader.finish()

    @classmethod
    def of_rising(cls, bounds: "array[int]") -> Self:
        """Spans from bounds that the caller has checked, since checking a million takes 0.2 s. Keeps the array."""
        spans = cls.__new__(cls)
        spans._bounds = bounds
        return spans

    @classmethod
    def _checked(cls, bounds: "array[int]", classified_size: int, digest: bytes) -> Self:
        """Spans that a reader has checked, with their size and digest."""
        spans = cls.of_rising(bounds)
        spans.classified_size, spans.digest = classified_size, digest
        return spans

    def to_bytes(self) -> bytes:
        """Start and end of each span as big-endian integers of 64 bits."""
        return b"".join(self.slices())

    def slices(self) -> Iterator[bytes]:
        """The same in pieces; none if there are no spans."""
        step = _SLICE // self._bounds.itemsize
        for start in range(0, len(self._bounds), step):
            yield _swapped(self._bounds[start : start + step]).tobytes()

    @cached_property
    def digest(self) -> bytes:
        """BLAKE3 of the spans in binary."""
        hashed = blake3()
        for piece in self.slices():
            hashed.update(piece)
        return hashed.digest()

    def bounds(self) -> Iterator[int]:
        """Start, end, start, end and so on: the positions where the stream changes."""
        return iter(self._bounds)

    def bounds_after(self, offset: int) -> tuple[bool, Iterator[int]]:
        """Whether the byte at `offset` is classified, and the bounds that lie after it."""
        index = bisect_right(self._bounds, offset)
        return index % 2 == 1, iter(memoryview(self._bounds)[index:])

    def classified_before(self, offset: int) -> int:
        """How many bytes before `offset` are classified, in logarithmic time after the first call."""
        index = bisect_right(self._bounds, offset)
        inside = offset - self._bounds[index - 1] if index % 2 else 0
        return self._totals[index // 2] + inside

    @cached_property
    def _totals(self) -> "array[int]":
        lengths = map(sub, islice(self._bounds, 1, None, 2), islice(self._bounds, 0, None, 2))
        return array("Q", accumulate(lengths, initial=0))

    @cached_property
    def classified_size(self) -> int:
        """Bytes inside the spans."""
        return sum(self._bounds[1::2]) - sum(self._bounds[::2])

    def check_within(self, size: int) -> None:
        """Raises SpanError if a span reaches past `size`."""
        if self._bounds and self._bounds[-1] > size:
            number = bisect_right(self._bounds, size) // 2 + 1
            raise SpanError(f"span {number} of {len(self)} reaches past the end of the document")

    def __len__(self) -> int:
        return len(self._bounds) // 2

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> "Spans": ...
    def __getitem__(self, index: int | slice) -> "Span | Spans":
        if isinstance(index, slice):
            return Spans.of([self[i] for i in range(*index.indices(len(self)))])
        position = range(len(self))[index]
        return Span(self._bounds[2 * position], self._bounds[2 * position + 1])

    def __iter__(self) -> Iterator[Span]:
        bounds = iter(self._bounds)
        return map(Span, bounds, bounds)  # takes from the one iterator by turns

    def __eq__(self, other: object) -> bool:
        return self._bounds == other._bounds if isinstance(other, Spans) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bounds.tobytes())

    def __repr__(self) -> str:
        return f"<Spans: {len(self)}>"


class SpansReader:
    """Reads what `Spans.to_bytes` wrote, in pieces of any size, and checks each piece."""

    def __init__(self) -> None:
        self._bounds = array("Q")
        self._rest = b""
        self._classified_size = 0
        self._hash = blake3()

    def feed(self, piece: bytes | memoryview) -> None:
        """Takes the next bytes.

        Raises:
            SpanError: the spans are out of order or overlap.
        """
        self._hash.update(piece)
        data = self._rest + piece if self._rest else piece
        whole = len(data) - len(data) % SPAN_BYTES
        self._rest = bytes(data[whole:])
        part = array("Q")
        part.frombytes(data[:whole])
        part = _swapped(part)
        before = len(self._bounds)
        follows = not (part and before) or self._bounds[-1] <= part[0]
        self._bounds += part
        if not (follows and _rise(part)):
            # Not from the beginning: a peer may send a million that are right, and then one that is wrong.
            raise SpanError(Spans._first_fall(self._bounds, max(before, 1)))
        self._classified_size += sum(part[1::2]) - sum(part[::2])

    def finish(self) -> Spans:
        """The spans that were read.

        Raises:
            SpanError: they end inside one.
        """
        if self._rest:
            raise SpanError(f"spans in binary take {SPAN_BYTES} bytes each; these end inside one")
        return Spans._checked(self._bounds, self._classified_size, self._hash.digest())


def _rise(bounds: "array[int]") -> bool:
    step = _SLICE // bounds.itemsize
    parts = (bounds[start : start + step + 1] for start in range(0, len(bounds), step))
    return all(all(map(le, part, islice(part, 1, None))) for part in parts)


def _swapped(bounds: "array[int]") -> "array[int]":
    """The array converted in place between native and big-endian numbers."""
    if sys.byteorder == "little":
        bounds.byteswap()
    return bounds


Spans.EMPTY = Spans()


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """The canonical form of a document of any format."""

    content: bytes
    spans: Spans

    def __init__(self, content: bytes, spans: Iterable[tuple[int, int]] = ()) -> None:
        """Raises SpanError for spans out of order, past the content, or more than `MAX_SPANS`."""
        spans = Spans.of(spans)
        spans.check_within(len(content))
        if len(spans) > MAX_SPANS:
            raise SpanError(f"{len(spans)} spans are more than the {MAX_SPANS} that a document may have")
        object.__setattr__(self, "content", content)
        object.__setattr__(self, "spans", spans)

    @property
    def size(self) -> int:
        """Bytes of content."""
        return len(self.content)

    @property
    def classified_size(self) -> int:
        """Bytes of content that are classified."""
        return self.spans.classified_size

    @property
    def plain_size(self) -> int:
        """Bytes of content that are not classified."""
        return self.size - self.classified_size

    def __repr__(self) -> str:
        return f"<Document: {self.size} bytes, {len(self.spans)} spans>"
