"""People, for admins. To read documents, an admin needs the same roles as everyone else."""

from typing import Any

from fastapi import APIRouter, Response

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.models import User
from sieve.store.queries import people as queries
from sieve.web.access import Admin
from sieve.web.people import accounts
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
    values = asked.model_dump() | {"unit": asked.unit or None}
    async with services.database.write() as session:
        row = await accounts.add(session, services, admin, values)
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
    if asked.unit is not None:
        values["unit"] = asked.unit or None
    disabled = values.pop("disabled", None)
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        if disabled is not None and disabled != (row.disabled_at_ns is not None):
            values["disabled_at_ns"] = now_ns() if disabled else None
        await accounts.change_all(session, services, admin, [(row, values)])
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
