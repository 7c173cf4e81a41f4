"""Any other file: bytes without units of text, of which ranges may be named, such as "bytes/100-200".

The law: nothing of such a file is understood, so nothing is found in it but that it is so, and no edition is made of
it. What is not named travels plain; in doubt, name all of it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.errors import UnknownPlace
from sieve.formats.text_ranges import everywhere, require_whole, united

# 19 digits are more than any size, and few enough for int() to take no time over them.
_ADDRESS: Final = re.compile(r"bytes/([0-9]{1,19})-([0-9]{1,19})")


class BytesReading:
    """A file of a format that is not read here."""

    name: ClassVar[str] = "bytes"

    def __init__(self, size: int) -> None:
        """`size`: of the file, whose bytes nobody looks at."""
        self._size = size

    def units(self) -> Iterator[Unit]:
        """One without text: all of the file, so that it can be marked whole, and is not passed over in silence."""
        yield Unit(f"bytes/0-{self._size}", "", "bytes", "of a format that is not read here" if self._size else "")

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The ranges that the marks name; those that overlap or touch come to one span.

        Raises:
            UnknownPlace: a mark names something else, or bytes that the file has not.
        """
        require_whole(marks, "a range of bytes")
        return Spans.of(united(self._range(mark.address) for mark in marks))

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any place: nothing is hidden here."""
        return everywhere

    def _range(self, address: str) -> tuple[int, int]:
        named = _ADDRESS.fullmatch(address)
        if named is None:
            raise UnknownPlace(address, "this file is read as bytes; name a range of them, such as bytes/100-200")
        start, end = int(named[1]), int(named[2])
        if not start <= end <= self._size:
            raise UnknownPlace(address, f"the file has the bytes 0-{self._size}")
        return start, end


def read_bytes(data: bytes) -> BytesReading:
    """The file `data`, of any format."""
    return BytesReading(len(data))
