"""The plain listener's app, request by request: what it takes, what it refuses, and what that costs it."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from uvicorn.server import ServerState

from gateway.two_gateways import until
from sieve.channel.chunks import ChunkPlan
from sieve.channel.seals import seal
from sieve.channel.sub_streams import PlainSplit
from sieve.gateway import writes_behind
from sieve.gateway.plain_app import Fenced, PlainApp, PlainLimits
from sieve.gateway.plain_files import PlainPlace
from sieve.gateway.plain_protocol import MAX_HEAD, PlainProtocol
from sieve.store.direct_file import DirectFile

HANDLE, OTHER = "a" * 32, "b" * 32
KEY = bytes(32)
LIMITS = PlainLimits(wait_s=0.05, waiting=2, grace_s=0.05, min_rate=10**9, slots=2)
PLAN = ChunkPlan(3 * 65536 + 100)
STREAM = os.urandom(PLAN.size)


def chunk(index: int) -> bytes:
    start, end = PLAN.bounds(index)
    return STREAM[start:end]


class Line(asyncio.Transport):
    """What stands between a request and the listener: it notes what is answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = b""
        self.closed = asyncio.Event()
        self.answered = asyncio.Event()
        self.may_read = asyncio.Event()
        self.may_read.set()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.answers += data
        self.answered.set()

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed.is_set()

    def close(self) -> None:
        self.closed.set()
        self.answered.set()

    abort = close

    def pause_reading(self) -> None:
        self.may_read.clear()

    def resume_reading(self) -> None:
        self.may_read.set()


@dataclass
class Request:
    """A request on a connection of its own; its body arrives in `pieces`, the last of them when `go` is set."""

    app: PlainApp
    path: str
    pieces: list[bytes]
    headers: dict[str, str]
    method: str = "PUT"
    more: bool = False
    go: asyncio.Event = field(default_factory=asyncio.Event)
    reading: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def head(self) -> bytes:
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "\r\n".join((*lines, "", "")).encode()

    async def answered(self) -> int:
        """Its status, 0 if the connection was cut; a refusal ends the connection, for its body was not read."""
        line = Line()
        protocol = PlainProtocol(self.app, server_state=ServerState())
        protocol.connection_made(line)
        try:
            async with asyncio.timeout(2):
                feed(protocol, self.head)
                body = asyncio.create_task(self._bring(protocol, line))
                await line.answered.wait()
                body.cancel()
                await asyncio.gather(body, return_exceptions=True)
        finally:
            protocol.connection_lost(None)
        status = int(line.answers.split(b" ", 2)[1]) if line.answers else 0
        assert line.closed.is_set() == (status != 204)
        assert (b"Connection: close" in line.answers) == (status not in (0, 204))
        return status

    async def _bring(self, protocol: PlainProtocol, line: Line) -> None:
        while self.pieces:
            await line.may_read.wait()
            self.reading.set()
            if len(self.pieces) == 1:
                await self.go.wait()
            feed(protocol, self.pieces.pop(0))
        await self.go.wait()
        if not (self.more or line.answered.is_set()):
            line.close()


def feed(protocol: PlainProtocol, data: bytes) -> None:
    """As a socket would: as much at a time as there is room for."""
    while data:
        room = protocol.get_buffer(-1)
        count = min(len(room), len(data))
        room[:count] = data[:count]
        protocol.buffer_updated(count)
        data = data[count:]


@dataclass
class Bench:
    """An app with one announced handle, and the file behind it."""

    app: PlainApp
    path: Path
    held: list[tuple[str, int]] = field(default_factory=list)

    def announce(self, handle: str = HANDLE) -> None:
        self.app.open(handle, KEY, [PlainPlace(str(self.path), 0, PLAN.size)], PlainSplit(PLAN.size))

    def put(self, index: int, *, handle: str = HANDLE, body: bytes | None = None, **more: Any) -> Request:
        body = chunk(index) if body is None and 0 <= index < PLAN.count else body or b""
        headers = {"content-length": str(len(body)), "seal": seal(KEY, 0, index, [body]).hex()} | more.pop(
            "headers", {}
        )
        request = Request(self.app, f"/{handle}/0/{index}", [body], headers, **more)
        request.go.set()
        return request

    @property
    def written(self) -> bytes:
        """The file, once everything that is behind stands in it."""
        self.app.writes.after(int).result()
        return self.path.read_bytes()


