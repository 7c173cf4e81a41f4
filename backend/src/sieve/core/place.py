"""Where in a text a byte stands, as people count: lines and columns from 1, a column for each code point.

A code point is counted at its first byte, the one that is no continuation byte, so any bytes can be counted,
not only those that end where a code point does.
"""

from typing import Final, NamedTuple

CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))


class Place(NamedTuple):
    """A line ends with a line feed; a carriage return or a byte order mark is a column like any other."""

    line: int = 1
    column: int = 1

    def after(self, text: bytes) -> "Place":
        """The place of what follows `text`, which begins here."""
        lines = text.count(b"\n")
        if lines:
            return Place(self.line + lines, 1 + _code_points(text[text.rfind(b"\n") + 1 :]))
        return Place(self.line, self.column + _code_points(text))


def _code_points(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.translate(None, CONTINUATION_BYTES))
