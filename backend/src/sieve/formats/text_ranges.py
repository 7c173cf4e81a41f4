"""Ranges of characters in a text, and the bytes of its UTF-8 that they cover.

Invariant: linear time for any number of positions, and no position ever falls inside a code point.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sieve.core.units import Mark
from sieve.formats.errors import UnknownPlace
from sieve.formats.marker import MARKER


def everywhere(address: str) -> bool:
    """Says that any address may travel plain: for formats that hide nothing, and for files without a mark."""
    return True


def byte_offsets(text: str, places: Iterable[int], encoding: str = "utf-8") -> list[int]:
    """The offset in `text.encode(encoding)` of each of the `places`, which are in order and in `text`. The encoding has
    no state.
    """
    if text.isascii() and not encoding.startswith("utf-16"):
        return list(places)
    offsets: list[int] = []
    at = offset = 0
    for place in places:
        offset += len(text[at:place].encode(encoding))
        at = place
        offsets.append(offset)
    return offsets


def united(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in order; those that overlap or touch are merged.

    >>> united([(4, 6), (0, 2), (1, 4), (9, 9)])
    [(0, 6), (9, 9)]
    """
    return list(united_in_order(sorted(ranges)))


def united_in_order(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """`united` for ranges that are already in order."""
    last: tuple[int, int] | None = None
    for start, end in ranges:
        if last is None:
            last = start, end
        elif start <= last[1]:
            last = last[0], max(end, last[1])
        else:
            yield last
            last = start, end
    if last is not None:
        yield last


def within(ranges: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """What the ranges, which are united, cover of the characters from `start` to `end`, counted from `start`.

    >>> within([(0, 2), (4, 9)], 1, 6)
    [(0, 1), (3, 5)]
    """
    found: list[tuple[int, int]] = []
    for number in range(bisect_right(ranges, start, key=lambda one: one[1]), len(ranges)):
        first, last = ranges[number]
        if first >= end:
            break
        if max(first, start) < min(last, end):
            found.append((max(first, start) - start, min(last, end) - start))
    return found


def parted(text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[bool, str]]:
    """The text in pieces, and whether each is in the ranges, which are united and in the text.

    >>> [*parted("abcdef", [(0, 1), (4, 6)])]
    [(True, 'a'), (False, 'bcd'), (True, 'ef')]
    """
    bounds = [0, *(bound for pair in ranges for bound in pair), len(text)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        if start < end:
            yield number % 2 == 1, text[start:end]


def with_markers(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """`text` with one marker for each run of touching ranges.

    >>> with_markers("abcdef", [(0, 1), (1, 2), (4, 5)])
    '█████cd█████f'
    """
    kept: list[str] = []
    at = 0
    for start, end in united(ranges):
        kept += [text[at:start], MARKER]
        at = end
    return "".join([*kept, text[at:]])


def pieces_with_markers(pieces: Sequence[str], ranges: Sequence[tuple[int, int]]) -> list[str | None]:
    """The pieces of a text with a marker in the piece in which each range begins; None for a piece that stays as it is.
    `ranges`: of the whole text, united. A marker for an empty range at the end is in the last piece.

    >>> pieces_with_markers(["ab", "cd", "ef"], [(1, 3)])
    ['a█████', 'd', None]
    """
    found: list[str | None] = []
    at, number = 0, 0
    for index, piece in enumerate(pieces):
        start, end = at, at + len(piece)
        at = end
        last = index == len(pieces) - 1
        kept: list[str] = []
        position = start
        touched = False
        while number < len(ranges) and (ranges[number][0] < end or (last and ranges[number][0] <= end)):
            first, after = ranges[number]
            if first >= start:
                kept += [piece[position - start : first - start], MARKER]
            position = min(after, end)
            touched = True
            if after > end:
                break
            number += 1
        found.append("".join([*kept, piece[position - start :]]) if touched else None)
    return found


def characters(mark: Mark, size: int) -> tuple[int, int]:
    """The code points that `mark` covers in a unit of `size` code points.

    Raises:
        UnknownPlace: some of them are outside the unit.
    """
    if mark.start is None and mark.end is None:
        return 0, size
    if mark.start is None or mark.end is None or not 0 <= mark.start <= mark.end <= size:
        raise UnknownPlace(mark.address, f"the mark must lie within the {size} characters of this text")
    return mark.start, mark.end


def require_whole(marks: Sequence[Mark], what: str) -> None:
    """Raises UnknownPlace if a mark names characters where only the whole can be marked."""
    for mark in marks:
        if mark.start is not None or mark.end is not None:
            raise UnknownPlace(mark.address, f"{what} can only be marked as a whole, without start and end")
