"""The plain listener's connections: requests one after the other, heads without an end, and not too many at once."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from uvicorn.server import ServerState

from gateway.plain_bench import (
    HANDLE,
    LIMITS,
    STREAM,
    Bench,
    Line,
    a_bench,
    chunk,
    feed,
    sum_of,
)
from gateway.two_gateways import PATIENCE_S, until
from sieve.gateway.plain.app import Fenced
from sieve.gateway.plain.protocol import MAX_HEAD, PlainProtocol, plain_server
from sieve.gateway.runtime.listeners import bind


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
    assert await bench.app.close(HANDLE) == Fenced(frozenset(range(4)), (sum_of(STREAM),))


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
            async with asyncio.timeout(PATIENCE_S):
                await line.closed.wait()
            assert line.answers == b""
            protocol.connection_lost(None)


async def test_connections_are_few_and_silent_ones_give_way(tmp_path: Path) -> None:
    async with a_bench(tmp_path / "plain", replace(LIMITS, connections=1, head_deadline_s=2 * PATIENCE_S)) as bench:
        http, sock = plain_server(bench.app), bind("127.0.0.1:0")
        serving = asyncio.create_task(http.serve(sockets=[sock]))
        address = sock.getsockname()
        silent, writing = await asyncio.open_connection(*address)
        await until(lambda: http.slots.count == 1)
        reader, writer = await asyncio.open_connection(*address)
        async with asyncio.timeout(PATIENCE_S):
            assert await silent.read() == b""
        bench.announce()
        writer.write(bench.put(0).head + chunk(0))
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.readline()).startswith(b"HTTP/1.1 204")
        late, knocking = await asyncio.open_connection(*address)
        async with asyncio.timeout(PATIENCE_S):
            assert await late.read() == b""
        for each in (writing, writer, knocking):
            each.close()
        await until(lambda: http.slots.count == 0)
        http.should_exit = True
        await serving
