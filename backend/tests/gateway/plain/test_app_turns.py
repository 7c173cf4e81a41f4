"""Who waits at the plain listener and who is served: slots are few, and whatever ends gives its place back."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from gateway.plain_bench import (
    HANDLE,
    LIMITS,
    OTHER,
    PLAN,
    Bench,
    a_bench,
    chunk,
    until_waiting,
)
from gateway.two_gateways import PATIENCE_S
from sieve.gateway.plain.app import Fenced


async def test_an_unknown_handle_is_refused_unread_after_a_short_wait(bench: Bench) -> None:
    request = bench.put(0)
    began = asyncio.get_running_loop().time()
    assert await request.answered() == 404
    assert LIMITS.wait_s <= asyncio.get_running_loop().time() - began
    assert not request.reading.is_set()


async def test_a_chunk_that_overtakes_its_announcement_is_taken(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=2 * PATIENCE_S)) as bench:
        early = [asyncio.create_task(bench.put(index).answered()) for index in (0, 1)]
        await until_waiting(bench.app, 2)
        bench.announce()
        assert await asyncio.gather(*early) == [204, 204]


async def test_a_request_that_waits_is_answered_even_if_another_gave_up_before(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=2 * PATIENCE_S)) as bench:
        gives_up, waits = (asyncio.create_task(bench.put(index).answered()) for index in (0, 1))
        await until_waiting(bench.app, 2)
        await give_up([gives_up])
        bench.announce()
        async with asyncio.timeout(PATIENCE_S):
            assert await waits == 204


async def test_few_may_wait_and_places_come_free_again(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=2 * PATIENCE_S)) as bench:
        for _ in range(2):
            waiting = [asyncio.create_task(bench.put(0, handle=handle).answered()) for handle in (HANDLE, OTHER)]
            await until_waiting(bench.app, 2)
            assert await bench.put(1).answered() == 404
            assert not any(task.done() for task in waiting)  # the third did not wait as long as they do
            await give_up(waiting)


async def test_waiting_strangers_do_not_keep_a_known_handle_out(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=2 * PATIENCE_S)) as bench:
        strangers = [asyncio.create_task(bench.put(0, handle=OTHER).answered()) for _ in range(2)]
        await until_waiting(bench.app, 2)
        bench.announce()
        assert await bench.put(0).answered() == 204
        assert not any(task.done() for task in strangers)
        await give_up(strangers)


async def give_up(requests: list[asyncio.Task[int]]) -> None:
    """Ends requests as their clients would."""
    for request in requests:
        request.cancel()
    await asyncio.gather(*requests, return_exceptions=True)


async def test_slots_are_few_and_come_free_again(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, grace_s=2 * PATIENCE_S)) as bench:
        bench.announce()
        slow = [bench.put(index) for index in (0, 1)]
        for request in slow:
            request.go.clear()
        tasks = [asyncio.create_task(request.answered()) for request in slow]
        for request in slow:
            await request.reading.wait()
        assert await bench.put(2).answered() == 503
        for request in slow:
            request.go.set()
        assert await asyncio.gather(*tasks) == [204, 204]
        assert await bench.put(2).answered() == 204


async def test_a_slow_body_is_cut_and_its_slot_given_back(bench: Bench) -> None:
    bench.announce()
    for _ in range(LIMITS.slots + 1):
        request = bench.put(0)
        request.pieces, request.more = [chunk(0)[:100], b"x"], True
        request.go.clear()
        assert await request.answered() == 408
    assert await bench.put(0).answered() == 204


async def test_a_body_that_breaks_off_gives_its_slot_back(bench: Bench) -> None:
    bench.announce()
    for _ in range(LIMITS.slots + 1):
        request = bench.put(0)
        request.pieces = [chunk(0)[:-1]]
        assert await request.answered() == 0
    for _ in range(LIMITS.slots + 1):
        request = bench.put(0)
        request.go.clear()
        cut = asyncio.create_task(request.answered())
        await request.reading.wait()
        cut.cancel()
        assert isinstance((await asyncio.gather(cut, return_exceptions=True))[0], asyncio.CancelledError)
    assert await bench.put(0).answered() == 204


async def test_of_two_copies_under_way_one_is_written(bench: Bench) -> None:
    bench.announce()
    copies = [bench.put(0), bench.put(0)]
    for request in copies:
        request.go.clear()
    tasks = [asyncio.create_task(request.answered()) for request in copies]
    for request in copies:
        await request.reading.wait()
        request.go.set()
    assert await asyncio.gather(*tasks) == [204, 204]
    assert bench.held == [(HANDLE, 0)]


async def test_after_the_handle_is_closed_nothing_under_way_is_written(bench: Bench) -> None:
    bench.announce()
    request = bench.put(0)
    request.go.clear()
    task = asyncio.create_task(request.answered())
    await request.reading.wait()
    assert await bench.app.close(HANDLE) == Fenced()
    # The descriptor may be another file's by now.
    os.close(os.open(bench.path, os.O_RDONLY))
    request.go.set()
    assert await task == 410
    assert bench.written == bytes(PLAN.size) and bench.held == []
