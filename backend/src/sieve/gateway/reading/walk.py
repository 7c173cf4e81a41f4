"""A walk through the units of a file, page by page.

Invariant: reading the next page does not start over, and a page is bounded, however long the file is.
"""

from collections.abc import Iterator
from typing import Final

from sieve.core.units import Unit
from sieve.formats.registry import Reading

MAX_CHARACTERS: Final = 1_000_000
"""Characters of the units in one page; a longer unit comes alone."""


class Walk:
    """The units of a file, and how far they were read, so that the next page does not start over."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._units: Iterator[Unit] = iter(())
        self._at = -1
        self._waiting: Unit | None = None

    def page(self, after: int, limit: int) -> tuple[list[Unit], int | None]:
        """Units from number `after` on, and the number of the first that is not told, if there is one. What is wrong
        with the file there is told each time.
        """
        try:
            return self._page(after, limit)
        except BaseException:
            # Of units that ended in an error, nothing more comes: who asks again would take that for the end.
            self._at = -1
            raise

    def _page(self, after: int, limit: int) -> tuple[list[Unit], int | None]:
        if self._at != after:
            self._units, self._at, self._waiting = iter(self._reading.units()), 0, None
            while self._at < after and self._take() is not None:
                self._at += 1
                self._waiting = None
        page: list[Unit] = []
        characters = 0
        while (unit := self._take()) is not None:
            characters += len(unit.text)
            if page and (len(page) == limit or characters > MAX_CHARACTERS):
                return page, self._at
            page.append(unit)
            self._at += 1
            self._waiting = None
        return page, None

    def _take(self) -> Unit | None:
        if self._waiting is None:
            self._waiting = next(self._units, None)
        return self._waiting
