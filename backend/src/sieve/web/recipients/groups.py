"""Groups of recipients: each belongs to the author who saved it, and nobody else sees it."""

import json
from collections.abc import Sequence
from typing import Final

from fastapi import Response
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.safe_names import clean_line
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound
from sieve.store.queries import recipient_groups as queries
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.errors import MalformedRequest
from sieve.web.recipients.schemas import GroupAsked, GroupChange, GroupShown, RecipientNamed
from sieve.web.services import Given

router = api_router("/recipient-groups", tag="recipient groups")

MAX_GROUPS: Final = 100
"""The most groups of an author."""


@router.get("")
async def listed(author: Author, services: Given) -> list[GroupShown]:
    """My groups of recipients, by name."""
    async with services.database.read() as session:
        return [GroupShown.of(row) for row in await queries.of_owner(session, author.id)]


@router.post("", status_code=201)
async def add(asked: GroupAsked, author: Author, services: Given, response: Response) -> GroupShown:
    """Saves a group of recipients. The gateway checks them when a document is sent to them."""
    name, members = _visible(asked.name), _stored(asked.members)
    async with services.database.write() as session:
        await _require_unused(session, author.id, name)
        if len(await queries.of_owner(session, author.id)) >= MAX_GROUPS:
            raise Conflict(
                Sentence("too-many-groups", "you have {limit} groups already; delete one first", limit=MAX_GROUPS)
            )
        row = await queries.add(session, owner_id=author.id, name=name, members=members, now_ns=now_ns())
    response.headers["Location"] = f"/api/v1/recipient-groups/{row.id}"
    return GroupShown.of(row)


@router.patch("/{group_id}")
async def change(group_id: str, asked: GroupChange, author: Author, services: Given) -> GroupShown:
    """Renames a group of mine, or replaces its members."""
    async with services.database.write() as session:
        row = await queries.owned(session, group_id, author.id)
        if row is None:
            raise NotFound("you have no such group")
        if asked.name is not None:
            name = _visible(asked.name)
            if name != row.name:
                await _require_unused(session, author.id, name)
            row.name = name
        if asked.members is not None:
            row.members = _stored(asked.members)
        session.add(row)
        await session.flush()
        return GroupShown.of(row)


@router.delete("/{group_id}", status_code=204)
async def delete(group_id: str, author: Author, services: Given) -> None:
    """Deletes a group of mine. Documents that were sent to its members are not affected."""
    async with services.database.write() as session:
        if not await queries.delete(session, group_id, author.id):
            raise NotFound("you have no such group")


async def _require_unused(session: AsyncSession, owner_id: str, name: str) -> None:
    if any(row.name == name for row in await queries.of_owner(session, owner_id)):
        raise Conflict(
            Sentence("group-exists", "you have a group named {name} already; choose another name", name=name)
        )


def _stored(members: Sequence[RecipientNamed]) -> str:
    """JSON: pairs of gateway and login, each once."""
    pairs = dict.fromkeys((member.peer, member.name.strip().lower()) for member in members)
    return json.dumps(list(pairs), ensure_ascii=False)


def _visible(name: str) -> str:
    cleaned = clean_line(name)
    if not cleaned:
        raise MalformedRequest("body.name: it has no visible characters")
    return cleaned
