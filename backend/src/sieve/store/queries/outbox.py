"""The outbox: transfers to send, and whose turn it is.

    queued ──claim──▶ sending ──▶ delivered
       ▲                 │
       └────retry────────┼──────▶ failed ──requeue──▶ queued
                         └──────▶ cancelled          failed or cancelled ──late receipt──▶ delivered

The law: a claim grows `attempt`, sets a lease and gives its holder a token; every write of a holder names the token
and does nothing once another claim has replaced it (`settling`). So one holder at most can change a transfer, whoever
crashed or slept too long. When a transfer may be claimed is said once, in `_DUE`: `claim_due` finds one exactly from
the time on that `next_due_ns` told.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import (
    BigInteger,
    ColumnExpressionArgument,
    FromClause,
    Integer,
    Select,
    Table,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import aliased, selectinload
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.base import ExecutableOption
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from sieve.store.blob_ref import BlobRef
from sieve.store.models import (
    OPEN_STATES,
    Attempt,
    Blob,
    Breaker,
    Document,
    Peer,
    Transfer,
    TransferRecipient,
)
from sieve.store.queries import blobs
from sieve.store.queries.change import LOADED_ANEW, change

CANCELLED: Final = "cancelled by its author"

# --- an author's part ------------------------------------------------------------------------------------------------


async def enqueue(
    session: AsyncSession,
    *,
    transfer_id: str,
    document_id: str,
    author_id: str,
    peer_id: str,
    mode: str,
    manifest_blob: BlobRef,
    manifest_digest: str,
    recipients: Sequence[str],
    recipients_checked: bool,
    deadline_at_ns: int,
    now_ns: int,
    secure_channels: int = 1,
    plain_channels: int = 1,
    split: str = "range",
) -> Transfer:
    """A new transfer and its manifest's blob, due at once."""
    await blobs.add(session, (manifest_blob,), now_ns)
    transfer = Transfer(
        id=transfer_id,
        document_id=document_id,
        author_id=author_id,
        peer_id=peer_id,
        mode=mode,
        secure_channels=secure_channels,
        plain_channels=plain_channels,
        split=split,
        state="queued",
        manifest_blob_id=manifest_blob.id,
        manifest_digest=manifest_digest,
        recipients_checked=recipients_checked,
        next_try_at_ns=now_ns,
        deadline_at_ns=deadline_at_ns,
        created_at_ns=now_ns,
        recipients=[TransferRecipient(name=name) for name in dict.fromkeys(recipients)],
    )
    session.add(transfer)
    await session.flush()
    return transfer


async def cancel(session: AsyncSession, transfer_id: str, now_ns: int) -> bool:
    """Ends a queued transfer. False if it is not queued: one that is being sent remembers the wish, for its holder."""
    ended = await change(
        session,
        Transfer,
        Transfer.id == transfer_id,
        Transfer.state == "queued",
        state="cancelled",
        reason=CANCELLED,
        next_try_at_ns=None,
    )
    if not ended:
        await change(session, Transfer, Transfer.id == transfer_id, Transfer.state == "sending", cancel_requested=True)
    return ended > 0


