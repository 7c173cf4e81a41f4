"""Policies and their versions. A version is added and never changed; a name that is deleted continues counting if it is
used again, so that "names/2" means one thing forever.
"""

from collections.abc import Sequence

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Policy, PolicyVersion
from sieve.store.queries.conditional_update import update_where


async def listed(session: AsyncSession, *, guard: bool | None = None) -> Sequence[PolicyVersion]:
    """The latest version of each policy that is not deleted, by name; of those only that guard or do not, if given."""
    latest = and_(PolicyVersion.name == Policy.name, PolicyVersion.version == Policy.version)
    wanted = select(PolicyVersion).join(Policy, latest).where(Policy.deleted_at_ns.is_(None)).order_by(Policy.name)
    if guard is not None:
        wanted = wanted.where(PolicyVersion.guard == guard)
    return (await session.scalars(wanted)).all()


async def by_name(session: AsyncSession, name: str) -> Policy | None:
    """The policy of that name, deleted or not."""
    return await session.get(Policy, name)


async def version_of(session: AsyncSession, name: str, version: int) -> PolicyVersion | None:
    """One version of a policy, deleted or not."""
    return await session.get(PolicyVersion, (name, version))


async def take_name(session: AsyncSession, name: str) -> int | None:
    """Makes the name a policy's, and returns the number of the version that the caller adds in the same transaction;
    None if there is such a policy already."""
    row = await by_name(session, name)
    if row is None:
        session.add(Policy(name=name, version=1))
        await session.flush()
        return 1
    if row.deleted_at_ns is None:
        return None
    row.version, row.deleted_at_ns = row.version + 1, None
    await session.flush()
    return row.version


async def advance(session: AsyncSession, name: str, version: int) -> bool:
    """The policy goes from `version` to the next, which the caller adds in the same transaction; False if that is not
    where it is, or it is deleted."""
    is_current = Policy.name == name, Policy.version == version, Policy.deleted_at_ns.is_(None)
    return await update_where(session, Policy, *is_current, version=version + 1) > 0


async def delete(session: AsyncSession, name: str, now_ns: int) -> bool:
    """Deletes a policy, whose versions stay; False if there is none of that name."""
    return (
        await update_where(session, Policy, Policy.name == name, Policy.deleted_at_ns.is_(None), deleted_at_ns=now_ns)
        > 0
    )
