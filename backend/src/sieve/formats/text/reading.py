"""A text as one unit, at the address "text".

Invariant: characters are code points of the file's own text, with its byte order mark and line ends. Nothing is
normalised, so the ends of marks are the ends of spans, and no span cuts a code point.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from sieve.core.document import Document, Spans
from sieve.core.integrate import redacted
from sieve.core.separate import separate
from sieve.core.units import Mark, Unit
from sieve.core.utf8 import Utf8Check
from sieve.formats.errors import UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.text_ranges import byte_offsets, characters, everywhere, united

ADDRESS: Final = "text"


class TextReading:
    """A text in UTF-8."""

    name: ClassVar[str] = "text"

    def __init__(self, data: bytes) -> None:
        self._data = data

    def units(self) -> Iterator[Unit]:
        """The text."""
        yield Unit(ADDRESS, self._data.decode(), "text")

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the marked characters; marks that overlap or touch become one span.

        Raises:
            UnknownPlace: a mark names another unit, or characters that the text does not have.
        """
        for mark in marks:
            if mark.address != ADDRESS:
                raise UnknownPlace(mark.address, f'this is a text, and its only address is "{ADDRESS}"')
        text = self._data.decode()
        ranges = united(characters(mark, len(text)) for mark in marks)
        return Spans(byte_offsets(text, (place for pair in ranges for place in pair)))

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: nothing is hidden in a text."""
        return everywhere

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: only the marked text travels classified."""
        return everywhere

    def redacted(self, marks: Sequence[Mark]) -> bytes:
        """The text with one marker of constant width for each run of touching marks.

        Raises:
            UnknownPlace: as `spans` does.
        """
        document = Document(self._data, self.spans(marks))
        return redacted(document.spans, document.size, separate(document).plain, MARKER.encode())


def read_text(data: bytes) -> TextReading:
    """The text `data`.

    Raises:
        NotUtf8: it is in another encoding; with the line and column of the first wrong byte.
    """
    check = Utf8Check()
    check.feed(data)
    check.close()
    return TextReading(data)
