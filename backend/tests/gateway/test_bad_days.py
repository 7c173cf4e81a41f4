"""Whole transfers on bad days: the peer is away, is another, is full, goes for good; the author changes their mind.

Each ends delivered once, or with a reason that its author can read, and nothing is left lying about."""

import asyncio
import errno
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.by_hand import untraced
from gateway.two_gateways import (
    LIMITS,
    RECEIVING,
    WORKER,
    InProcess,
    Pair,
    document,
    nobody_listens,
    paired,
    until,
)
from pki import new_identity
from sieve.channel.attempt import Plan
from sieve.gateway import lanes, sending
from sieve.gateway.dispatch import Dispatch
from sieve.gateway.errors import Conflict, NotFound, UnknownRecipient
from sieve.gateway.links import Link
from sieve.gateway.sending import Sending
from sieve.gateway.settlement import Settlement
from sieve.gateway.storing import Storing
from sieve.gateway.tls import client_context, trust
from sieve.store.blobs import BlobDamaged
from sieve.store.models import Transfer
from sieve.store.queries import claiming, outbox, settling
from sieve.store.queries import peers as peer_queries

DOCUMENT = document(200_000, 3)
LONG_AGO = datetime.now(UTC) - timedelta(days=500)


@asynccontextmanager
async def a_pair(folder: Path, template: Path, **more: dict[str, Any]) -> AsyncIterator[Pair]:
    async with paired(folder, template, **more) as pair:
        yield pair


