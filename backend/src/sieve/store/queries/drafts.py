"""Drafts: each is a series of saves, which are documents that never change; the latest has its draft's revision.

Invariant: a save that was sent is kept as long as its draft, and its row forever. `gateway.documents.versions` says
which other saves are kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Select, and_, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.base import ExecutableOption

from sieve.store.blob_ref import BlobRef
from sieve.store.models import OPEN_STATES, Attempt, Blob, Document, Draft, Peer, Transfer, new_id
from sieve.store.queries import blobs, draft_labels, tags
from sieve.store.queries.conditional_update import update_where

_SECURE_ONLY: Final = '"mode": "secure-only"'
"""In the JSON of a plan, in whose texts quotes are escaped."""
BLOB_IDS: Final = (
    Document.plain_blob_id,
    Document.sealed_blob_id,
    Document.marks_blob_id,
    Document.redacted_blob_id,
)


@dataclass(frozen=True, slots=True)
class LastTransfer:
    """The youngest transfer of any save of a draft. `revision`: which save was sent. `reason`: the last sentence
    about it, for people."""

    id: str
    peer: str
    state: str
    revision: int
    created_at_ns: int
    delivered_at_ns: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class WholeDraft:
    """A draft at one of its saves. `tags`: in order of their names."""

    draft: Draft
    save: Document
    last_transfer: LastTransfer | None = None
    tags: Sequence[str] = ()


async def add(
    session: AsyncSession,
    *,
    draft_id: str,
    owner_id: str,
    now_ns: int,
    forwarded_from: str | None = None,
    reply_to: str | None = None,
) -> Draft:
    """A new draft, whose first save, revision 1, the caller adds in the same transaction."""
    draft = Draft(
        id=draft_id,
        owner_id=owner_id,
        revision=1,
        created_at_ns=now_ns,
        changed_at_ns=now_ns,
        forwarded_from=forwarded_from,
        reply_to=reply_to,
    )
    session.add(draft)
    await session.flush()
    return draft


async def by_id(session: AsyncSession, draft_id: str) -> Draft | None:
    """The draft of that id, deleted or not."""
    return await session.get(Draft, draft_id)


async def owned(
    session: AsyncSession, draft_id: str, owner_id: str, *, in_trash: bool | None = False
) -> WholeDraft | None:
    """That person's own draft with its latest save and that one's blobs, unless deleted. `in_trash`: only if it is in
    the trash; None for both."""
    wanted = _latest(owner_id, in_trash=in_trash).where(Draft.id == draft_id)
    found = (await session.execute(wanted.options(*with_blobs()))).first()
    if found is None:
        return None
    draft, save = found
    last, tagged = await last_transfers(session, [draft_id]), await tags.of(session, [draft_id])
    return WholeDraft(draft, save, last.get(draft_id), tagged.get(draft_id, ()))


def _latest(owner_id: str, *, in_trash: bool | None) -> Select[Draft, Document]:
    return select(Draft, Document).join(Document, _is_latest()).where(*_theirs(owner_id), *_where(in_trash))


def _theirs(owner_id: str) -> Sequence[ColumnElement[bool]]:
    # Invariant: what a reset locked is not there for anybody who acts as its owner (docs/adr/0037).
    return [Draft.owner_id == owner_id, Draft.locked.is_(False)]


def _is_latest() -> ColumnElement[bool]:
    return and_(Document.draft_id == Draft.id, Document.revision == Draft.revision)


def _where(in_trash: bool | None) -> Sequence[ColumnElement[bool]]:
    not_gone = Draft.deleted_at_ns.is_(None)
    if in_trash is None:
        return [not_gone]
    return [not_gone, Draft.trashed_at_ns.is_not(None) if in_trash else Draft.trashed_at_ns.is_(None)]


async def last_transfers(session: AsyncSession, draft_ids: Sequence[str]) -> dict[str, LastTransfer]:
    """The youngest transfer of each of these drafts that has one, in one query."""
    youngest_first = (Transfer.created_at_ns.desc(), Transfer.id.desc())
    ranked = (
        select(
            Document.draft_id,
            Transfer.id,
            Peer.name,
            Transfer.state,
            Document.revision,
            Transfer.created_at_ns,
            Transfer.delivered_at_ns,
            Transfer.reason,
            func.row_number().over(partition_by=Document.draft_id, order_by=youngest_first).label("rank"),
        )
        .join(Document, Document.id == Transfer.document_id)
        .join(Peer, Peer.id == Transfer.peer_id)
        .where(Document.draft_id.in_(draft_ids))
        .subquery()
    )
    found = await session.execute(select(ranked).where(ranked.c.rank == 1))
    return {draft_id: LastTransfer(*transfer) for draft_id, *transfer, _ in found}


async def sent_plain(
    session: AsyncSession, draft_id: str, *, before: int | None = None, limit: int
) -> Sequence[Document]:
    """The saves of a draft, with their blobs, whose plain stream a transfer carried in the clear or is about to: the
    latest of each plain blob, and of these the latest `limit`; only those before the revision `before`, if given."""
    # What an attempt's plan is not known to have kept off the plain channel may have been on it.
    tried = exists().where(
        Attempt.transfer_id == Transfer.id, or_(Attempt.plan.is_(None), ~Attempt.plan.contains(_SECURE_ONLY))
    )
    sent = exists().where(
        Transfer.document_id == Document.id,
        Transfer.mode != "secure-only",
        or_(tried, Transfer.state.in_(OPEN_STATES)),
    )
    latest = (
        select(func.max(Document.revision))
        .where(Document.draft_id == draft_id, Document.deleted_at_ns.is_(None), sent)
        .group_by(Document.plain_blob_id)
    )
    earlier = () if before is None else (Document.revision < before,)
    wanted = (
        select(Document)
        .where(Document.draft_id == draft_id, Document.revision.in_(latest), *earlier)
        .options(*with_blobs())
        .order_by(Document.revision.desc())
        .limit(limit)
    )
    return (await session.scalars(wanted)).all()


async def advance(session: AsyncSession, draft_id: str, revision: int, now_ns: int) -> bool:
    """Moves the draft from `revision` to the next; False if it is at another revision, deleted, or in the trash."""
    is_current = Draft.id == draft_id, Draft.revision == revision, *_where(in_trash=False)
    return await update_where(session, Draft, *is_current, revision=revision + 1, changed_at_ns=now_ns) > 0


async def save_again(session: AsyncSession, save: Document, *, revision: int, name: str, now_ns: int) -> Document:
    """The save `revision` with the bytes, and so the blobs, of the earlier `save`."""
    again = Document(
        id=new_id(),
        owner_id=save.owner_id,
        origin=save.origin,
        name=name,
        media_type=save.media_type,
        size=save.size,
        classified_size=save.classified_size,
        plain_digest=save.plain_digest,
        plain_blob_id=save.plain_blob_id,
        sealed_blob_id=save.sealed_blob_id,
        sieve_ns=save.sieve_ns,
        draft_id=save.draft_id,
        revision=revision,
        format=save.format,
        marks=save.marks,
        marks_blob_id=save.marks_blob_id,
        redacted_blob_id=save.redacted_blob_id,
        redacted_size=save.redacted_size,
        created_at_ns=now_ns,
    )
    session.add(again)
    await session.flush()
    return again


async def drop_superseded(
    session: AsyncSession, draft_id: str, revision: int, *, since_ns: int, before_ns: int
) -> Sequence[BlobRef]:
    """Removes the draft's saves before `revision`, from `since_ns` to before `before_ns`, that no transfer refers to
    and that no restore replaced.

    Returns the blobs whose files go, once this is committed.
    """
    which = Document.draft_id == draft_id, Document.revision < revision, ~Document.before_restore
    then = Document.created_at_ns >= since_ns, Document.created_at_ns < before_ns
    return await drop_saves(session, *which, *then)


async def move_to_trash(session: AsyncSession, draft_id: str, now_ns: int) -> bool:
    """Moves a draft to its author's trash; its bytes stay as they are.

    False, and nothing is done, while a transfer of one of its saves is not over.
    """
    if await session.scalar(select(_under_way(draft_id))):
        return False
    await update_where(session, Draft, Draft.id == draft_id, *_where(in_trash=False), trashed_at_ns=now_ns)
    return True


async def restore(session: AsyncSession, draft_id: str) -> None:
    """Moves a draft out of the trash."""
    await update_where(session, Draft, Draft.id == draft_id, *_where(in_trash=True), trashed_at_ns=None)


async def move_all_to_trash(
    session: AsyncSession, owner_id: str, draft_ids: Sequence[str], now_ns: int
) -> Sequence[str]:
    """Moves those of the drafts that are this person's to the trash; returns their ids. One with a transfer that is
    not over stays.
    """
    theirs = *_theirs(owner_id), Draft.id.in_(draft_ids), *_where(in_trash=False), ~_any_under_way()
    return await _change_all(session, *theirs, trashed_at_ns=now_ns)


async def restore_all(session: AsyncSession, owner_id: str, draft_ids: Sequence[str]) -> Sequence[str]:
    """Moves those of the drafts that are in this person's trash out of it; returns their ids."""
    theirs = *_theirs(owner_id), Draft.id.in_(draft_ids), *_where(in_trash=True)
    return await _change_all(session, *theirs, trashed_at_ns=None)


