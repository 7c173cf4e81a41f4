"""Tags: words by which a person finds their own drafts and inbox entries again. Nobody else sees them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, exists, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from sieve.store.models import Draft, InboxEntry
from sieve.store.tag_models import Tag


class TagUsed(NamedTuple):
    """A tag, and how many drafts or entries of its owner have it. Those in the trash do not count."""

    name: str
    items: int


async def of(session: AsyncSession, item_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The tags of each of these drafts or entries that has any, in order of their names."""
    found: dict[str, list[str]] = {}
    for item_id, name in await session.execute(select(Tag.item_id, Tag.name).where(Tag.item_id.in_(item_ids))):
        found.setdefault(item_id, []).append(name)
    return {item_id: sorted(names, key=str.casefold) for item_id, names in found.items()}


def has(item_id: InstrumentedAttribute[str], name: str) -> ColumnElement[bool]:
    """Whether that draft or entry has the tag."""
    return exists().where(Tag.item_id == item_id, Tag.name == name)


async def used(session: AsyncSession, owner_id: str, items: type[Draft] | type[InboxEntry]) -> Sequence[TagUsed]:
    """The tags of a person's drafts or inbox entries, in order of their names."""
    wanted = (
        select(Tag.name, func.count())
        .join(items, items.id == Tag.item_id)
        .where(Tag.owner_id == owner_id, items.trashed_at_ns.is_(None), items.deleted_at_ns.is_(None))
        .group_by(Tag.name)
        .order_by(Tag.name)
    )
    return [TagUsed(*row) for row in await session.execute(wanted)]


async def add(
    session: AsyncSession, owner_id: str, items: type[Draft] | type[InboxEntry], item_ids: Sequence[str], name: str
) -> Sequence[str]:
    """Adds a tag to those of the drafts or entries that are this person's; returns the ids of those that did not have
    it.
    """
    owner = Draft.owner_id if items is Draft else InboxEntry.user_id
    untagged = select(items.id, literal(name), owner).where(
        owner == owner_id, items.id.in_(item_ids), items.deleted_at_ns.is_(None), ~has(items.id, name)
    )
    added = insert(Tag).from_select(["item_id", "name", "owner_id"], untagged).returning(Tag.item_id)
    return (await session.scalars(added)).all()


async def remove(
    session: AsyncSession, owner_id: str, item_ids: Sequence[str], name: str | None = None
) -> Sequence[str]:
    """Removes a tag from this person's drafts or entries, or all their tags; returns the ids that the removed tags
    had.
    """
    gone = delete(Tag).where(Tag.owner_id == owner_id, Tag.item_id.in_(item_ids))
    if name is not None:
        gone = gone.where(Tag.name == name)
    return (await session.scalars(gone.returning(Tag.item_id))).all()