@asynccontextmanager
async def a_bench(path: Path, limits: PlainLimits = LIMITS) -> AsyncIterator[Bench]:
    path.write_bytes(bytes(PLAN.size))
    held: list[tuple[str, int]] = []
    bench = Bench(PlainApp(limits, lambda handle, index: held.append((handle, index))), path, held)
    yield bench
    for handle in (HANDLE, OTHER):
        await bench.app.close(handle)
    assert bench.app._waiting == 0 and not bench.app._announced


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with a_bench(tmp_path / "plain") as bench:
        yield bench


async def test_chunks_in_any_order_reach_their_places_and_are_told_once(bench: Bench) -> None:
    bench.announce()
    for index in (3, 0, 2, 1):
        assert await bench.put(index).answered() == 204
    assert bench.written == STREAM
    assert bench.held == [(HANDLE, index) for index in (3, 0, 2, 1)]
    assert await bench.app.close(HANDLE) == Fenced(frozenset({0, 1, 2, 3}), (blake3(STREAM).digest(),))


async def test_a_body_may_come_in_many_pieces(bench: Bench) -> None:
    bench.announce()
    request = bench.put(0)
    request.pieces = [chunk(0)[i : i + 7000] for i in range(0, 65536, 7000)]
    assert await request.answered() == 204
    assert bench.written[:65536] == chunk(0)


async def test_a_bad_seal_leaves_the_chunk_to_the_true_one(bench: Bench) -> None:
    bench.announce()
    forged = bytes(65536)
    assert await bench.put(0, body=forged, headers={"seal": "00" * 16}).answered() == 400
    moved = seal(KEY, 0, 1, [chunk(1)]).hex()
    assert await bench.put(0, body=chunk(1), headers={"seal": moved}).answered() == 400
    assert bench.written == bytes(PLAN.size) and bench.held == []
    assert await bench.put(0).answered() == 204


async def test_a_replay_is_not_read_again(bench: Bench) -> None:
    bench.announce()
    assert await bench.put(0).answered() == 204
    replay = bench.put(0)
    assert await replay.answered() == 410
    assert not replay.reading.is_set()
    assert bench.held == [(HANDLE, 0)]


@pytest.mark.parametrize(
    "headers",
    [
        {"content-length": str(10 * 1024 * 1024)},
        {"content-length": "65535"},
        {"content-length": "0"},
        {"content-length": ""},
        {"content-length": "-1"},
        {"content-length": "65536 "},
        {"content-length": "6" * 40},
        {"content-length": "٦٥٥٣٦"},
        {"transfer-encoding": "chunked"},
        {"seal": ""},
        {"seal": "00" * 15},
        {"seal": "zz" * 16},
    ],
)
async def test_a_head_that_does_not_fit_is_refused_unread(bench: Bench, headers: dict[str, str]) -> None:
    bench.announce()
    request = bench.put(0, headers=headers)
    assert await request.answered() in (400, 404)
    assert not request.reading.is_set()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        f"/{HANDLE}",
        f"/{HANDLE}/0",
        f"/{HANDLE}/0/0/0",
        f"/{HANDLE}/1/0",
        f"/{HANDLE}/0/4",
        f"/{HANDLE}/0/-1",
        f"/{HANDLE}/0/x",
        f"/{HANDLE}/0/",
        f"/{HANDLE}/0/٠",
        f"/{HANDLE}/0/{'9' * 30}",
        f"x/{HANDLE}/0/0",
        f"//{HANDLE}/0/0",
    ],
)
async def test_any_other_form_of_request_is_unknown(bench: Bench, path: str) -> None:
    bench.announce()
    request = bench.put(0)
    request.path = path
    assert await request.answered() == 404
    assert not request.reading.is_set()


async def test_nor_any_other_method_or_query(bench: Bench) -> None:
    bench.announce()
    assert await bench.put(0, method="POST").answered() == 404
    asked = bench.put(0)
    asked.path += "?a=b"
    assert await asked.answered() == 404


async def test_an_unknown_handle_is_refused_unread_after_a_short_wait(bench: Bench) -> None:
    request = bench.put(0)
    began = asyncio.get_running_loop().time()
    assert await request.answered() == 404
    assert LIMITS.wait_s <= asyncio.get_running_loop().time() - began < 1
    assert not request.reading.is_set()


