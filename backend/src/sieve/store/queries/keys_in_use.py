"""Which master keys rows need. `master_keys` has a row for each key that ever wrapped anything here. A start reads only
these few rows; it searches the rows that need a key only if that key is missing.
"""

from collections.abc import Collection

from sqlalchemy import CompoundSelect, delete, func, select, union, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import AuditEntry, Blob, MasterKey, Partial
from sieve.store.queries import blobs
from sieve.store.queries.sealed_columns import COLUMNS, key_of


async def recorded(session: AsyncSession) -> set[str]:
    """The ids of all keys that ever wrapped anything."""
    return set(await session.scalars(select(MasterKey.id)))


async def record(session: AsyncSession, key_id: str) -> None:
    """Notes that this key wraps from now on. Commit before it wraps anything."""
    await session.merge(MasterKey(id=key_id))


async def forget(session: AsyncSession, key_ids: Collection[str]) -> None:
    """Notes that nothing needs these keys any more: a start does not ask for them."""
    await session.execute(delete(MasterKey).where(MasterKey.id.in_(key_ids)))


async def needed(session: AsyncSession, key_ids: Collection[str]) -> set[str]:
    """Those of `key_ids` without which something that is kept cannot be opened. Reads all rows that are sealed."""
    return set(await session.scalars(naming(key_ids)))


async def counted(session: AsyncSession) -> dict[str, int]:
    """How many rows name each key: also those that nothing needs any more."""
    values = (AuditEntry.reason, AuditEntry.sealed_details, Partial.kept, *(column.value for column in COLUMNS))
    named = union_all(
        select(Blob.key_id.label("key_id")).where(Blob.key_id.is_not(None)),
        *(select(key_of(value).label("key_id")).where(value.is_not(None)) for value in values),
    ).subquery()
    found = await session.execute(select(named.c.key_id, func.count()).group_by(named.c.key_id))
    return {row[0]: row[1] for row in found}


def naming(key_ids: Collection[str]) -> CompoundSelect[str]:
    """Those of `key_ids` that a row needs."""
    values = (AuditEntry.reason, AuditEntry.sealed_details, *(column.value for column in COLUMNS))
    named = [key_of(value).label("key_id") for value in values]
    return union(
        select(Blob.key_id).where(Blob.key_id.in_(key_ids), Blob.id.in_(blobs.needed())),
        *(select(key_id).where(key_id.in_(key_ids)) for key_id in named),
    )