async def set_template(
    session: AsyncSession, owner_id: str, draft_ids: Sequence[str], *, is_template: bool
) -> Sequence[str]:
    """Makes those of the drafts that are this person's templates, or not; returns the ids of those that changed."""
    theirs = *_theirs(owner_id), Draft.id.in_(draft_ids), *_where(in_trash=False)
    return await _change_all(session, *theirs, Draft.is_template != is_template, is_template=is_template)


async def count_under_way(session: AsyncSession, owner_id: str, draft_ids: Sequence[str]) -> int:
    """How many of the drafts are this person's and have a transfer that is not over."""
    theirs = *_theirs(owner_id), Draft.id.in_(draft_ids), _any_under_way()
    return await session.scalar(select(func.count()).select_from(Draft).where(*theirs)) or 0


async def _change_all(session: AsyncSession, *which: ColumnElement[bool], **values: int | None) -> Sequence[str]:
    changed = update(Draft).where(*which).values(**values).returning(Draft.id)
    return (await session.scalars(changed.execution_options(synchronize_session=False))).all()


async def trashed_by(session: AsyncSession, at_ns: int, *, limit: int) -> Sequence[Draft]:
    """Everybody's drafts that are in the trash since `at_ns` or longer, the oldest first; without those that are
    locked, which their owners cannot restore, and those of which a transfer is not over, because it was retried.
    """
    expired = Draft.trashed_at_ns <= at_ns, Draft.locked.is_(False)
    wanted = select(Draft).where(*expired, *_where(in_trash=True), ~_any_under_way())
    return (await session.scalars(wanted.order_by(Draft.trashed_at_ns, Draft.id).limit(limit))).all()


