"""A marked text as its unit and marks: what the leak guard and policies look at, from bytes and spans."""

from collections.abc import Iterable

from sieve.core.units import Mark, Unit

ADDRESS = "text"


def marked_text(content: bytes, spans: Iterable[tuple[int, int]]) -> tuple[Unit, list[Mark]]:
    """The text and its marks; the spans are in order and keep code points whole.

    Raises:
        UnicodeDecodeError: they do not, or it is no UTF-8.
    """
    marks = []
    done = place = 0
    for start, end in spans:
        first = place + len(content[done:start].decode())
        place = first + len(content[start:end].decode())
        done = end
        marks.append(Mark(ADDRESS, first, place))
    return Unit(ADDRESS, content.decode(), "text"), marks
