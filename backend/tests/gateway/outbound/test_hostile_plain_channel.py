"""A hostile far end of the plain channel, whatever it answers: the document arrives in the first attempt, over the
secure channel, once the plain one has had the time that it is granted. Real sockets, short times."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from gateway.two_gateways import RECIPIENT, WORKER, Pair, document, paired
from gateway.ways import Way, over
from sieve.channel.attempt import Plan
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.sender import SecureLost
from sieve.gateway.outbound import sending
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planning import OFF_PLAIN_NS

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ROUND_S = 0.3
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


async def next_chunk(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(head.lower().split("content-length: ")[1].split("\r\n")[0]))


async def answers_just_in_time(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Each answer comes right before a deadline that is counted from the last one."""
    while True:
        await next_chunk(reader)
        await asyncio.sleep(ROUND_S * 0.9)
        writer.write(ANSWER)


async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads, and answers a byte at a time."""
    await next_chunk(reader)
    while True:
        for byte in ANSWER:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(ROUND_S / 20)


async def never_reads(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    cast(asyncio.Transport, writer.transport).pause_reading()
    await asyncio.Event().wait()


async def resets(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def says_held_of_everything(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        await next_chunk(reader)
        writer.write(ANSWER)


HOSTILE = [answers_just_in_time, drips, never_reads, resets, says_held_of_everything]


@asynccontextmanager
async def on_the_plain_channel(serve: Serve, tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    serving: set[asyncio.Task[None]] = set()

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(cast("asyncio.Task[None]", asyncio.current_task()))
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the gateway hung up, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    there = {"plain_url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"}
    here = {"worker_settings": replace(WORKER, plain_patience=PlainPatience(ROUND_S, 10**9))}
    try:
        async with server, paired(tmp_path, template, alpha=here, bravo=there) as pair:
            yield pair
    finally:
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


@over("3+2", seldom="1+1")
@pytest.mark.parametrize("serve", HOSTILE)
async def test_the_document_arrives_in_the_first_attempt(
    tmp_path: Path, template: Path, way: Way, serve: Serve
) -> None:
    async with on_the_plain_channel(serve, tmp_path, template) as pair:
        pair.way = way
        transfer_id = await pair.delivers(document(1_500_000, 3))
        assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_after_an_attempt_that_was_lost_with_plain_bytes_missing_nothing_more_goes_in_plain(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the planner take the choice for its own, and what the lost attempt took teaches it nothing."""
    ask_held = sending.Sending.ask_held
    seen: list[int] = []

    async def ask_and_lose(self: sending.Sending) -> None:
        await ask_held(self)
        self.events.put_nowait(SecureLost("the connection was cut"))

    async def read(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            seen.append(len(data))

    monkeypatch.setattr(sending.Sending, "ask_held", ask_and_lose)
    async with on_the_plain_channel(read, tmp_path, template) as pair:
        kept = await pair.alpha.keep(document(200_000, 3), pair.anna)
        split = Plan("sieve", 1, 2, "ss")
        [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": [RECIPIENT]}, split)
        ended = await pair.alpha.ended(sent.id)
        row = await pair.alpha.row(sent.id)
        plan = json.loads(row.plan or "")
        assert (ended.state, row.attempt, row.mode, row.off_plain) == ("delivered", 2, "sieve", True)
        assert (plan["mode"], plan["split"]) == ("secure-only", "range")
        assert plan["estimate"]["reason"] == "plain-failed"
        assert sum(seen) < 2 * 200_000, "once, and not again"
        [peer] = pair.alpha.worker.deps.planning.peers.values()
        assert (peer.last, peer.costs.seen) == (None, 1)


async def test_what_moved_to_the_secure_channel_teaches_nothing_and_the_choice_is_off_the_plain_one_for_a_while(
    tmp_path: Path, template: Path
) -> None:
    async with on_the_plain_channel(resets, tmp_path, template) as pair:
        planning = pair.alpha.worker.deps.planning
        await pair.delivers(document(200_000, 3))
        [(peer_id, peer)] = planning.peers.items()
        assert peer.costs.seen == 0 and peer.plain_failed_at_ns is not None
        kept = await pair.alpha.keep(document(200_000, 3), pair.anna)
        auto = Wish()
        [sent] = await pair.alpha.transfer_queue.send(
            pair.anna, [kept], {"bravo": [RECIPIENT]}, Plan("sieve"), wish=auto
        )
        await pair.alpha.ended(sent.id)
        assert json.loads((await pair.alpha.row(sent.id)).plan or "")["mode"] == "secure-only"
        assert not peer.plain_failed_lately(peer.plain_failed_at_ns + OFF_PLAIN_NS)
        assert peer.last is None and planning.peers[peer_id].costs.seen == 1
