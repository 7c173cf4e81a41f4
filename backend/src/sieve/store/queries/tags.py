"""Tags: words by which a person finds their own drafts and inbox entries again. Nobody else sees them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, exists, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Draft, InboxEntry, Tag


class TagUsed(NamedTuple):
    """A tag, and how many rows of its owner have it. Those in the trash do not count."""

    name: str
    items: int


class Items(NamedTuple):
    """The columns of a table whose rows have tags. `exists`, `shown`: conditions; a row in the trash exists, but is
    not shown. A draft that a reset locked does not exist for anybody who acts as its owner.
    """

    id: Any
    owner_id: Any
    exists: ColumnElement[bool]
    shown: ColumnElement[bool]


DRAFTS: Final = Items(
    Draft.id,
    Draft.owner_id,
    and_(Draft.deleted_at_ns.is_(None), Draft.locked.is_(False)),
    Draft.trashed_at_ns.is_(None),
)
ENTRIES: Final = Items(
    InboxEntry.id, InboxEntry.user_id, InboxEntry.deleted_at_ns.is_(None), InboxEntry.trashed_at_ns.is_(None)
)


async def of(session: AsyncSession, item_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The tags of each of these rows that has any, in order of their names."""
    found: dict[str, list[str]] = {}
    for item_id, name in await session.execute(select(Tag.item_id, Tag.name).where(Tag.item_id.in_(item_ids))):
        found.setdefault(item_id, []).append(name)
    return {item_id: sorted(names, key=str.casefold) for item_id, names in found.items()}


def has(item_id: Any, name: str) -> ColumnElement[bool]:
    """Whether that row has the tag."""
    return exists().where(Tag.item_id == item_id, Tag.name == name)


async def used(session: AsyncSession, items: Items, owner_id: str) -> Sequence[TagUsed]:
    """The tags of a person's rows, in order of their names."""
    wanted = (
        select(Tag.name, func.count())
        .where(items.id == Tag.item_id)
        .where(Tag.owner_id == owner_id, items.exists, items.shown)
        .group_by(Tag.name)
        .order_by(Tag.name)
    )
    return [TagUsed(*row) for row in await session.execute(wanted)]


async def add(session: AsyncSession, items: Items, owner_id: str, item_ids: Sequence[str], name: str) -> Sequence[str]:
    """Adds a tag to those of the rows that are this person's; returns the ids of those that did not have it."""
    untagged = select(items.id, literal(name), items.owner_id).where(
        items.owner_id == owner_id, items.id.in_(item_ids), items.exists, ~has(items.id, name)
    )
    added = insert(Tag).from_select(["item_id", "name", "owner_id"], untagged).returning(Tag.item_id)
    return (await session.scalars(added)).all()


async def remove(
    session: AsyncSession, items: Items, owner_id: str, item_ids: Sequence[str], name: str
) -> Sequence[str]:
    """Removes a tag from those of the rows that are this person's; returns the ids of those that had it."""
    theirs = select(items.id).where(items.owner_id == owner_id, items.id.in_(item_ids), items.exists)
    gone = delete(Tag).where(Tag.owner_id == owner_id, Tag.item_id.in_(theirs), Tag.name == name)
    return (await session.scalars(gone.returning(Tag.item_id))).all()


async def remove_all(session: AsyncSession, owner_id: str, item_id: str) -> None:
    """Removes the tags of a row that is deleted for good."""
    await session.execute(delete(Tag).where(Tag.owner_id == owner_id, Tag.item_id == item_id))
