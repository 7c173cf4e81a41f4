"""The outbox: transfers to send, as their authors and admins see them, and what an attempt reads of them.

    queued ──claim──▶ sending ──▶ delivered
       ▲                 │
       └────retry────────┼──────▶ failed ──requeue──▶ queued
                         └──────▶ cancelled          failed or cancelled ──late receipt──▶ delivered

Invariant: a claim increments `attempt`, sets a lease and gives its holder a token (`claiming`). Every write of a holder
names the token and does nothing once another claim has replaced it (`attempt_outcomes`). So at most one holder can
change a transfer, even after a crash or a long pause.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import FromClause, Integer, Table, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import selectinload
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.base import ExecutableOption

from sieve.core.sentence import Sentence
from sieve.store.blob_ref import BlobRef
from sieve.store.models import Attempt, Blob, Breaker, Document, Peer, Transfer, TransferRecipient, new_id
from sieve.store.queries import blobs
from sieve.store.queries.conditional_update import RELOADED, update_where
from sieve.store.queries.rows_as_objects import RowsOf

CANCELLED: Final = Sentence("cancelled-by-author", "cancelled by its author")

# --- an author's part ------------------------------------------------------------------------------------------------


_TRANSFERS: Final = cast(Table, Transfer.__table__)
_DOCUMENTS: Final = cast(Table, Document.__table__)
_ADD: Final = insert(_TRANSFERS)
_ROWS: Final = RowsOf(Transfer)
_NEW: Final[Mapping[str, Any]] = {column.name: getattr(column.default, "arg", None) for column in _TRANSFERS.columns}
"""The columns of a transfer in their order, with their defaults."""
_RECIPIENTS: Final = RowsOf(TransferRecipient)
_ADD_RECIPIENTS: Final = insert(cast(Table, TransferRecipient.__table__))


class NewTransfer(NamedTuple):
    """A document that is to be sent, and the manifest by which. `redacted_size`, `redacted_note`, `marks_size`,
    `cover`: see `Transfer`."""

    id: str
    document_id: str
    manifest_blob: BlobRef
    manifest_digest: str
    redacted_size: int | None = None
    redacted_note: str | None = None
    marks_size: int | None = None
    cover: bytes | None = None


async def enqueue(
    session: AsyncSession,
    new: Sequence[NewTransfer],
    *,
    author_id: str,
    peer_id: str,
    mode: str,
    recipients: Mapping[str, str | None],
    recipients_checked: bool,
    deadline_at_ns: int,
    now_ns: int,
    secure_channels: int = 1,
    plain_channels: int = 1,
    split: str = "range",
    off_plain: bool = False,
    plan: str | None = None,
    reply_to_id: str | None = None,
    read_receipts: bool = False,
    unreachable_since_ns: int | None = None,
) -> Sequence[Transfer]:
    """New transfers and their manifests' blobs, due at once; several go together. Each is a nanosecond younger than the
    one before: so they are found in this order. `recipients`: their logins, with the display names that are known.
    `plan`: JSON, how the first attempt will probably send them. `reply_to_id`, `read_receipts`,
    `unreachable_since_ns`: see `Transfer`.
    """
    batch_id, batch_size = (new_id(), len(new)) if len(new) > 1 else (None, None)
    await blobs.add(session, [each.manifest_blob for each in new], now_ns)
    rows = [
        {
            **_NEW,
            "id": each.id,
            "document_id": each.document_id,
            "author_id": author_id,
            "peer_id": peer_id,
            "batch_id": batch_id,
            "batch_size": batch_size,
            "mode": mode,
            "secure_channels": secure_channels,
            "plain_channels": plain_channels,
            "split": split,
            "off_plain": off_plain,
            "plan": plan,
            "state": "queued",
            "manifest_blob_id": each.manifest_blob.id,
            "manifest_digest": each.manifest_digest,
            "redacted_size": each.redacted_size,
            "redacted_note": each.redacted_note,
            "marks_size": each.marks_size,
            "cover": each.cover,
            "reply_to_id": reply_to_id,
            "read_receipts": read_receipts,
            "unreachable_since_ns": unreachable_since_ns,
            "recipients_checked": recipients_checked,
            "next_try_at_ns": now_ns,
            "deadline_at_ns": deadline_at_ns,
            "created_at_ns": now_ns + number,
        }
        for number, each in enumerate(new)
    ]
    # Past the session, whose flush would take longer than all other statements of this unit.
    await session.execute(_ADD, rows)
    named = [(name, recipients[name], None) for name in sorted(recipients)]
    columns = _RECIPIENTS.table.columns.keys()
    await session.execute(
        _ADD_RECIPIENTS, [dict(zip(columns, (row["id"], *each), strict=True)) for row in rows for each in named]
    )
    transfers = [
        _ROWS.made([*row.values()], recipients=[_RECIPIENTS.made((row["id"], *each)) for each in named]) for row in rows
    ]
    session.add_all(transfers)
    return transfers


async def ahead(session: AsyncSession, peer_id: str, *, most: int) -> Sequence[tuple[int, int]]:
    """Size and classified size of transfers to a peer that are queued or in progress; `most` at most."""
    return [(size, classified) for size, classified in await session.execute(_AHEAD, {"peer": peer_id, "most": most})]


_AHEAD: Final = (
    select(_DOCUMENTS.c.size, _DOCUMENTS.c.classified_size)
    .join(_TRANSFERS, _TRANSFERS.c.document_id == _DOCUMENTS.c.id)
    .where(_TRANSFERS.c.peer_id == bindparam("peer"), _TRANSFERS.c.state.in_(["queued", "sending"]))
    .limit(bindparam("most", type_=Integer))
)


async def cancel(session: AsyncSession, transfer_id: str, now_ns: int) -> bool:
    """Ends a queued transfer. False if it is not queued: one that is being sent remembers the wish, for its holder."""
    ended = await update_where(
        session,
        Transfer,
        Transfer.id == transfer_id,
        Transfer.state == "queued",
        state="cancelled",
        reason=CANCELLED,
        next_try_at_ns=None,
    )
    if not ended:
        await update_where(
            session, Transfer, Transfer.id == transfer_id, Transfer.state == "sending", cancel_requested=True
        )
    return ended > 0


async def withdraw_cancel(session: AsyncSession, transfer_id: str) -> None:
    """Forgets the wish to cancel a transfer that is being sent."""
    await update_where(
        session, Transfer, Transfer.id == transfer_id, Transfer.state == "sending", cancel_requested=False
    )


async def requeue(session: AsyncSession, transfer_id: str, now_ns: int) -> bool:
    """Makes a failed or queued transfer due now, even if its peer's breaker is open; not past its deadline."""
    requeued = await update_where(
        session,
        Transfer,
        Transfer.id == transfer_id,
        Transfer.state.in_(("failed", "queued")),
        Transfer.deadline_at_ns > now_ns,
        state="queued",
        next_try_at_ns=now_ns,
        fruitless_tries=0,
        reason=None,
        cancel_requested=False,
    )
    if requeued:
        peer = select(Transfer.peer_id).where(Transfer.id == transfer_id).scalar_subquery()
        await update_where(
            session, Breaker, Breaker.peer_id == peer, Breaker.open_until_ns > now_ns, open_until_ns=now_ns
        )
    return requeued > 0


