"""Lines and columns in a text, counted from 1 as people count them, a column for each code point.

Counting lines takes longer than finding tags, and few texts have an error to report. So a `LazyPosition` only records
what to count, and counts it when an error is reported.

A code point counts at its first byte, the only one that is no continuation byte, so any bytes can be counted, even if
they end inside a code point.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))


class Position(NamedTuple):
    """A line ends with a line feed. A carriage return and a byte order mark are columns like any other character."""

    line: int = 1
    column: int = 1

    def after(self, text: bytes) -> "Position":
        """The position after `text`, which begins here."""
        return Position(self.line + text.count(b"\n"), column_after(self.column, text))


CountLineFeeds: TypeAlias = Callable[[int, int], int]
"""Returns how many line feeds are in the first n bytes of the plain stream and the first m of the classified one."""


class LazyPosition(NamedTuple):
    """A position that is not counted yet: `line_feeds` after that many bytes of the plain and the classified stream."""

    plain: int = 0
    classified: int = 0
    line_feeds: int = 0
    column: int = 1

    def after(self, text: bytes) -> "LazyPosition":
        """The position after `text`, which begins here."""
        return self._replace(line_feeds=self.line_feeds + text.count(b"\n"), column=column_after(self.column, text))

    def position(self, line_feeds: CountLineFeeds) -> Position:
        """Counts it."""
        return Position(1 + line_feeds(self.plain, self.classified) + self.line_feeds, self.column)


def column_after(column: int, text: bytes, code_points: int | None = None) -> int:
    """The column after `text`, which begins in `column`. `code_points`: how many it has, if that is known."""
    line_feed = text.rfind(b"\n")
    if line_feed >= 0:
        return 1 + _code_points(text[line_feed + 1 :])
    return column + (_code_points(text) if code_points is None else code_points)


def _code_points(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.translate(None, CONTINUATION_BYTES))
