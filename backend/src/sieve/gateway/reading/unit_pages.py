"""The units of a file, page by page.

Invariant: reading the next page does not start over, and a page is bounded, however long the file is.
"""

from collections.abc import Iterator
from typing import Final

from sieve.core.units import Unit
from sieve.formats.reading import Reading

MAX_CHARACTERS: Final = 1_000_000
"""Characters of the units in one page; a longer unit has a page of its own."""


class UnitPages:
    """Remembers how far the units were read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._units: Iterator[Unit] = iter(())
        self._at = -1
        self._waiting: Unit | None = None

    def page(self, after: int, limit: int) -> tuple[list[Unit], int | None]:
        """Units from number `after` on, and the number of the first one of the next page, if there is one.

        Raises:
            FormatError: the file is damaged there; each time.
        """
        try:
            return self._page(after, limit)
        except BaseException:
            # An iterator that raised an error is exhausted: the next call would take that for the end of the file.
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
