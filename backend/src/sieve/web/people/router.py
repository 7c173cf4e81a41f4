"""People, for admins. To read documents, an admin needs the same roles as everyone else."""

from typing import Any

from fastapi import APIRouter, Response

from sieve.channel.names import clean_line
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound
from sieve.store.models import User
from sieve.store.queries import one_time_links, sessions
from sieve.store.queries import people as queries
from sieve.web.access import Admin
from sieve.web.errors import MalformedRequest
from sieve.web.people.schemas import PersonAsked, PersonChange
from sieve.web.person import PersonShown
from sieve.web.services import Given
from sieve.web.tokens.new_token import new_token
from sieve.web.tokens.schemas import TokenAsked, TokenMade
from sieve.web.welcome.new_link import new_link
from sieve.web.welcome.schemas import LinkMade

router = APIRouter(prefix="/people", tags=["people"])


@router.get("")
async def everybody(admin: Admin, services: Given) -> list[PersonShown]:
    """All people, by login."""
    async with services.database.read() as session:
        return [PersonShown.of(row) for row in await queries.everybody(session)]


@router.post("", status_code=201)
async def add(asked: PersonAsked, admin: Admin, services: Given, response: Response) -> PersonShown:
    """Adds a person. They can sign in once they have set a password with a link, or use a token."""
    values = asked.model_dump() | {"display_name": _visible(asked.display_name), "unit": _unit(asked.unit)}
    async with services.database.write() as session:
        if await queries.by_name(session, asked.name) is not None:
            raise Conflict(f"the login {asked.name} exists already; choose another")
        row = await queries.add(session, now_ns=now_ns(), **values)
        await services.audit.note(session, admin.name, "person-added", row.name, _rights(row))
    response.headers["Location"] = f"/api/v1/people/{row.id}"
    return PersonShown.of(row)


@router.get("/{person_id}")
async def one(person_id: str, admin: Admin, services: Given) -> PersonShown:
    """One person."""
    async with services.database.read() as session:
        return PersonShown.of(_found(await queries.by_id(session, person_id)))


@router.patch("/{person_id}")
async def change(person_id: str, asked: PersonChange, admin: Admin, services: Given) -> PersonShown:
    """Changes the roles, clearance, name or unit of a person, or disables them, from the next request on."""
    values: dict[str, Any] = asked.model_dump(exclude_none=True)
    if asked.display_name is not None:
        values["display_name"] = _visible(asked.display_name)
    if asked.unit is not None:
        values["unit"] = _unit(asked.unit)
    disabled = values.pop("disabled", None)
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        if disabled is not None and disabled != (row.disabled_at_ns is not None):
            values["disabled_at_ns"] = now_ns() if disabled else None
        was_admin = row.is_admin and row.disabled_at_ns is None
        stays_admin = values.get("is_admin", row.is_admin) and values.get("disabled_at_ns", row.disabled_at_ns) is None
        if was_admin and not stays_admin and not await queries.any_admin(session, but=row.id):
            raise Conflict("this is the only admin; make another person an admin first")
        if values:
            await queries.change(session, person_id, **values)
            await session.refresh(row)
            await services.audit.note(session, admin.name, "person-changed", row.name, _rights(row))
        if disabled:
            # If the account is enabled again later, the person has to sign in again.
            await sessions.end_all(session, person_id)
            await one_time_links.end_all(session, person_id)
    services.announcements.account_changed(person_id)
    return PersonShown.of(row)


@router.post("/{person_id}/tokens", status_code=201)
async def give_token(person_id: str, asked: TokenAsked, admin: Admin, services: Given) -> TokenMade:
    """Creates a token for that person. It is shown only once."""
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        made = await new_token(session, row, asked)
        await services.audit.note(session, admin.name, "token-given", row.name, {"token": made.id})
        return made


@router.post("/{person_id}/link", status_code=201)
async def give_link(person_id: str, admin: Admin, services: Given) -> LinkMade:
    """Creates a link for that person to set a password, once and within a week. Earlier links expire. It is shown only
    once.
    """
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        await services.audit.note(session, admin.name, "link-given", row.name)
        return await new_link(session, row)


def _found(row: User | None) -> User:
    if row is None:
        raise NotFound("there is no such person")
    return row


def _rights(row: User) -> dict[str, bool]:
    """The person's rights, for the audit log."""
    return {
        "author": row.is_author,
        "recipient": row.is_recipient,
        "admin": row.is_admin,
        "cleared": row.cleared,
        "disabled": row.disabled_at_ns is not None,
    }


def _visible(name: str) -> str:
    cleaned = clean_line(name)
    if not cleaned:
        raise MalformedRequest("body.display_name: it has no visible characters")
    return cleaned


def _unit(unit: str | None) -> str | None:
    """The unit without invisible characters; None if nothing is left."""
    return clean_line(unit or "") or None
