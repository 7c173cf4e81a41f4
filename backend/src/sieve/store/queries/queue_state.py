"""The outbox as a queue, for admins: how much waits for each peer and for how long, and what the breakers say."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import OPEN_STATES, Breaker, Peer, Transfer
from sieve.store.queries.peers import OWN_ID

_NS: Final = 1_000_000_000


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
    """How many transfers are queued, how many are being sent, and when the oldest queued one was accepted."""

    queued: int
    sending: int
    oldest_at_ns: int | None


async def depth(session: AsyncSession) -> Depth:
    """The depth of the whole outbox."""
    found = await session.execute(
        select(Transfer.state, func.count(), func.min(Transfer.created_at_ns))
        .where(Transfer.state.in_(OPEN_STATES))
        .group_by(Transfer.state)
    )
    states = {state: (count, oldest) for state, count, oldest in found}
    queued, oldest = states.get("queued", (0, None))
    return Depth(queued, states.get("sending", (0, None))[0], oldest)


async def ahead_of(session: AsyncSession, transfer: Transfer) -> int:
    """How many transfers to the same peer are being sent, or will be sent before this queued one."""
    to_peer = select(func.count()).select_from(Transfer).where(Transfer.peer_id == transfer.peer_id)
    turn = tuple_(Transfer.next_try_at_ns, Transfer.created_at_ns, Transfer.id)
    mine = (transfer.next_try_at_ns, transfer.created_at_ns, transfer.id)
    sending = await session.scalar(to_peer.where(Transfer.state == "sending"))
    earlier = await session.scalar(to_peer.where(Transfer.state == "queued", turn < mine))
    return (sending or 0) + (earlier or 0)


async def accepted(session: AsyncSession, since_s: int, until_s: int, width_s: int) -> dict[int, int]:
    """How many transfers were accepted in each period, by its start; without periods in which none was."""
    # Whole numbers: SQLite divides them as such, and PostgreSQL too.
    start = Transfer.created_at_ns - Transfer.created_at_ns % (width_s * _NS)
    found = await session.execute(
        select(start, func.count())
        .where(Transfer.created_at_ns >= since_s * _NS, Transfer.created_at_ns < until_s * _NS)
        .group_by(start)
    )
    return {int(at_ns) // _NS: count for at_ns, count in found}


async def peers(session: AsyncSession) -> Sequence[PeerQueueRow]:
    """Every peer that is not removed, by name; this gateway itself only if anything was sent to its own people."""
    own_has_some = select(Transfer.id).where(Transfer.peer_id == OWN_ID).exists()
    waiting = (
        select(Transfer.peer_id, func.count().label("waiting"), func.min(Transfer.created_at_ns).label("oldest_at_ns"))
        .where(Transfer.state == "queued")
        .group_by(Transfer.peer_id)
        .subquery()
    )
    # A delivered transfer has no next try. With this condition, the index of turns holds them in order.
    last = (
        select(Transfer.delivered_at_ns)
        .where(Transfer.peer_id == Peer.id, Transfer.state == "delivered", Transfer.next_try_at_ns.is_(None))
        .order_by(Transfer.created_at_ns.desc())
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
        .order_by(Peer.name)
    )
    return [PeerQueueRow(*row) for row in found]


async def deadlines(session: AsyncSession, until_ns: int, limit: int) -> Sequence[DeadlineRow]:
    """Open transfers whose deadline is before `until_ns`, the earliest first."""
    found = await session.execute(
        select(Transfer.id, Peer.name, Transfer.deadline_at_ns, Transfer.state)
        .join(Peer, Peer.id == Transfer.peer_id)
        .where(Transfer.state.in_(OPEN_STATES), Transfer.deadline_at_ns < until_ns)
        .order_by(Transfer.deadline_at_ns, Transfer.id)
        .limit(limit)
    )
    return [DeadlineRow(*row) for row in found]
