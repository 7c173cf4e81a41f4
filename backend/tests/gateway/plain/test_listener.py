"""The plain listener as it is in life: a process of its own, told and asked over a socket pair."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gateway.file_at import part_of
from gateway.plain_bench import sum_of
from gateway.two_gateways import LIMITS, PATIENCE_S, until
from secret_variables import SECRET_VARIABLES, note_environment, set_secret_variables
from sieve.channel.attempt import MAX_SPLIT_SEGMENTS
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.chunk_sizes import ChunkPlan
from sieve.channel.load import MAX_DOCUMENTS
from sieve.channel.manifest import MAX_SIZE
from sieve.channel.seals import SealKey, seal
from sieve.gateway.plain import listener as plain_listener
from sieve.gateway.plain.app import Fenced
from sieve.gateway.plain.listener import PlainListener, PlainListenerLost
from sieve.gateway.runtime.listeners import bind

HANDLE, OTHER = "a" * 32, "b" * 32
KEY = SealKey(bytes(range(32)), "chacha20-poly1305")
PLAN = ChunkPlan(150_000)
STREAM = os.urandom(PLAN.size)


@dataclass
class Bench:
    listener: PlainListener
    running: asyncio.Task[None]
    path: Path
    held: asyncio.Queue[int] = field(default_factory=asyncio.Queue)
    lost: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, handle: str = HANDLE) -> None:
        parts = [part_of(self.path, 0, PLAN.size)]
        await self.listener.open(handle, KEY, parts, PlainSplit(PLAN.size), self.held.put_nowait, self.lost.set)

    async def put(self, index: int, handle: str = HANDLE) -> int:
        """Sends a chunk over a real connection; the status of the answer."""
        host, port = self.listener.listening.getsockname()
        start, end = PLAN.bounds(index)
        chunk = STREAM[start:end]
        head = (
            f"PUT /{handle}/0/{index} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(chunk)}\r\n"
            f"Seal: {seal(KEY, 0, index, chunk).hex()}\r\n\r\n"
        )
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(head.encode() + chunk)
                return int((await reader.readuntil(b"\r\n")).split()[1])
            finally:
                writer.close()

    async def hears(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            return await self.held.get()

    async def pid(self) -> int:
        """The child's, once it is there."""
        await until(lambda: self.listener.pid is not None)
        assert self.listener.pid is not None
        return self.listener.pid

    def kill(self, number: int = signal.SIGKILL) -> int:
        pid = self.listener.pid
        assert pid is not None
        os.kill(pid, number)
        return pid


@asynccontextmanager
async def a_bench(folder: Path, *, answer_s: float = 10.0) -> AsyncIterator[Bench]:
    path = folder / "plain"
    path.write_bytes(bytes(PLAN.size))
    with bind("127.0.0.1:0") as listening:
        lock_fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT)
        listener = PlainListener(listening, LIMITS, lock_fd, answer_s)
        running = asyncio.create_task(listener.run())
        try:
            yield Bench(listener, running, path)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            os.close(lock_fd)
        assert listener.pid is None


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with a_bench(tmp_path) as bench:
        yield bench


async def test_announced_chunks_are_written_and_reported_until_the_fence(bench: Bench) -> None:
    await bench.open()
    assert bench.listener.is_open(HANDLE)
    assert await bench.put(2) == 204
    assert await bench.hears() == 2
    assert await bench.put(0) == 204
    assert await bench.put(0, OTHER) == 404
    assert (await bench.listener.fence(HANDLE, PLAN.count)).held == {0, 2}
    assert not bench.listener.is_open(HANDLE)
    assert await bench.put(1) == 404
    start, end = PLAN.bounds(1)
    assert bench.path.read_bytes() == STREAM[:start] + bytes(end - start) + STREAM[end:]
    with pytest.raises(PlainListenerLost, match="does not know"):
        await bench.listener.fence(HANDLE, PLAN.count)
    assert not bench.lost.is_set()


async def test_of_a_batch_each_document_that_is_wanted_is_written_and_its_digest_reported(bench: Bench) -> None:
    other = bench.path.with_name("other")
    other.write_bytes(bytes(PLAN.size - 9))
    tag_key = "17" * 32
    last = part_of(other, 9, PLAN.size, tag_key)
    parts = [part_of(bench.path, 0, 7), part_of(None, 7, 9), last]
    await bench.listener.open(HANDLE, KEY, parts, PlainSplit(PLAN.size), bench.held.put_nowait, bench.lost.set)
    for index in range(PLAN.count):
        assert await bench.put(index) == 204
    fenced = await bench.listener.fence(HANDLE, PLAN.count)
    assert fenced.sums == (sum_of(STREAM[:7]), None, sum_of(STREAM[9:], bytes.fromhex(tag_key)))
    assert (bench.path.read_bytes()[:7], other.read_bytes()) == (STREAM[:7], STREAM[9:])


