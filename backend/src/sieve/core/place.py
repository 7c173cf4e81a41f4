"""Where in a text a byte stands, as people count: lines and columns from 1, a column for each code point.

Counting the lines of a text takes longer than finding its tags, and few texts have a fault to be told of: a `Spot`
knows what to count when it is asked for.

A code point is counted at its first byte, the one that is no continuation byte, so any bytes can be counted,
not only those that end where a code point does.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))


class Place(NamedTuple):
    """A line ends with a line feed; a carriage return or a byte order mark is a column like any other."""

    line: int = 1
    column: int = 1

    def after(self, text: bytes) -> "Place":
        """The place of what follows `text`, which begins here."""
        return Place(self.line + text.count(b"\n"), column_after(self.column, text))


LineFeeds: TypeAlias = Callable[[int, int], int]
"""How many line feeds the first so many bytes of a document's plain and of its classified stream hold."""


class Spot(NamedTuple):
    """A place that is not counted yet: `line_feeds` behind so much of the plain and of the classified stream."""

    plain: int = 0
    classified: int = 0
    line_feeds: int = 0
    column: int = 1

    def after(self, text: bytes) -> "Spot":
        """The spot of what follows `text`, which begins here."""
        return self._replace(line_feeds=self.line_feeds + text.count(b"\n"), column=column_after(self.column, text))

    def place(self, line_feeds: LineFeeds) -> Place:
        """Where that is."""
        return Place(1 + line_feeds(self.plain, self.classified) + self.line_feeds, self.column)


def column_after(column: int, text: bytes, code_points: int | None = None) -> int:
    """The column of what follows `text`, which begins in `column`. `code_points`: how many it has, if that is known."""
    line_feed = text.rfind(b"\n")
    if line_feed >= 0:
        return 1 + _code_points(text[line_feed + 1 :])
    return column + (_code_points(text) if code_points is None else code_points)


def _code_points(text: bytes) -> int:
    return len(text) if text.isascii() else len(text.translate(None, CONTINUATION_BYTES))
