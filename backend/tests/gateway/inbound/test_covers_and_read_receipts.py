"""A document goes with a note and a request for read receipts, is opened and answered, between two real gateways."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from gateway.two_gateways import Node, Pair, document, paired
from sieve.channel.attempt import Plan
from sieve.channel.cover import Cover
from sieve.gateway.documents.covers import unseal_received
from sieve.gateway.errors import Conflict, PeerRefused
from sieve.gateway.outbound.covers import CoverRequest
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.store.models import InboxEntry, ReadReceipt, User
from sieve.store.queries import inbox, people, read_receipts

NOTE = "PLANTED-NOTE: call me before six."
PLAN = Plan("sieve")


async def entry_of(node: Node, person: User, transfer_id: str) -> InboxEntry:
    async with node.database.read() as session:
        (found,) = await inbox.find(session, person.id, transfer_id)
    return found


async def cover_of(node: Node, person: User, transfer_id: str) -> Cover | None:
    received = (await entry_of(node, person, transfer_id)).received
    if received.cover is None:
        return None
    return unseal_received(node.blobs.keys, received.cover, received.peer_id, transfer_id)


async def opened(node: Node, transfer_id: str) -> dict[str, bool]:
    """Who of the recipients opened it, as far as the author's gateway knows."""
    recipients = (await node.row(transfer_id)).recipients
    return {recipient.name: recipient.opened_at_ns is not None for recipient in recipients}


def everything_in(node: Node) -> bytes:
    return b"".join(path.read_bytes() for path in node.folder.rglob("*") if path.is_file())


async def sent_by(node: Node, author: User, to: dict[str, list[str]], cover: CoverRequest) -> str:
    kept = await node.keep(document(2000, 2, 100), author)
    [row] = await node.transfer_queue.send(author, [kept], to, PLAN, cover=cover)
    return row.id


async def test_note_read_receipt_and_reply(
    tmp_path: Path, template: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with paired(tmp_path, template) as pair:
        alpha, bravo = pair.alpha, pair.bravo
        ada, ben = (
            await alpha.person("ada", author=True, recipient=True),
            await bravo.person("ben", author=True, recipient=True),
        )
        to_both = {"bravo": ["ben", "bruno"]}
        sent = await sent_by(alpha, ada, to_both, CoverRequest(NOTE, None, read_receipts=True))
        assert (await alpha.ended(sent)).state == "delivered"
        for person in (ben, pair.bruno):
            assert await cover_of(bravo, person, sent) == Cover("ada", NOTE, read_receipts=True)
        assert all(NOTE.encode() not in everything_in(node) for node in (alpha, bravo))
        assert NOTE not in caplog.text

        await _is_reported_once(pair, sent, ben)
        await _only_what_was_asked_is_taken(pair, sent)
        await _is_answered(pair, sent, ada, ben)
        await _an_older_peer_gets_documents_without_covers(pair, ada, ben, monkeypatch)


async def _is_reported_once(pair: Pair, sent: str, ben: User) -> None:
    """Although the author's gateway is down when the document is opened."""
    alpha, bravo = pair.alpha, pair.bravo
    job, entry = bravo.gateway.services.read_receipts, await entry_of(bravo, ben, sent)
    await alpha.stop()
    for _ in range(2):
        async with bravo.database.write() as session:
            await read_receipts.note_opened(session, ben.id, [entry.id], time.time_ns())
    peer_id = entry.received.peer_id
    assert await job.report_due(peer_id) == 1
    assert await job.report_due(peer_id) == 0  # it waits
    await alpha.start()
    async with bravo.database.write() as session:
        await session.execute(update(ReadReceipt).values(next_try_at_ns=1))
    async with asyncio.TaskGroup() as tasks:
        await job.begin_due(tasks)
    assert await opened(alpha, sent) == {"ben": True, "bruno": False}
    row = await alpha.row(sent)
    first = row.recipients[0].opened_at_ns
    assert first is not None and row.delivered_at_ns is not None and first >= row.delivered_at_ns
    # It stops after the report and before it records it: the same report comes again.
    async with bravo.database.write() as session:
        await session.execute(update(ReadReceipt).values(next_try_at_ns=1, opened_at_ns=2))
    assert (await job.report_due(peer_id), await job.report_due(peer_id)) == (1, 0)
    assert (await alpha.row(sent)).recipients[0].opened_at_ns == first


async def _only_what_was_asked_is_taken(pair: Pair, sent: str) -> None:
    """A peer can report nothing of transfers that it did not get, nor of people to whom they were not sent."""
    alpha, bravo = pair.alpha, pair.bravo
    [peer] = bravo.peers.all()
    unasked = await sent_by(alpha, pair.anna, {"bravo": ["bruno"]}, CoverRequest())
    await alpha.ended(unasked)
    for transfer_id, name in ((sent, "zoe"), (unasked, "bruno"), ("ab" * 16, "bruno")):
        report = {"recipient": name, "opened_at_ns": 1}
        with pytest.raises(PeerRefused, match="no read receipt was asked") as refused:
            await bravo.links.to(peer).ask("POST", f"/v1/transfers/{transfer_id}/opened", json=report)
        assert refused.value.permanent
    assert await opened(alpha, unasked) == {"bruno": False}


async def _is_answered(pair: Pair, sent: str, ada: User, ben: User) -> None:
    alpha, bravo = pair.alpha, pair.bravo
    to = await bravo.gateway.services.replies.to(ben, sent)
    assert (to.peer, to.recipient, to.recipient_name, to.document) == ("alpha", "ada", "Ada", "report.txt")
    reply = await sent_by(bravo, ben, {to.peer: [to.recipient]}, CoverRequest(reply_to_id=to.entry_id))
    assert (await bravo.ended(reply)).state == "delivered"
    cover, received = await cover_of(alpha, ada, reply), (await entry_of(alpha, ada, reply)).received
    assert cover is not None and cover.in_reply_to == sent
    async with alpha.database.read() as session:
        known = await inbox.answered_transfer(session, received.peer_id, sent, ada.id)
        assert (known and known.id, await inbox.answered_transfer(session, received.peer_id, sent, ben.id)) == (
            sent,
            None,
        )
    async with bravo.database.read() as session:
        answered = await inbox.answered_by(session, await bravo.row(reply))
    assert answered is not None and answered.id == to.entry_id

    async with alpha.database.write() as session:
        found = await people.by_name(session, "ada")
        assert found is not None
        found.is_recipient = False
    with pytest.raises(Conflict, match="cannot reply to Ada: alpha does not list them"):
        await bravo.gateway.services.replies.to(ben, sent)


async def _an_older_peer_gets_documents_without_covers(
    pair: Pair, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, bravo = pair.alpha, pair.bravo
    [peer] = alpha.peers.all()
    link = alpha.links.to(peer)
    older = replace(await link.hello(), covers=False)

    async def hello(_: Link, *_asked: object, **_options: object) -> Hello:
        return older

    monkeypatch.setattr(Link, "hello", hello)
    for needed in (CoverRequest("A note"), CoverRequest(read_receipts=True)):
        with pytest.raises(Conflict, match="older version"):
            await sent_by(alpha, ada, {"bravo": ["ben"]}, needed)
    bare = await sent_by(alpha, ada, {"bravo": ["ben"]}, CoverRequest())
    assert (await alpha.ended(bare)).state == "delivered"
    assert await cover_of(bravo, ben, bare) is None
