"""Converts bytes and spans of a marked text to its unit and marks, for the leak scanner and policies."""

from codecs import getincrementaldecoder
from collections.abc import Iterable

from sieve.core.units import Mark, Unit

ADDRESS = "text"


def marked_text(content: bytes, spans: Iterable[tuple[int, int]], encoding: str = "utf-8") -> tuple[Unit, list[Mark]]:
    """The text and its marks. Spans must be in order. A character that a span cuts is marked.

    Bytes that are not text in that encoding become U+FFFD.
    """
    decoder = getincrementaldecoder(encoding)("replace")
    pieces: list[str] = []
    marks: list[Mark] = []
    done = place = 0

    def take(end: int, *, last: bool = False) -> int:
        """Reads up to the byte `end`; returns its position in characters, before an incomplete one."""
        nonlocal done, place
        pieces.append(decoder.decode(content[done:end], last))
        done, place = end, place + len(pieces[-1])
        return place

    for start, end in spans:
        first, last = take(start), take(end)
        is_cut = decoder.getstate()[0] != b""
        marks.append(Mark(ADDRESS, first, last + is_cut))
    take(len(content), last=True)
    return Unit(ADDRESS, "".join(pieces), "text"), marks