async def test_a_batchs_file_that_is_not_wanted_any_more_is_closed_there(bench: Bench) -> None:
    other = bench.path.with_name("other")
    other.write_bytes(b"")
    parts = [part_of(other, 0, 9), part_of(bench.path, 9, PLAN.size)]
    await bench.listener.open(HANDLE, KEY, parts, PlainSplit(PLAN.size), bench.held.put_nowait, bench.lost.set)
    await bench.listener.drop(HANDLE, 0)
    for index in range(PLAN.count):
        assert await bench.put(index) == 204
    fenced = await bench.listener.fence(HANDLE, PLAN.count)
    assert (fenced.sums, fenced.failed) == ((None, sum_of(STREAM[9:])), ())
    assert other.read_bytes() == b""
    with pytest.raises(PlainListenerLost, match="does not know"):
        await bench.listener.drop(HANDLE, 0)


async def test_the_process_gets_no_secret_of_the_gateway_s_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_secret_variables(monkeypatch)
    variables = note_environment(tmp_path, monkeypatch)
    async with a_bench(tmp_path) as bench:
        await bench.open()
        assert variables().isdisjoint(SECRET_VARIABLES) and "PATH" in variables()


async def test_the_longest_table_of_segments_is_taken(bench: Bench) -> None:
    """Whatever sizes a peer claims: as many segments as a plan may have, of as many digits as these can have."""
    each = MAX_SIZE // (MAX_SPLIT_SEGMENTS + MAX_DOCUMENTS)
    lengths = ((each,) * (MAX_SPLIT_SEGMENTS + 1), *((each,),) * (MAX_DOCUMENTS - 1))
    size = sum(map(sum, lengths))
    split, parts = PlainSplit(size, 64, "bss", lengths), [part_of(bench.path, 0, size)]
    first = await bench.pid()
    await bench.listener.open(HANDLE, KEY, parts, split, bench.held.put_nowait, bench.lost.set)
    assert bench.listener.pid == first


async def test_a_senseless_or_endless_opening_fails_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.open(OTHER)
    first, parts = bench.listener.pid, [part_of(bench.path, 0, PLAN.size)]
    for lengths in (((-1,),), ((2**64,),)):
        with pytest.raises(PlainListenerLost, match="cannot take the transfer: its message is invalid"):
            split = PlainSplit(PLAN.size, 1, "bes", lengths)
            await bench.listener.open(HANDLE, KEY, parts, split, bench.held.put_nowait, bench.lost.set)
    with monkeypatch.context() as small:
        small.setattr(plain_listener, "MAX_LINE", 100)
        with pytest.raises(PlainListenerLost, match="too long"):
            await bench.open()
    await bench.open()
    assert bench.listener.pid == first and not bench.lost.is_set()


async def test_a_file_that_cannot_be_opened_is_reported_and_forgotten(bench: Bench) -> None:
    bench.path.unlink()
    with pytest.raises(PlainListenerLost, match="cannot take the transfer: No such file"):
        await bench.open()
    assert not bench.listener.is_open(HANDLE)
    assert not bench.lost.is_set()


async def test_killed_it_says_so_and_comes_back_on_the_same_address(bench: Bench) -> None:
    await bench.open()
    killed = bench.kill()
    async with asyncio.timeout(PATIENCE_S):
        await bench.lost.wait()
    assert not bench.listener.is_open(HANDLE)
    with pytest.raises(ProcessLookupError):  # it ended before anybody heard of it: it writes nothing more
        os.kill(killed, 0)
    await bench.open(OTHER)
    assert bench.listener.pid != killed
    assert await bench.put(0, OTHER) == 204


async def test_killed_with_a_question_unread_it_takes_nobody_along(bench: Bench) -> None:
    """The pair breaks with a reset then, not with an end."""
    await bench.open()
    bench.kill(signal.SIGSTOP)
    asking = asyncio.create_task(bench.listener.fence(HANDLE, PLAN.count))
    await until(lambda: bench.listener.handles[HANDLE].answer is not None)
    bench.kill()
    with pytest.raises(PlainListenerLost, match="ended"):
        await asking
    await bench.open(OTHER)
    assert not bench.running.done()


