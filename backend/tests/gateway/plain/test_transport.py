"""The plain channel's transport: what it puts on the line, and what becomes of it when the line does not play along."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from gateway.two_gateways import PATIENCE_S, nobody_listens, until
from sieve.gateway.plain import transport as plain_transport
from sieve.gateway.plain.transport import PlainTransport

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def untraced(_name: str, _info: dict[str, Any]) -> None:
    """Nobody looks."""


class Stage:
    """A server that hands each connection to `serve`, and a transport that puts chunks there."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.transport = PlainTransport()

    async def put(self, index: int, body: bytes, *, lane: str = "a") -> None:
        request = httpx.Request(
            "PUT",
            f"http://{self.where}/{lane}/{index}",
            headers={"Host": self.where, "Content-Length": str(len(body))},
            content=body,
            extensions={"trace": untraced, "timeout": {"connect": 1.0}, "lane": lane},
        )
        await self.transport.handle_async_request(request)


@asynccontextmanager
async def a_stage(serve: Serve) -> AsyncIterator[Stage]:
    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    stage = Stage("{}:{}".format(*server.sockets[0].getsockname()))
    async with server:
        try:
            yield stage
        finally:
            await stage.transport.aclose()


async def request_on(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """Path and body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
    return head.split(" ")[1], await reader.readexactly(length)


async def test_a_lanes_chunks_follow_each_other_before_any_is_answered() -> None:
    seen: list[tuple[str, bytes]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(4):
            seen.append(await request_on(reader))
        writer.write(ANSWER * 4)
        await reader.read()

    async with a_stage(serve) as stage:
        await asyncio.gather(*(stage.put(index, bytes([index]) * 200_000) for index in range(4)))
    assert seen == [(f"/a/{index}", bytes([index]) * 200_000) for index in range(4)]


async def test_lanes_have_connections_of_their_own_and_hand_them_on() -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await request_on(reader)
            await both.wait()
            writer.write(ANSWER)

    both = asyncio.Event()
    async with a_stage(serve) as stage:
        puts = [asyncio.create_task(stage.put(0, b"x", lane=lane)) for lane in "ab"]
        await until(lambda: connections == 2)
        both.set()
        await asyncio.gather(*puts)
        await asyncio.gather(*(stage.put(0, b"x", lane=lane) for lane in "cd"))
        assert connections == 2 and len(stage.transport.idle) == 2 and not stage.transport.lanes


async def test_a_connection_that_ends_takes_its_chunks_along_and_the_next_one_is_new() -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await request_on(reader)
        writer.write(ANSWER)
        if connections > 1:
            await reader.read()

    async with a_stage(serve) as stage:
        outcomes = await asyncio.gather(*(stage.put(index, b"x") for index in range(3)), return_exceptions=True)
        assert outcomes[0] is None
        assert all(isinstance(outcome, httpx.TransportError) for outcome in outcomes[1:])
        await stage.put(1, b"x")
    assert connections == 2


async def test_who_is_cancelled_ends_the_connection() -> None:
    """Its answer would be taken for another's."""
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_on(reader)
        there.set()
        await reader.read()
        ended.set()

    there = asyncio.Event()
    async with a_stage(serve) as stage:
        put = asyncio.create_task(stage.put(0, b"x"))
        await there.wait()
        put.cancel()
        async with asyncio.timeout(PATIENCE_S):
            await ended.wait()
        assert isinstance((await asyncio.gather(put, return_exceptions=True))[0], asyncio.CancelledError)
        assert not stage.transport.connections and not stage.transport.lanes


async def test_a_connection_that_nobody_waits_for_any_more_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client may keep its connection for ever, and there is only room for so many."""
    monkeypatch.setattr(plain_transport, "KEEP_OPEN_S", 0.05)
    made = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        made.set()
        await reader.read()

    async with a_stage(serve) as stage:
        putting = asyncio.create_task(stage.put(0, b"chunk"))
        await asyncio.sleep(0)  # it asks for a connection
        assert stage.transport.lanes and not stage.transport.connections
        putting.cancel()
        await asyncio.gather(putting, return_exceptions=True)
        await made.wait()
        await until(lambda: not (stage.transport.connections or stage.transport.lanes))


@pytest.mark.parametrize("said", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000])
async def test_a_connection_that_anything_else_answers_is_closed(said: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_on(reader)
        writer.write(said)
        await reader.read()

    async with a_stage(serve) as stage:
        with pytest.raises(httpx.ReadError):
            await stage.put(0, b"x")


async def test_nobody_there_is_reported_to_all_and_remembered_by_none() -> None:
    stage = Stage(nobody_listens())
    outcomes = await asyncio.gather(*(stage.put(index, b"x") for index in range(3)), return_exceptions=True)
    assert all(isinstance(outcome, httpx.ConnectError) for outcome in outcomes)
    assert not stage.transport.lanes and not stage.transport.connections
