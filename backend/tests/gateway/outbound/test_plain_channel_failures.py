"""Whole transfers on bad days of the plain channel: each is delivered all the same, and nothing leaks.

In the middle of a batch, too: what the plain channels do not bring is bytes of several documents then, and each must
get its own. Over three and two channels where they fail by themselves: refused, or with a listener that dies under
them. What one plain channel endures for a while, several endure alike."""

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gateway.in_process import InProcess
from gateway.two_gateways import LIMITS, RECEIVING, WORKER, document, nobody_listens, paired
from gateway.ways import Way, over
from sieve.channel.plain_patience import PlainPatience
from sieve.gateway.outbound import sending
from sieve.gateway.peering.links import Link

DOCUMENT = document(200_000, 3)
LONG_AGO = datetime.now(UTC) - timedelta(days=500)


async def test_a_plain_address_where_nobody_listens_means_the_secure_channel(
    tmp_path: Path, template: Path, way: Way
) -> None:
    plain_url = f"http://{nobody_listens()}"
    async with paired(tmp_path, template, bravo={"plain_url": plain_url}) as pair:
        pair.way = way
        transfer_id = await pair.delivers(document(1_000_000, 3))
        assert await pair.alpha.lost_plain(transfer_id)
        # The next attempt asks for the address again: another replica of the peer may have its connections by now.
        bravo = pair.alpha.peers.by_name("bravo")
        assert bravo is not None and pair.alpha.links.to(bravo).known_hello is None


@over("batch", seldom="1+1")
async def test_a_plain_listener_that_is_dead_means_the_secure_channel(tmp_path: Path, template: Path, way: Way) -> None:
    async with paired(tmp_path, template, bravo={"plain_limits": replace(LIMITS, wait_s=0.01)}) as pair:
        pair.way = way
        assert isinstance(pair.bravo.plain, InProcess)
        pair.bravo.plain.die()
        await pair.delivers(DOCUMENT)


@over("batch", seldom="1+1")
async def test_answers_on_the_plain_channel_that_never_end_mean_the_secure_channel(
    tmp_path: Path, template: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte of them would put a timeout off that only watches single reads."""
    connections = 0

    async def mock(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while True:
                writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)  # its pace: faster, the two gateways on this loop would have no turn
        except (ConnectionError, asyncio.CancelledError):
            pass  # the gateway hung up, or the test is over: either ends the mock, and nothing else
        finally:
            writer.close()

    server = await asyncio.start_server(mock, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    quick = {"worker_settings": replace(WORKER, plain_patience=PlainPatience(0.05, 10**9))}
    async with server, paired(tmp_path, template, alpha=quick, bravo={"plain_url": f"http://127.0.0.1:{port}"}) as pair:
        pair.way = way
        await pair.delivers(document(65536, 0))
        assert connections


@over("batch", seldom="1+1")
async def test_chunks_that_are_swallowed_do_not_outlast_the_receivers_patience(
    tmp_path: Path, template: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes longer to give such a chunk up than the receiver waits for a sign of life."""
    monkeypatch.setattr(sending, "BEAT_S", 0.1)

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.read(65536):
                pass
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(swallow, "127.0.0.1", 0)
    plain_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    quick = {"worker_settings": replace(WORKER, plain_patience=PlainPatience(0.5, 10**9))}
    impatient = {"plain_url": plain_url, "receiving_settings": replace(RECEIVING, stall_s=0.4)}
    async with server, paired(tmp_path, template, alpha=quick, bravo=impatient) as pair:
        pair.way = way
        transfer_id = await pair.delivers(document(65536, 0))
        for sent in (transfer_id, *(companion for companion, _ in pair.companions[transfer_id])):
            assert (await pair.alpha.row(sent)).attempt == 1
            assert await pair.alpha.lost_plain(sent)


async def test_the_real_child_killed_within_a_transfer(
    tmp_path: Path, template: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with paired(tmp_path, template, bravo={"child": True, "plain_limits": replace(LIMITS, wait_s=0.05)}) as pair:
        pair.way = way
        await pair.delivers(DOCUMENT)
        big = document(3_000_000, 3)
        real = Link.put_plain
        put = 0

        async def deadly(self: Link, *arguments: Any, **more: Any) -> None:
            nonlocal put
            put += 1
            await real(self, *arguments, **more)
            if put == 3:
                put += 1  # once: others may have been answered, too
                assert pair.bravo.plain.pid is not None
                os.kill(pair.bravo.plain.pid, 9)

        monkeypatch.setattr(Link, "put_plain", deadly)
        transfer_id = await pair.delivers(big)
        assert put > 3
        assert set(await pair.alpha.causes(transfer_id)) <= {"plain-channel", ""}
