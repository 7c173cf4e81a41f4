"""Whole transfers when the peer is down, is another gateway, or changes.

Each is delivered once, or fails with a reason that its author can read, and leaves nothing behind. These tests run over
every way, except where a connection is refused before any byte of a transfer: there the ways do not differ."""

import asyncio
import re
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from gateway.by_hand import untraced
from gateway.gates import gate
from gateway.two_gateways import (
    RECEIVING,
    WORKER,
    Pair,
    document,
    paired,
    until,
)
from gateway.ways import over
from pki import new_identity
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound
from sieve.gateway.outbound.outcome_recorder import OutcomeRecorder
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.tls import client_context, trust
from sieve.store.models import Transfer
from sieve.store.queries import outbox
from sieve.store.queries import peers as peer_queries

DOCUMENT = document(200_000, 3)
LONG_AGO = datetime.now(UTC) - timedelta(days=500)


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


async def test_a_peer_that_is_down_gets_it_when_it_is_up(pair: Pair) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.state == "queued" and waiting.next_try_at_ns is not None
    assert waiting.reason is not None and "bravo cannot be reached" in waiting.reason
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["unreachable", ""]
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
    # The peer may still say that it is shutting down.
    assert (await pair.alpha.causes(transfer_id))[0] in ("link-broke", "peer-refused")
    await pair.arrived(transfer_id, DOCUMENT)
    assert await pair.bravo.documents() == pair.way.documents


async def test_a_receipt_whose_word_was_lost_is_asked_for(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(self: Sending, answer: dict[str, Any]) -> None:
        if answer["is"] == "receipt":
            raise httpx.ReadError("the connection broke")

    with monkeypatch.context() as lost:
        lost.setattr(Sending, "hear", deaf)  # the answer is lost only after the peer sent it
        transfer_id = await pair.send(DOCUMENT)
        assert (await pair.alpha.tried(transfer_id)).state == "queued"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    assert await pair.alpha.causes(transfer_id) == ["link-broke", ""]
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

    monkeypatch.setattr(Sending, "hear", deaf)  # as above
    monkeypatch.setattr(pair.alpha.worker, "settings", replace(WORKER, retry_first_s=100, retry_cap_s=100))
    transfer_id = await pair.send(DOCUMENT, deadline_s=2)
    assert (await pair.alpha.tried(transfer_id)).state == "queued"
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)


async def test_at_the_deadline_it_fails_with_the_last_reason(pair: Pair) -> None:
    await pair.bravo.stop()
    transfer_id = await pair.send(DOCUMENT)
    await pair.alpha.tried(transfer_id)
    async with pair.alpha.database.write() as session:
        await session.execute(update(Transfer).values(deadline_at_ns=now_ns()))
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed" and ended.reason is not None
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "deadline"]
    reads = r"by this gateway's clock, which reads [0-9-]+ [0-9:]+ UTC; "
    assert re.match(f"the deadline has passed {reads}last: bravo cannot be reached", ended.reason)
    with pytest.raises(Conflict, match=f"deadline has passed {reads}send the document again"):
        await pair.alpha.transfer_queue.requeue(pair.anna, transfer_id)


@over("1+1")
async def test_another_key_at_the_peers_address(pair: Pair, tmp_path: Path) -> None:
    await pair.bravo.stop()
    real = pair.bravo.identity
    # Of the same authority: the handshake succeeds, and only the pin differs.
    pair.bravo.identity = new_identity(pair.bravo.template.parent / "bravo", "mallory")
    await pair.bravo.start()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo showed another key" in waiting.reason
    assert not pair.bravo.attempts.under_way and pair.bravo.files() == 0
    await pair.bravo.stop()
    pair.bravo.identity = real
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


