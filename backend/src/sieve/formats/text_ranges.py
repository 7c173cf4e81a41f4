"""From characters to bytes: where code points of a text begin in its UTF-8.

The law: linear time, whatever the number of places, and no place ever inside a code point.
"""

from collections.abc import Iterable, Iterator, Sequence

from sieve.core.units import Mark
from sieve.formats.errors import UnknownPlace


def everywhere(address: str) -> bool:
    """The places that may travel plain in a format that hides nothing, or in a file without a mark."""
    return True


def byte_offsets(text: str, places: Iterable[int]) -> list[int]:
    """The offset in `text.encode()` of each of the `places`, which are in order and in `text`."""
    if text.isascii():
        return list(places)
    offsets: list[int] = []
    at = offset = 0
    for place in places:
        offset += len(text[at:place].encode())
        at = place
        offsets.append(offset)
    return offsets


def united(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same ranges in order, with those that overlap or touch made one.

    >>> united([(4, 6), (0, 2), (1, 4), (9, 9)])
    [(0, 6), (9, 9)]
    """
    return list(united_in_order(sorted(ranges)))


def united_in_order(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """`united`, for any number of ranges that are in order already."""
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


def characters(mark: Mark, size: int) -> tuple[int, int]:
    """The code points that `mark` names of a unit that has `size` of them.

    Raises:
        UnknownPlace: they are not all in the unit.
    """
    if mark.start is None and mark.end is None:
        return 0, size
    if mark.start is None or mark.end is None or not 0 <= mark.start <= mark.end <= size:
        raise UnknownPlace(mark.address, f"the mark must lie within the {size} characters that stand there")
    return mark.start, mark.end


def require_whole(marks: Sequence[Mark], what: str) -> None:
    """Raises UnknownPlace if one of the marks names characters of what has none to name."""
    for mark in marks:
        if mark.start is not None or mark.end is not None:
            raise UnknownPlace(mark.address, f"{what} is marked whole, without start and end")