async def fail_queued_to(session: AsyncSession, peer_id: str, reason: str) -> Sequence[Transfer]:
    """Fails every transfer that waits for a peer, which is going; returns them. Those being sent have holders."""
    fail = (
        update(Transfer)
        .where(Transfer.peer_id == peer_id, Transfer.state == "queued")
        .values(state="failed", reason=reason, next_try_at_ns=None)
        .returning(Transfer)
        .execution_options(**RELOADED)
    )
    return (await session.scalars(fail)).all()


async def by_id(session: AsyncSession, transfer_id: str) -> Transfer | None:
    """A transfer with recipients, peer, author, and its document and manifest with their blobs."""
    return await session.scalar(select(Transfer).where(Transfer.id == transfer_id).options(*_whole()))


async def owned(session: AsyncSession, transfer_id: str, author_id: str) -> Transfer | None:
    """That author's transfer, loaded as `by_id` does; none whose document a reset locked (docs/adr/0037)."""
    theirs = Transfer.id == transfer_id, Transfer.author_id == author_id
    there = Transfer.document.has(Document.locked.is_(False))
    return await session.scalar(select(Transfer).where(*theirs, there).options(*_whole()))


_PEER: Final = selectinload(Transfer.peer).joinedload(Peer.breaker)


async def with_peer(session: AsyncSession, transfer_id: str) -> Transfer | None:
    """A transfer's state, with its document, its peer and that peer's breaker."""
    loaded = _PEER, selectinload(Transfer.document)
    return await session.scalar(select(Transfer).where(Transfer.id == transfer_id).options(*loaded))


async def of_author(session: AsyncSession, author_id: str | None, *, limit: int = 100) -> Sequence[Transfer]:
    """An author's transfers, the latest first, with recipients, peer and document; everybody's if None."""
    wanted = select(Transfer).order_by(Transfer.created_at_ns.desc(), Transfer.id).limit(limit)
    if author_id is not None:
        wanted = wanted.where(Transfer.author_id == author_id)
    loaded = wanted.options(
        selectinload(Transfer.recipients),
        _PEER,
        selectinload(Transfer.author),
        selectinload(Transfer.document),
    )
    return (await session.scalars(loaded)).all()


# --- what is sent -----------------------------------------------------------------------------------------------------


class ToSend(NamedTuple):
    """What an attempt reads of a claimed transfer. `cover`: sealed, if it has one. `redacted`, `marks`: its document's
    redacted edition and marks, if there are any."""

    transfer_id: str
    cancel_requested: bool
    cover: bytes | None
    size: int
    classified_size: int
    sieve_ns: int
    plain: BlobRef
    sealed: BlobRef
    manifest: BlobRef
    redacted: BlobRef | None = None
    marks: BlobRef | None = None

    @property
    def blobs(self) -> list[BlobRef]:
        """The blobs of its document."""
        return [each for each in (self.plain, self.sealed, self.redacted, self.marks) if each is not None]


