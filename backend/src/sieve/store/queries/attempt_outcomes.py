"""What the holder of a claim writes: lease renewals, outcomes of attempts, and the circuit breakers that depend on
them.

Invariant: each write names the holder's token, leaves transfers of other leases alone, and returns the transfers that
the holder still held. A token may hold several transfers: they are claimed, renewed and recorded together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, cast

from sqlalchemy import BigInteger, Boolean, String, Table, bindparam, case, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import insert
from sieve.store.models import Attempt, AttemptOutcome, Breaker, Transfer, TransferState
from sieve.store.queries.conditional_update import reload_row, update_where
from sieve.store.queries.outbox import CANCELLED

# Statements are built once, of tables: this module changes rows that it need not load.
_TRANSFERS: Final = cast(Table, Transfer.__table__)
_ATTEMPTS: Final = cast(Table, Attempt.__table__)
_BREAKERS: Final = cast(Table, Breaker.__table__)


async def renew(session: AsyncSession, token: str, lease_until_ns: int) -> set[str]:
    """Keeps every lease of that token until `lease_until_ns`; the ids of the transfers that it still holds."""
    kept = await session.execute(_RENEW, {"token": token, "until_ns": lease_until_ns})
    return set(kept.scalars())


_RENEW: Final = (
    update(_TRANSFERS)
    .where(_TRANSFERS.c.state == "sending", _TRANSFERS.c.lease_token == bindparam("token"))
    .values(lease_until_ns=bindparam("until_ns"))
    .returning(_TRANSFERS.c.id)
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt at a transfer ended, by the names of its columns. Make one with `delivered`, `again`, `failed` or
    `cancelled`; `tried` adds what the attempt found out.

    `plan`: the attempt's plan, in JSON; `verified_at_ns`: when the peer had every byte; `off_plain`: no further attempt
    may use the plain channel; `peer_holds`: the bytes that the peer held when it began, if more than ever before;
    `secure_left`, `plain_left`: see `Attempt`. `unreachable`: the peer could not be reached.
    """

    transfer_id: str
    state: TransferState
    outcome: AttemptOutcome
    reason: str | None = None
    next_try_at_ns: int | None = None
    receipt: str | None = None
    durations: str | None = None
    plan: str | None = None
    verified_at_ns: int | None = None
    off_plain: bool = False
    peer_holds: int | None = None
    secure_left: int | None = None
    plain_left: int | None = None
    unreachable: bool = False

    @classmethod
    def delivered(cls, transfer_id: str, receipt: str, durations: str | None = None) -> Self:
        """The receipt arrived. `durations`: the peer's figures, in JSON, unless an earlier attempt delivered it."""
        return cls(transfer_id, "delivered", "delivered", receipt=receipt, durations=durations)

    @classmethod
    def again(
        cls, transfer_id: str, reason: str, next_try_at_ns: int, *, off_plain: bool = False, unreachable: bool = False
    ) -> Self:
        """It failed this time; retry at `next_try_at_ns`."""
        return cls(transfer_id, "queued", "again", reason, next_try_at_ns, off_plain=off_plain, unreachable=unreachable)

    @classmethod
    def failed(cls, transfer_id: str, reason: str) -> Self:
        """It failed for good. It stays in lists, and its author may requeue it."""
        return cls(transfer_id, "failed", "failed", reason)

    @classmethod
    def cancelled(cls, transfer_id: str) -> Self:
        """Its author cancelled it."""
        return cls(transfer_id, "cancelled", "cancelled", CANCELLED)

    def tried(self, plan: str | None, verified_at_ns: int | None) -> Self:
        """The same, with what the attempt found out before it ended."""
        return replace(self, plan=plan, verified_at_ns=verified_at_ns)

    def further(self, peer_holds: int) -> Self:
        """The same of an attempt that began with more than any before: earlier attempts were not fruitless."""
        return replace(self, peer_holds=peer_holds)


