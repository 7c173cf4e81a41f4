"""Tags: words by which a person finds their own drafts again. Nobody else sees them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, exists, func, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from sieve.store.models import Draft
from sieve.store.tag_models import Tag


class TagUsed(NamedTuple):
    """A tag, and how many drafts of its owner have it. Those in the trash do not count."""

    name: str
    items: int


async def of(session: AsyncSession, item_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The tags of each of these drafts that has any, in order of their names."""
    found: dict[str, list[str]] = {}
    for item_id, name in await session.execute(select(Tag.item_id, Tag.name).where(Tag.item_id.in_(item_ids))):
        found.setdefault(item_id, []).append(name)
    return {item_id: sorted(names, key=str.casefold) for item_id, names in found.items()}


def has(item_id: InstrumentedAttribute[str], name: str) -> ColumnElement[bool]:
    """Whether that draft has the tag."""
    return exists().where(Tag.item_id == item_id, Tag.name == name)


async def used(session: AsyncSession, owner_id: str) -> Sequence[TagUsed]:
    """The tags of a person's drafts, in order of their names."""
    wanted = (
        select(Tag.name, func.count())
        .join(Draft, Draft.id == Tag.item_id)
        .where(Tag.owner_id == owner_id, Draft.trashed_at_ns.is_(None), Draft.deleted_at_ns.is_(None))
        .group_by(Tag.name)
        .order_by(Tag.name)
    )
    return [TagUsed(*row) for row in await session.execute(wanted)]


async def add(session: AsyncSession, owner_id: str, item_ids: Sequence[str], name: str) -> Sequence[str]:
    """Adds a tag to those of the drafts that are this person's; returns the ids of those that did not have it."""
    untagged = select(Draft.id, literal(name), Draft.owner_id).where(
        Draft.owner_id == owner_id, Draft.id.in_(item_ids), Draft.deleted_at_ns.is_(None), ~has(Draft.id, name)
    )
    added = insert(Tag).from_select(["item_id", "name", "owner_id"], untagged).returning(Tag.item_id)
    return (await session.scalars(added)).all()


async def remove(
    session: AsyncSession, owner_id: str, item_ids: Sequence[str], name: str | None = None
) -> Sequence[str]:
    """Removes a tag from this person's drafts, or all their tags; returns the ids that the removed tags
    had.
    """
    gone = delete(Tag).where(Tag.owner_id == owner_id, Tag.item_id.in_(item_ids))
    if name is not None:
        gone = gone.where(Tag.name == name)
    return (await session.scalars(gone.returning(Tag.item_id))).all()
