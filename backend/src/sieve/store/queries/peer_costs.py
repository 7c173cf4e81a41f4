"""The planner's beliefs about each peer: one row for each, overwritten."""

from typing import Final, cast

from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import insert
from sieve.store.models import PeerCosts

_INSERT: Final = insert(cast(Table, PeerCosts.__table__))
_KEEP: Final = _INSERT.on_conflict_do_update(
    index_elements=["peer_id"],
    set_={"believed": _INSERT.excluded.believed, "changed_at_ns": _INSERT.excluded.changed_at_ns},
)


async def of(session: AsyncSession, peer_id: str) -> str | None:
    """The beliefs about a peer (JSON); None if nothing was measured there."""
    found: str | None = await session.scalar(select(PeerCosts.believed).where(PeerCosts.peer_id == peer_id))
    return found


async def keep(session: AsyncSession, peer_id: str, believed: str, now_ns: int) -> None:
    """Stores the new beliefs about a peer (JSON)."""
    await session.execute(_KEEP, {"peer_id": peer_id, "believed": believed, "changed_at_ns": now_ns})
