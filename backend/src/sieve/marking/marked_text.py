"""A marked text as its unit and marks: what the leak guard and policies look at, from bytes and spans."""

from codecs import getincrementaldecoder
from collections.abc import Iterable

from sieve.core.units import Mark, Unit

ADDRESS = "text"


def marked_text(content: bytes, spans: Iterable[tuple[int, int]], encoding: str = "utf-8") -> tuple[Unit, list[Mark]]:
    """The text and its marks; the spans are in order. A character that a span cuts is marked.

    What is no text in that encoding reads as U+FFFD.
    """
    decoder = getincrementaldecoder(encoding)("replace")
    pieces: list[str] = []
    marks: list[Mark] = []
    done = place = 0

    def take(end: int, *, last: bool = False) -> int:
        """Reads on to the byte `end`; where that is in characters, before one that is not whole yet."""
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
