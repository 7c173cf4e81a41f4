"""A text and the bytes that write it in a file, as pieces: some characters and the number of bytes that write them.

A piece is a run of characters in UTF-8, one character that is escaped, or bytes that write no character. Pieces are
generated on demand, since a text may consist of escapes only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sieve.formats.text_ranges import byte_offsets


class Piece(NamedTuple):
    """Characters, and how many bytes write them."""

    text: str
    size: int


def literal(data: bytes) -> Piece:
    """A run of characters in UTF-8."""
    return Piece(data.decode(), len(data))


def placed(pieces: Iterable[Piece], ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The bytes of these ranges of characters, which are in order and in the text."""
    offsets = iter(_offsets(pieces, [place for pair in ranges for place in pair]))
    return zip(offsets, offsets, strict=True)


def _offsets(pieces: Iterable[Piece], places: Sequence[int]) -> list[int]:
    offsets: list[int] = []
    at = offset = 0
    for text, size in pieces:
        stop = at + len(text)
        first = last = len(offsets)
        while last < len(places) and places[last] < stop:
            last += 1
        if last > first:
            offsets += [offset + inside for inside in byte_offsets(text, (place - at for place in places[first:last]))]
        at = stop
        offset += size
    return offsets + [offset] * (len(places) - len(offsets))