async def test_one_that_does_not_answer_is_replaced(tmp_path: Path) -> None:
    async with a_bench(tmp_path) as bench:
        await bench.open()
        bench.listener.answer_s = 0.2
        stuck = bench.kill(signal.SIGSTOP)
        with pytest.raises(PlainListenerLost, match="does not answer"):
            await bench.open(OTHER)
        async with asyncio.timeout(PATIENCE_S):
            await bench.lost.wait()
        bench.listener.answer_s = 10.0
        await bench.open()
        assert bench.listener.pid != stuck


async def test_questions_about_one_handle_wait_for_each_other(bench: Bench) -> None:
    """An attempt may be ended while it is still being announced."""
    opening = asyncio.create_task(bench.open())
    await asyncio.sleep(0)
    fences = [asyncio.create_task(bench.listener.fence(HANDLE, PLAN.count)) for _ in range(2)]
    async with asyncio.timeout(PATIENCE_S):
        results = await asyncio.gather(opening, *fences, return_exceptions=True)
    assert results[0] is None or isinstance(results[0], PlainListenerLost)
    assert results[1] == Fenced()
    assert isinstance(results[2], PlainListenerLost)


async def test_who_gave_up_asking_leaves_no_answer_to_the_next(bench: Bench) -> None:
    bench.listener.answer_s = 5
    await bench.open(OTHER)
    bench.kill(signal.SIGSTOP)
    opening = asyncio.create_task(bench.open())
    await until(lambda: HANDLE in bench.listener.handles and bench.listener.handles[HANDLE].answer is not None)
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    fencing = asyncio.create_task(bench.listener.fence(HANDLE, PLAN.count))
    bench.kill(signal.SIGCONT)
    assert await fencing == Fenced()


async def test_nonsense_from_the_child_ends_the_child_not_the_gateway(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.open()

    def nonsense(_message: object) -> None:
        raise KeyError("handle")

    with monkeypatch.context() as mad:
        # No child sends nonsense, and no public step takes what it sends.
        mad.setattr(PlainListener, "_hear", lambda _self, message: nonsense(message))
        await asyncio.gather(bench.put(0), return_exceptions=True)  # it may be dead before it has answered
        async with asyncio.timeout(PATIENCE_S):
            await bench.lost.wait()
    await bench.open()
    assert not bench.running.done()


async def test_a_child_that_cannot_be_started_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0
    start = asyncio.create_subprocess_exec

    async def fails_twice(*arguments: object, **more: object) -> asyncio.subprocess.Process:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise OSError(24, "Too many open files")
        return await start(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", fails_twice)
    monkeypatch.setattr(plain_listener, "RESTART_AFTER_S", 0.01)
    async with a_bench(tmp_path) as bench:
        await bench.open()
        assert tries == 3


async def test_one_that_dies_at_once_is_restarted_ever_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    enough = asyncio.Event()
    sleep = asyncio.sleep

    async def note(pause_s: float) -> None:
        pauses.append(pause_s)
        if len(pauses) == 7:
            enough.set()
            await sleep(3600)

    start = asyncio.create_subprocess_exec

    async def dies(*_arguments: object, **more: Any) -> asyncio.subprocess.Process:
        return await start("true", **more)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", dies)
    monkeypatch.setattr(asyncio, "sleep", note)
    async with a_bench(tmp_path):
        async with asyncio.timeout(PATIENCE_S):
            await enough.wait()
    assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


async def test_the_child_ends_with_its_gateway_however_that_ends(tmp_path: Path) -> None:
    with bind("127.0.0.1:0") as listening:
        ours, theirs = socket.socketpair()
        files, their_files = socket.socketpair()
        with theirs, files, their_files:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "sieve.gateway.plain.process",
                f"--listen-fd={listening.fileno()}",
                f"--control-fd={theirs.fileno()}",
                f"--files-fd={their_files.fileno()}",
                '--limits={"wait_s": 0.1}',
                pass_fds=(listening.fileno(), theirs.fileno(), their_files.fileno()),
            )
        with contextlib.closing(ours):
            ours.sendall(b'{"do": "fence", "handle": "unknown"}\n')  # its answer is never read
            readable = asyncio.Event()
            asyncio.get_running_loop().add_reader(ours, readable.set)
            async with asyncio.timeout(PATIENCE_S):
                await readable.wait()
            asyncio.get_running_loop().remove_reader(ours)
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() == 0