async def requeue(session: AsyncSession, transfer_id: str, now_ns: int) -> bool:
    """Makes a failed or queued transfer due now, whatever its peer's breaker says; not past its deadline."""
    requeued = await change(
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
        await change(session, Breaker, Breaker.peer_id == peer, Breaker.open_until_ns > now_ns, open_until_ns=now_ns)
    return requeued > 0


async def fail_queued_to(session: AsyncSession, peer_id: str, reason: str) -> Sequence[Transfer]:
    """Fails every transfer that waits for a peer, which is going; returns them. Those being sent have holders."""
    fail = (
        update(Transfer)
        .where(Transfer.peer_id == peer_id, Transfer.state == "queued")
        .values(state="failed", reason=reason, next_try_at_ns=None)
        .returning(Transfer)
        .execution_options(**LOADED_ANEW)
    )
    return (await session.scalars(fail)).all()


async def by_id(session: AsyncSession, transfer_id: str) -> Transfer | None:
    """A transfer with recipients, peer, author, and its document and manifest with their blobs."""
    return await session.scalar(select(Transfer).where(Transfer.id == transfer_id).options(*_whole()))


async def owned(session: AsyncSession, transfer_id: str, author_id: str) -> Transfer | None:
    """That author's transfer, loaded as `by_id` does."""
    return await session.scalar(
        select(Transfer).where(Transfer.id == transfer_id, Transfer.author_id == author_id).options(*_whole())
    )


async def of_author(session: AsyncSession, author_id: str | None, *, limit: int = 100) -> Sequence[Transfer]:
    """An author's transfers, the latest first, with recipients, peer and document; everybody's if None."""
    wanted = select(Transfer).order_by(Transfer.created_at_ns.desc(), Transfer.id).limit(limit)
    if author_id is not None:
        wanted = wanted.where(Transfer.author_id == author_id)
    loaded = wanted.options(
        selectinload(Transfer.recipients),
        selectinload(Transfer.peer),
        selectinload(Transfer.author),
        selectinload(Transfer.document),
    )
    return (await session.scalars(loaded)).all()


# --- whose turn it is ------------------------------------------------------------------------------------------------


class _Greatest(FunctionElement[int]):
    """The greatest of several numbers, which each database calls otherwise."""

    name = "greatest"
    type = BigInteger()
    inherit_cache = True


@compiles(_Greatest)
def _greatest(element: _Greatest, compiler: SQLCompiler, **options: Any) -> str:
    return f"greatest({compiler.process(element.clauses, **options)})"


@compiles(_Greatest, "sqlite")
def _greatest_in_sqlite(element: _Greatest, compiler: SQLCompiler, **options: Any) -> str:
    return f"max({compiler.process(element.clauses, **options)})"


def _own(transfer: type[Transfer]) -> ColumnElement[int]:
    """When it is a transfer's own turn, whatever its peer's breaker says."""
    return case((transfer.state == "queued", transfer.next_try_at_ns), else_=transfer.lease_until_ns)


def _longest(transfer: type[Transfer]) -> Sequence[ColumnExpressionArgument[Any]]:
    """The order in which transfers have been due."""
    return transfer.next_try_at_ns, transfer.created_at_ns, transfer.id


def _due() -> ColumnElement[int]:
    rival = aliased(Transfer)
    tried_until = (
        select(func.max(rival.lease_until_ns))
        .where(rival.peer_id == Transfer.peer_id, rival.state == "sending", rival.id != Transfer.id)
        .correlate(Transfer)
        .scalar_subquery()
    )
    return case(
        (Breaker.open_until_ns.is_(None), _own(Transfer)),
        else_=_Greatest(_own(Transfer), Breaker.open_until_ns, func.coalesce(tried_until, 0)),
    )


def _first_to_its_peer(now_ns: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether the peer has a breaker, and no other transfer to it has been due for longer.

    Looked up once for each breaker, not for each transfer: thousands may wait for a peer, and everybody for the answer.
    """
    rival, breaker = aliased(Transfer), aliased(Breaker)
    first = (
        select(rival.id)
        .where(rival.peer_id == breaker.peer_id, rival.state.in_(OPEN_STATES), _own(rival) <= now_ns)
        .order_by(*_longest(rival))
        .limit(1)
        .correlate(breaker)
        .scalar_subquery()
    )
    return Transfer.id.in_(select(first).select_from(breaker).where(breaker.open_until_ns.is_not(None)))


# Built once: putting such a statement together takes longer than the database takes to answer it.
_DUE: Final = _due()
"""When a claimable transfer may be claimed.

A queued one at its next try, one being sent when its lease ends; neither while the peer's breaker is open. A
breaker whose time is over lets one transfer through to try the peer, and more only after that has closed it.
"""

_CLAIMABLE: Final[Select[Any]] = (
    select(Transfer.id)
    .join(Peer, Peer.id == Transfer.peer_id)
    .outerjoin(Breaker, Breaker.peer_id == Transfer.peer_id)
    .where(Transfer.state.in_(OPEN_STATES), Peer.state == "active")
)
"""The ids of transfers that are not over, to peers that are active, beside their peer's breaker."""

_NEXT_DUE: Final = _CLAIMABLE.with_only_columns(func.min(_DUE))

# As tables, not as objects: what a transfer writes of itself is looked at by others, later.
_TRANSFERS: Final = cast(Table, Transfer.__table__)
_ATTEMPTS: Final = cast(Table, Attempt.__table__)

_LOSE: Final = update(_ATTEMPTS).where(_ATTEMPTS.c.outcome.is_(None)).values(outcome="lost")


_NOW: Final = bindparam("now_ns", type_=BigInteger)
_CHOSEN: Final = (
    # A peer that is being tried again gets one, however many may be claimed.
    _CLAIMABLE.where(_DUE <= _NOW, or_(Breaker.open_until_ns.is_(None), _first_to_its_peer(_NOW)))
    .order_by(*_longest(Transfer))
    .limit(bindparam("most", type_=Integer))
)
_CLAIM: Final = (
    update(Transfer)
    .where(Transfer.id.in_(_CHOSEN))
    .values(
        state="sending",
        attempt=Transfer.attempt + 1,
        lease_token=bindparam("token"),
        lease_until_ns=bindparam("until_ns"),
    )
    .returning(Transfer)
    .execution_options(**LOADED_ANEW)
)
_LOSE_THEIRS: Final = _LOSE.where(_ATTEMPTS.c.transfer_id.in_(bindparam("ids", expanding=True)))
_NEW_ATTEMPT: Final = insert(_ATTEMPTS)


async def claim_due(session: AsyncSession, *, now_ns: int, lease_ns: int, token: str, most: int) -> Sequence[Transfer]:
    """Takes the transfers that have been due longest, `most` of them at most, for `lease_ns`.

    `token` is fresh for each call. Only the rows' own columns are loaded: `by_id` has the rest.
    """
    given = {"now_ns": now_ns, "most": most, "token": token, "until_ns": now_ns + lease_ns}
    claimed = (await session.scalars(_CLAIM, given)).all()
    if claimed:
        await session.execute(_LOSE_THEIRS, {"ids": [transfer.id for transfer in claimed]})
        await session.execute(
            _NEW_ATTEMPT,
            [{"transfer_id": each.id, "number": each.attempt, "started_at_ns": now_ns} for each in claimed],
        )
    return claimed


class ToSend(NamedTuple):
    """What an attempt reads of a claimed transfer."""

    cancel_requested: bool
    size: int
    classified_size: int
    plain: BlobRef
    sealed: BlobRef
    manifest: BlobRef
    sieve_ns: int


def _columns_of(blob: FromClause) -> Sequence[ColumnElement[Any]]:
    """A `BlobRef`'s, in its order."""
    c = blob.c
    return c.id, c.kind, c.owner, c.purpose, c.size, c.key_id, c.wrapped_key


_DOCUMENTS: Final = cast(Table, Document.__table__)
_PLAIN, _SEALED, _MANIFEST = (cast(Table, Blob.__table__).alias(name) for name in ("plain", "sealed", "manifest"))
_TO_SEND: Final = (
    select(
        _TRANSFERS.c.cancel_requested,
        _DOCUMENTS.c.size,
        _DOCUMENTS.c.classified_size,
        *_columns_of(_PLAIN),
        *_columns_of(_SEALED),
        *_columns_of(_MANIFEST),
        _DOCUMENTS.c.sieve_ns,
    )
    .join(_DOCUMENTS, _DOCUMENTS.c.id == _TRANSFERS.c.document_id)
    .join(_PLAIN, _PLAIN.c.id == _DOCUMENTS.c.plain_blob_id)
    .join(_SEALED, _SEALED.c.id == _DOCUMENTS.c.sealed_blob_id)
    .join(_MANIFEST, _MANIFEST.c.id == _TRANSFERS.c.manifest_blob_id)
    .where(_TRANSFERS.c.id == bindparam("transfer"))
)


async def to_send(session: AsyncSession, transfer_id: str) -> ToSend:
    """What there is to send, in one look."""
    found = (await session.execute(_TO_SEND, {"transfer": transfer_id})).one()
    plain, sealed, manifest = (BlobRef(*found[start : start + 7]) for start in (3, 10, 17))
    return ToSend(found[0], found[1], found[2], plain, sealed, manifest, found[24])


async def next_due_ns(session: AsyncSession) -> int | None:
    """From when on `claim_due` finds something, if nothing changes until then; None if nothing can be waited for."""
    due: int | None = await session.scalar(_NEXT_DUE)
    return due


async def release_all_leases(session: AsyncSession) -> int:
    """Makes every transfer that was being sent claimable again; returns how many.

    For the start of who holds the data folder's lock: nobody else can be sending.
    """
    await session.execute(_LOSE)
    return await change(
        session, Transfer, Transfer.state == "sending", state="queued", lease_token=None, lease_until_ns=None
    )


# --- how it went -----------------------------------------------------------------------------------------------------


async def attempts(session: AsyncSession, transfer_id: str) -> Sequence[Attempt]:
    """Every attempt at a transfer, the first one first."""
    wanted = select(Attempt).where(Attempt.transfer_id == transfer_id).order_by(Attempt.number)
    return (await session.scalars(wanted, execution_options={"populate_existing": True})).all()


class Measured(NamedTuple):
    """What was measured of a transfer apart from its marks. `receiver_durations`: JSON, as the peer told them."""

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
        selectinload(Transfer.peer),
        selectinload(Transfer.author),
        selectinload(Transfer.manifest_blob),
        document.selectinload(Document.plain_blob),
        document.selectinload(Document.sealed_blob),
    )
