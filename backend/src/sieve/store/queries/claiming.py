"""Which transfers of the outbox are due, and how they are claimed.

Invariant: a claim increments `attempt`, sets a lease and gives its holder a token. When a transfer may be claimed: a
queued one at its next try, one being sent when its lease ends; neither while its peer's breaker is open. A breaker
whose time is over lets one transfer through to try the peer, and more only after that has closed it. `due` finds
something exactly from the time that `next_due_ns` returned.

These queries run often, on the event loop. So they read each peer once, and no more of its waiting transfers than may
be claimed, however long the backlog is.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import BigInteger, CursorResult, Integer, Select, Table, bindparam, case, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql import ColumnElement

from sieve.store.dialect import greatest
from sieve.store.models import Attempt, Breaker, Document, Peer, Transfer
from sieve.store.queries.conditional_update import update_where
from sieve.store.queries.rows_as_objects import RowsOf

# As tables, not as objects: this module changes rows that it need not load.
_TRANSFERS: Final = cast(Table, Transfer.__table__)
_ATTEMPTS: Final = cast(Table, Attempt.__table__)
_DOCUMENTS: Final = cast(Table, Document.__table__)
_PEERS: Final = cast(Table, Peer.__table__)
_BREAKERS: Final = cast(Table, Breaker.__table__)


def _of_peer(what: ColumnElement[int], state: str) -> ColumnElement[int]:
    """One number of all of a peer's transfers in a state."""
    wanted = select(what).where(_TRANSFERS.c.peer_id == _PEERS.c.id, _TRANSFERS.c.state == state)
    return wanted.correlate(_PEERS).scalar_subquery()


_WAITS: Final = _of_peer(func.min(_TRANSFERS.c.next_try_at_ns), "queued")
_FIRST_LEASE: Final = _of_peer(func.min(_TRANSFERS.c.lease_until_ns), "sending")
_LAST_LEASE: Final = _of_peer(func.max(_TRANSFERS.c.lease_until_ns), "sending")
_OPEN: Final = _BREAKERS.c.open_until_ns
_DUE: Final = case(
    (_OPEN.is_(None) & (_FIRST_LEASE.is_(None) | (_WAITS <= _FIRST_LEASE)), _WAITS),
    (_OPEN.is_(None), _FIRST_LEASE),
    # Who is being tried again is tried by one at a time: nothing more before every lease there has ended.
    (_LAST_LEASE.is_not(None), greatest(_OPEN, _LAST_LEASE)),
    (_WAITS.is_not(None), greatest(_OPEN, _WAITS)),
)
"""When the first transfer to a peer may be claimed."""

# Built once: putting such a statement together takes longer than the database takes to answer it.
_ACTIVE: Final[Select[Any]] = (
    select(_PEERS.c.id).outerjoin(_BREAKERS, _BREAKERS.c.peer_id == _PEERS.c.id).where(_PEERS.c.state == "active")
)
_NEXT_DUE: Final = _ACTIVE.with_only_columns(func.min(_DUE))
_NOW: Final = bindparam("now_ns", type_=BigInteger)
_PEERS_DUE: Final = _ACTIVE.where(_DUE <= _NOW).with_only_columns(
    _PEERS.c.id, _OPEN.is_not(None).label("tried"), (_FIRST_LEASE <= _NOW).label("has_lost")
)


async def next_due_ns(session: AsyncSession) -> int | None:
    """From when on `due` finds something, if nothing changes until then; None if nothing can be waited for."""
    found: int | None = await session.scalar(_NEXT_DUE)
    return found


class Due(NamedTuple):
    """A transfer that may be claimed, and what decides with whom it goes. `attempts`: those that there were.

    `size`, `classified_size`: bytes as they travel, with redacted edition and marks, for the peer counts them, too.
    `off_plain`: no attempt may use the plain channel.
    """

    since_ns: int
    created_at_ns: int
    id: str
    peer_id: str
    mode: str
    secure_channels: int
    plain_channels: int
    split: str
    batch_id: str | None
    attempts: int
    size: int
    classified_size: int
    off_plain: bool


def _found(*which: ColumnElement[bool]) -> Select[Any]:
    c = _TRANSFERS.c
    order = c.next_try_at_ns, c.created_at_ns, c.id
    accompanying = func.coalesce(c.redacted_size, 0) + func.coalesce(c.marks_size, 0)
    return (
        select(
            *order,
            c.peer_id,
            c.mode,
            c.secure_channels,
            c.plain_channels,
            c.split,
            c.batch_id,
            c.attempt,
            _DOCUMENTS.c.size + accompanying,
            _DOCUMENTS.c.classified_size + accompanying,
            c.off_plain,
        )
        .join(_DOCUMENTS, _DOCUMENTS.c.id == c.document_id)
        .where(c.peer_id == bindparam("peer"), *which)
        .order_by(*order)
        .limit(bindparam("most", type_=Integer))
    )


# Two statements, each of which an index answers in order.
_WAITING: Final = _found(_TRANSFERS.c.state == "queued", _TRANSFERS.c.next_try_at_ns <= _NOW)
_LOST: Final = _found(_TRANSFERS.c.state == "sending", _TRANSFERS.c.lease_until_ns <= _NOW)


