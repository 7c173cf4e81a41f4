"""What was delivered here: once for each peer and transfer, with its receipt, and an entry for each one addressed.

Document, receipt and entries become visible in one transaction, or none of them does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from sqlalchemy import Table, bindparam, exists, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, selectinload
from sqlalchemy.sql.base import ExecutableOption

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Blob, Document, InboxEntry, Received, new_id
from sieve.store.queries import blobs, documents, people
from sieve.store.queries.marks import MarkTaken
from sieve.store.queries.marks import add as keep_marks


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """The receipt of a transfer that was delivered before, and which manifest it was for."""

    receipt: str
    manifest_digest: str


_STORED: Final = select(Received.receipt, Received.manifest_digest).where(
    Received.peer_id == bindparam("peer"), Received.transfer_id == bindparam("transfer")
)


async def stored_receipt(session: AsyncSession, peer_id: str, transfer_id: str) -> StoredReceipt | None:
    """The receipt that was given to that peer for that transfer; None if it was not delivered."""
    found = (await session.execute(_STORED, {"peer": peer_id, "transfer": transfer_id})).one_or_none()
    return None if found is None else StoredReceipt(found[0], found[1])


async def unknown_recipients(session: AsyncSession, names: Sequence[str]) -> Sequence[str]:
    """Those of `names` that cannot receive here, in the order given."""
    found = {user.name for user in await people.recipients(session, names)}
    return [name for name in names if name.lower() not in found]


_RECEIVED: Final = insert(cast(Table, Received.__table__))
_ENTRY: Final = insert(cast(Table, InboxEntry.__table__))


async def deliver(
    session: AsyncSession,
    *,
    peer_id: str,
    transfer_id: str,
    name: str,
    media_type: str,
    size: int,
    classified_size: int,
    plain_digest: str,
    manifest_digest: str,
    plain_blob: BlobRef,
    sealed_blob: BlobRef,
    manifest_blob: BlobRef,
    sender_name: str,
    mode: str,
    recipients: Sequence[str],
    receipt: str,
    deadline_at_ns: int,
    marks: Iterable[MarkTaken],
    now_ns: int,
) -> Sequence[str]:
    """Makes a received document, its receipt and everybody's inbox entry, all in the caller's transaction.

    Returns the recipients that cannot receive here; if there are any, nothing is made. Raises SQLAlchemy's
    `IntegrityError` if the transfer was delivered before.
    """
    users = await people.recipients(session, recipients)
    known = {user.name for user in users}
    unknown = [recipient for recipient in recipients if recipient.lower() not in known]
    if unknown:
        return unknown
    document = await documents.add(
        session,
        document_id=new_id(),
        owner_id=None,
        origin="received",
        name=name,
        media_type=media_type,
        size=size,
        classified_size=classified_size,
        plain_digest=plain_digest,
        plain_blob=plain_blob,
        sealed_blob=sealed_blob,
        sieve_ns=0,
        now_ns=now_ns,
    )
    await blobs.add(session, (manifest_blob,), now_ns)
    received_id = new_id()
    await session.execute(
        _RECEIVED,
        {
            "id": received_id,
            "peer_id": peer_id,
            "transfer_id": transfer_id,
            "manifest_digest": manifest_digest,
            "manifest_blob_id": manifest_blob.id,
            "document_id": document.id,
            "sender_name": sender_name,
            "mode": mode,
            "receipt": receipt,
            "received_at_ns": now_ns,
            "deadline_at_ns": deadline_at_ns,
        },
    )
    entries = [
        {"id": new_id(), "user_id": user.id, "received_id": received_id, "created_at_ns": now_ns} for user in users
    ]
    if entries:
        await session.execute(_ENTRY, entries)
    await keep_marks(session, transfer_id, "receiver", marks)
    return []


async def of_user(session: AsyncSession, user_id: str, *, limit: int = 100) -> Sequence[InboxEntry]:
    """A person's entries that are not deleted, the latest first, each with the transfer, its peer and its document."""
    wanted = (
        select(InboxEntry).where(InboxEntry.user_id == user_id, InboxEntry.deleted_at_ns.is_(None)).options(*_whole())
    )
    latest = wanted.order_by(InboxEntry.created_at_ns.desc(), InboxEntry.id).limit(limit)
    return (await session.scalars(latest)).all()


async def find(session: AsyncSession, user_id: str, entry_or_transfer_id: str) -> Sequence[InboxEntry]:
    """A person's entries of that id or transfer, loaded as `of_user` does and with blobs.

    Transfer ids are the senders' choice: two peers may use the same one, so there may be several.
    """
    wanted = (
        select(InboxEntry)
        .join(Received, Received.id == InboxEntry.received_id)
        .where(
            InboxEntry.user_id == user_id,
            InboxEntry.deleted_at_ns.is_(None),
            or_(InboxEntry.id == entry_or_transfer_id, Received.transfer_id == entry_or_transfer_id),
        )
        .order_by(InboxEntry.created_at_ns.desc(), InboxEntry.id)
        .options(*_whole(Document.plain_blob, Document.sealed_blob))
    )
    return (await session.scalars(wanted)).all()


async def received_by(session: AsyncSession, at_ns: int, *, limit: int) -> Sequence[InboxEntry]:
    """Everybody's entries that were received at `at_ns` or earlier and are not deleted, the oldest first."""
    wanted = select(InboxEntry).where(InboxEntry.created_at_ns <= at_ns, InboxEntry.deleted_at_ns.is_(None))
    return (await session.scalars(wanted.order_by(InboxEntry.created_at_ns, InboxEntry.id).limit(limit))).all()


async def mark_read(session: AsyncSession, entry: InboxEntry, now_ns: int) -> None:
    """The entry was opened; the first time counts."""
    if entry.read_at_ns is None:
        entry.read_at_ns = now_ns
        session.add(entry)
        await session.flush()


async def delete(session: AsyncSession, entry: InboxEntry, now_ns: int) -> Sequence[BlobRef]:
    """Takes an entry out of its owner's inbox. The document goes with the last one: returns the blobs whose files go,
    once this is committed. Receipt and row stay.
    """
    entry.deleted_at_ns = now_ns
    session.add(entry)
    await session.flush()
    left = exists().where(InboxEntry.received_id == entry.received_id, InboxEntry.deleted_at_ns.is_(None))
    if await session.scalar(select(left)):
        return []
    document_id = await session.scalar(select(Received.document_id).where(Received.id == entry.received_id))
    return (await documents.delete(session, document_id, now_ns) if document_id else None) or []


def _whole(*of_document: InstrumentedAttribute[Blob]) -> Sequence[ExecutableOption]:
    received = selectinload(InboxEntry.received)
    document = received.selectinload(Received.document)
    return (
        received.selectinload(Received.peer),
        document,
        *(document.selectinload(blob) for blob in of_document),
    )