_HELD: Final = select(_TRANSFERS.c.id).where(
    _TRANSFERS.c.id.in_(bindparam("ids", expanding=True)),
    _TRANSFERS.c.state == "sending",
    _TRANSFERS.c.lease_token == bindparam("token"),
)
_RECORD: Final = (
    update(_TRANSFERS)
    .where(_TRANSFERS.c.id == bindparam("transfer"))
    .values(
        state=bindparam("state"),
        lease_token=None,
        lease_until_ns=None,
        reason=bindparam("reason"),
        next_try_at_ns=bindparam("next_try_at_ns"),
        fruitless_tries=_TRANSFERS.c.fruitless_tries * bindparam("fruitless_before") + bindparam("fruitless"),
        peer_holds=func.coalesce(bindparam("peer_holds", type_=BigInteger), _TRANSFERS.c.peer_holds),
        verified_at_ns=func.coalesce(bindparam("verified_at_ns", type_=BigInteger), _TRANSFERS.c.verified_at_ns),
        delivered_at_ns=func.coalesce(bindparam("delivered_at_ns", type_=BigInteger), _TRANSFERS.c.delivered_at_ns),
        receipt=func.coalesce(bindparam("receipt", type_=String), _TRANSFERS.c.receipt),
        plan=func.coalesce(bindparam("plan", type_=String), _TRANSFERS.c.plan),
        off_plain=or_(_TRANSFERS.c.off_plain, bindparam("off_plain", type_=Boolean)),
        # The time of the first attempt in a row that could not reach the peer.
        unreachable_since_ns=case(
            (
                bindparam("unreachable", type_=Boolean),
                func.coalesce(_TRANSFERS.c.unreachable_since_ns, bindparam("now_ns", type_=BigInteger)),
            ),
            else_=None,
        ),
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
        secure_left=bindparam("secure_left"),
        plain_left=bindparam("plain_left"),
    )
)


async def record(session: AsyncSession, token: str, ended: Sequence[Ended], now_ns: int) -> set[str]:
    """Records how each attempt ended; returns the ids of those that the token still held. The others do not change."""
    held = set(await session.scalars(_HELD, {"ids": [each.transfer_id for each in ended], "token": token}))
    ours = [each for each in ended if each.transfer_id in held]
    if not ours:
        return held
    await session.execute(
        _RECORD,
        [
            {
                "transfer": each.transfer_id,
                "state": each.state,
                "reason": each.reason,
                "next_try_at_ns": each.next_try_at_ns,
                "fruitless_before": int(each.peer_holds is None),
                "fruitless": int(each.outcome == "again"),
                "peer_holds": each.peer_holds,
                "verified_at_ns": each.verified_at_ns,
                "delivered_at_ns": now_ns if each.outcome == "delivered" else None,
                "receipt": each.receipt,
                "plan": each.plan,
                "off_plain": each.off_plain,
                "unreachable": each.unreachable,
                "now_ns": now_ns,
            }
            for each in ours
        ],
    )
    await session.execute(
        _END_ATTEMPT,
        [
            {
                "transfer": each.transfer_id,
                "now_ns": now_ns,
                "outcome": each.outcome,
                "reason": each.reason,
                "plan": each.plan,
                "durations": each.durations,
                "secure_left": each.secure_left,
                "plain_left": each.plain_left,
            }
            for each in ours
        ],
    )
    for each in ours:
        await reload_row(session, Transfer, each.transfer_id)
    return held


_CANCEL_REQUESTED: Final = select(_TRANSFERS.c.id).where(
    _TRANSFERS.c.id.in_(bindparam("ids", expanding=True)), _TRANSFERS.c.cancel_requested
)


async def to_be_cancelled(session: AsyncSession, transfer_ids: Collection[str]) -> set[str]:
    """Those that their authors cancelled meanwhile."""
    return set(await session.scalars(_CANCEL_REQUESTED, {"ids": list(transfer_ids)}))


# --- breakers: after failures in a row, nothing is sent to a peer for a while, also after a restart -------------------


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
        await update_where(session, Breaker, Breaker.peer_id == peer_id, open_until_ns=now_ns + open_ns)


_FORGET_FAILURES: Final = delete(_BREAKERS).where(_BREAKERS.c.peer_id == bindparam("peer"))


async def breaker_succeeded(session: AsyncSession, peer_id: str) -> None:
    """The peer can be reached: its failures are forgotten."""
    await session.execute(_FORGET_FAILURES, {"peer": peer_id})


async def breaker(session: AsyncSession, peer_id: str) -> Breaker | None:
    """The peer's breaker; None if it has not failed lately."""
    return await session.scalar(select(Breaker).where(Breaker.peer_id == peer_id))
