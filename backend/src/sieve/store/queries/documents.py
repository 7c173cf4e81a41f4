"""Documents and their blobs. A deleted document keeps its row, and its files go, its manifests among them: `blobs.ids`
says which must stay.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Row, Select, Table, bindparam, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from sieve.store.blob_ref import BlobRef
from sieve.store.models import OPEN_STATES, Blob, Document, Draft, Origin, Transfer
from sieve.store.queries import blobs
from sieve.store.queries.conditional_update import update_where
from sieve.store.queries.rows_as_objects import RowsOf


def _blobs() -> Sequence[ExecutableOption]:
    joined = joinedload(Document.plain_blob), joinedload(Document.sealed_blob), joinedload(Document.marks_blob)
    # Not joined: most have none, and for these nothing is asked.
    return *joined, selectinload(Document.redacted_blob)


def _mine(documents: Any) -> Sequence[ColumnElement[bool]]:
    """Whether documents are there for their owner. What a reset locked is not (docs/adr/0037)."""
    return documents.owner_id == bindparam("owner"), documents.deleted_at_ns.is_(None), documents.locked.is_(False)


# Built once: putting a statement together takes longer than the database takes to answer it.
_OWNED: Final = select(Document).where(Document.id == bindparam("document"), *_mine(Document)).options(*_blobs())

# The same of tables: each transfer asks.
_DOCUMENTS: Final = RowsOf(Document)
_PLAIN, _SEALED, _MARKS, _REDACTED = (RowsOf(Blob, name) for name in ("plain", "sealed", "marks", "redacted"))
_ALL: Final = (_DOCUMENTS, _PLAIN, _SEALED, _MARKS, _REDACTED)
_D: Final = _DOCUMENTS.table.c
_TABLES: Final = (
    select(*(column for each in _ALL for column in each.columns))
    .select_from(_DOCUMENTS.table)
    .join(_PLAIN.table, _PLAIN.table.c.id == _D.plain_blob_id)
    .join(_SEALED.table, _SEALED.table.c.id == _D.sealed_blob_id)
    .outerjoin(_MARKS.table, _MARKS.table.c.id == _D.marks_blob_id)
    .outerjoin(_REDACTED.table, _REDACTED.table.c.id == _D.redacted_blob_id)
    .where(*_mine(_D))
)
_DRAFTS: Final = cast(Table, Draft.__table__)
_TRANSFERS: Final = cast(Table, Transfer.__table__)
_REPLACED: Final = exists().where(_DRAFTS.c.id == _D.draft_id, _DRAFTS.c.revision > _D.revision)
_WAS_SENT: Final = exists().where(_TRANSFERS.c.document_id == _D.id)
_TO_SEND: Final = select(_D.id).where(*_mine(_D), or_(~_REPLACED, _WAS_SENT))
_THIS: Final = _D.id == bindparam("document")
_THESE: Final = _D.id.in_(bindparam("documents", expanding=True))
# Most transfers are of one document, and a list is expanded into the statement each time.
_OWNED_TABLES: Final = (_TABLES.where(_THIS), _TABLES.where(_THESE))
_TO_SEND_TABLES: Final = (_TO_SEND.where(_THIS), _TO_SEND.where(_THESE))


async def add(
    session: AsyncSession,
    *,
    document_id: str,
    owner_id: str | None,
    origin: Origin,
    name: str,
    media_type: str,
    size: int,
    classified_size: int,
    plain_digest: str,
    plain_blob: BlobRef,
    sealed_blob: BlobRef,
    sieve_ns: int,
    now_ns: int,
    draft_id: str | None = None,
    revision: int | None = None,
    format_name: str | None = None,
    marks: int | None = None,
    marks_blob: BlobRef | None = None,
) -> Document:
    """A new document, and the rows of its blobs. The files are durable before: see `sieve.store.blobs`."""
    await blobs.add(session, (ref for ref in (plain_blob, sealed_blob, marks_blob) if ref is not None), now_ns)
    document = Document(
        id=document_id,
        owner_id=owner_id,
        origin=origin,
        name=name,
        media_type=media_type,
        size=size,
        classified_size=classified_size,
        plain_digest=plain_digest,
        plain_blob_id=plain_blob.id,
        sealed_blob_id=sealed_blob.id,
        sieve_ns=sieve_ns,
        draft_id=draft_id,
        revision=revision,
        format=format_name,
        marks=marks,
        marks_blob_id=marks_blob.id if marks_blob is not None else None,
        created_at_ns=now_ns,
    )
    session.add(document)
    await session.flush()
    return document


async def by_id(session: AsyncSession, document_id: str) -> Document:
    """A document that another row names, deleted or not, with its blobs."""
    found = await session.scalars(select(Document).where(Document.id == document_id).options(*_blobs()))
    return found.one()


async def owned(session: AsyncSession, document_id: str, owner_id: str) -> Document | None:
    """That person's own document with its blobs, unless deleted."""
    return await session.scalar(_OWNED, {"document": document_id, "owner": owner_id})


