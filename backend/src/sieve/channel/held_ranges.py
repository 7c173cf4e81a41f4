"""What a receiver holds of a document from earlier attempts: byte ranges of its two streams.

Invariant: ranges are half-open, rise, do not touch and are not empty. So a set of bytes has one form, and both gateways
compare forms. An attempt that resumes carries only the missing bytes: the gaps between these ranges.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sieve.channel.errors import MalformedOpening

Range = tuple[int, int]

MAX_RANGES: Final = 63
"""Of one stream. The plain listener opens a file for each gap, at most one more."""


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The bytes of all `ranges`, which come in any order, may overlap and be empty, as ranges in their one form.

    >>> merged([(4, 6), (0, 2), (2, 3), (5, 9), (11, 11)])
    [(0, 3), (4, 9)]
    """
    made: list[Range] = []
    for start, end in sorted(ranges):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(made[-1][1], end)
        elif start < end:
            made.append((start, end))
    return made


def largest(ranges: Iterable[Range], most: int = MAX_RANGES) -> tuple[Range, ...]:
    """`ranges` in their one form; if there are more than `most`, the largest ones."""
    made = merged(ranges)
    kept = sorted(made, key=lambda one: one[0] - one[1])[:most]
    return tuple(sorted(kept))


def gaps(ranges: Sequence[Range], size: int) -> Iterator[Range]:
    """What `ranges` leave of a stream of `size` bytes, in order; none is empty."""
    at = 0
    for start, end in ranges:
        if at < start:
            yield at, start
        at = end
    if at < size:
        yield at, size


@dataclass(frozen=True, slots=True)
class Held:
    """Ranges of the classified stream as it travels (a redacted edition is its tail), and of the plain stream."""

    classified: tuple[Range, ...] = ()
    plain: tuple[Range, ...] = ()

    def __repr__(self) -> str:
        return f"Held({self.size} bytes)"  # ranges of the classified stream must not be logged

    def __bool__(self) -> bool:
        return bool(self.classified or self.plain)

    @property
    def classified_size(self) -> int:
        """Bytes held of the classified stream."""
        return sum(end - start for start, end in self.classified)

    @property
    def plain_size(self) -> int:
        """Bytes held of the plain stream."""
        return sum(end - start for start, end in self.plain)

    @property
    def size(self) -> int:
        """Bytes held of both."""
        return self.classified_size + self.plain_size

    def fits(self, classified_size: int, plain_size: int) -> bool:
        """Whether the ranges lie within streams of these sizes."""
        return all(
            not ranges or ranges[-1][1] <= size
            for ranges, size in ((self.classified, classified_size), (self.plain, plain_size))
        )

    def to_json(self) -> dict[str, list[list[int]]]:
        return {"classified": [[*one] for one in self.classified], "plain": [[*one] for one in self.plain]}

    @classmethod
    def from_json(cls, said: Any) -> Self:
        """What `to_json` said.

        Raises:
            MalformedOpening: it is something else, or has too many ranges.
        """
        if not isinstance(said, dict) or set(said) != {"classified", "plain"}:
            raise MalformedOpening("what is held must be ranges of the classified and of the plain stream")
        return cls(_ranges(said["classified"]), _ranges(said["plain"]))


def _ranges(said: Any) -> tuple[Range, ...]:
    if not isinstance(said, list) or len(said) > MAX_RANGES:
        raise MalformedOpening(f"what is held of a stream must be at most {MAX_RANGES} ranges")
    made: list[Range] = []
    for one in said:
        if not (isinstance(one, list) and len(one) == 2 and all(type(bound) is int for bound in one)):
            raise MalformedOpening("each range of what is held must be two integers")
        start, end = one
        if not (0 <= start < end and (not made or made[-1][1] < start)):
            raise MalformedOpening("the ranges of what is held must rise, and must not touch")
        made.append((start, end))
    return tuple(made)


NOTHING: Final = Held()