def gate(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> tuple[asyncio.Event, asyncio.Event]:
    """Holds the first call of a method until told: (it got there, let it go on)."""
    there, go_on = asyncio.Event(), asyncio.Event()
    real: Callable[..., Awaitable[Any]] = getattr(owner, name)

    async def slowly(*arguments: Any, **more: Any) -> Any:
        there.set()
        await go_on.wait()
        return await real(*arguments, **more)

    monkeypatch.setattr(owner, name, slowly)
    return there, go_on


# --- the plain channel -----------------------------------------------------------------------------------------------


async def test_a_plain_address_where_nobody_listens_means_the_secure_channel(tmp_path: Path, template: Path) -> None:
    plain_url = f"http://{nobody_listens()}"
    async with a_pair(tmp_path, template, bravo={"plain_url": plain_url}) as pair:
        await pair.delivers(document(1_000_000, 3))


async def test_a_plain_listener_that_is_dead_means_the_secure_channel(tmp_path: Path, template: Path) -> None:
    async with a_pair(tmp_path, template, bravo={"plain_limits": replace(LIMITS, wait_s=0.01)}) as pair:
        assert isinstance(pair.bravo.plain, InProcess)
        pair.bravo.plain.die()
        await pair.delivers(DOCUMENT)


async def test_answers_on_the_plain_channel_that_never_end_mean_the_secure_channel(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte of them would put a timeout off that only watches single reads."""
    monkeypatch.setattr(lanes, "PLAIN_MIN_RATE", 10**9)
    connections = 0

    async def mock(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while True:
                writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(mock, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    quick = {"worker_settings": replace(WORKER, plain_timeout_s=0.05)}
    async with server, a_pair(tmp_path, template, alpha=quick, bravo={"plain_url": f"http://127.0.0.1:{port}"}) as pair:
        await pair.delivers(document(65536, 0))
        assert connections >= 3


async def test_chunks_that_are_swallowed_do_not_outlast_the_receivers_patience(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes longer to give such a chunk up than the receiver waits for a sign of life."""
    monkeypatch.setattr(sending, "BEAT_S", 0.1)
    monkeypatch.setattr(lanes, "PLAIN_MIN_RATE", 131072)

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
    quick = {"worker_settings": replace(WORKER, plain_timeout_s=0.05)}
    impatient = {"plain_url": plain_url, "receiving_settings": replace(RECEIVING, stall_s=0.4)}
    async with server, a_pair(tmp_path, template, alpha=quick, bravo=impatient) as pair:
        transfer_id = await pair.delivers(document(65536, 0))
        assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_the_real_child_killed_within_a_transfer(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_pair(tmp_path, template, bravo={"child": True, "plain_limits": replace(LIMITS, wait_s=0.05)}) as pair:
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
        await pair.delivers(big)


# --- the peer is away, or somebody else ------------------------------------------------------------------------------


@pytest.fixture(params=[(1, 1), (3, 2)], ids=["1+1", "3+2"])
async def pair(tmp_path: Path, template: Path, request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    async with paired(tmp_path, template) as both:
        both.channels = request.param
        yield both


async def test_a_peer_that_is_down_gets_it_when_it_is_up(pair: Pair) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.state == "queued" and waiting.next_try_at_ns is not None
    assert waiting.reason is not None and "bravo cannot be reached" in waiting.reason
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)
    assert (await pair.alpha.row(transfer_id)).reason is None


async def test_a_peer_that_goes_down_within_a_transfer_gets_it_once(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.bravo.stop()
    go_on.set()
    assert (await pair.alpha.tried(transfer_id)).state == "queued"
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)
    assert pair.bravo.files() == 3


async def test_a_receipt_whose_word_was_lost_is_asked_for(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(self: Sending, answer: dict[str, Any]) -> None:
        if answer["is"] == "receipt":
            raise httpx.ReadError("the connection broke")

    with monkeypatch.context() as lost:
        lost.setattr(Sending, "_hear", deaf)
        transfer_id = await pair.send(DOCUMENT)
        assert (await pair.alpha.tried(transfer_id)).state == "queued"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)
    row = await pair.alpha.row(transfer_id)
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    assert row.receipt == await pair.alpha.links.to(peer).receipt(transfer_id)


async def test_also_after_the_deadline(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late receipt still counts."""

    def deaf(self: Sending, answer: dict[str, Any]) -> None:
        if answer["is"] == "receipt":
            raise httpx.ReadError("the connection broke")

    monkeypatch.setattr(Sending, "_hear", deaf)
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, retry_first_s=100, retry_cap_s=100))
    transfer_id = await pair.send(DOCUMENT, deadline_s=2)
    assert (await pair.alpha.tried(transfer_id)).state == "queued"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_at_the_deadline_it_fails_with_the_last_reason(pair: Pair) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT, deadline_s=0.3)
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed" and ended.reason is not None
    assert ended.reason.startswith("the deadline has passed; last: bravo cannot be reached")
    with pytest.raises(Conflict, match="deadline has passed; send the document again"):
        await pair.alpha.dispatch.requeue(pair.anna, transfer_id)


async def test_another_key_at_the_peers_address(pair: Pair, tmp_path: Path) -> None:
    await pair.bravo.stop()
    real = pair.bravo.identity
    # Of the same authority: the handshake is fine, and only the pin tells.
    pair.bravo.identity = new_identity(pair.bravo.template.parent / "bravo", "mallory")
    await pair.bravo.start()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo showed another key" in waiting.reason
    assert not pair.bravo.receivings._open and pair.bravo.files() == 0
    await pair.bravo.stop()
    pair.bravo.identity = real
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_a_client_that_the_peer_does_not_know(pair: Pair) -> None:
    """It gets as far as the handshake lets it; the reason reaches the author."""
    await pair.bravo.peers.remove("alpha")
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo refused: this gateway knows no peer with the key" in waiting.reason
    code = await pair.bravo.peers.invite_in(pair.alpha.peers.ours)
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "not confirmed on this side yet" in waiting.reason
    await pair.bravo.peers.confirm("alpha", code)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_a_client_of_an_authority_that_the_peer_does_not_know(pair: Pair) -> None:
    await pair.bravo.peers.remove("alpha")
    await pair.bravo.stop()
    await pair.bravo.start()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo" in waiting.reason and "certificate" in waiting.reason


@pytest.mark.parametrize("who", ["alpha", "bravo"])
async def test_an_expired_certificate(tmp_path: Path, template: Path, who: str) -> None:
    expired = new_identity(tmp_path / "expired", who, made_at=LONG_AGO)
    async with a_pair(tmp_path, template, **{who: {"identity": expired}}) as pair:
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.reason is not None and "expired" in waiting.reason
        assert pair.bravo.files() == 0


async def test_tls_1_2_and_no_certificate_do_not_get_in(pair: Pair) -> None:
    host, port = pair.bravo.addresses["secure"].split(":")
    older = client_context(pair.alpha.identity)
    older.minimum_version = older.maximum_version = ssl.TLSVersion.TLSv1_2
    nameless = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    nameless.check_hostname = False
    for context in (older, nameless):
        trust(context, pair.bravo.identity.ca_der)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            reader, writer = await asyncio.open_connection(host, int(port), ssl=context, server_hostname="x")
            try:
                writer.write(b"GET /v1/hello HTTP/1.1\r\nhost: x\r\n\r\n")
                assert await reader.read() == b""
                raise ConnectionError("cut without a word")
            finally:
                writer.close()
    await pair.delivers(DOCUMENT)


# --- a peer that changes ---------------------------------------------------------------------------------------------


async def test_a_removed_peer_is_dropped_live(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await until(lambda: bool(pair.bravo.receivings._open))
    state = pair.bravo.secure.server_state
    assert state.connections
    await pair.bravo.peers.remove("alpha")
    await until(lambda: not state.connections and not pair.bravo.receivings._open)
    go_on.set()
    assert (await pair.alpha.becomes(transfer_id, lambda p: p.reason is not None)).state != "delivered"
    assert pair.bravo.files() == 0 and await pair.bravo.entries(pair.bruno) == []


async def test_who_removes_a_peer_sends_it_nothing_more(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    pair.bravo.receivings.deps.settings = replace(RECEIVING, stall_s=0.5)
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    link = next(iter(pair.alpha.links._links.values()))
    await pair.alpha.peers.remove("bravo")
    go_on.set()
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed" and "removed" in (ended.reason or "")
    assert link._closed and not pair.alpha.links._links
    with pytest.raises(httpx.ConnectError):
        await link.put_plain("/x", b"", b"", untraced, 1, 1, "")
    await until(lambda: not pair.bravo.receivings._open)
    assert await pair.bravo.entries(pair.bruno) == []
    with pytest.raises(NotFound, match="there is no peer named bravo"):
        await pair.send(DOCUMENT)


async def test_what_waits_for_a_removed_peer_fails_and_says_so(pair: Pair) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)

    async def failed() -> bool:
        async with pair.alpha.database.read() as session:
            row = await outbox.by_id(session, transfer_id)
        assert row is not None
        return row.state == "failed" and "removed" in (row.reason or "")

    await pair.alpha.peers.remove("bravo")
    await until(failed)


async def test_a_peer_that_is_removed_while_its_recipients_are_looked_up(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = gate(monkeypatch, Dispatch, "_check_with_peer")
    asking = asyncio.create_task(pair.send(DOCUMENT))
    await there.wait()
    await pair.alpha.peers.remove("bravo")
    go_on.set()
    with pytest.raises(NotFound, match="the pairing with bravo was removed meanwhile"):
        await asking
    assert pair.alpha.files() == 2


async def test_two_pins_during_a_renewal(pair: Pair, tmp_path: Path) -> None:
    old = pair.bravo.identity
    await pair.bravo.stop()
    pair.bravo.identity = replace(
        new_identity(pair.bravo.template.parent / "bravo", "bravo-renewed"), receipt_key=old.receipt_key
    )
    await pair.bravo.start()
    theirs = pair.bravo.peers.ours
    await pair.alpha.peers.renew("bravo", theirs, await pair.alpha.peers.renewal_code("bravo", theirs))
    await pair.delivers(DOCUMENT)
    await pair.bravo.stop()
    pair.bravo.identity, renewed = old, pair.bravo.identity
    await pair.bravo.start()
    await pair.delivers(DOCUMENT)  # the old key still counts
    await pair.alpha.peers.retire_pin("bravo", old.pin)
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "showed another key" in waiting.reason
    await pair.bravo.stop()
    pair.bravo.identity = renewed
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_an_older_picture_of_the_peers_never_replaces_a_newer_one(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = peer_queries.known
    looked, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(session: Any) -> Any:
        rows = await real(session)
        if not looked.is_set():
            looked.set()
            await go_on.wait()
        return rows

    monkeypatch.setattr(peer_queries, "known", slowly)
    older = asyncio.create_task(pair.bravo.peers.load())
    await looked.wait()
    removing = asyncio.create_task(pair.bravo.peers.remove("alpha"))
    await until(lambda: removing.done() or pair.bravo.peers._loading.locked())
    go_on.set()
    await asyncio.gather(older, removing)
    assert pair.bravo.peers.all() == []


# --- room, and people ------------------------------------------------------------------------------------------------


async def test_a_full_destination_is_told_and_tried_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)
    with monkeypatch.context() as disk:
        disk.setattr(os, "posix_fallocate", full)
        [sent] = await pair.alpha.dispatch.send(pair.anna, [document_id], "bravo", ["bruno"], Plan("sieve"))
        transfer_id = sent.id
        waiting = await pair.alpha.tried(transfer_id)
        assert (waiting.state, waiting.reason) == ("queued", "bravo refused: destination full")
        assert waiting.next_try_at_ns is not None
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert pair.bravo.files() == 3


async def test_a_quota_that_is_used_up(tmp_path: Path, template: Path) -> None:
    tight = replace(RECEIVING, quota=100_000)
    async with a_pair(tmp_path, template, bravo={"receiving_settings": tight}) as pair:
        waiting = await pair.alpha.tried(await pair.send(DOCUMENT))
        assert waiting.state == "queued" and waiting.reason is not None and "quota" in waiting.reason


async def test_a_document_that_is_too_large_for_the_peer_fails_for_good(tmp_path: Path, template: Path) -> None:
    small = replace(RECEIVING, limits=replace(RECEIVING.limits, max_document_size=100_000))
    async with a_pair(tmp_path, template, bravo={"receiving_settings": small}) as pair:
        ended = await pair.alpha.ended(await pair.send(DOCUMENT))
        assert ended.state == "failed"
        assert ended.reason == "the document has 200000 bytes; bravo takes at most 100000"


async def test_an_unknown_recipient_is_refused_before_anything_is_sent(pair: Pair) -> None:
    with pytest.raises(UnknownRecipient, match="nobody named nobody can receive at bravo"):
        await pair.send(DOCUMENT, to="nobody")
    assert pair.alpha.files() == 2  # the document itself; no manifest was kept
    assert pair.bravo.files() == 0


async def test_also_if_the_peer_could_not_be_asked_at_first(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT, to="nobody")
    await pair.alpha.tried(transfer_id)
    sent: list[object] = []
    monkeypatch.setattr(Link, "put_plain", lambda *arguments, **_: sent.append(arguments))
    await pair.bravo.start()
    ended = await pair.alpha.ended(transfer_id)
    assert (ended.state, ended.reason) == ("failed", "nobody named nobody can receive at bravo")
    assert not sent and pair.bravo.files() == 0


# --- the author changes their mind -----------------------------------------------------------------------------------


async def test_cancelled_while_it_waits(pair: Pair) -> None:
    await pair.bravo.stop()
    pair.alpha.worker.settings = replace(WORKER, retry_first_s=100, retry_cap_s=100)
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    with pytest.raises(Conflict, match="the transfer is cancelled; it cannot be cancelled any more"):
        await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    with pytest.raises(NotFound):
        await pair.alpha.dispatch.cancel(await pair.alpha.person("other", author=True), transfer_id)


async def test_cancelled_while_it_is_sent(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    # The peer is told: it does not hold the place until it notices by itself.
    await until(lambda: not pair.bravo.receivings._open)
    assert pair.bravo.files() == 0 and await pair.bravo.entries(pair.bruno) == []
    assert not pair.alpha.worker._running
    assert (await pair.alpha.row(transfer_id)).state == "cancelled"


async def test_cancelled_too_late_it_is_delivered(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte had left; the peer was just writing it down."""
    there, go_on = gate(monkeypatch, Storing, "_commit")
    deaf: list[dict[str, Any]] = []
    monkeypatch.setattr(Sending, "_hear", lambda _self, answer: deaf.append(answer))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)


async def test_once_the_peer_has_every_byte_it_is_said_so(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Storing, "_commit")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.becomes(transfer_id, lambda p: p.verified)
    await until(lambda: any(group.sending and group.sending.verified for group in pair.alpha.worker._running))
    with pytest.raises(Conflict, match="the peer has every byte already"):
        await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_cancelled_between_two_attempts_it_is_not_tried_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wish comes after the attempt failed, and before that is written down."""
    await pair.bravo.stop()
    there, go_on = gate(monkeypatch, Settlement, "_write")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.dispatch.cancel(pair.anna, transfer_id)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_cancelled_right_before_a_crash_it_is_not_sent_after_it(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    async with pair.alpha.database.write() as session:
        assert not await outbox.cancel(session, transfer_id, 1)
    await pair.alpha.stop()
    monkeypatch.undo()
    await pair.alpha.start()
    assert (await pair.alpha.ended(transfer_id)).state == "cancelled"
    assert (await pair.alpha.row(transfer_id)).attempt == 2
    assert await pair.bravo.entries(pair.bruno) == []


# --- the worker itself -----------------------------------------------------------------------------------------------


async def failing(pair: Pair, after: int) -> tuple[str, Transfer]:
    """A transfer of which `after` attempts have failed."""
    transfer_id = await pair.send(DOCUMENT)

    async def tried_often() -> bool:
        return (await pair.alpha.row(transfer_id)).fruitless_tries >= after

    await until(tried_often)
    return transfer_id, await pair.alpha.row(transfer_id)


async def test_after_failures_in_a_row_the_breaker_opens_for_the_peer(tmp_path: Path, template: Path) -> None:
    settings = replace(WORKER, breaker_after=2, breaker_open_s=100, retry_cap_s=100, retry_first_s=0.01)
    async with a_pair(tmp_path, template, alpha={"worker_settings": settings}) as pair:
        await pair.bravo.stop()
        transfer_id, row = await failing(pair, 2)
        second = await pair.send(DOCUMENT)
        async with pair.alpha.database.read() as session:
            breaker = await settling.breaker(session, row.peer_id)
        assert breaker is not None and breaker.failures == 2 and breaker.open_until_ns is not None
        assert (await pair.alpha.row(second)).attempt == 0
        await pair.bravo.start()
        await pair.alpha.dispatch.requeue(pair.anna, transfer_id)  # a person's wish counts more than a breaker
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        assert (await pair.alpha.ended(second)).state == "delivered"  # and its success closes it
        async with pair.alpha.database.read() as session:
            assert await settling.breaker(session, row.peer_id) is None


async def test_a_lost_lease_ends_the_attempt_and_writes_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, lease_s=1.0))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    (group,) = pair.alpha.worker._running
    async with pair.alpha.database.write() as session:
        row = await session.get_one(Transfer, transfer_id)
        row.lease_token, row.lease_until_ns = "another's", 2**62
    await until(lambda: group.carrying is not None and group.carrying.done())
    assert not pair.alpha.worker._running
    row = await pair.alpha.row(transfer_id)
    assert (row.state, row.lease_token) == ("sending", "another's")
    go_on.set()


async def test_a_lease_is_kept_while_the_attempt_lasts(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, lease_s=1.0))
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    first = (await pair.alpha.row(transfer_id)).lease_until_ns
    assert first is not None

    async def renewed_twice() -> bool:
        return ((await pair.alpha.row(transfer_id)).lease_until_ns or 0) > first + 500_000_000

    await until(renewed_twice)
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert (await pair.alpha.row(transfer_id)).attempt == 1


async def test_a_database_that_is_busy_does_not_end_the_worker_nor_cost_a_second_sending(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = settling.settle
    refusals = 0

    async def busy(*arguments: Any, **more: Any) -> set[str]:
        nonlocal refusals
        refusals += 1
        if refusals <= 2:
            raise OSError("database is locked")
        return await real(*arguments, **more)

    monkeypatch.setattr(settling, "settle", busy)
    transfer_id = await pair.send(DOCUMENT)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert refusals == 3 and (await pair.alpha.row(transfer_id)).attempt == 1


async def test_an_outbox_that_cannot_be_claimed_from_is_not_asked_in_a_tight_loop(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0
    real = claiming.due

    async def full(*arguments: Any, **more: Any) -> Any:
        nonlocal tries
        tries += 1
        if asyncio.get_running_loop().time() < ends_s:
            raise OSError("disk is full")
        return await real(*arguments, **more)

    ends_s = asyncio.get_running_loop().time() + 0.5
    monkeypatch.setattr(claiming, "due", full)
    transfer_id = await pair.send(DOCUMENT)
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    # A tight loop would ask thousands of times; how often the floor lets it depends on the machine.
    assert tries <= 50


async def test_a_defect_is_logged_told_and_tried_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Sending, "run", lambda _self: 1 / 0)
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.reason == "this gateway failed while sending; its log says why"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


@pytest.mark.parametrize("mode", ["sieve", "secure-only"])
async def test_a_damaged_document_fails_for_good(pair: Pair, mode: Any) -> None:
    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)
    for path in (pair.alpha.folder / "blobs").rglob("*"):
        if path.is_file() and path.stat().st_size < 10_000:  # the sealed one
            damaged = bytearray(path.read_bytes())
            damaged[10] ^= 1
            path.write_bytes(damaged)
    with pytest.raises(BlobDamaged):  # the author hears it at once, for the manifest needs the spans
        await pair.alpha.dispatch.send(pair.anna, [document_id], "bravo", ["bruno"], Plan(mode))


async def test_a_document_that_is_damaged_after_it_was_queued(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    for path in (pair.alpha.folder / "blobs").rglob("*"):
        if path.is_file() and path.stat().st_size == 200_000 - 3000:  # the plain one
            path.unlink()
    await pair.bravo.start()
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed"
    assert ended.reason == "the stored document cannot be read: a stored file is missing; restore it from a backup"


async def test_a_worker_ends_when_told_even_as_something_becomes_due(pair: Pair) -> None:
    """A cancellation that met a wake-up was forgotten, and the gateway never ended."""
    for _ in range(20):
        running = asyncio.create_task(pair.alpha.worker.run())
        await asyncio.sleep(0.01)
        pair.alpha.worker.wake()
        running.cancel()
        async with asyncio.timeout(2):
            await asyncio.gather(running, return_exceptions=True)


async def test_stopping_within_a_transfer_and_going_on_after(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await pair.alpha.stop()
    monkeypatch.undo()
    await pair.alpha.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)
    await until(lambda: not pair.bravo.receivings._open)
    assert pair.bravo.files() == 3


async def test_many_at_once_each_arrive_once(pair: Pair) -> None:
    documents = [document(20_000 + i, 2) for i in range(20)]
    ids = [await pair.send(what, "sieve" if i % 2 else "secure-only") for i, what in enumerate(documents)]
    for transfer_id, what in zip(ids, documents, strict=True):
        assert (await pair.alpha.ended(transfer_id)).state == "delivered"
        await pair.arrived(transfer_id, what)
    await until(lambda: not pair.bravo.receivings._open)
    assert pair.bravo.files() == 3 * len(ids)


async def test_a_disk_that_is_full_here_leaves_no_manifest_behind(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = await pair.alpha.keep(DOCUMENT, pair.anna)

    async def full(*_: object, **__: object) -> None:
        raise OSError("disk is full")

    monkeypatch.setattr(outbox, "enqueue", full)
    with pytest.raises(OSError, match="disk is full"):
        await pair.alpha.dispatch.send(pair.anna, [document_id], "bravo", ["bruno"], Plan("sieve"))
    assert pair.alpha.files() == 2
