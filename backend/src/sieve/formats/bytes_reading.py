"""Any other file: bytes without text, in which marks name ranges, such as "bytes/100-200".

Invariant: such a file is not understood. So the only finding is that it cannot be checked, and it has no redacted
edition. What is not marked travels plain; in doubt, mark all of it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.errors import UnknownPlace
from sieve.formats.text_ranges import everywhere, require_whole, united

# 19 digits hold any size, and int() converts them quickly.
_ADDRESS: Final = re.compile(r"bytes/([0-9]{1,19})-([0-9]{1,19})")


class BytesReading:
    """A file of an unsupported format."""

    name: ClassVar[str] = "bytes"

    def __init__(self, size: int) -> None:
        """`size`: bytes of the file."""
        self._size = size

    def units(self) -> Iterator[Unit]:
        """One unit without text: the whole file, so that it can be marked and is reported as unchecked."""
        yield Unit(f"bytes/0-{self._size}", "", "bytes", "of an unsupported format" if self._size else "")

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The ranges that the marks name; ranges that overlap or touch become one span.

        Raises:
            UnknownPlace: a mark names anything else, or bytes that the file does not have.
        """
        require_whole(marks, "a range of bytes")
        return Spans.of(united(self._range(mark.address) for mark in marks))

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: nothing is hidden in such a file."""
        return everywhere

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address: only the marked bytes travel classified."""
        return everywhere

    def _range(self, address: str) -> tuple[int, int]:
        named = _ADDRESS.fullmatch(address)
        if named is None:
            raise UnknownPlace(address, "this file is read as bytes; its addresses are ranges such as bytes/100-200")
        start, end = int(named[1]), int(named[2])
        if not start <= end <= self._size:
            raise UnknownPlace(address, f"the file has the bytes 0-{self._size}")
        return start, end


def read_bytes(data: bytes) -> BytesReading:
    """The file `data`, of any format."""
    return BytesReading(len(data))
