"""The groups of recipients that authors save."""

import json
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import RecipientGroup, new_id


async def of_owner(session: AsyncSession, owner_id: str) -> Sequence[RecipientGroup]:
    """An author's groups, by name."""
    wanted = select(RecipientGroup).where(RecipientGroup.owner_id == owner_id).order_by(RecipientGroup.name)
    return (await session.scalars(wanted)).all()


async def owned(session: AsyncSession, group_id: str, owner_id: str) -> RecipientGroup | None:
    """That author's group."""
    wanted = select(RecipientGroup).where(RecipientGroup.id == group_id, RecipientGroup.owner_id == owner_id)
    return await session.scalar(wanted)


async def add(session: AsyncSession, *, owner_id: str, name: str, members: str, now_ns: int) -> RecipientGroup:
    """A new group."""
    row = RecipientGroup(id=new_id(), owner_id=owner_id, name=name, members=members, created_at_ns=now_ns)
    session.add(row)
    await session.flush()
    return row


async def rename_gateway(session: AsyncSession, old: str, new: str) -> None:
    """Makes the groups of all authors name a gateway by its new name."""
    for row in (await session.scalars(select(RecipientGroup))).all():
        members = [[new if gateway == old else gateway, login] for gateway, login in json.loads(row.members)]
        row.members = json.dumps(members, ensure_ascii=False)
        session.add(row)
    await session.flush()


async def delete(session: AsyncSession, group_id: str, owner_id: str) -> bool:
    """Deletes that author's group; False if there is none."""
    row = await owned(session, group_id, owner_id)
    if row is not None:
        await session.delete(row)
        await session.flush()
    return row is not None
