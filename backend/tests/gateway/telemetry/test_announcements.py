"""Announcements: each reaches only the people concerned, repeated ones are merged, and their number is limited."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from gateway.two_gateways import PATIENCE_S
from sieve.gateway.telemetry import announcements as module
from sieve.gateway.telemetry.announcements import EVERYTHING, Announcements, Change, Watcher
from sieve.gateway.telemetry.progress import Progress, ProgressBus


def taken(watcher: Watcher) -> list[Change]:
    found = []
    while (change := watcher.take()) is not None:
        found.append(change)
    return found


def now() -> float:
    return asyncio.get_running_loop().time()


def test_everything_comes_first_and_then_what_is_mine_once() -> None:
    announcements = Announcements()
    with announcements.watching("anna") as anna, announcements.watching("bruno") as bruno:
        assert taken(anna) == taken(bruno) == [EVERYTHING]
        for _ in range(3):
            announcements.transfer_changed("anna", "t")
            announcements.draft_changed("anna", "d")
            announcements.inbox_changed(["bruno", "nobody"])
        assert taken(anna) == [Change("transfer", "t"), Change("draft", "d")]
        assert taken(bruno) == [Change("inbox")]
        announcements.transfer_changed("anna", "t")
        assert taken(anna) == [Change("transfer", "t")]


def test_two_streams_of_one_person_hear_the_same() -> None:
    announcements = Announcements()
    with announcements.watching("anna") as one, announcements.watching("anna") as two:
        taken(one), taken(two)
        announcements.draft_changed("anna", "d")
        assert taken(one) == taken(two) == [Change("draft", "d")]


def test_who_leaves_leaves_nothing_behind() -> None:
    announcements = Announcements()
    with announcements.watching("anna"), announcements.watching("anna"):
        pass
    assert announcements.watchers == {}


def test_what_is_put_off_lets_others_pass() -> None:
    watcher = Watcher()
    taken(watcher)
    watcher.announce(Change("transfer", "t"))
    watcher.announce(Change("inbox"))
    assert watcher.take(but="transfer") == Change("inbox")
    assert watcher.take(but="transfer") is None
    assert watcher.waits
    assert watcher.take() == Change("transfer", "t")


@given(st.lists(st.one_of(st.integers(0, 30), st.none()), max_size=80))
def test_bounded_and_nothing_is_lost_unsaid(happening: list[int | None]) -> None:
    """None: everything that waits is taken. What was announced since then is waiting, or EVERYTHING is."""
    kept, module.MOST_WAITING = module.MOST_WAITING, 10  # type: ignore[misc]
    try:
        watcher = Watcher()
        taken(watcher)
        told: list[Change] = []
        for happens in [*happening, None]:
            if happens is None:
                found = taken(watcher)
                assert len(found) <= 10
                assert found == (list(dict.fromkeys(told)) if len(set(told)) <= 10 else [EVERYTHING])
                told = []
            else:
                told.append(Change("transfer", str(happens)))
                watcher.announce(told[-1])
    finally:
        module.MOST_WAITING = kept  # type: ignore[misc]


async def test_waiting_ends_with_news_with_time_and_with_the_end() -> None:
    announcements = Announcements()
    with announcements.watching("anna") as watcher:
        taken(watcher)
        await watcher.wait(now() + 0.001)
        waiting = asyncio.create_task(watcher.wait(now() + 2 * PATIENCE_S))
        await asyncio.sleep(0)
        announcements.inbox_changed(["anna"])
        async with asyncio.timeout(PATIENCE_S):
            await waiting
            assert taken(watcher) == [Change("inbox")]
            waiting = asyncio.create_task(watcher.wait(now() + 2 * PATIENCE_S))
            await asyncio.sleep(0)
            announcements.close()
            await waiting
            assert watcher.closed
            await watcher.wait(now() + 2 * PATIENCE_S)
    with announcements.watching("late") as late:
        assert late.closed


async def test_progress_is_announced_to_its_author_without_what_it_is() -> None:
    bus = ProgressBus()
    with bus.announcements.watching("anna") as watcher:
        taken(watcher)
        bus.publish(Progress("t", "sending", plain_sent=1))
        assert taken(watcher) == []
        bus.publish(Progress("t", "sending", plain_sent=2), "anna")
        assert taken(watcher) == [Change("transfer", "t")]


async def test_a_closed_bus_ends_its_watchers() -> None:
    bus = ProgressBus()

    async def watched() -> list[Progress]:
        return [progress async for progress in bus.watch("t")]

    watching = asyncio.create_task(watched())
    await asyncio.sleep(0)
    bus.close()
    async with asyncio.timeout(PATIENCE_S):
        assert await watching == []
        assert await watched() == []