async def test_a_client_that_the_peer_does_not_know(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    """It gets as far as the handshake lets it; the reason reaches the author."""
    await pair.bravo.peers.remove("alpha", by="admin")
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo refused: this gateway knows no peer with the key" in waiting.reason
    pin = pair.alpha.identity.pin
    assert (
        f"a connection from 127.0.0.1 was refused: this gateway knows no peer with the key {pin[:16]}…" in caplog.text
    )
    assert pin not in caplog.text
    await pair.bravo.peers.invite_in(pair.alpha.peers.ours, by="admin")
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "not confirmed on this side yet" in waiting.reason
    await pair.bravo.peers.confirm("alpha", await pair.alpha.peers.code("bravo"), by="admin")
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


@over("1+1")
async def test_a_client_of_an_authority_that_the_peer_does_not_know(pair: Pair) -> None:
    await pair.bravo.peers.remove("alpha", by="admin")
    await pair.bravo.stop()
    await pair.bravo.start()
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "bravo" in waiting.reason and "certificate" in waiting.reason


@pytest.mark.parametrize("who", ["alpha", "bravo"])
async def test_an_expired_certificate(tmp_path: Path, template: Path, who: str) -> None:
    expired = new_identity(tmp_path / "expired", who, made_at=LONG_AGO)
    async with paired(tmp_path, template, **{who: {"identity": expired}}) as pair:
        transfer_id = await pair.send(DOCUMENT)
        waiting = await pair.alpha.tried(transfer_id)
        assert waiting.reason is not None and "expired" in waiting.reason
        # Whose clock is wrong, people can only see if it is shown.
        assert who == "alpha" or "this gateway's clock reads 20" in waiting.reason
        assert pair.bravo.files() == 0


@over("1+1")
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


async def test_a_removed_peer_is_dropped_live(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    await until(lambda: bool(pair.bravo.attempts.under_way))
    state = pair.bravo.secure.server_state
    assert state.connections
    await pair.bravo.peers.remove("alpha", by="admin")
    await until(lambda: not state.connections and not pair.bravo.attempts.under_way)
    go_on.set()
    assert (await pair.alpha.becomes(transfer_id, lambda p: p.reason is not None)).state != "delivered"
    assert pair.bravo.files() == 0 and await pair.bravo.entries(pair.bruno) == []


async def test_who_removes_a_peer_sends_it_nothing_more(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    pair.bravo.attempts.deps.settings = replace(RECEIVING, stall_s=0.5)
    there, go_on = gate(monkeypatch, Link, "put_plain")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    [bravo] = pair.alpha.peers.all()
    link = pair.alpha.links.to(bravo)
    await pair.alpha.peers.remove("bravo", by="admin")
    go_on.set()
    ended = await pair.alpha.ended(transfer_id)
    assert ended.state == "failed" and "removed" in (ended.reason or "")
    with pytest.raises(httpx.ConnectError, match="the link is closed"):
        await link.put_plain("/x", b"", b"", untraced, 1, "")
    await until(lambda: not pair.bravo.attempts.under_way)
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

    await pair.alpha.peers.remove("bravo", by="admin")
    await until(failed)
    assert await pair.alpha.causes(transfer_id) == ["unreachable", "peer-removed"]


@over("batch", seldom="1+1")
async def test_an_attempt_that_ends_while_its_peer_is_being_removed_is_not_queued_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the row says removed, nothing is claimed for the peer, nor does its removal look for more."""
    await pair.bravo.stop()
    there, go_on = gate(monkeypatch, OutcomeRecorder, "record")
    transfer_id = await pair.send(DOCUMENT)
    await there.wait()
    [bravo] = pair.alpha.peers.all()
    async with pair.alpha.database.write() as session:
        await peer_queries.remove(session, bravo.id, now_ns())
    go_on.set()
    assert (await pair.alpha.ended(transfer_id)).state == "failed"
    assert await pair.alpha.causes(transfer_id) == ["peer-removed"]


@over("batch", seldom="1+1")
async def test_a_peer_that_is_removed_while_its_recipients_are_looked_up(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = gate(monkeypatch, Link, "recipients")
    asking = asyncio.create_task(pair.send(DOCUMENT))
    await there.wait()
    await pair.alpha.peers.remove("bravo", by="admin")
    go_on.set()
    with pytest.raises(NotFound, match="the pairing with bravo was removed meanwhile"):
        await asking
    assert await pair.alpha.documents() == pair.way.documents


@over("3+2")
async def test_two_pins_during_a_renewal(pair: Pair, tmp_path: Path) -> None:
    """Each connection is checked by itself, so several channels test more than one, and a batch has no others."""
    old = pair.bravo.identity
    await pair.bravo.stop()
    pair.bravo.identity = replace(
        new_identity(pair.bravo.template.parent / "bravo", "bravo-renewed"), receipt_key=old.receipt_key
    )
    await pair.bravo.start()
    theirs = pair.bravo.peers.ours
    await pair.alpha.peers.renew("bravo", theirs, await pair.bravo.peers.code("alpha"), by="admin")
    await pair.delivers(DOCUMENT)
    await pair.bravo.stop()
    pair.bravo.identity, renewed = old, pair.bravo.identity
    await pair.bravo.start()
    await pair.delivers(DOCUMENT)  # the old key still counts
    await pair.alpha.peers.retire_pin("bravo", old.pin, by="admin")
    transfer_id = await pair.send(DOCUMENT)
    waiting = await pair.alpha.tried(transfer_id)
    assert waiting.reason is not None and "showed another key" in waiting.reason
    await pair.bravo.stop()
    pair.bravo.identity = renewed
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"


@over("1+1")
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
    alpha = pair.bravo.peers.by_name("alpha")
    assert alpha is not None
    removing = asyncio.create_task(pair.bravo.peers.remove("alpha", by="admin"))

    async def removed() -> bool:
        async with pair.bravo.database.read() as session:
            return (await peer_queries.by_id(session, alpha.id)).state == "removed"

    await until(removed)
    go_on.set()
    await asyncio.gather(older, removing)
    assert pair.bravo.peers.all() == []