def _any_under_way() -> ColumnElement[bool]:
    """Whether a transfer of a save of the draft is not over."""
    return exists().where(
        Document.draft_id == Draft.id, Transfer.document_id == Document.id, Transfer.state.in_(OPEN_STATES)
    )


async def _untag(session: AsyncSession, draft_id: str) -> None:
    owner_id = await session.scalar(select(Draft.owner_id).where(Draft.id == draft_id))
    if owner_id is not None:
        await tags.remove_all(session, owner_id, draft_id)


def _under_way(draft_id: str) -> ColumnElement[bool]:
    of_it = select(Document.id).where(Document.draft_id == draft_id)
    return exists().where(Transfer.document_id.in_(of_it), Transfer.state.in_(OPEN_STATES))


async def delete_draft(session: AsyncSession, draft_id: str, now_ns: int) -> Sequence[BlobRef] | None:
    """Deletes a draft for good; returns the blobs whose files go, once this is committed.

    None, and nothing is done, while a transfer of one of its saves is not over. The rows of saves that transfers refer
    to stay, as deleted documents; if there are none, nothing of the draft does.
    """
    if await session.scalar(select(_under_way(draft_id))):
        return None
    of_it = select(Document.id).where(Document.draft_id == draft_id)
    await draft_labels.delete(session, draft_id)
    await _untag(session, draft_id)
    gone = list(await drop_saves(session, Document.draft_id == draft_id))
    whose = Document.draft_id == draft_id, Document.deleted_at_ns.is_(None)
    if not await update_where(session, Document, *whose, deleted_at_ns=now_ns):
        await session.execute(delete(Draft).where(Draft.id == draft_id))
        return gone
    await update_where(session, Draft, Draft.id == draft_id, deleted_at_ns=now_ns)
    gone += await blobs.drop_manifests_and_covers(session, of_it)
    kept = select(Blob).join(Document, names_blob())
    return gone + [blob.ref for blob in (await session.scalars(kept.where(Document.draft_id == draft_id))).unique()]


async def close_draft(session: AsyncSession, draft_id: str) -> Sequence[BlobRef] | None:
    """Removes a draft, but not what of it was sent, which is a document of its author from now on; returns the blobs
    whose files go, once this is committed.

    None, and nothing is done, if several of its saves were sent: they may share their blobs, and documents do not.
    """
    of_it = Document.draft_id == draft_id
    if (await session.scalar(select(func.count()).where(of_it, was_sent()).select_from(Document)) or 0) > 1:
        return None
    await draft_labels.delete(session, draft_id)
    await _untag(session, draft_id)
    gone = await drop_saves(session, of_it)
    await update_where(session, Document, of_it, draft_id=None, revision=None)
    await session.execute(delete(Draft).where(Draft.id == draft_id))
    return gone


async def drop_saves(session: AsyncSession, *which: ColumnElement[bool]) -> Sequence[BlobRef]:
    """Removes the rows of documents that no transfer refers to, and of those of their blobs that are no other's."""
    dropped = await session.execute(delete(Document).where(*which, ~was_sent()).returning(*BLOB_IDS))
    return await _drop_blobs(session, {blob_id for row in dropped for blob_id in row if blob_id is not None})


async def _drop_blobs(session: AsyncSession, blob_ids: Iterable[str]) -> Sequence[BlobRef]:
    # A rename leaves two documents with the same blobs.
    named = exists().where(names_blob())
    statement = delete(Blob).where(Blob.id.in_(blob_ids), ~named).returning(Blob)
    return [blob.ref for blob in await session.scalars(statement)]


def was_sent() -> ColumnElement[bool]:
    """Whether a transfer refers to the document, whatever became of it."""
    return exists().where(Transfer.document_id == Document.id)


def names_blob() -> ColumnElement[bool]:
    """Whether a document has the blob."""
    return or_(*(blob_id == Blob.id for blob_id in BLOB_IDS))


def with_blobs() -> Sequence[ExecutableOption]:
    """Loads the blobs of documents with them."""
    named = (Document.plain_blob, Document.sealed_blob, Document.marks_blob, Document.redacted_blob)
    return [selectinload(blob) for blob in named]
