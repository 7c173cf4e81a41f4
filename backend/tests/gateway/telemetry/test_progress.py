"""The bus: a watcher hears the latest, never waits for nothing, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from gateway.two_gateways import PATIENCE_S
from sieve.gateway.telemetry import progress
from sieve.gateway.telemetry.progress import ChannelProgress, Progress, ProgressBus


def watching(bus: ProgressBus, transfer_id: str = "t") -> AsyncGenerator[Progress, None]:
    return cast("AsyncGenerator[Progress, None]", bus.watch(transfer_id))


async def soon(watcher: AsyncGenerator[Progress, None]) -> Progress:
    async with asyncio.timeout(PATIENCE_S):
        return await anext(watcher)


async def test_the_latest_at_once_and_then_each_change() -> None:
    bus = ProgressBus()
    bus.publish(Progress("t", "queued"))
    async with aclosing(watching(bus)) as watcher:
        assert (await soon(watcher)).state == "queued"
        bus.publish(Progress("t", "sending"))
        assert (await soon(watcher)).state == "sending"


async def test_who_watches_before_anything_happens_waits_for_it() -> None:
    bus = ProgressBus()
    async with aclosing(watching(bus)) as watcher:
        waiting = asyncio.create_task(soon(watcher))
        await asyncio.sleep(0)
        bus.publish(Progress("other", "sending"))
        bus.publish(Progress("t", "delivered"))
        assert (await waiting).state == "delivered"


async def test_a_slow_watcher_skips_what_it_missed_and_never_the_last() -> None:
    bus = ProgressBus()
    async with aclosing(watching(bus)) as watcher:
        for sent in range(1000):
            bus.publish(Progress("t", "sending", plain_sent=sent))
        assert (await soon(watcher)).plain_sent == 999


async def test_what_is_said_twice_is_heard_once() -> None:
    bus = ProgressBus()
    bus.publish(Progress("t", "sending"))
    async with aclosing(watching(bus)) as watcher:
        await soon(watcher)
        waiting = asyncio.create_task(soon(watcher))
        await asyncio.sleep(0)
        bus.publish(Progress("t", "sending"))
        bus.publish(Progress("t", "delivered"))
        assert (await waiting).state == "delivered"


async def test_watchers_that_leave_leave_nothing_behind() -> None:
    bus = ProgressBus()
    for _ in range(3):
        bus.publish(Progress("t", "sending"))
        first, second = watching(bus), watching(bus)
        await soon(first)
        await soon(second)
        await first.aclose()
        # The other one still hears.
        bus.publish(Progress("t", "delivered"))
        assert (await soon(second)).state == "delivered"
        await second.aclose()
    cut = asyncio.create_task(soon(watching(bus, "never")))
    await asyncio.sleep(0)
    cut.cancel()
    await asyncio.gather(cut, return_exceptions=True)
    assert bus.watchers == {}


@given(st.lists(st.integers(0, 50), max_size=60))
def test_memory_is_bounded_and_keeps_who_was_heard_of_last(ids: list[int]) -> None:
    kept, progress.KEPT = progress.KEPT, 10
    try:
        bus = ProgressBus()
        for transfer in ids:
            bus.publish(Progress(str(transfer), "sending"))
        latest = list(dict.fromkeys(reversed(ids)))[:10]
        assert {i for i in range(51) if bus.latest(str(i))} == set(latest)
    finally:
        progress.KEPT = kept


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), max_size=30))
def test_each_channel_moves_separately_and_what_is_sent_again_is_no_progress(moves: list[tuple[int, int]]) -> None:
    totals = (10, 0, 7, 5)
    channels = tuple(
        ChannelProgress("secure" if at < 2 else "plain", at % 2, 0, total) for at, total in enumerate(totals)
    )
    now = Progress("t", "sending", secure_total=10, plain_total=12, channels=channels)
    sent = [0, 0, 0, 0]
    for at, size in moves:
        now = now.carried(at, size)
        sent[at] = min(totals[at], sent[at] + size)
        assert [channel.sent for channel in now.channels] == sent
        assert (now.secure_sent, now.plain_sent) == (sum(sent[:2]), sum(sent[2:]))
    assert [replace(channel, sent=0) for channel in now.channels] == list(channels)
