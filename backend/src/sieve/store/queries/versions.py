"""The versions of a draft: the saves of it that are kept, of which the latest is the draft itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select, union
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Blob, Document, Draft, Peer, Transfer
from sieve.store.queries import drafts
from sieve.store.queries.conditional_update import update_where


class SentVersion(NamedTuple):
    """A transfer of a version."""

    id: str
    peer: str
    state: str
    created_at_ns: int


@dataclass(frozen=True, slots=True)
class Version:
    """A save of a draft, and its transfers, the latest first."""

    save: Document
    sent: Sequence[SentVersion]


class SupersededSave(NamedTuple):
    """A save that is not its draft's latest and was never sent. `size`: of the document, in bytes.

    `before_restore`: see `Document`.
    """

    id: str
    created_at_ns: int
    size: int
    before_restore: bool


async def of_draft(session: AsyncSession, draft_id: str, *, limit: int) -> Sequence[Version]:
    """The versions of a draft, the latest first."""
    wanted = select(Document).where(Document.draft_id == draft_id, Document.deleted_at_ns.is_(None))
    saves = (await session.scalars(wanted.order_by(Document.revision.desc()).limit(limit))).all()
    transfers = (
        select(Transfer.document_id, Transfer.id, Peer.name, Transfer.state, Transfer.created_at_ns)
        .join(Peer, Peer.id == Transfer.peer_id)
        .where(Transfer.document_id.in_([save.id for save in saves]))
        .order_by(Transfer.created_at_ns.desc(), Transfer.id.desc())
    )
    sent: dict[str, list[SentVersion]] = {}
    for row in await session.execute(transfers):
        sent.setdefault(row[0], []).append(SentVersion(row[1], row[2], row[3], row[4]))
    return [Version(save, sent.get(save.id, [])) for save in saves]


async def at(session: AsyncSession, draft_id: str, revision: int) -> Document | None:
    """That version of a draft with its blobs, if it is kept."""
    wanted = select(Document).where(
        Document.draft_id == draft_id, Document.revision == revision, Document.deleted_at_ns.is_(None)
    )
    return await session.scalar(wanted.options(*drafts.with_blobs()))


async def stored_bytes(session: AsyncSession, draft_id: str) -> int:
    """What all versions of a draft take on the disk. Blobs that versions share count once."""
    # From the documents to their blobs: the other way would look at every blob of the gateway.
    named = union(*(select(blob_id).where(Document.draft_id == draft_id) for blob_id in drafts.BLOB_IDS))
    return await session.scalar(select(func.coalesce(func.sum(Blob.size), 0)).where(Blob.id.in_(named))) or 0


async def drafts_with_superseded(session: AsyncSession, *, after: str, limit: int) -> Sequence[str]:
    """Drafts that have several saves, by their ids, from the one after `after` on."""
    several = (
        select(Document.draft_id)
        .where(Document.draft_id > after, Document.deleted_at_ns.is_(None))
        .group_by(Document.draft_id)
        .having(func.count() > 1)
        .order_by(Document.draft_id)
        .limit(limit)
    )
    return [draft_id for draft_id in await session.scalars(several) if draft_id is not None]


async def superseded(session: AsyncSession, draft: Draft) -> Sequence[SupersededSave]:
    """The saves of a draft before its latest that were never sent, the latest first."""
    found = await session.execute(
        select(Document.id, Document.created_at_ns, Document.size, Document.before_restore)
        .where(Document.draft_id == draft.id, Document.revision < draft.revision, ~drafts.was_sent())
        .order_by(Document.revision.desc())
    )
    return [SupersededSave(*row) for row in found]


async def drop(session: AsyncSession, draft_id: str, document_ids: Sequence[str]) -> Sequence[BlobRef]:
    """Removes these saves of a draft, except those that were sent; returns the blobs whose files go, once this is
    committed."""
    return await drafts.drop_saves(session, Document.draft_id == draft_id, Document.id.in_(document_ids))


async def keep_before_restore(session: AsyncSession, document_id: str) -> None:
    """Marks a save as replaced by an earlier one, so that later saves do not remove it."""
    await update_where(session, Document, Document.id == document_id, before_restore=True)
