"""Is it UTF-8, and do the spans keep its code points whole? Told piece by piece, whatever their bounds."""

import codecs
from typing import Final, NamedTuple

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8, SpanError
from sieve.core.position import Position

# The decoder makes a string of up to four times the bytes: this bounds it, however long a piece is.
_BLOCK: Final = 1 << 20
_NEVER: Final = 1 << 64


class Whole(NamedTuple):
    """The whole code points that a text begins with: `size` bytes. `bad`: what follows them is none."""

    size: int
    code_points: int
    bad: bool


def whole(text: bytes, *, final: bool = False) -> Whole:
    """What `text` begins with. Behind it may be a code point that is not finished yet; that is bad if `final`."""
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
    """Reads a text and knows the place of what comes next."""

    def __init__(self) -> None:
        self._place = Position()
        self._pending = b""

    def feed(self, piece: bytes) -> None:
        """Raises NotUtf8, with the place where the first bad code point begins."""
        self._read(self._pending + piece, final=False)

    def close(self) -> None:
        """Raises NotUtf8 if the text ends inside a code point. What is fed afterwards continues the text."""
        self._read(self._pending, final=True)

    def _read(self, text: bytes, *, final: bool) -> None:
        read, _, bad = whole(text, final=final)
        self._place = self._place.after(text[:read])
        if bad:
            raise NotUtf8(*self._place)
        self._pending = text[read:]


class SpanEdgeCheck:
    """Reads a text that is UTF-8 and refuses spans that begin or end inside one of its code points."""

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
