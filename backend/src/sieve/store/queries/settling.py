"""A holder's part of the outbox: keeping a lease, and how an attempt ended; and the breakers, which hang on that.

The law: each write of a holder names its token, does nothing once the lease is another's, and then returns False.
"""

from dataclasses import dataclass
from typing import Any, Final, cast

from sqlalchemy import BigInteger, CursorResult, String, Table, and_, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql import ColumnElement

from sieve.store.models import Attempt, AttemptOutcome, Breaker, Transfer, TransferState
from sieve.store.queries.change import change, look_again
from sieve.store.queries.outbox import CANCELLED

# Statements are built once, of tables: what is written down here is looked at by others, later.
_TRANSFERS: Final = cast(Table, Transfer.__table__)
_ATTEMPTS: Final = cast(Table, Attempt.__table__)
_BREAKERS: Final = cast(Table, Breaker.__table__)


async def renew(session: AsyncSession, transfer_id: str, token: str, lease_until_ns: int) -> bool:
    """Keeps the lease until `lease_until_ns`."""
    return await change(session, Transfer, _held(transfer_id, token), lease_until_ns=lease_until_ns) > 0


@dataclass(frozen=True, slots=True)
class Tried:
    """What was found out before the attempt ended: how it was gone about (JSON), and when the peer had every byte."""

    plan: str | None = None
    verified_at_ns: int | None = None


async def settle_delivered(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    *,
    receipt: str,
    receiver_durations: str | None,
    now_ns: int,
    tried: Tried = Tried(),
) -> bool:
    """The receipt is here; and what the peer measured, as JSON, unless an earlier attempt had delivered it."""
    return await _settle(
        session,
        transfer_id,
        token,
        "delivered",
        None,
        now_ns,
        tried,
        state="delivered",
        receipt=receipt,
        delivered_at_ns=now_ns,
        durations=receiver_durations,
    )


async def settle_retry(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    *,
    next_try_at_ns: int,
    reason: str,
    now_ns: int,
    tried: Tried = Tried(),
) -> bool:
    """Not this time; again at `next_try_at_ns`."""
    return await _settle(
        session, transfer_id, token, "again", reason, now_ns, tried, state="queued", next_try_at_ns=next_try_at_ns
    )


async def settle_failed(
    session: AsyncSession, transfer_id: str, token: str, reason: str, now_ns: int, tried: Tried = Tried()
) -> bool:
    """Not at any time; it stays to be seen, and may be requeued."""
    return await _settle(session, transfer_id, token, "failed", reason, now_ns, tried, state="failed")


async def settle_cancelled(
    session: AsyncSession, transfer_id: str, token: str, now_ns: int, tried: Tried = Tried()
) -> bool:
    """Its author asked to end it, and it is ended."""
    return await _settle(session, transfer_id, token, "cancelled", CANCELLED, now_ns, tried, state="cancelled")


_SETTLE: Final = (
    update(_TRANSFERS)
    .where(
        _TRANSFERS.c.id == bindparam("transfer"),
        _TRANSFERS.c.state == "sending",
        _TRANSFERS.c.lease_token == bindparam("token"),
    )
    .values(
        state=bindparam("state"),
        lease_token=None,
        lease_until_ns=None,
        reason=bindparam("reason"),
        next_try_at_ns=bindparam("next_try_at_ns"),
        fruitless_tries=_TRANSFERS.c.fruitless_tries + bindparam("fruitless"),
        verified_at_ns=func.coalesce(bindparam("verified_at_ns", type_=BigInteger), _TRANSFERS.c.verified_at_ns),
        delivered_at_ns=func.coalesce(bindparam("delivered_at_ns", type_=BigInteger), _TRANSFERS.c.delivered_at_ns),
        receipt=func.coalesce(bindparam("receipt", type_=String), _TRANSFERS.c.receipt),
        plan=func.coalesce(bindparam("plan", type_=String), _TRANSFERS.c.plan),
    )
)
_END_ATTEMPT: Final = (
    update(_ATTEMPTS)
    .where(_ATTEMPTS.c.transfer_id == bindparam("transfer"), _ATTEMPTS.c.outcome.is_(None))
    .values(
        ended_at_ns=bindparam("now_ns"),
        outcome=bindparam("outcome"),
        reason=bindparam("reason"),
        plan=bindparam("plan"),
        receiver_durations=bindparam("durations"),
    )
)


async def _settle(
    session: AsyncSession,
    transfer_id: str,
    token: str,
    outcome: AttemptOutcome,
    reason: str | None,
    now_ns: int,
    tried: Tried,
    *,
    state: TransferState,
    next_try_at_ns: int | None = None,
    delivered_at_ns: int | None = None,
    receipt: str | None = None,
    durations: str | None = None,
) -> bool:
    settled = await session.execute(
        _SETTLE,
        {
            "transfer": transfer_id,
            "token": token,
            "state": state,
            "reason": reason,
            "next_try_at_ns": next_try_at_ns,
            "fruitless": int(outcome == "again"),
            "verified_at_ns": tried.verified_at_ns,
            "delivered_at_ns": delivered_at_ns,
            "receipt": receipt,
            "plan": tried.plan,
        },
    )
    if not cast(CursorResult[Any], settled).rowcount:
        return False
    await session.execute(
        _END_ATTEMPT,
        {
            "transfer": transfer_id,
            "now_ns": now_ns,
            "outcome": outcome,
            "reason": reason,
            "plan": tried.plan,
            "durations": durations,
        },
    )
    await look_again(session, Transfer, transfer_id)
    return True


def _held(transfer_id: str, token: str) -> ColumnElement[bool]:
    return and_(Transfer.id == transfer_id, Transfer.state == "sending", Transfer.lease_token == token)


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


_FORGET_FAILURES: Final = delete(_BREAKERS).where(_BREAKERS.c.peer_id == bindparam("peer"))


async def breaker_succeeded(session: AsyncSession, peer_id: str) -> None:
    """The peer can be reached: its failures are forgotten."""
    await session.execute(_FORGET_FAILURES, {"peer": peer_id})


async def breaker(session: AsyncSession, peer_id: str) -> Breaker | None:
    """The peer's breaker; None if it has not failed lately."""
    return await session.scalar(select(Breaker).where(Breaker.peer_id == peer_id))
