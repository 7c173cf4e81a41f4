"""Guarded connections, over real sockets: late and long heads, bodies that never end, too many at once."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from gateway.two_gateways import PATIENCE_S, until
from sieve.gateway.errors import StartError
from sieve.gateway.runtime.connection_slots import Slots
from sieve.gateway.runtime.listeners import (
    MAX_HEAD_BYTES,
    GuardedProtocol,
    Guarding,
    QuietServer,
    address_of,
    bind,
    server,
)

HEAD = b"GET / HTTP/1.1\r\nhost: x\r\n"


@dataclass
class App:
    """Answers each request at once, or after its body was read if it asks for `/body`."""

    requests: list[str] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)
    trailers: int = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.requests.append(scope["path"])
        while scope["path"] == "/body":
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            self.body += message["body"]
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@dataclass
class Listening:
    app: App
    http: QuietServer
    port: int

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()


@asynccontextmanager
async def listening(slots: Slots | None = None, keep_alive_s: int = 300, **limits: Any) -> AsyncIterator[Listening]:
    app = App()
    sock = bind("127.0.0.1:0")
    # Longer than tests have patience: what ends sooner was not cut for this.
    guarding = Guarding(**{"head_deadline_s": 2 * PATIENCE_S, **limits})
    http = server(app, guarding=guarding, slots=slots, keep_alive_s=keep_alive_s)
    serving = asyncio.create_task(http.serve(sockets=[sock]))
    try:
        yield Listening(app, http, sock.getsockname()[1])
    finally:
        for connection in list(http.server_state.connections):
            connection.transport.abort()
        http.should_exit = True
        await serving


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What came until the other end cut the connection."""
    got = b""
    async with asyncio.timeout(PATIENCE_S):
        try:
            while piece := await reader.read(65536):
                got += piece
        except ConnectionError:
            pass
    return got


async def answer(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert await reader.readexactly(2) == b"ok"


async def test_a_connection_is_kept_for_the_next_request() -> None:
    async with listening(head_deadline_s=0.2) as there, there.connected() as (reader, writer):
        for _ in range(3):
            writer.write(HEAD + b"\r\n")
            await answer(reader)


@pytest.mark.parametrize("said", [b"", b"G", HEAD])
async def test_a_head_that_is_late_is_cut(said: bytes) -> None:
    async with listening(head_deadline_s=0.1) as there, there.connected() as (reader, writer):
        writer.write(said)
        assert await ended(reader) == b""
        assert there.app.requests == []


async def test_so_is_the_head_of_a_later_request() -> None:
    async with listening(head_deadline_s=0.1) as there, there.connected() as (reader, writer):
        writer.write(HEAD + b"\r\n")
        await answer(reader)
        writer.write(HEAD)
        assert await ended(reader) == b""


async def drip(writer: asyncio.StreamWriter, piece: bytes) -> None:
    """Until nobody takes it any more."""
    try:
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.001)
    except ConnectionError:
        pass


async def test_dripping_does_not_put_the_deadline_off() -> None:
    async with listening(head_deadline_s=0.2) as there, there.connected() as (reader, writer):
        dripping = asyncio.create_task(drip(writer, b"x"))
        writer.write(HEAD + b"x-")
        assert await ended(reader) == b""
        await dripping


@pytest.mark.parametrize("first", [b"", HEAD + b"\r\n"])
async def test_a_head_that_is_long_is_cut(first: bytes) -> None:
    async with listening() as there, there.connected() as (reader, writer):
        if first:
            writer.write(first)
            await answer(reader)
        writer.write(HEAD + b"x-long: " + b"x" * (2 * MAX_HEAD_BYTES))
        assert await ended(reader) == b""
        assert there.app.requests == (["/"] if first else [])


async def test_a_head_just_short_enough_passes_and_bodies_do_not_count() -> None:
    async with listening() as there, there.connected() as (reader, writer):
        head = b"PUT /body HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\nx: "
        for _ in range(2):
            writer.write(head + b"x" * (MAX_HEAD_BYTES - len(head) - 100) + b"\r\n\r\n" + bytes(1_000_000))
            await answer(reader)
        assert len(there.app.body) == 2_000_000


