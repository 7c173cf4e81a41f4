"""People, for admins. To read documents, an admin needs the same roles as everyone else."""

from typing import Any

from fastapi import Response

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed, NotFound
from sieve.store.models import User
from sieve.store.queries import approvals, tokens
from sieve.store.queries import people as queries
from sieve.web.access import Admin, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.one_time_links.new_link import new_link
from sieve.web.one_time_links.schemas import LinkMade
from sieve.web.people import accounts
from sieve.web.people.schemas import PersonAsked, PersonChange
from sieve.web.person import PersonShown
from sieve.web.services import Given
from sieve.web.session.recent_confirmation import ConfirmedAdmin, require_confirmed_admin
from sieve.web.tokens.new_token import new_token
from sieve.web.tokens.schemas import TokenAsked, TokenMade, TokenShown

router = api_router("/people", tag="people")


@router.get("")
async def everybody(admin: Admin, services: Given) -> list[PersonShown]:
    """All people, by login."""
    async with services.database.read() as session:
        return [PersonShown.of(row) for row in await queries.everybody(session)]


@router.post("", status_code=201)
async def add(asked: PersonAsked, admin: Admin, services: Given, response: Response) -> PersonShown:
    """Adds a person, who can sign in once they have set a password with a link; or a service account. A new admin
    counts as a second admin once another admin agrees (`/approvals`).
    """
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
async def change(
    person_id: str, asked: PersonChange, admin: Admin, shown: ShownCredentials, services: Given
) -> PersonShown:
    """Changes the roles, clearance, name or unit of a person, or disables them, from the next request on. Clearance
    counts for documents received later; for earlier ones once a second admin agrees (`/approvals`). An
    admin who gives a person more than they had must have signed in, or confirmed that it is them, recently.
    """
    values: dict[str, Any] = asked.model_dump(exclude_none=True)
    if asked.unit is not None:
        values["unit"] = asked.unit or None
    disabled = values.pop("disabled", None)
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        if disabled is not None and disabled != (row.disabled_at_ns is not None):
            values["disabled_at_ns"] = now_ns() if disabled else None
        if accounts.gives_more(row, values):
            await require_confirmed_admin(admin, shown, services)
        await accounts.change_all(session, services, admin, [(row, values)])
    services.announcements.account_changed(person_id)
    return PersonShown.of(row)


@router.get("/{person_id}/tokens")
async def tokens_of(person_id: str, admin: Admin, services: Given) -> list[TokenShown]:
    """A person's tokens that are not revoked, latest first."""
    async with services.database.read() as session:
        row = _found(await queries.by_id(session, person_id))
        return [TokenShown.of(token) for token in await tokens.of_user(session, row.id)]


@router.post("/{person_id}/tokens", status_code=201)
async def give_token(person_id: str, asked: TokenAsked, admin: ConfirmedAdmin, services: Given) -> TokenMade:
    """Creates a token for a service account; people make their own. It is shown only once. It opens nothing that the
    account holds already, until a second admin agrees (`/approvals`).
    """
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        if not row.is_service:
            raise NotAllowed(
                f"{row.name} is a person, who makes their own tokens; admins make those of service accounts"
            )
        made = await new_token(session, row, asked)
        if await approvals.holds_documents(session, row):
            await approvals.lock(session, row, admin.id, now_ns())
            await services.audit.note(session, admin.name, "approval-asked", row.name, {"kind": "reset"})
        details = {"token": made.id, "scopes": " ".join(made.scopes)}
        await services.audit.note(session, admin.name, "token-given", row.name, details)
    services.announcements.account_changed(person_id)
    return made


@router.delete("/{person_id}/tokens/{token_id}", status_code=204)
async def revoke_token(person_id: str, token_id: str, admin: Admin, services: Given) -> None:
    """Revokes a token of that person at once."""
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        if not await tokens.revoke(session, row.id, token_id, now_ns()):
            raise NotFound(f"{row.name} has no such token")
        await services.audit.note(session, admin.name, "token-revoked", row.name, {"token": token_id})
    services.announcements.account_changed(person_id)


@router.post("/{person_id}/link", status_code=201)
async def give_link(person_id: str, admin: ConfirmedAdmin, services: Given) -> LinkMade:
    """Creates a link for that person to set a password, once and within a week. Earlier links expire. It is shown only
    once. Its use ends their sessions and tokens, and locks what the account holds until a second admin agrees
    (`/approvals`).
    """
    async with services.database.write() as session:
        row = _found(await queries.by_id(session, person_id))
        await services.audit.note(session, admin.name, "link-given", row.name)
        return await new_link(session, row, made_by_id=admin.id)


def _found(row: User | None) -> User:
    if row is None:
        raise NotFound("there is no such person")
    return row