async def test_a_chunk_that_overtakes_its_announcement_is_taken(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=5)) as bench:
        early = [asyncio.create_task(bench.put(index).answered()) for index in (0, 1)]
        await until_waiting(bench.app, 2)
        bench.announce()
        assert await asyncio.gather(*early) == [204, 204]


async def test_who_waits_is_told_even_if_another_gave_up_before(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, wait_s=5)) as bench:
        gives_up, waits = (asyncio.create_task(bench.put(index).answered()) for index in (0, 1))
        await until_waiting(bench.app, 2)
        gives_up.cancel()
        await asyncio.gather(gives_up, return_exceptions=True)
        bench.announce()
        async with asyncio.timeout(1):
            assert await waits == 204


async def test_few_may_wait_and_places_come_free_again(bench: Bench) -> None:
    for _ in range(2):
        waiting = [asyncio.create_task(bench.put(0, handle=handle).answered()) for handle in (HANDLE, OTHER)]
        await until_waiting(bench.app, 2)
        began = asyncio.get_running_loop().time()
        assert await bench.put(1).answered() == 404
        assert asyncio.get_running_loop().time() - began < LIMITS.wait_s  # at once
        assert await asyncio.gather(*waiting) == [404, 404]


async def test_waiting_strangers_do_not_keep_a_known_handle_out(bench: Bench) -> None:
    strangers = [asyncio.create_task(bench.put(0, handle=OTHER).answered()) for _ in range(2)]
    await until_waiting(bench.app, 2)
    bench.announce()
    assert await bench.put(0).answered() == 204
    assert await asyncio.gather(*strangers) == [404, 404]


async def test_slots_are_few_and_come_free_again(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, grace_s=5)) as bench:
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


@pytest.mark.parametrize("step", [1, 100, 10_000, 10**6])
async def test_requests_may_follow_each_other_without_waiting(bench: Bench, step: int) -> None:
    bench.announce()
    sent = b"".join(bench.put(index).head + chunk(index) for index in (2, 0, 3, 1))
    line, protocol = Line(), PlainProtocol(bench.app, server_state=ServerState())
    protocol.connection_made(line)
    for start in range(0, len(sent), step):
        feed(protocol, sent[start : start + step])
    assert line.answers.count(b"HTTP/1.1 204 ") == 4 and not line.closed.is_set()
    protocol.connection_lost(None)
    assert bench.written == STREAM
    assert await bench.app.close(HANDLE) == Fenced(frozenset(range(4)), (blake3(STREAM).digest(),))


async def test_what_follows_a_body_longer_than_it_said_is_no_request(bench: Bench) -> None:
    bench.announce()
    line, protocol = Line(), PlainProtocol(bench.app, server_state=ServerState())
    protocol.connection_made(line)
    feed(protocol, bench.put(0).head + chunk(0) + b"more\r\n\r\n")
    assert line.answers.startswith(b"HTTP/1.1 204 ") and b"HTTP/1.1 404 " in line.answers and line.closed.is_set()
    protocol.connection_lost(None)
    assert bench.held == [(HANDLE, 0)]


async def test_a_head_without_end_is_cut(bench: Bench) -> None:
    line, protocol = Line(), PlainProtocol(bench.app, server_state=ServerState())
    protocol.connection_made(line)
    feed(protocol, b"PUT /" + b"a" * (MAX_HEAD - 5))
    assert b"HTTP/1.1 431 " in line.answers and line.closed.is_set()
    protocol.connection_lost(None)


async def test_a_head_that_does_not_come_is_cut(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, head_deadline_s=0.01)) as bench:
        for said in (b"", b"PUT"):
            line, protocol = Line(), PlainProtocol(bench.app, server_state=ServerState())
            protocol.connection_made(line)
            feed(protocol, said)
            async with asyncio.timeout(2):
                await line.closed.wait()
            assert line.answers == b""
            protocol.connection_lost(None)


async def test_connections_are_few(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, connections=1)) as bench:
        state = ServerState()
        lines, protocols = [Line(), Line()], [PlainProtocol(bench.app, server_state=state) for _ in range(2)]
        for line, protocol in zip(lines, protocols, strict=True):
            protocol.connection_made(line)
        assert [line.closed.is_set() for line in lines] == [False, True]
        for protocol in protocols:
            protocol.connection_lost(None)
        assert not state.connections


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


