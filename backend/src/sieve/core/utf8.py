"""Checks piece by piece that text is UTF-8, and that spans cut none of its code points."""

import codecs
from typing import Final, NamedTuple

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8, SpanError
from sieve.core.position import Position

# The decoder needs up to four times the bytes, which this bounds for pieces of any length.
_BLOCK: Final = 1 << 20
_NEVER: Final = 1 << 64


class Whole(NamedTuple):
    """The complete code points at the start of a text: `size` bytes. `bad`: an invalid code point follows."""

    size: int
    code_points: int
    bad: bool


def whole(text: bytes, *, final: bool = False) -> Whole:
    """The complete code points of `text`. An incomplete one at the end is bad only if `final`."""
    if text.isascii():
        return Whole(len(text), len(text), bad=False)
    at = code_points = 0
    while True:
        block = text[at : at + _BLOCK]
        last = at + len(block) == len(text)
        try:
            decoded, read = codecs.utf_8_decode(block, "strict", final and last)
        except UnicodeDecodeError as error:
            decoded, _ = codecs.utf_8_decode(block[: error.start], "strict", True)
            return Whole(at + error.start, code_points + len(decoded), bad=True)
        at += read
        code_points += len(decoded)
        if last:
            return Whole(at, code_points, bad=False)


class Utf8Check:
    """Checks a text and tracks the current position."""

    def __init__(self) -> None:
        self._place = Position()
        self._pending = b""

    def feed(self, piece: bytes) -> None:
        """Raises NotUtf8 with the position of the first invalid code point."""
        self._read(self._pending + piece, final=False)

    def close(self) -> None:
        """Raises NotUtf8 if the text ends inside a code point. Later input continues the text."""
        self._read(self._pending, final=True)

    def _read(self, text: bytes, *, final: bool) -> None:
        read, _, bad = whole(text, final=final)
        self._place = self._place.after(text[:read])
        if bad:
            raise NotUtf8(*self._place)
        self._pending = text[read:]


class SpanEdgeCheck:
    """Refuses spans that begin or end inside a code point of a UTF-8 text."""

    def __init__(self, spans: Spans) -> None:
        self._bounds = spans.bounds()
        self._bound = next(self._bounds, _NEVER)
        self._passed = 0
        self._position = 0

    def feed(self, piece: bytes) -> None:
        """Raises SpanError, naming the span by its number."""
        end = self._position + len(piece)
        while self._bound < end:
            if piece[self._bound - self._position] & 0xC0 == 0x80:
                verb = "ends" if self._passed % 2 else "begins"
                raise SpanError(f"span {self._passed // 2 + 1} {verb} inside a character; move it to one of its ends")
            self._passed += 1
            self._bound = next(self._bounds, _NEVER)
        self._position = end
