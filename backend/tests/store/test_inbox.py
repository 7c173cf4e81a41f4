"""Deliveries: once for each peer and transfer, an entry for each one addressed, all of it visible together."""

from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.database import Database
from sieve.store.models import Base, InboxEntry, Peer, new_id
from sieve.store.queries import blobs, inbox, people, timing_marks
from store_rows import a_peer, a_user, plain_ref, sealed_ref


def delivery(transfer_id: str, **values: Any) -> inbox.Delivery:
    defaults: dict[str, Any] = {
        "name": "memo.txt",
        "media_type": "text/plain",
        "size": 20,
        "classified_size": 10,
        "plain_digest": "00" * 32,
        "manifest_digest": "11" * 32,
        "plain_blob": plain_ref(),
        "sealed_blob": sealed_ref(),
        "manifest_blob": sealed_ref(),
        "sender_name": "Anna at alpha",
        "mode": "sieve",
        "recipients": ["bob"],
        "receipt": "the receipt",
        "deadline_at_ns": 1000,
        "marks": [(1, "announced", "", 5), (1, "first-byte", "plain-0", 5), (1, "verified", "", 7)],
    }
    return inbox.Delivery(transfer_id, **(defaults | values))


async def deliver(session: AsyncSession, peer: Peer, transfer_id: str, **values: Any) -> inbox.Delivered:
    return await inbox.deliver(session, peer.id, [delivery(transfer_id, **values)], 8)


async def test_a_delivery_is_seen_by_whom_it_is_for(session: AsyncSession) -> None:
    peer, bob, carol = await a_peer(session), await a_user(session, "bob"), await a_user(session, "carol")
    dora, transfer_id = await a_user(session, "dora"), new_id()
    delivered = await deliver(session, peer, transfer_id, recipients=["Bob", "carol", "bob"])
    assert delivered == inbox.Delivered({}, {bob.id, carol.id})
    session.expunge_all()
    for user in (bob, carol):
        [entry] = await inbox.of_user(session, user.id)
        assert (entry.received.transfer_id, entry.received.peer.name) == (transfer_id, "bravo")
        assert (entry.received.document.name, entry.received.document.origin) == ("memo.txt", "received")
    assert await inbox.of_user(session, dora.id) == []
    assert await inbox.find(session, dora.id, transfer_id) == []
    stored = await inbox.stored_receipt(session, peer.id, transfer_id)
    assert stored == inbox.StoredReceipt("the receipt", "11" * 32)
    taken = await timing_marks.of_attempt(session, transfer_id, 1, "receiver")
    assert [(mark.name, mark.channel) for mark in taken] == [
        ("announced", ""),
        ("first-byte", "plain-0"),
        ("verified", ""),
    ]
    assert await timing_marks.of_attempt(session, transfer_id, 1, "sender") == []
    assert await timing_marks.of_attempt(session, transfer_id, 2, "receiver") == []


async def test_an_unknown_recipient_is_named_and_nothing_is_made(session: AsyncSession) -> None:
    peer, bob = await a_peer(session), await a_user(session, "bob")
    gone = await a_user(session, "gone")
    await people.change(session, gone.id, disabled_at_ns=1)
    assert await inbox.unknown_recipients(session, ["x", "Bob", "gone"]) == ["x", "gone"]
    # One name has a statement of its own.
    assert [await inbox.unknown_recipients(session, [name]) for name in ("Bob", "gone")] == [[], ["gone"]]
    transfer_id = new_id()
    delivered = await deliver(session, peer, transfer_id, recipients=["x", "bob", "gone"])
    assert delivered == inbox.Delivered({transfer_id: ["x", "gone"]}, set())
    assert await inbox.stored_receipt(session, peer.id, transfer_id) is None
    assert await inbox.of_user(session, bob.id) == []
    assert await blobs.ids(session) == set()


async def test_a_transfer_is_delivered_once_and_the_second_time_leaves_nothing(database: Database) -> None:
    async with database.write() as session:
        peer, other = await a_peer(session), await a_peer(session, "charlie")
        await a_user(session, "bob")
        await deliver(session, peer, "t" * 32)

    async def rows() -> dict[str, Any]:
        async with database.read() as session:
            return {
                table.name: await session.scalar(select(func.count()).select_from(table))
                for table in Base.metadata.sorted_tables
            }

    before = await rows()
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await deliver(session, peer, "t" * 32, receipt="another")
    assert await rows() == before
    async with database.write() as session:
        # Another peer's transfer may happen to have the same id.
        await deliver(session, other, "t" * 32, receipt="charlie's")
    async with database.read() as session:
        ours, theirs = [await inbox.stored_receipt(session, each.id, "t" * 32) for each in (peer, other)]
        assert ours is not None
        assert theirs is not None
        assert (ours.receipt, theirs.receipt) == ("the receipt", "charlie's")
        bob = await people.by_name(session, "bob")
        assert bob is not None
        found = await inbox.find(session, bob.id, "t" * 32)
        assert {entry.received.peer.name for entry in found} == {"bravo", "charlie"}


async def test_of_several_together_those_with_an_unknown_recipient_are_left_out(session: AsyncSession) -> None:
    peer, bob, carol = await a_peer(session), await a_user(session, "bob"), await a_user(session, "carol")
    ids = [new_id() for _ in range(3)]
    several = [delivery(ids[0]), delivery(ids[1], recipients=["bob", "x"]), delivery(ids[2], recipients=["carol"])]
    assert await inbox.deliver(session, peer.id, several, 8) == inbox.Delivered({ids[1]: ["x"]}, {bob.id, carol.id})
    assert set(await inbox.stored_receipts(session, peer.id, [*ids, "other"])) == {ids[0], ids[2]}
    for user, transfer_id in ((bob, ids[0]), (carol, ids[2])):
        [entry] = await inbox.of_user(session, user.id)
        assert entry.received.transfer_id == transfer_id
        assert len(await timing_marks.of_attempt(session, transfer_id, 1, "receiver")) == 3


async def test_reading_and_deleting_an_entry(session: AsyncSession) -> None:
    peer, bob, carol = await a_peer(session), await a_user(session, "bob"), await a_user(session, "carol")
    await deliver(session, peer, "t" * 32, recipients=["bob", "carol"])
    entries: list[InboxEntry] = []
    for user in (bob, carol):
        [entry] = await inbox.find(session, user.id, "t" * 32)
        assert await inbox.find(session, user.id, entry.id) == [entry]
        assert entry.received.document.sealed_blob.ref.kind == "sealed"
        entries.append(entry)
    await inbox.mark_read(session, entries[0], 10)
    await inbox.mark_read(session, entries[0], 11)
    assert entries[0].read_at_ns == 10
    assert await inbox.delete(session, entries[0], 12) == []
    assert await inbox.of_user(session, bob.id) == []
    assert await inbox.find(session, bob.id, "t" * 32) == []
    document = entries[1].received.document
    gone = await inbox.delete(session, entries[1], 13)
    manifest = entries[1].received.manifest_blob_id
    assert [ref.id for ref in gone] == [document.plain_blob_id, document.sealed_blob_id, manifest]
    # The receipt outlives the document; what else it is about goes.
    assert await inbox.stored_receipt(session, peer.id, "t" * 32) is not None
    assert await blobs.ids(session) == set()
