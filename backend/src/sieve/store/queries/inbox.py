"""What was delivered here: once for each peer and transfer, with its receipt, and an entry for each one addressed.

Document, receipt and entries become visible in one transaction, or none of them does.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import ColumnElement, Table, bindparam, exists, func, insert, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, selectinload
from sqlalchemy.sql.base import ExecutableOption

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Blob, Document, InboxEntry, Peer, Received, Transfer, User, new_id
from sieve.store.queries import blobs, documents, notifications, partials, people, tags
from sieve.store.queries.timing_marks import MarkTaken
from sieve.store.queries.timing_marks import add_all as keep_marks


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """The receipt of a transfer that was delivered before, and which manifest it was for."""

    receipt: str
    manifest_digest: str


NOT_GONE: Final = (InboxEntry.deleted_at_ns.is_(None),)
SHOWN: Final = (InboxEntry.deleted_at_ns.is_(None), InboxEntry.trashed_at_ns.is_(None))
IN_TRASH: Final = (InboxEntry.deleted_at_ns.is_(None), InboxEntry.trashed_at_ns.is_not(None))
NOT_LOCKED: Final = InboxEntry.locked.is_(False)
"""Invariant: nobody who acts as the owner makes a locked entry go sooner (docs/adr/0037)."""

_R: Final = cast(Table, Received.__table__).c
_STORED: Final = select(_R.receipt, _R.manifest_digest).where(
    _R.peer_id == bindparam("peer"), _R.transfer_id == bindparam("transfer")
)


async def stored_receipt(session: AsyncSession, peer_id: str, transfer_id: str) -> StoredReceipt | None:
    """The receipt that was given to that peer for that transfer; None if it was not delivered."""
    found = (await session.execute(_STORED, {"peer": peer_id, "transfer": transfer_id})).one_or_none()
    return None if found is None else StoredReceipt(found[0], found[1])


async def stored_receipts(
    session: AsyncSession, peer_id: str, transfer_ids: Sequence[str]
) -> Mapping[str, StoredReceipt]:
    """The receipts of those of the transfers that were delivered, by their ids."""
    if len(transfer_ids) == 1:
        stored = await stored_receipt(session, peer_id, transfer_ids[0])
        return {} if stored is None else {transfer_ids[0]: stored}
    columns = select(Received.transfer_id, Received.receipt, Received.manifest_digest)
    wanted = columns.where(Received.peer_id == peer_id, Received.transfer_id.in_(transfer_ids))
    found = (await session.execute(wanted)).all()
    return {transfer_id: StoredReceipt(receipt, digest) for transfer_id, receipt, digest in found}


async def unknown_recipients(session: AsyncSession, names: Sequence[str]) -> Sequence[str]:
    """Those of `names` that cannot receive here, in the order given."""
    found = await people.recipient_ids(session, names)
    return [name for name in names if name.lower() not in found]


_DOCUMENT: Final = insert(cast(Table, Document.__table__))
_RECEIVED: Final = insert(cast(Table, Received.__table__))
_ENTRY: Final = insert(cast(Table, InboxEntry.__table__))


@dataclass(frozen=True, slots=True)
class Delivery:
    """A received document as it is to be stored; its files are durable: see `sieve.store.blobs`."""

    transfer_id: str
    name: str
    media_type: str
    size: int
    classified_size: int
    plain_digest: str
    manifest_digest: str
    plain_blob: BlobRef
    sealed_blob: BlobRef
    manifest_blob: BlobRef
    sender_name: str
    mode: str
    recipients: Sequence[str]
    receipt: str
    deadline_at_ns: int
    marks: Sequence[MarkTaken]
    redacted_blob: BlobRef | None = None
    marks_blob: BlobRef | None = None
    cover: bytes | None = None
    """Sealed, if it came with one."""
    read_receipts: bool = False
    in_reply_to: str | None = None
    came_in_parts: bool = False
    """Whether there is a row that names its blobs as a partial's; it goes."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """`unknown`: of each transfer that was not made, its recipients that cannot receive here. `readers`: the ids of
    those whose inbox changed."""

    unknown: Mapping[str, Sequence[str]]
    readers: AbstractSet[str]


async def deliver(session: AsyncSession, peer_id: str, deliveries: Sequence[Delivery], now_ns: int) -> Delivered:
    """Makes received documents, their receipts and everybody's inbox entries, all in the caller's transaction; but for
    those with a recipient who cannot receive here: of these nothing is made.

    Raises:
        IntegrityError: SQLAlchemy's; one of them was delivered before, and nothing must be committed.
    """
    names = {name for delivery in deliveries for name in delivery.recipients}
    users = await people.recipient_ids(session, names)
    unknown: dict[str, Sequence[str]] = {}
    made: list[tuple[Delivery, str, str]] = []  # with the ids of its document and of its receipt's row
    for delivery in deliveries:
        missing = [name for name in delivery.recipients if name.lower() not in users]
        if missing:
            unknown[delivery.transfer_id] = missing
        else:
            made.append((delivery, new_id(), new_id()))
    if not made:
        return Delivered(unknown, set())
    # A statement for each table, however many documents there are: most of what a statement costs is the statement.
    refs = [ref for one, _, _ in made for ref in (one.plain_blob, one.sealed_blob, one.manifest_blob)]
    refs += [ref for one, _, _ in made for ref in (one.redacted_blob, one.marks_blob) if ref is not None]
    await blobs.add(session, refs, now_ns)
    await session.execute(_DOCUMENT, [_document(one, document_id, now_ns) for one, document_id, _ in made])
    await session.execute(
        _RECEIVED,
        [
            {
                "id": received_id,
                "peer_id": peer_id,
                "transfer_id": one.transfer_id,
                "manifest_digest": one.manifest_digest,
                "manifest_blob_id": one.manifest_blob.id,
                "document_id": document_id,
                "sender_name": one.sender_name,
                "mode": one.mode,
                "receipt": one.receipt,
                "received_at_ns": now_ns,
                "deadline_at_ns": one.deadline_at_ns,
                "cover": one.cover,
                "read_receipts": one.read_receipts,
                "in_reply_to": one.in_reply_to,
            }
            for one, document_id, received_id in made
        ],
    )
    entries: list[dict[str, Any]] = [
        {"id": new_id(), "user_id": user_id, "received_id": received_id, "created_at_ns": now_ns}
        for one, _, received_id in made
        # Once for each person, however the login was written.
        for user_id in dict.fromkeys(users[name.lower()] for name in one.recipients)
    ]
    await session.execute(_ENTRY, entries)
    await notifications.add_for(session, [received_id for _, _, received_id in made])
    if in_parts := [(peer_id, one.transfer_id) for one, _, _ in made if one.came_in_parts]:
        await partials.remove(session, in_parts)
    await keep_marks(session, "receiver", ((one.transfer_id, one.marks) for one, _, _ in made))
    return Delivered(unknown, {entry["user_id"] for entry in entries})


def _document(delivery: Delivery, document_id: str, now_ns: int) -> dict[str, Any]:
    return {
        "id": document_id,
        "origin": "received",
        "name": delivery.name,
        "media_type": delivery.media_type,
        "size": delivery.size,
        "classified_size": delivery.classified_size,
        "plain_digest": delivery.plain_digest,
        "plain_blob_id": delivery.plain_blob.id,
        "sealed_blob_id": delivery.sealed_blob.id,
        "redacted_blob_id": delivery.redacted_blob.id if delivery.redacted_blob is not None else None,
        "redacted_size": delivery.redacted_blob.size if delivery.redacted_blob is not None else None,
        "marks_blob_id": delivery.marks_blob.id if delivery.marks_blob is not None else None,
        "sieve_ns": 0,
        "created_at_ns": now_ns,
    }


async def of_user(session: AsyncSession, user_id: str, *, limit: int = 100) -> Sequence[InboxEntry]:
    """A person's entries, without the trash, the latest first, each with the transfer, its peer and its document."""
    wanted = select(InboxEntry).where(InboxEntry.user_id == user_id, *SHOWN).options(*_whole())
    latest = wanted.order_by(InboxEntry.created_at_ns.desc(), InboxEntry.id).limit(limit)
    return (await session.scalars(latest)).all()


