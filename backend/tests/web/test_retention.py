"""Retention deletes expired documents from every inbox, with their files, and keeps all others."""

import asyncio
import sqlite3
from dataclasses import replace

import pytest

from sieve.gateway.clock import DOUBT_NS, Clock
from sieve.gateway.documents import retention
from sieve.gateway.documents.retention import DAY_NS, Retention, expired_by_ns, kept_until_ns
from sieve.store.errors import DatabaseBusy
from web_world import World

RECEIVED_NS = 1_700_000_000 * 1_000_000_000
"""When the world's deliveries were."""


def keeper(world: World, at_ns: int, days: int = 30) -> Retention:
    services = world.services
    return Retention(services.database, services.blobs, services.announcements, days, Clock(lambda: at_ns, lambda: 0))


async def inbox(world: World, who: str) -> list[str]:
    async with world.client(who) as api:
        return [item["transfer_id"] for item in (await api.get("/inbox")).json()["items"]]


def test_the_last_moment_is_the_same_both_ways() -> None:
    until = kept_until_ns(RECEIVED_NS, 30)
    assert until == RECEIVED_NS + 30 * DAY_NS
    assert expired_by_ns(until, 30) == RECEIVED_NS
    assert kept_until_ns(RECEIVED_NS, None) is None


async def test_an_entry_goes_at_its_time_and_not_before(world: World) -> None:
    transfer_id = await world.deliver(b"plain <$S>secret<$E>")
    until = RECEIVED_NS + 30 * DAY_NS
    files = len(world.blob_files())
    assert await keeper(world, until - 1).remove() == 0
    assert await inbox(world, "bruno") == await inbox(world, "rosa") == [transfer_id]
    assert await keeper(world, until).remove() == 2
    assert await inbox(world, "bruno") == await inbox(world, "rosa") == []
    assert len(world.blob_files()) == files - 2  # plain and sealed; the manifest stays with the receipt
    assert await keeper(world, until).remove() == 0


async def test_more_than_fit_in_one_transaction_all_go(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    for _ in range(3):
        await world.deliver(b"plain")
    assert await keeper(world, RECEIVED_NS + 30 * DAY_NS).remove() == 6


async def test_changed_inboxes_are_announced(world: World) -> None:
    await world.deliver(b"plain", to=["bruno"])
    bus = world.services.announcements
    with bus.watching(world.people["bruno"].id) as bruno, bus.watching(world.people["rosa"].id) as rosa:
        bruno.take(), rosa.take()
        await keeper(world, RECEIVED_NS + 30 * DAY_NS).remove()
        assert (bruno.waits, rosa.waits) == (True, False)


@pytest.mark.parametrize(
    "trouble", [DatabaseBusy("others wrote for too long"), sqlite3.OperationalError("disk I/O error")]
)
async def test_a_database_that_fails_only_puts_it_off(
    world: World, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    monkeypatch.setattr(retention, "PACE_S", 0)
    await world.deliver(b"plain", to=["bruno"])
    troubles: list[Exception] = []

    def wall_ns() -> int:
        if troubles:
            raise troubles.pop()
        return RECEIVED_NS + 30 * DAY_NS

    clock = Clock(wall_ns, lambda: 0)
    troubles.append(trouble)
    with world.services.announcements.watching(world.people["bruno"].id) as bruno:
        bruno.take()
        task = asyncio.create_task(replace(keeper(world, 0), clock=clock).run())
        while not bruno.waits:
            await bruno.wait(asyncio.get_running_loop().time() + 5)
        task.cancel()
        await asyncio.wait([task])
    assert not troubles
    assert await inbox(world, "bruno") == []


async def test_a_clock_that_was_just_set_removes_nothing(world: World) -> None:
    """Deleted documents would not come back when the clock is corrected."""
    transfer_id = await world.deliver(b"plain")
    wall_ns, passed_ns = RECEIVED_NS, 0
    clock = Clock(lambda: wall_ns + passed_ns, lambda: passed_ns)
    retention = replace(keeper(world, 0, days=1), clock=clock)
    wall_ns += DAY_NS
    assert await retention.remove() == 0
    assert await inbox(world, "bruno") == [transfer_id]
    passed_ns += DOUBT_NS
    assert await retention.remove() == 2


async def test_a_clock_that_was_set_by_days_removes_nothing_until_it_is_confirmed(world: World) -> None:
    transfer_id = await world.deliver(b"plain")
    wall_ns, passed_ns = RECEIVED_NS, 0
    clock = Clock(lambda: wall_ns + passed_ns, lambda: passed_ns)
    retention = replace(keeper(world, 0), clock=clock)
    wall_ns += 300 * DAY_NS
    passed_ns += 300 * DAY_NS
    assert await retention.remove() == 0
    assert await inbox(world, "bruno") == [transfer_id]
    clock.confirm()
    assert await retention.remove() == 2


async def test_the_inbox_says_until_when(world: World) -> None:
    transfer_id = await world.deliver(b"plain")
    async with world.client("rosa") as api:
        assert (await api.get(f"/inbox/{transfer_id}")).json()["kept_until"] is None
        settings = world.services.settings.model_copy(update={"retention_days": 1})
        world.app.state.services = replace(world.services, settings=settings)
        assert (await api.get(f"/inbox/{transfer_id}")).json()["kept_until"] == "2023-11-15T22:13:20Z"
        assert (await api.get("/inbox")).json()["items"][0]["kept_until"] == "2023-11-15T22:13:20Z"
