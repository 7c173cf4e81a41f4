"""The outbox as a queue, for admins and monitoring: what waits for each peer, how long, and which peers are paused."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVarTuple, get_args

from sqlalchemy import ColumnElement, Select, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import OPEN_STATES, Breaker, Document, Peer, Transfer, TransferState
from sieve.store.queries.peers import OWN_ID

Columns = TypeVarTuple("Columns")

_NS: Final = 1_000_000_000
_OVER: Final = tuple(state for state in get_args(TransferState) if state not in OPEN_STATES)


class PeerQueueRow(NamedTuple):
    """The queue for a peer. `last_delivered_at_ns`: of the latest transfer to it that was delivered."""

    name: str
    state: str
    failures: int
    open_until_ns: int | None
    waiting: int
    oldest_at_ns: int | None
    last_delivered_at_ns: int | None


class DeadlineRow(NamedTuple):
    """An open transfer and its deadline."""

    transfer_id: str
    peer: str
    deadline_at_ns: int
    state: str


class Depth(NamedTuple):
    """How many transfers are queued and how many are being sent, and when the oldest one of each was accepted."""

    queued: int
    sending: int
    oldest_at_ns: int | None
    oldest_sending_at_ns: int | None


Conditions: TypeAlias = Sequence[ColumnElement[bool]]
"""Which transfers count, by columns of `Transfer` and of its `Document`; empty: all."""


class QueueAge(NamedTuple):
    """The queued transfers. `oldest_age_ns`: since the oldest one was accepted; 0 if there is none."""

    depth: int
    oldest_age_ns: int


async def age(session: AsyncSession, now_ns: int) -> QueueAge:
    """How many transfers are queued, and the age of the oldest one."""
    queued = select(func.count(), func.min(Transfer.created_at_ns)).where(Transfer.state == "queued")
    found, oldest_ns = (await session.execute(queued)).one()
    return QueueAge(found, 0 if oldest_ns is None else max(0, now_ns - oldest_ns))


async def transfers_by_state(session: AsyncSession) -> dict[str, int]:
    """How many transfers there are in each state."""
    counted = await session.execute(select(Transfer.state, func.count()).group_by(Transfer.state))
    return {row[0]: row[1] for row in counted}


async def depth(session: AsyncSession, conditions: Conditions = ()) -> Depth:
    """The depth of the outbox."""
    states_now = select(Transfer.state, func.count(), func.min(Transfer.created_at_ns))
    states_now = states_now.where(Transfer.state.in_(OPEN_STATES)).group_by(Transfer.state)
    found = await session.execute(_of(states_now, conditions))
    states = {state: (count, oldest) for state, count, oldest in found}
    queued, oldest = states.get("queued", (0, None))
    sending, oldest_sending = states.get("sending", (0, None))
    return Depth(queued, sending, oldest, oldest_sending)


async def ahead_of(session: AsyncSession, transfer: Transfer) -> int:
    """How many transfers to the same peer are being sent, or will be sent before this queued one."""
    to_peer = select(func.count()).select_from(Transfer).where(Transfer.peer_id == transfer.peer_id)
    turn = tuple_(Transfer.next_try_at_ns, Transfer.created_at_ns, Transfer.id)
    mine = (transfer.next_try_at_ns, transfer.created_at_ns, transfer.id)
    sending = await session.scalar(to_peer.where(Transfer.state == "sending"))
    earlier = await session.scalar(to_peer.where(Transfer.state == "queued", turn < mine))
    return (sending or 0) + (earlier or 0)


def _of(transfers: Select[*Columns], conditions: Conditions) -> Select[*Columns]:
    """Of a query of transfers, those that count."""
    return transfers.join(Document, Document.id == Transfer.document_id).where(*conditions) if conditions else transfers


async def accepted(
    session: AsyncSession, since_s: int, until_s: int, width_s: int, peer_ids: Collection[str] | None = None
) -> dict[int, int]:
    """How many transfers were accepted in each period, by its start; without periods in which none was. `peer_ids`:
    only those to these peers."""
    # Whole numbers: SQLite divides them as such, and PostgreSQL too.
    start = Transfer.created_at_ns - Transfer.created_at_ns % (width_s * _NS)
    counted = select(start, func.count()).where(
        Transfer.created_at_ns >= since_s * _NS, Transfer.created_at_ns < until_s * _NS
    )
    counts: dict[int, int] = {}
    if since_s < until_s:
        parts = [counted] if peer_ids is None else [counted.where(*each) for each in _by_peer(peer_ids)]
        for part in parts:
            for at_ns, count in await session.execute(part.group_by(start)):
                at_s = int(at_ns) // _NS
                counts[at_s] = counts.get(at_s, 0) + count
    return counts


def _by_peer(peer_ids: Collection[str]) -> Sequence[Conditions]:
    """Conditions with which the index of turns holds the transfers to these peers by the time of their acceptance: what
    is over has no next try. All others are few."""
    of_peers = Transfer.peer_id.in_(sorted(peer_ids))
    return [
        [of_peers, Transfer.state.in_(_OVER), Transfer.next_try_at_ns.is_(None)],
        [of_peers, Transfer.state.in_(OPEN_STATES)],
    ]


async def peers(
    session: AsyncSession, peer_ids: Collection[str] | None = None, conditions: Conditions = ()
) -> Sequence[PeerQueueRow]:
    """Every peer that is not removed, by name; this gateway itself only if anything was sent to its own people.
    `peer_ids`: only these. `conditions`: the transfers that count as waiting."""
    own_has_some = select(Transfer.id).where(Transfer.peer_id == OWN_ID).exists()
    oldest = func.min(Transfer.created_at_ns).label("oldest_at_ns")
    queued = select(Transfer.peer_id, func.count().label("waiting"), oldest).where(Transfer.state == "queued")
    waiting = _of(queued, conditions).group_by(Transfer.peer_id).subquery()
    # A delivered transfer has no next try. With this condition, the index of turns holds them in order; PostgreSQL sees
    # that only if the order names its column, too.
    last = (
        select(Transfer.delivered_at_ns)
        .where(Transfer.peer_id == Peer.id, Transfer.state == "delivered", Transfer.next_try_at_ns.is_(None))
        .order_by(Transfer.next_try_at_ns.desc(), Transfer.created_at_ns.desc())
        .limit(1)
        .scalar_subquery()
    )
    found = await session.execute(
        select(
            Peer.name,
            Peer.state,
            func.coalesce(Breaker.failures, 0),
            Breaker.open_until_ns,
            func.coalesce(waiting.c.waiting, 0),
            waiting.c.oldest_at_ns,
            last,
        )
        .outerjoin(Breaker, Breaker.peer_id == Peer.id)
        .outerjoin(waiting, waiting.c.peer_id == Peer.id)
        .where(Peer.state != "removed", or_(Peer.id != OWN_ID, own_has_some))
        .where(*([] if peer_ids is None else [Peer.id.in_(sorted(peer_ids))]))
        .order_by(Peer.name)
    )
    return [PeerQueueRow(*row) for row in found]


async def paused(session: AsyncSession, now_ns: int) -> Sequence[PeerQueueRow]:
    """The peers to which nothing is sent now, by name."""
    paused_ids = (await session.scalars(select(Breaker.peer_id).where(Breaker.open_until_ns > now_ns))).all()
    return await peers(session, paused_ids) if paused_ids else []


async def deadlines(
    session: AsyncSession, until_ns: int, limit: int, conditions: Conditions = ()
) -> Sequence[DeadlineRow]:
    """Open transfers whose deadline is before `until_ns`, the earliest first."""
    due = (
        select(Transfer.id, Peer.name, Transfer.deadline_at_ns, Transfer.state)
        .join(Peer, Peer.id == Transfer.peer_id)
        .where(Transfer.state.in_(OPEN_STATES), Transfer.deadline_at_ns < until_ns)
        .order_by(Transfer.deadline_at_ns, Transfer.id)
        .limit(limit)
    )
    found = await session.execute(_of(due, conditions))
    return [DeadlineRow(*row) for row in found]