async def due(session: AsyncSession, *, now_ns: int, most: int) -> Sequence[Due]:
    """The transfers that may be claimed, those that have been due longest first; `most` to each peer at most."""
    found: list[Due] = []
    for peer_id, tried, has_lost in (await session.execute(_PEERS_DUE, {"now_ns": now_ns})).all():
        given = {"peer": peer_id, "now_ns": now_ns, "most": most}
        theirs = [Due(*row) for row in await session.execute(_WAITING, given)]
        if has_lost:
            theirs += [Due(*row) for row in await session.execute(_LOST, given)]
        # A peer that is being tried again gets one, however many may be claimed.
        found += [min(theirs)] if tried else theirs
    return sorted(found, key=lambda each: each[:3])


_ROWS: Final = RowsOf(Transfer)
_CLAIM: Final = (
    update(_TRANSFERS)
    .where(_TRANSFERS.c.id.in_(bindparam("ids", expanding=True)))
    .values(
        state="sending",
        attempt=_TRANSFERS.c.attempt + 1,
        lease_token=bindparam("token"),
        lease_until_ns=bindparam("until_ns"),
    )
    .returning(*_ROWS.columns)
)
_LOSE: Final = (
    update(_ATTEMPTS)
    .where(_ATTEMPTS.c.outcome.is_(None))
    .values(outcome="lost")
    .returning(_ATTEMPTS.c.transfer_id, _ATTEMPTS.c.number, _ATTEMPTS.c.started_at_ns)
)
_LOSE_THEIRS: Final = _LOSE.where(_ATTEMPTS.c.transfer_id.in_(bindparam("ids", expanding=True)))
_NEW_ATTEMPT: Final = insert(_ATTEMPTS)


class LostAttempt(NamedTuple):
    """An attempt without an outcome, whose holder vanished. It is marked as lost once."""

    transfer_id: str
    number: int
    started_at_ns: int


class Claimed(NamedTuple):
    """Claimed transfers, no change of which is written, and their attempts that this claim found to be lost."""

    transfers: Sequence[Transfer]
    lost: Sequence[LostAttempt]


async def claim(
    session: AsyncSession, transfer_ids: Sequence[str], *, now_ns: int, lease_ns: int, token: str
) -> Claimed:
    """Takes transfers that `due` found in this very transaction, for `lease_ns`, in the order in which they are named.

    `token` is fresh for each call. Only the rows' own columns are loaded: `outbox.by_id` has the rest.
    """
    if not transfer_ids:
        return Claimed([], [])
    ids = list(transfer_ids)
    given = {"ids": ids, "token": token, "until_ns": now_ns + lease_ns}
    claimed = {row.id: _ROWS.made(row) for row in await session.execute(_CLAIM, given)}
    lost: list[LostAttempt] = []
    if any(row.attempt > 1 for row in claimed.values()):
        lost = [LostAttempt(*row) for row in await session.execute(_LOSE_THEIRS, {"ids": ids})]
    await session.execute(
        _NEW_ATTEMPT,
        [{"transfer_id": each.id, "number": each.attempt, "started_at_ns": now_ns} for each in claimed.values()],
    )
    return Claimed([claimed[each] for each in ids], lost)


async def release_all_leases(session: AsyncSession) -> Sequence[LostAttempt]:
    """Makes every transfer that was being sent claimable again; returns their attempts, which are lost.

    For the start of the process that holds the data folder's lock: no other process can be sending.
    """
    lost = [LostAttempt(*row) for row in await session.execute(_LOSE)]
    await update_where(
        session, Transfer, Transfer.state == "sending", state="queued", lease_token=None, lease_until_ns=None
    )
    return lost


_UNREACHABLE: Final = _TRANSFERS.c.unreachable_since_ns.is_not(None) & (_TRANSFERS.c.state == "queued")
_UNREACHABLE_PEERS: Final = select(_TRANSFERS.c.peer_id).where(_UNREACHABLE).distinct()
_UNREACHABLE_SINCE: Final = select(func.min(_TRANSFERS.c.unreachable_since_ns)).where(
    _TRANSFERS.c.peer_id == bindparam("peer"), _UNREACHABLE
)
_RELEASE_UNREACHABLE: Final = (
    update(_TRANSFERS)
    .where(_TRANSFERS.c.peer_id == bindparam("peer"), _UNREACHABLE, _TRANSFERS.c.next_try_at_ns > _NOW)
    .values(next_try_at_ns=_NOW)
)


async def unreachable_peers(session: AsyncSession) -> set[str]:
    """The peers that queued transfers wait for because they could not be reached."""
    return set(await session.scalars(_UNREACHABLE_PEERS))


async def unreachable_since(session: AsyncSession, peer_id: str) -> int | None:
    """Since when queued transfers wait because this peer could not be reached; None if none does."""
    since_ns: int | None = await session.scalar(_UNREACHABLE_SINCE, {"peer": peer_id})
    return since_ns


async def release_unreachable(session: AsyncSession, peer_id: str, now_ns: int) -> int:
    """Makes these transfers to a peer due; returns how many there were."""
    done = await session.execute(_RELEASE_UNREACHABLE, {"peer": peer_id, "now_ns": now_ns})
    return cast(CursorResult[Any], done).rowcount