async def find(
    session: AsyncSession, user_id: str, entry_or_transfer_id: str, *, in_trash: bool | None = False
) -> Sequence[InboxEntry]:
    """A person's entries of that id or transfer, loaded as `of_user` does and with blobs.

    `in_trash`: those in the trash instead; None for both.

    Transfer ids are the senders' choice: two peers may use the same one, so there may be several.
    """
    # Each step by an index, however many entries somebody has; an `or` over both tables would walk them all.
    received = select(Received.id).where(
        Received.peer_id.in_(select(Peer.id)), Received.transfer_id == entry_or_transfer_id
    )
    theirs = select(InboxEntry.id).where(InboxEntry.user_id == user_id)
    named = union_all(
        theirs.where(InboxEntry.id == entry_or_transfer_id), theirs.where(InboxEntry.received_id.in_(received))
    )
    wanted = (
        select(InboxEntry)
        .where(InboxEntry.id.in_(named), *{False: SHOWN, True: IN_TRASH, None: NOT_GONE}[in_trash])
        .order_by(InboxEntry.created_at_ns.desc(), InboxEntry.id)
        .options(*_whole(Document.plain_blob, Document.sealed_blob, Document.redacted_blob, Document.marks_blob))
    )
    return (await session.scalars(wanted)).all()


