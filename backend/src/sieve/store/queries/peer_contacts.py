"""The last successful contacts with each peer: see `sieve.gateway.peering.contacts`."""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Peer, PeerContact


async def all_of_them(session: AsyncSession) -> Sequence[PeerContact]:
    """The row of each peer that has one."""
    return (await session.scalars(select(PeerContact))).all()


async def keep(session: AsyncSession, peer_id: str, columns: Mapping[str, int | None]) -> None:
    """Writes a peer's row, unless the peer is removed."""
    if await session.scalar(select(Peer.id).where(Peer.id == peer_id, Peer.state != "removed")) is not None:
        await session.merge(PeerContact(peer_id=peer_id, **columns))
        await session.flush()


async def forget(session: AsyncSession, peer_id: str) -> None:
    """Removes a peer's row."""
    await session.execute(delete(PeerContact).where(PeerContact.peer_id == peer_id))