async def test_a_chunk_that_cannot_be_written_is_told_at_the_fence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.announce()
    with monkeypatch.context() as disk:
        disk.setattr(os, "pwritev", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        assert await bench.put(0).answered() == 204
        fenced = await bench.app.close(HANDLE)
    assert fenced == Fenced(frozenset({0}), failed=(0,))


async def test_what_cannot_be_written_or_is_dropped_leaves_the_other_files_of_a_batch_alone(tmp_path: Path) -> None:
    """And nothing keeps a dropped file's blocks: it is closed at once, and what still comes of it goes nowhere."""
    bounds = (0, 70_000, 140_000, PLAN.size)
    full, dropped, good = Path("/dev/full"), tmp_path / "dropped", tmp_path / "good"
    dropped.write_bytes(b"")
    good.write_bytes(b"")
    async with a_bench(tmp_path / "file") as bench:
        places = [
            PlainPlace(str(path), *place) for path, place in zip((full, dropped, good), pairwise(bounds), strict=True)
        ]
        bench.app.open(OTHER, KEY, places, PlainSplit(PLAN.size))
        await bench.app.drop(OTHER, 1)
        await bench.app.drop(HANDLE, 1)  # it is not announced, or not any more
        assert str(dropped) not in open_files()
        for index in range(4):
            assert await bench.put(index, handle=OTHER).answered() == 204
        fenced = await bench.app.close(OTHER)
    assert (good.read_bytes(), dropped.read_bytes()) == (STREAM[140_000:], b"")
    assert fenced == Fenced(frozenset(range(4)), (None, None, blake3(STREAM[140_000:]).digest()), (0,))


def open_files() -> set[str]:
    """What this process has open."""
    return {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


async def test_a_batchs_chunks_are_cut_over_its_documents_files(tmp_path: Path) -> None:
    """And what belongs to a document that is thrown away goes nowhere."""
    bounds = (0, 5, 70_000, 70_001, 65536 * 2 + 9, PLAN.size)
    paths = [None if number == 2 else tmp_path / str(number) for number in range(5)]
    for path, (start, end) in zip(paths, pairwise(bounds), strict=True):
        if path is not None:
            path.write_bytes(bytes(end - start))
    async with a_bench(tmp_path / "file") as bench:
        places = [
            PlainPlace(str(path) if path else None, start, end)
            for path, (start, end) in zip(paths, pairwise(bounds), strict=True)
        ]
        bench.app.open(OTHER, KEY, places, PlainSplit(PLAN.size))
        for index in (1, 0, 3, 2):
            assert await bench.put(index, handle=OTHER).answered() == 204
        fenced = await bench.app.close(OTHER)
    parts = [STREAM[start:end] for start, end in pairwise(bounds)]
    assert [path and path.read_bytes() for path in paths] == [
        part if at != 2 else None for at, part in enumerate(parts)
    ]
    assert fenced.digests == tuple(blake3(part).digest() if at != 2 else None for at, part in enumerate(parts))


async def test_more_writes_behind_than_there_may_be_make_the_network_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk stands still; what is held beyond the bound is held only once it moves again."""
    moves = threading.Event()
    write_at = DirectFile.write_at

    def slow(file: DirectFile, offset: int, data: memoryview) -> None:
        moves.wait()
        write_at(file, offset, data)

    monkeypatch.setattr(DirectFile, "write_at", slow)
    monkeypatch.setattr(writes_behind, "MOST_BEHIND", 2)
    async with a_bench(tmp_path / "plain") as bench:
        bench.announce()
        for index in range(2):
            assert await bench.put(index).answered() == 204
        threading.Timer(0.05, moves.set).start()
        assert await bench.put(2).answered() == 204
        assert moves.is_set()
        assert bench.written[: 3 * 65536] == STREAM[: 3 * 65536]


async def test_closing_what_was_never_announced_is_nothing(bench: Bench) -> None:
    assert await bench.app.close(HANDLE) == Fenced()


async def test_a_file_that_is_not_there_is_an_error_at_once(bench: Bench) -> None:
    with pytest.raises(FileNotFoundError):
        bench.app.open(OTHER, KEY, [PlainPlace(f"{bench.path}-", 0, PLAN.size)], PlainSplit(PLAN.size))


async def until_waiting(app: PlainApp, count: int) -> None:
    await until(lambda: app._waiting >= count)