async def received_of(session: AsyncSession, user_id: str, entry_id: str) -> Received | None:
    """The received transfer of a person's entry, deleted or not."""
    theirs = InboxEntry.id == entry_id, InboxEntry.user_id == user_id
    return await session.scalar(select(Received).join(InboxEntry, InboxEntry.received_id == Received.id).where(*theirs))


class Answered(NamedTuple):
    """A document that another one answers. `id`: of the inbox entry or the transfer; None if it is not there."""

    name: str
    id: str | None


async def answered_by(session: AsyncSession, transfer: Transfer) -> Answered | None:
    """The document in its author's inbox that a transfer answers; None if it is no reply."""
    if transfer.reply_to_id is None:
        return None
    wanted = (
        select(Document.name, InboxEntry.id, InboxEntry.deleted_at_ns)
        .join(Received, Received.document_id == Document.id)
        .join(InboxEntry, InboxEntry.received_id == Received.id)
        .where(InboxEntry.id == transfer.reply_to_id)
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else Answered(found[0], found[1] if found[2] is None else None)


async def answered_transfer(session: AsyncSession, peer_id: str, transfer_id: str, author_id: str) -> Answered | None:
    """The document of that author that went to that peer in that transfer; None if there is none, or a reset locked
    it.
    """
    theirs = Transfer.id == transfer_id, Transfer.peer_id == peer_id, Transfer.author_id == author_id
    sent = select(Document.name).join(Transfer, Transfer.document_id == Document.id)
    wanted = sent.where(*theirs, Document.locked.is_(False))
    name = await session.scalar(wanted)
    return None if name is None else Answered(name, transfer_id)


class Answer(NamedTuple):
    """A received document that answers a transfer. `id`: of its author's inbox entry."""

    id: str
    name: str
    sender: str
    received_at_ns: int


async def answers_to(session: AsyncSession, transfer: Transfer, *, limit: int) -> Sequence[Answer]:
    """The documents in its author's inbox that answer a transfer, the earliest first."""
    wanted = (
        select(InboxEntry.id, Document.name, Received.sender_name, Received.received_at_ns)
        .join(Received, Received.id == InboxEntry.received_id)
        .join(Document, Document.id == Received.document_id)
        .where(
            Received.in_reply_to == transfer.id,
            # Another peer may claim to answer it. By the indexes of peers and people, SQLite would read everything that
            # came from the peer, or to the person.
            func.coalesce(Received.peer_id, "") == transfer.peer_id,
            func.coalesce(InboxEntry.user_id, "") == transfer.author_id,
            *SHOWN,
        )
        .order_by(Received.received_at_ns, InboxEntry.id)
        .limit(limit)
    )
    return [Answer._make(row) for row in await session.execute(wanted)]


async def other_recipients(session: AsyncSession, entry: InboxEntry) -> Sequence[str]:
    """The display names of the other people here who received the same document, by name."""
    others = InboxEntry.received_id == entry.received_id, InboxEntry.user_id != entry.user_id
    wanted = select(User.display_name).join(InboxEntry, InboxEntry.user_id == User.id).where(*others)
    return (await session.scalars(wanted.order_by(User.display_name))).all()


async def received_by(session: AsyncSession, at_ns: int, *, limit: int) -> Sequence[InboxEntry]:
    """Everybody's entries that were received at `at_ns` or earlier, the trash among them, the oldest first."""
    wanted = select(InboxEntry).where(InboxEntry.created_at_ns <= at_ns, *NOT_GONE)
    return (await session.scalars(wanted.order_by(InboxEntry.created_at_ns, InboxEntry.id).limit(limit))).all()


async def trashed_by(session: AsyncSession, at_ns: int, *, limit: int) -> Sequence[InboxEntry]:
    """Everybody's entries that are in the trash since `at_ns` or longer, without those that are locked, the oldest
    first.
    """
    wanted = select(InboxEntry).where(InboxEntry.trashed_at_ns <= at_ns, *IN_TRASH, NOT_LOCKED)
    return (await session.scalars(wanted.order_by(InboxEntry.trashed_at_ns, InboxEntry.id).limit(limit))).all()


async def move_to_trash(session: AsyncSession, user_id: str, entry_ids: Sequence[str], now_ns: int) -> Sequence[str]:
    """Moves a person's entries to the trash; returns the ids of those there were. Their bytes stay sealed."""
    return await _update(session, user_id, entry_ids, *SHOWN, trashed_at_ns=now_ns)


async def restore(session: AsyncSession, user_id: str, entry_ids: Sequence[str]) -> Sequence[str]:
    """Moves a person's entries out of the trash; returns the ids of those there were."""
    return await _update(session, user_id, entry_ids, *IN_TRASH, trashed_at_ns=None)


async def set_read(session: AsyncSession, user_id: str, entry_ids: Sequence[str], now_ns: int | None) -> Sequence[str]:
    """Marks a person's entries as read at `now_ns`, or as unread for None; returns the ids of those that changed. Of
    those read before, the first time counts."""
    other = InboxEntry.read_at_ns.is_not(None) if now_ns is None else InboxEntry.read_at_ns.is_(None)
    return await _update(session, user_id, entry_ids, *SHOWN, other, read_at_ns=now_ns)


async def deletable(session: AsyncSession, user_id: str, entry_ids: Sequence[str]) -> Sequence[InboxEntry]:
    """Those of the entries that are a person's, and neither gone nor locked, in the trash or not."""
    theirs = InboxEntry.user_id == user_id, InboxEntry.id.in_(entry_ids)
    wanted = select(InboxEntry).where(*theirs, *NOT_GONE, NOT_LOCKED)
    return (await session.scalars(wanted)).all()


async def count_locked(session: AsyncSession, user_id: str, entry_ids: Sequence[str]) -> int:
    """How many of a person's entries a reset locked."""
    theirs = InboxEntry.user_id == user_id, InboxEntry.id.in_(entry_ids), InboxEntry.locked, *NOT_GONE
    return await session.scalar(select(func.count()).select_from(InboxEntry).where(*theirs)) or 0


async def _update(
    session: AsyncSession, user_id: str, entry_ids: Sequence[str], *which: ColumnElement[bool], **values: int | None
) -> Sequence[str]:
    """Returns the ids of the entries that were changed."""
    theirs = InboxEntry.user_id == user_id, InboxEntry.id.in_(entry_ids)
    changed = update(InboxEntry).where(*theirs, *which).values(**values).returning(InboxEntry.id)
    return (await session.scalars(changed.execution_options(synchronize_session=False))).all()


async def mark_read(session: AsyncSession, entry: InboxEntry, now_ns: int) -> None:
    """The entry was opened; the first time counts."""
    if entry.read_at_ns is None:
        entry.read_at_ns = now_ns
        session.add(entry)
        await session.flush()


async def delete(session: AsyncSession, entry: InboxEntry, now_ns: int) -> Sequence[BlobRef]:
    """Deletes an entry for good, in the trash or not. The document goes with the last one: returns the blobs whose
    files go, once this is committed. Receipt and row stay.
    """
    entry.deleted_at_ns = now_ns
    session.add(entry)
    await session.flush()
    await tags.remove_all(session, entry.user_id, entry.id)
    left = exists().where(InboxEntry.received_id == entry.received_id, InboxEntry.deleted_at_ns.is_(None))
    if await session.scalar(select(left)):
        return []
    document_id = await session.scalar(select(Received.document_id).where(Received.id == entry.received_id))
    return (await documents.delete(session, document_id, now_ns) if document_id else None) or []


def _whole(
    *of_document: InstrumentedAttribute[Blob] | InstrumentedAttribute[Blob | None],
) -> Sequence[ExecutableOption]:
    received = selectinload(InboxEntry.received)
    document = received.selectinload(Received.document)
    return (
        received.selectinload(Received.peer),
        document,
        *(document.selectinload(blob) for blob in of_document),
    )
