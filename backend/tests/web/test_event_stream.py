"""The events of one stream, with its surroundings simulated: their pace, the pings, and the check before each."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from fastapi.sse import ServerSentEvent

from sieve.gateway.telemetry import announcements
from sieve.gateway.telemetry.announcements import Change, Watcher
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.store.database_from_url import database_from_url
from sieve.store.models import User
from sieve.web.events.stream import event_maker, events

ANNA = User(id="anna")


class Stage:
    """One watcher, the signed-in person, and a maker of events that records its arguments."""

    def __init__(self) -> None:
        self.watcher = Watcher()
        self.person: User | None = ANNA
        self.asked = 0
        self.looked: list[Change] = []
        self.mine = True

    async def signed_in(self) -> User | None:
        self.asked += 1
        return self.person

    async def make_event(self, person: User, change: Change) -> ServerSentEvent | None:
        assert person is ANNA
        self.looked.append(change)
        return ServerSentEvent(event=change.kind, data=change.id) if self.mine else None

    def playing(self, ping_s: float = 60, pace_s: float = 0) -> "aclosing[AsyncGenerator[ServerSentEvent]]":
        told = events(self.watcher, self.signed_in, self.make_event, ping_s=ping_s, pace_s=pace_s)
        return aclosing(cast("AsyncGenerator[ServerSentEvent]", told))


async def soon(told: AsyncGenerator[ServerSentEvent]) -> str:
    async with asyncio.timeout(5):
        return str((await anext(told)).event)


async def test_who_it_is_is_asked_before_each_event_and_each_ping() -> None:
    stage = Stage()
    async with stage.playing(ping_s=0.01) as told:
        for number in range(5):
            assert await soon(told) == ("everything" if not number else "ping")
            assert stage.asked == number + 1
        stage.watcher.announce(Change("inbox"))
        while await soon(told) != "inbox":
            pass
        asked = stage.asked
        stage.person = None
        stage.watcher.announce(Change("inbox"))
        assert [event async for event in told] == []
        assert stage.asked == asked + 1


async def test_transfers_keep_a_pace_and_hold_nothing_else_up() -> None:
    stage = Stage()
    async with stage.playing(pace_s=3600) as told:
        await soon(told)
        for _ in range(3):
            stage.watcher.announce(Change("transfer", "t"))
            stage.watcher.announce(Change("inbox"))
        assert [await soon(told), await soon(told)] == ["transfer", "inbox"]
        stage.watcher.announce(Change("transfer", "t"))
        stage.watcher.announce(Change("draft", "d"))
        assert await soon(told) == "draft"
        waiting = asyncio.create_task(soon(told))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        stage.watcher.close()
        await asyncio.wait([waiting])
        assert isinstance(waiting.exception(), StopAsyncIteration)


async def test_the_last_word_of_a_busy_transfer_is_reported_after_a_while() -> None:
    stage = Stage()
    loop = asyncio.get_running_loop()
    async with stage.playing(pace_s=0.02) as told:
        await soon(told)
        began, heard = loop.time(), 0
        while loop.time() - began < 0.2:
            stage.watcher.announce(Change("transfer", "t"))
            assert await soon(told) == "transfer"
            heard += 1
        assert heard <= (loop.time() - began) / 0.02 + 1


async def test_what_is_not_for_this_person_keeps_the_pace_too() -> None:
    """Each event costs a query: there must be none for the progress of a transfer after its author lost the role."""
    stage = Stage()
    stage.mine = False
    async with stage.playing(pace_s=3600) as told:
        waiting = asyncio.create_task(soon(told))
        for _ in range(20):
            stage.watcher.announce(Change("transfer", "t"))
            await asyncio.sleep(0)
        assert stage.looked.count(Change("transfer", "t")) <= 1
        stage.watcher.close()
        await asyncio.wait([waiting])
        assert isinstance(waiting.exception(), StopAsyncIteration)


async def test_a_client_that_falls_behind_must_look_at_everything() -> None:
    stage = Stage()
    async with stage.playing() as told:
        await soon(told)
        for number in range(announcements.MOST_WAITING + 5):
            stage.watcher.announce(Change("draft", str(number)))
        stage.watcher.close()
        assert stage.watcher.take() == announcements.EVERYTHING
        assert stage.watcher.take() is None
        assert [event async for event in told] == []


async def test_pings_come_though_there_is_always_something_to_tell() -> None:
    stage = Stage()
    async with stage.playing(ping_s=0.01) as told:
        heard: set[str] = set()
        while "ping" not in heard:
            stage.watcher.announce(Change("inbox"))
            heard.add(await soon(told))


async def test_only_an_admin_hears_of_timings() -> None:
    make_event = event_maker(database_from_url("sqlite+aiosqlite:///unused"), ProgressBus())
    admin, author = User(id="anna", is_admin=True), User(id="bob", is_admin=False, is_author=True, is_recipient=True)
    event = await make_event(admin, Change("timings"))
    assert event is not None and (event.event, event.data) == ("timings", {})
    assert await make_event(author, Change("timings")) is None
