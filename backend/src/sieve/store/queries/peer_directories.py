"""What each peer last said about itself and its recipients: one row for each, overwritten."""

from collections.abc import Collection
from typing import Final, cast

from sqlalchemy import Table, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import insert
from sieve.store.models import PeerDirectory

_INSERT: Final = insert(cast(Table, PeerDirectory.__table__))
_KEEP: Final = _INSERT.on_conflict_do_update(
    index_elements=["peer_id"],
    set_={name: _INSERT.excluded[name] for name in ("hello", "recipients", "said_at_ns")},
)


async def of(session: AsyncSession, peer_id: str) -> PeerDirectory | None:
    """The directory of a peer; None if it never answered."""
    return await session.get(PeerDirectory, peer_id)


async def recipients(session: AsyncSession, peer_ids: Collection[str]) -> dict[str, str]:
    """What each of these peers last said of its recipients (JSON), by the peer's id."""
    wanted = select(PeerDirectory.peer_id, PeerDirectory.recipients).where(PeerDirectory.peer_id.in_(peer_ids))
    return {row[0]: row[1] for row in await session.execute(wanted)}


async def keep(session: AsyncSession, peer_id: str, hello: str, recipients: str, now_ns: int) -> None:
    """Stores what a peer says now (JSON)."""
    await session.execute(_KEEP, {"peer_id": peer_id, "hello": hello, "recipients": recipients, "said_at_ns": now_ns})


async def forget(session: AsyncSession, peer_id: str) -> None:
    """Deletes the directory of a peer that is removed."""
    await session.execute(delete(PeerDirectory).where(PeerDirectory.peer_id == peer_id))
