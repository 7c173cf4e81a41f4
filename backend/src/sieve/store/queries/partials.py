"""The rows of documents that came in part: see `sieve.gateway.inbound.partials`."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, exists, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Partial, Received


async def blob_ids(session: AsyncSession) -> set[str]:
    """The ids of all their blobs."""
    return {blob_id for ids in await session.scalars(select(Partial.blob_ids)) for blob_id in ids.split()}


async def load(session: AsyncSession) -> Sequence[Partial]:
    """Every row, the one that was touched longest ago first; none of a transfer that was delivered."""
    delivered = exists().where(Received.peer_id == Partial.peer_id, Received.transfer_id == Partial.transfer_id)
    return (await session.scalars(select(Partial).where(~delivered).order_by(Partial.touched_at_ns))).all()


async def put(session: AsyncSession, partial: Partial) -> None:
    """The row of that transfer, new or in place of an older one."""
    await session.merge(partial)
    await session.flush()


async def remove(session: AsyncSession, keys: Iterable[tuple[str, str]]) -> None:
    """The rows of these transfers, each named by peer and transfer id."""
    which = tuple_(Partial.peer_id, Partial.transfer_id).in_(list(keys))
    await session.execute(delete(Partial).where(which))


async def keep_only(session: AsyncSession, keys: Iterable[tuple[str, str]]) -> None:
    """Removes all other rows."""
    which = tuple_(Partial.peer_id, Partial.transfer_id).not_in(list(keys))
    await session.execute(delete(Partial).where(which))


async def remove_older(session: AsyncSession, touched_at_ns: int) -> None:
    """Removes the rows that were not touched since then."""
    await session.execute(delete(Partial).where(Partial.touched_at_ns < touched_at_ns))