async def replace_manifest(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    manifest: BlobRef,
    digest: str,
    *,
    without_edition: str | None,
    now_ns: int,
) -> bool:
    """The transfer goes by another manifest from now on, without its marks. `without_edition`: why it goes without its
    redacted edition, too, if it does. False, and nothing is done, if the token does not hold it.
    """
    held = Transfer.id == transfer_id, Transfer.state == "sending", Transfer.lease_token == token
    before = await session.scalar(select(Transfer.manifest_blob_id).where(*held))
    if before is None:
        return False
    await blobs.add(session, [manifest], now_ns)
    now: dict[str, Any] = {"manifest_blob_id": manifest.id, "manifest_digest": digest, "marks_size": None}
    if without_edition is not None:
        now |= {"redacted_size": None, "redacted_note": without_edition}
    await update_where(session, Transfer, *held, **now)
    await blobs.remove(session, before)
    return True


def _columns_of(blob: FromClause) -> Sequence[ColumnElement[Any]]:
    """A `BlobRef`'s, in its order."""
    c = blob.c
    return c.id, c.kind, c.owner, c.purpose, c.size, c.key_id, c.wrapped_key, c.content, c.tags


_PLAIN, _SEALED, _MANIFEST, _REDACTED, _MARKS = (
    cast(Table, Blob.__table__).alias(name) for name in ("plain", "sealed", "manifest", "redacted", "marks")
)
_TO_SEND: Final = (
    select(
        _TRANSFERS.c.id,
        _TRANSFERS.c.cancel_requested,
        _TRANSFERS.c.cover,
        _DOCUMENTS.c.size,
        _DOCUMENTS.c.classified_size,
        _DOCUMENTS.c.sieve_ns,
        *(column for blob in (_PLAIN, _SEALED, _MANIFEST, _REDACTED, _MARKS) for column in _columns_of(blob)),
    )
    .join(_DOCUMENTS, _DOCUMENTS.c.id == _TRANSFERS.c.document_id)
    .join(_PLAIN, _PLAIN.c.id == _DOCUMENTS.c.plain_blob_id)
    .join(_SEALED, _SEALED.c.id == _DOCUMENTS.c.sealed_blob_id)
    .join(_MANIFEST, _MANIFEST.c.id == _TRANSFERS.c.manifest_blob_id)
    .outerjoin(_REDACTED, _REDACTED.c.id == _DOCUMENTS.c.redacted_blob_id)
    .outerjoin(_MARKS, _MARKS.c.id == _DOCUMENTS.c.marks_blob_id)
    .where(_TRANSFERS.c.id.in_(bindparam("transfers", expanding=True)))
)


# How many of these columns are the transfer's and its document's own, and how many each blob's.
_OWN, _OF_BLOB = 6, len(_columns_of(_PLAIN))


async def to_send(session: AsyncSession, transfer_ids: Sequence[str]) -> Mapping[str, ToSend]:
    """What there is to send of each transfer, in one look."""
    found: dict[str, ToSend] = {}
    for row in await session.execute(_TO_SEND, {"transfers": list(transfer_ids)}):
        of_blobs = [row[at : at + _OF_BLOB] for at in range(_OWN, len(row), _OF_BLOB)]
        found[row[0]] = ToSend(*row[:_OWN], *(BlobRef(*columns) if columns[0] else None for columns in of_blobs))
    return found


# --- how it went -----------------------------------------------------------------------------------------------------


async def attempts(session: AsyncSession, transfer_id: str) -> Sequence[Attempt]:
    """Every attempt at a transfer, the first one first."""
    wanted = select(Attempt).where(Attempt.transfer_id == transfer_id).order_by(Attempt.number)
    return (await session.scalars(wanted, execution_options={"populate_existing": True})).all()


class Measured(NamedTuple):
    """What was measured of a transfer apart from its marks. `receiver_durations`: JSON, as the peer reported them."""

    sieve_ns: int
    receiver_durations: str | None


async def measured(session: AsyncSession, transfer_ids: Iterable[str]) -> Mapping[str, Measured]:
    """Of each transfer: how long its document was sieved, and what the peer measured during the last attempt."""
    last = (Attempt.transfer_id == Transfer.id) & (Attempt.number == Transfer.attempt)
    found = await session.execute(
        select(Transfer.id, Document.sieve_ns, Attempt.receiver_durations)
        .join(Document, Document.id == Transfer.document_id)
        .outerjoin(Attempt, last)
        .where(Transfer.id.in_(list(transfer_ids)))
    )
    return {row[0]: Measured(row[1], row[2]) for row in found}


def _whole() -> Sequence[ExecutableOption]:
    document = selectinload(Transfer.document)
    return (
        selectinload(Transfer.recipients),
        _PEER,
        selectinload(Transfer.author),
        selectinload(Transfer.manifest_blob),
        document.selectinload(Document.plain_blob),
        document.selectinload(Document.sealed_blob),
        document.selectinload(Document.redacted_blob),
        document.selectinload(Document.marks_blob),
    )
