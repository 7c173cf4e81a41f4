"""The fair queue: everybody gets one, in fair order, and nobody waits for another person's queue."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.reading.errors import ReadingBusy
from sieve.gateway.reading.fair_queue import FairQueue


async def settle() -> None:
    """Lets everybody go as far as they can."""
    for _ in range(50):
        await asyncio.sleep(0)


class Readers:
    """People who request turns and keep each until the test ends it."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.having: list[str] = []
        self.served: list[str] = []
        self._ends: dict[str, list[asyncio.Event]] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def ask(self, whose: str) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(self._turn(whose)))

    async def _turn(self, whose: str) -> None:
        async with self.queue.turn(whose):
            self.having.append(whose)
            self.served.append(whose)
            end = asyncio.Event()
            self._ends.setdefault(whose, []).append(end)
            await end.wait()
            self.having.remove(whose)

    def end(self, whose: str) -> None:
        self._ends[whose].pop(0).set()

    async def end_one(self, whose: str) -> None:
        self.end(whose)
        await settle()

    async def end_all(self) -> None:
        while self.having:
            await self.end_one(self.having[0])
        await asyncio.gather(*self.tasks)


@given(
    slots=st.integers(1, 4),
    asked=st.lists(st.sampled_from("abc"), max_size=20),
    ends=st.lists(st.integers(0, 10), max_size=30),
)
def test_everybody_gets_a_turn_and_nobody_has_all_slots(slots: int, asked: list[str], ends: list[int]) -> None:
    async def run() -> None:
        readers = Readers(FairQueue(slots, most=100, most_of_one=100))
        for whose in asked:
            readers.ask(whose)
        await settle()
        for number in ends:
            had = Counter(readers.having)
            assert had.total() <= slots
            assert all(one <= max(1, slots - 1) for one in had.values())
            waiting = set(asked) if Counter(readers.served) != Counter(asked) else set()
            # A place is free only if those who wait have all that one person may.
            if had.total() < slots:
                left = Counter(asked) - Counter(readers.served)
                assert all(had[whose] == max(1, slots - 1) for whose in waiting if left[whose])
            if readers.having:
                await readers.end_one(readers.having[number % len(readers.having)])
        await readers.end_all()
        assert Counter(readers.served) == Counter(asked)

    asyncio.run(run())


@pytest.mark.parametrize("slots", [1, 2])
async def test_many_requests_of_one_person_keep_nobody_waiting(slots: int) -> None:
    readers = Readers(FairQueue(slots, most=100, most_of_one=100))
    for whose in "aaaaaaaa":
        readers.ask(whose)
    await settle()
    for whose in "bbcc":
        readers.ask(whose)
    await settle()
    assert readers.having == ["a"] if slots == 1 else ["a", "b"]
    await readers.end_one("a")
    assert readers.having == ["b"] if slots == 1 else ["b", "c"]
    await readers.end_all()
    # After eight turns, everybody has had all their turns except the one with many.
    assert Counter(readers.served[:8]) == {"a": 4, "b": 2, "c": 2}


async def test_too_many_requests_are_refused_and_a_cancelled_one_frees_its_place() -> None:
    readers = Readers(FairQueue(1, most=3, most_of_one=2))
    readers.ask("a")
    readers.ask("a")
    await settle()
    with pytest.raises(ReadingBusy, match="of your files"):
        async with readers.queue.turn("a"):
            pass
    readers.ask("b")
    await settle()
    readers.ask("c")  # the first request of a person is always accepted
    await settle()
    assert not readers.tasks[-1].done()
    with pytest.raises(ReadingBusy, match="too many files"):
        async with readers.queue.turn("c"):
            pass
    readers.tasks.pop().cancel()
    await settle()
    readers.tasks[1].cancel()  # waits
    await settle()
    readers.tasks[0].cancel()  # reads
    await settle()
    assert readers.served == ["a", "b"]
    await readers.end_one("b")
    async with readers.queue.turn("c"):
        pass


async def test_who_gave_up_is_not_given_a_place() -> None:
    """Cancelled, but not yet woken to go: the place goes to the next, and none is lost."""
    readers = Readers(FairQueue(1, most=9, most_of_one=9))
    for whose in "abc":
        readers.ask(whose)
    await settle()
    readers.end("a")  # wakes first
    readers.tasks[1].cancel()
    await settle()
    assert readers.having == ["c"]
    await readers.end_one("c")
    await asyncio.gather(*readers.tasks[::2])
    async with readers.queue.turn("d"):
        pass