async def test_a_chunked_body_passes_and_its_endless_trailer_does_not() -> None:
    async with listening() as there, there.connected() as (reader, writer):
        writer.write(b"PUT /body HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(10):
            writer.write(b"10000\r\n" + bytes(65536) + b"\r\n")
        writer.write(b"0\r\n")
        await until(lambda: len(there.app.body) == 655_360)
        dripping = asyncio.create_task(drip(writer, b"x-more: " + b"x" * 1000 + b"\r\n"))
        assert await ended(reader) == b""
        await dripping


async def test_a_body_that_continues_after_the_answer_has_a_deadline() -> None:
    """Each of its bytes would put the keep-alive timer off, for ever."""
    async with listening(drain_s=0.2, keep_alive_s=1) as there, there.connected() as (reader, writer):
        writer.write(b"PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n")
        dripping = asyncio.create_task(drip(writer, b"x"))
        assert (await ended(reader)).endswith(b"ok")
        await dripping


async def test_a_body_that_is_whole_in_time_keeps_its_connection() -> None:
    async with listening(drain_s=5) as there, there.connected() as (reader, writer):
        writer.write(b"PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345")
        await answer(reader)
        (connection,) = there.http.server_state.connections
        assert isinstance(connection, GuardedProtocol)
        # Its effect would show only after the time.
        assert connection.drain_timer is not None
        writer.write(b"67890" + HEAD + b"\r\n")
        await answer(reader)
        assert connection.drain_timer is None


async def test_a_silent_connection_gives_way_and_one_that_is_served_does_not() -> None:
    async with listening(slots=Slots(2, per_source=2)) as there:
        async with there.connected() as (first, writing), there.connected() as (silent, _):
            writing.write(b"PUT /body HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n12")
            await until(lambda: there.app.requests == ["/body"])
            async with there.connected() as (third, asking):
                assert await ended(silent) == b""
                asking.write(b"PUT /body HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n12")
                await until(lambda: len(there.app.requests) == 2)
                async with there.connected() as (fourth, _):
                    assert await ended(fourth) == b""
                for reader, writer in ((first, writing), (third, asking)):
                    writer.write(b"34")
                    await answer(reader)
        await until(lambda: not there.http.slots.count)


@pytest.mark.parametrize("hosts", [b"", b"host: x\r\nhost: x\r\n", b"host: x\r\nHost: y\r\n"])
async def test_a_request_has_one_host(hosts: bytes) -> None:
    async with listening() as there, there.connected() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n" + hosts + b"\r\n")
        assert (await ended(reader)).startswith(b"HTTP/1.1 400")
        assert there.app.requests == []


async def test_an_old_client_need_not_name_a_host() -> None:
    async with listening() as there, there.connected() as (reader, writer):
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert (await ended(reader)).startswith(b"HTTP/1.1 200")


async def test_a_host_that_is_not_ours_is_refused() -> None:
    async with listening(is_our_host=lambda host: host == "ours") as there:
        for host, status in ((b"OURS", b"200"), (b"rebound.example", b"421")):
            async with there.connected() as (reader, writer):
                writer.write(b"GET / HTTP/1.1\r\nhost: " + host + b"\r\nconnection: close\r\n\r\n")
                assert (await ended(reader)).startswith(b"HTTP/1.1 " + status)
        assert there.app.requests == ["/"]


async def test_a_long_head_in_pieces_is_refused() -> None:
    """The piece that ends it is not too long by itself."""
    async with listening() as there, there.connected() as (reader, writer):
        (connection,) = await one_connection(there)
        head = HEAD + b"x: " + b"x" * (MAX_HEAD_BYTES - len(HEAD) - 10)
        connection.data_received(head)
        connection.data_received(b"\r\ny: " + b"y" * 1000 + b"\r\n\r\n")
        assert (await ended(reader)).startswith(b"HTTP/1.1 431")
        assert there.app.requests == []
        writer.close()


async def one_connection(there: Listening) -> list[Any]:
    await until(lambda: len(there.http.server_state.connections) == 1)
    return list(there.http.server_state.connections)


async def test_an_early_answer_that_closes_gets_through_and_ends_the_connection() -> None:
    """A reset, which unread bytes would cause, could overtake the answer."""
    async with listening(head_deadline_s=0.3) as there, there.connected() as (reader, writer):
        writer.write(b"PUT /early HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 100000000\r\n\r\n")
        dripping = asyncio.create_task(drip(writer, bytes(65536)))
        assert (await ended(reader)).endswith(b"ok")
        await dripping
        await until(lambda: not there.http.slots.count)


async def test_nonsense_is_answered_with_no_word_about_who_we_are() -> None:
    async with listening() as there, there.connected() as (reader, writer):
        writer.write(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100))
        said = await ended(reader)
        assert said.startswith(b"HTTP/1.1 400")
        assert b"server:" not in said.lower() and b"date:" not in said.lower()


def test_an_address_that_is_taken_is_reported_in_one_line() -> None:
    with (
        bind("127.0.0.1:0") as taken,
        pytest.raises(StartError, match=r"^cannot listen on .*: Address already in use;"),
    ):
        bind(address_of(taken))


@pytest.mark.parametrize(
    "address", ["nonsense", "127.0.0.1:", "127.0.0.1:99999999999", "no such host:1", "127.0.0.1:70000"]
)
def test_what_is_no_address_is_reported_in_one_line(address: str) -> None:
    with pytest.raises(StartError, match=r"^cannot listen on"):
        bind(address)


def test_an_ipv6_address_is_shown_in_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        sock = bind("[::1]:0")
    except StartError:
        pytest.skip("no IPv6 here")
    with sock:
        assert address_of(sock).startswith("[::1]:")