async def all_owned(session: AsyncSession, document_ids: Sequence[str], owner_id: str) -> Mapping[str, Document]:
    """Those that `owned` would find, by their ids. No change of them is written."""
    found: dict[str, Document] = {}
    for row in await _of(session, _OWNED_TABLES, document_ids, owner_id):
        values = iter(row)
        own, *blobs_of_it = ([*islice(values, len(each.columns))] for each in _ALL)
        plain, sealed, marks, redacted = (
            each.made_if_any(of_it) for each, of_it in zip(_ALL[1:], blobs_of_it, strict=True)
        )
        document = _DOCUMENTS.made(own, plain_blob=plain, sealed_blob=sealed, marks_blob=marks, redacted_blob=redacted)
        found[document.id] = document
    return found


async def to_send(session: AsyncSession, document_ids: Sequence[str], owner_id: str) -> set[str]:
    """Those that `owned` would find and that can be sent: no saves of drafts that a later save replaced, unless they
    were sent before."""
    return {row.id for row in await _of(session, _TO_SEND_TABLES, document_ids, owner_id)}


async def _of(
    session: AsyncSession, statements: tuple[Select[Any], Select[Any]], document_ids: Sequence[str], owner_id: str
) -> Sequence[Row[Any]]:
    one, several = statements
    found = (
        await session.execute(one, {"document": document_ids[0], "owner": owner_id})
        if len(document_ids) == 1
        else await session.execute(several, {"documents": list(document_ids), "owner": owner_id})
    )
    return found.all()


async def of_owner(session: AsyncSession, owner_id: str, *, limit: int = 100) -> Sequence[Document]:
    """A person's own documents that are not deleted, the latest first."""
    wanted = select(Document).where(Document.owner_id == owner_id, Document.deleted_at_ns.is_(None))
    latest = wanted.order_by(Document.created_at_ns.desc(), Document.id).limit(limit)
    return (await session.scalars(latest)).all()


async def add_redacted(session: AsyncSession, document_id: str, edition: BlobRef, now_ns: int) -> bool:
    """The document has this redacted edition from now on, whose file is durable. False, and nothing is done, if it has
    one already, or is gone.
    """
    await blobs.add(session, [edition], now_ns)
    without = Document.id == document_id, Document.deleted_at_ns.is_(None), Document.redacted_blob_id.is_(None)
    has = {"redacted_blob_id": edition.id, "redacted_size": edition.size}
    if await update_where(session, Document, *without, **has):
        return True
    await blobs.remove(session, edition.id)
    return False


async def delete(session: AsyncSession, document_id: str, now_ns: int) -> Sequence[BlobRef] | None:
    """Deletes a document; returns the blobs whose files go, once this is committed.

    None, and nothing is done, while a transfer of it is not over. Deleting it again changes nothing.
    """
    under_way = exists().where(Transfer.document_id == document_id, Transfer.state.in_(OPEN_STATES))
    if await session.scalar(select(under_way)):
        return None
    document = await by_id(session, document_id)
    if document.deleted_at_ns is not None:
        return []
    document.deleted_at_ns = now_ns
    await session.flush()
    kept = [document.plain_blob, document.sealed_blob, document.marks_blob, document.redacted_blob]
    refs = [blob.ref for blob in kept if blob is not None]
    for blob in kept:
        if blob is not None:
            blob.content = None  # what is in a row goes with this transaction
    this = select(Document.id).where(Document.id == document_id)
    return [*refs, *await blobs.drop_manifests_and_covers(session, this)]
