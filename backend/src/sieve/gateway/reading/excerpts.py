"""Excerpts of the text that policy rules hit, taken while the units of a file are read."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sieve.core.units import Mark, Unit

MAX_EXCERPT: Final = 160
_AROUND: Final = 60
"""Characters before a marked text, and after it."""
_REMEMBERED: Final = 2_000_000
"""Characters of the units that are remembered."""


class RecentUnits:
    """Passes units on, and remembers the latest ones for excerpts."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = units
        self._last: OrderedDict[str, str] = OrderedDict()
        self._characters = 0

    def __iter__(self) -> Iterator[Unit]:
        for unit in self._units:
            self._last[unit.address] = unit.text
            self._characters += len(unit.text)
            # Far fewer are searched together, and their hits follow at once.
            while self._characters > _REMEMBERED and len(self._last) > 1:
                self._characters -= len(self._last.popitem(last=False)[1])
            yield unit

    def text(self, address: str) -> str:
        """The text of a recent unit; empty if there is none at that address."""
        return self._last.get(address, "")


class Excerpt(NamedTuple):
    """The beginning of a marked text, and the text around it; all empty where more than a unit is marked."""

    text: str
    before: str = ""
    after: str = ""


def excerpt_of(text: str, mark: Mark) -> Excerpt:
    """The excerpt of a mark in a unit with this text."""
    start, end = mark.start or 0, len(text) if mark.end is None else mark.end
    return Excerpt(text[start:end][:MAX_EXCERPT], text[max(0, start - _AROUND) : start], text[end : end + _AROUND])
