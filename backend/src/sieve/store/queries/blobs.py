"""The rows of blobs: what opens one, and which are still needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from sqlalchemy import CompoundSelect, Select, Table, delete, insert, select, union
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Blob, BlobFolder, Document, Received, Transfer
from sieve.store.queries.conditional_update import update_where

MOVED: Final = "moved"
"""The blob folder of a database whose rows were moved to another one (`sieve migrate-store`)."""

_ADD: Final = insert(cast(Table, Blob.__table__))


async def add(session: AsyncSession, refs: Iterable[BlobRef], now_ns: int) -> None:
    """The rows of new blobs, whose files are durable: see `sieve.store.blobs`."""
    rows = [
        {
            "id": ref.id,
            "kind": ref.kind,
            "owner": ref.owner,
            "purpose": ref.purpose,
            "size": ref.size,
            "key_id": ref.key_id,
            "wrapped_key": ref.wrapped_key,
            "content": ref.content,
            "tags": ref.tags,
            "created_at_ns": now_ns,
        }
        for ref in refs
    ]
    await session.execute(_ADD, rows)


async def ref(session: AsyncSession, blob_id: str) -> BlobRef:
    """The reference of a blob that another row names."""
    return (await session.get_one(Blob, blob_id)).ref


async def remove(session: AsyncSession, blob_id: str) -> None:
    """The row of a blob that no other row names; its file is the caller's to delete once this is committed."""
    await session.execute(delete(Blob).where(Blob.id == blob_id))


async def drop_manifests_and_covers(session: AsyncSession, documents: Select[str]) -> Sequence[BlobRef]:
    """Removes manifests and covers of these documents' transfers, out and in: from rows in this transaction; returns
    the blobs whose files go, once it is committed.
    """
    for table in (Transfer, Received):
        await update_where(session, table, table.document_id.in_(documents), table.cover.is_not(None), cover=None)
    sent = select(Transfer.manifest_blob_id).where(Transfer.document_id.in_(documents))
    received = select(Received.manifest_blob_id).where(Received.document_id.in_(documents))
    theirs = Blob.id.in_(union(sent, received))
    in_files = (await session.scalars(select(Blob).where(theirs, Blob.content.is_(None)))).all()
    await update_where(session, Blob, theirs, Blob.content.is_not(None), content=None)
    return [blob.ref for blob in in_files]


@dataclass(frozen=True, slots=True)
class Untagged:
    """A plain blob without tags, and a document whose plain stream it holds."""

    ref: BlobRef
    document_id: str
    plain_digest: bytes


_UNTAGGED: Final = Blob.kind == "plain", Blob.tags.is_(None), Document.deleted_at_ns.is_(None)


async def untagged(session: AsyncSession, after: str, *, limit: int) -> Sequence[Untagged]:
    """Plain blobs of documents that have no tags, in the order of their ids, from behind `after` on."""
    wanted = (
        select(Blob, Document.id, Document.plain_digest)
        .join(Document, Document.plain_blob_id == Blob.id)
        .where(*_UNTAGGED, Blob.id > after)
        .order_by(Blob.id)
        .limit(limit)
    )
    found = (await session.execute(wanted)).all()
    return [Untagged(blob.ref, document_id, bytes.fromhex(digest)) for blob, document_id, digest in found]


async def is_untagged(session: AsyncSession, blob_id: str) -> bool:
    """Whether a document still needs that plain blob, and it has no tags."""
    wanted = select(Blob.id).join(Document, Document.plain_blob_id == Blob.id).where(*_UNTAGGED, Blob.id == blob_id)
    return await session.scalar(wanted.limit(1)) is not None


async def add_tags(session: AsyncSession, ref: BlobRef) -> bool:
    """Keeps the tags of a blob that had none; whether it had none."""
    had_none = Blob.id == ref.id, Blob.tags.is_(None)
    kept = {"key_id": ref.key_id, "wrapped_key": ref.wrapped_key, "tags": ref.tags}
    return bool(await update_where(session, Blob, *had_none, **kept))


async def ids(session: AsyncSession) -> set[str]:
    """The ids of all blobs that something still needs: what a start leaves where it is.

    A deleted document needs none, so files that a crash kept from being removed are found at the next start.
    """
    return (await ids_and_files(session))[0]


async def files(session: AsyncSession) -> set[str]:
    """Those of `ids` that are files, or objects."""
    return (await ids_and_files(session))[1]


async def ids_and_files(session: AsyncSession) -> tuple[set[str], set[str]]:
    """Both, in half the time that the union of `needed` takes by itself."""
    found = (await session.execute(select(Blob.id, Blob.content.is_(None)).where(Blob.id.in_(needed())))).all()
    return {blob_id for blob_id, _ in found}, {blob_id for blob_id, is_file in found if is_file}


def needed() -> CompoundSelect[str]:
    """The ids of all blobs that something still needs."""
    alive = Document.deleted_at_ns.is_(None)
    return union(
        select(Document.plain_blob_id).where(alive),
        select(Document.sealed_blob_id).where(alive),
        select(Blob.id).join(Document, Document.marks_blob_id == Blob.id).where(alive),
        select(Blob.id).join(Document, Document.redacted_blob_id == Blob.id).where(alive),
        select(Transfer.manifest_blob_id).join(Document, Transfer.document_id == Document.id).where(alive),
        select(Received.manifest_blob_id).join(Document, Received.document_id == Document.id).where(alive),
    )


async def folder_id(session: AsyncSession) -> str | None:
    """The id of the blob folder that this database belongs to; None if it never had one."""
    return await session.scalar(select(BlobFolder.id))


async def belong_to(session: AsyncSession, folder_id: str) -> None:
    """This database belongs to that blob folder from now on."""
    await session.execute(delete(BlobFolder).where(BlobFolder.id != folder_id))
    await session.merge(BlobFolder(id=folder_id))
