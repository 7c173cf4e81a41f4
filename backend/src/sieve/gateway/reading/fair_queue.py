"""A queue that is fair by person: nobody waits for another person's many or slow requests.

    async with queue.turn("anna"): ...      waits for a slot, and frees it at the end of the block

Invariant: the person with the fewest slots is next, and among equals the one who has waited longest. With two slots
or more, one person never has them all. So nobody waits for another person's queue, only for work that has begun.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sieve.gateway.reading.errors import ReadingBusy


class FairQueue:
    """`slots`: turns at once. `most`: requests of all people that wait or have a turn; beyond that, a person's first
    request is accepted, so that a few people's many requests lock nobody out. `most_of_one`: requests of one person.
    """

    def __init__(self, slots: int, *, most: int, most_of_one: int) -> None:
        self._slots: Final = slots
        self._most, self._most_of_one = most, most_of_one
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()
        self._having: Counter[str] = Counter()
        self._given = 0
        self._last: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, whose: str) -> AsyncIterator[None]:
        """The block is a turn of that person.

        Raises:
            ReadingBusy: too many requests wait, or too many of this person.
        """
        of_theirs = sum(one == whose for one, _ in self._waiting) + self._having[whose]
        if of_theirs and len(self._waiting) + self._having.total() >= self._most:
            raise ReadingBusy("too many files are being read right now; try again in a moment")
        if of_theirs >= self._most_of_one:
            raise ReadingBusy("too many of your files are being read right now; try again in a moment")
        begins: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((whose, begins))
        self._next()
        try:
            await begins
            yield
        finally:
            if begins.done() and not begins.cancelled():
                self._having[whose] -= 1
            else:
                self._waiting.remove((whose, begins))
            self._next()

    def _next(self) -> None:
        """Assigns free slots."""
        most = max(1, self._slots - 1)
        while self._having.total() < self._slots:
            # Not a cancelled waiter: it is still in the queue until it wakes.
            may = [waits for waits in self._waiting if self._having[waits[0]] < most and not waits[1].done()]
            if not may:
                return
            # Of several requests of one person, `min` returns the first.
            chosen = whose, begins = min(may, key=lambda waits: (self._having[waits[0]], self._last.get(waits[0], 0)))
            self._waiting.remove(chosen)
            self._having[whose] += 1
            self._given += 1
            self._last[whose] = self._given
            begins.set_result(None)
