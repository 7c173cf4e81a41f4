"""What counts once. A row stays until what it names would be too old anyway."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import CursorResult, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.dialect import insert
from sieve.store.models import UsedOnce


async def use(session: AsyncSession, key: str, until_ns: int, now_ns: int) -> bool:
    """Uses `key` up until that time; False if it was used before."""
    await sweep(session, now_ns)
    added = await session.execute(insert(UsedOnce).values(key=key, until_ns=until_ns).on_conflict_do_nothing())
    return cast(CursorResult[Any], added).rowcount == 1


async def sweep(session: AsyncSession, now_ns: int) -> None:
    """Removes what is too old anyway."""
    await session.execute(delete(UsedOnce).where(UsedOnce.until_ns <= now_ns))


async def count(session: AsyncSession, prefix: str) -> int:
    """How many keys with that beginning were used up."""
    wanted = select(func.count()).select_from(UsedOnce).where(UsedOnce.key.startswith(prefix, autoescape=True))
    return await session.scalar(wanted) or 0


async def used(session: AsyncSession, keys: Sequence[str]) -> set[str]:
    """Those of `keys` that were used up."""
    return set(await session.scalars(select(UsedOnce.key).where(UsedOnce.key.in_(keys))))
