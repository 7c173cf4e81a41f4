"""The outbox: transfers to send, and whose turn it is.

    queued ──claim──▶ sending ──▶ delivered
       ▲                 │
       └────retry────────┼──────▶ failed ──requeue──▶ queued
                         └──────▶ cancelled          failed or cancelled ──late receipt──▶ delivered

The law: a claim grows `attempt`, sets a lease and gives its holder a token; every write of a holder names the token
and does nothing once another claim has replaced it. So one holder at most can change a transfer, whoever crashed or
slept too long. When a transfer may be claimed is said once, in `_DUE`: `claim_next` finds one exactly from the time on
that `next_due_ns` told.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Select, and_, case, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
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
    AttemptOutcome,
    Blob,
    Breaker,
    Document,
    Peer,
    Transfer,
    TransferRecipient,
)
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
) -> Transfer:
    """A new transfer and its manifest's blob, due at once."""
    session.add(Blob.of(manifest_blob, now_ns))
    await session.flush()
    transfer = Transfer(
        id=transfer_id,
        document_id=document_id,
        author_id=author_id,
        peer_id=peer_id,
        mode=mode,
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


def _due() -> ColumnElement[int]:
    rival = aliased(Transfer)
    tried_until = (
        select(func.max(rival.lease_until_ns))
        .where(rival.peer_id == Transfer.peer_id, rival.state == "sending", rival.id != Transfer.id)
        .correlate(Transfer)
        .scalar_subquery()
    )
    own = case((Transfer.state == "queued", Transfer.next_try_at_ns), else_=Transfer.lease_until_ns)
    return case(
        (Breaker.open_until_ns.is_(None), own),
        else_=_Greatest(own, Breaker.open_until_ns, func.coalesce(tried_until, 0)),
    )


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


async def claim_next(session: AsyncSession, now_ns: int, lease_ns: int, token: str) -> Transfer | None:
    """Takes the transfer that has been due longest, for `lease_ns`; None if none is due.

    `token` is fresh for each claim. Only the row's own columns are loaded: `by_id` has the rest.
    """
    chosen = (
        _CLAIMABLE.where(now_ns >= _DUE)
        .order_by(Transfer.next_try_at_ns, Transfer.created_at_ns, Transfer.id)
        .limit(1)
        .scalar_subquery()
    )
    claim = (
        update(Transfer)
        .where(Transfer.id == chosen)
        .values(
            state="sending",
            attempt=Transfer.attempt + 1,
            lease_token=token,
            lease_until_ns=now_ns + lease_ns,
        )
        .returning(Transfer)
        .execution_options(**LOADED_ANEW)
    )
    transfer = await session.scalar(claim)
    if transfer is not None:
        await _lose_attempts(session, Attempt.transfer_id == transfer.id)
        session.add(Attempt(transfer_id=transfer.id, number=transfer.attempt, started_at_ns=now_ns))
        await session.flush()
    return transfer


async def next_due_ns(session: AsyncSession) -> int | None:
    """From when on `claim_next` finds something, if nothing changes until then; None if nothing can be waited for."""
    due: int | None = await session.scalar(_NEXT_DUE)
    return due


async def release_all_leases(session: AsyncSession) -> int:
    """Makes every transfer that was being sent claimable again; returns how many.

    For the start of who holds the data folder's lock: nobody else can be sending.
    """
    await _lose_attempts(session)
    return await change(
        session, Transfer, Transfer.state == "sending", state="queued", lease_token=None, lease_until_ns=None
    )


# --- a holder's part: each does nothing and returns False once the lease is another's -------------------------------


async def renew(session: AsyncSession, transfer_id: str, token: str, lease_until_ns: int) -> bool:
    """Keeps the lease until `lease_until_ns`."""
    return await change(session, Transfer, _held(transfer_id, token), lease_until_ns=lease_until_ns) > 0


async def note_plan(session: AsyncSession, transfer_id: str, token: str, plan: str) -> bool:
    """How the attempt of this claim went about it (JSON)."""
    number = select(Transfer.attempt).where(_held(transfer_id, token)).scalar_subquery()
    return await change(session, Attempt, Attempt.transfer_id == transfer_id, Attempt.number == number, plan=plan) > 0


async def note_verified(session: AsyncSession, transfer_id: str, token: str, now_ns: int) -> bool:
    """The peer has every byte; it is not delivered yet."""
    return await change(session, Transfer, _held(transfer_id, token), verified_at_ns=now_ns) > 0


async def settle_delivered(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    *,
    receipt: str,
    receiver_durations: str | None,
    now_ns: int,
) -> bool:
    """The receipt is here; and what the peer measured, as JSON, unless an earlier attempt had delivered it."""
    return await _settle(
        session,
        transfer_id,
        token,
        "delivered",
        None,
        now_ns,
        receiver_durations,
        state="delivered",
        receipt=receipt,
        delivered_at_ns=now_ns,
        next_try_at_ns=None,
    )


async def settle_retry(
    session: AsyncSession, transfer_id: str, token: str, *, next_try_at_ns: int, reason: str, now_ns: int
) -> bool:
    """Not this time; again at `next_try_at_ns`."""
    return await _settle(
        session,
        transfer_id,
        token,
        "again",
        reason,
        now_ns,
        state="queued",
        next_try_at_ns=next_try_at_ns,
        fruitless_tries=Transfer.fruitless_tries + 1,
    )


async def settle_failed(session: AsyncSession, transfer_id: str, token: str, reason: str, now_ns: int) -> bool:
    """Not at any time; it stays to be seen, and may be requeued."""
    return await _settle(session, transfer_id, token, "failed", reason, now_ns, state="failed", next_try_at_ns=None)


async def settle_cancelled(session: AsyncSession, transfer_id: str, token: str, now_ns: int) -> bool:
    """Its author asked to end it, and it is ended."""
    return await _settle(
        session, transfer_id, token, "cancelled", CANCELLED, now_ns, state="cancelled", next_try_at_ns=None
    )


async def attempts(session: AsyncSession, transfer_id: str) -> Sequence[Attempt]:
    """Every attempt at a transfer, the first one first."""
    wanted = select(Attempt).where(Attempt.transfer_id == transfer_id).order_by(Attempt.number)
    return (await session.scalars(wanted)).all()


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


# --- breakers: after failures in a row nothing is sent to a peer for a while; a restart does not forget it ------------


async def breaker_failed(session: AsyncSession, peer_id: str, *, now_ns: int, after: int, open_ns: int) -> None:
    """Counts a failure to reach the peer; with `after` of them in a row its breaker opens for `open_ns`."""
    count = (
        insert(Breaker)
        .values(peer_id=peer_id, failures=1)
        .on_conflict_do_update(index_elements=[Breaker.peer_id], set_={"failures": Breaker.failures + 1})
        .returning(Breaker)
        .execution_options(populate_existing=True)
    )
    if (await session.scalars(count)).one().failures >= after:
        await change(session, Breaker, Breaker.peer_id == peer_id, open_until_ns=now_ns + open_ns)


async def breaker_succeeded(session: AsyncSession, peer_id: str) -> None:
    """The peer can be reached: its failures are forgotten."""
    await session.execute(delete(Breaker).where(Breaker.peer_id == peer_id))


async def breaker(session: AsyncSession, peer_id: str) -> Breaker | None:
    """The peer's breaker; None if it has not failed lately."""
    return await session.scalar(select(Breaker).where(Breaker.peer_id == peer_id))


def _held(transfer_id: str, token: str) -> ColumnElement[bool]:
    return and_(Transfer.id == transfer_id, Transfer.state == "sending", Transfer.lease_token == token)


async def _settle(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    outcome: AttemptOutcome,
    reason: str | None,
    now_ns: int,
    durations: str | None = None,
    **values: Any,
) -> bool:
    settled = await change(
        session, Transfer, _held(transfer_id, token), lease_token=None, lease_until_ns=None, reason=reason, **values
    )
    if not settled:
        return False
    await change(
        session,
        Attempt,
        Attempt.transfer_id == transfer_id,
        Attempt.outcome.is_(None),
        ended_at_ns=now_ns,
        outcome=outcome,
        reason=reason,
        receiver_durations=durations,
    )
    return True


async def _lose_attempts(session: AsyncSession, *which: ColumnElement[bool]) -> None:
    await change(session, Attempt, Attempt.outcome.is_(None), *which, outcome="lost")


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
