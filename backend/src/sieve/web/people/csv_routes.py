"""All people as a CSV file, and people from one: all rows or none."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

from fastapi import Query, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import User
from sieve.store.queries import people as queries
from sieve.web.access import Admin, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.errors import MalformedRequest
from sieve.web.one_time_links.new_link import new_links
from sieve.web.people import accounts, csv_file
from sieve.web.people.import_plan import ImportPlan, plan, values_of
from sieve.web.people.schemas import ImportRowShown, NewPersonLink, PeopleImport
from sieve.web.request_bodies import body_of, read_body
from sieve.web.services import Given, Services
from sieve.web.session.recent_confirmation import require_confirmed_admin

router = api_router("/people", tag="people")

MAX_CHANGES: Final = 1000
"""People whom one import adds or changes: one transaction, which blocks all other writers for 1 to 2 s."""


@router.get("/export", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
async def export(admin: Admin, services: Given) -> Response:
    """All people as a CSV file, by login. `POST /people/import` reads it."""
    async with services.database.read() as session:
        body = csv_file.written(await queries.everybody(session))
    return Response(
        body,
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="people.csv"', "Cache-Control": "no-store"},
    )


@router.post("/import", openapi_extra=body_of("text/csv", {"type": "string"}))
async def import_people(
    admin: Admin,
    shown: ShownCredentials,
    services: Given,
    request: Request,
    response: Response,
    preview: Annotated[bool, Query(description="Show what the import would do, and change nothing.")] = False,
    expected: Annotated[
        str | None, Query(max_length=64, description="The preview's `digest`; otherwise nothing is changed.")
    ] = None,
) -> PeopleImport:
    """Adds and changes people from a CSV file, up to 1000 at a time: all rows or, if one is refused, none. The first
    row names the columns: login, and any of name, unit, mail, roles, cleared and disabled. Roles are author, recipient
    and admin, with blanks between. Each new person gets a link to set a password.
    """
    rows = csv_file.read(await read_body(request, csv_file.MAX_BYTES, "the file"))
    response.headers["Cache-Control"] = "no-store"
    if preview:
        async with services.database.browse() as session:
            planned = _planned(rows, await queries.everybody(session))
        return _shown(planned, imported=False)
    await require_confirmed_admin(admin, shown, services)
    async with services.database.write() as session:
        everybody = {person.name: person for person in await queries.everybody(session)}
        planned = _planned(rows, list(everybody.values()))
        _require_importable(planned, expected)
        new = [values_of(row.after, now_ns()) for row in planned.rows if row.outcome == "new"]
        added = await accounts.add_all(session, services, admin, new)
        changes = [
            (everybody[row.login], values_of(row.after, now_ns())) for row in planned.rows if row.outcome == "changed"
        ]
        await accounts.change_all(session, services, admin, changes)
        links = await _links(session, services, admin, [row for row in added if row.disabled_at_ns is None])
    for person, _ in changes:
        services.announcements.account_changed(person.id)
    return _shown(planned, imported=True, links=links)


def _planned(rows: Sequence[csv_file.CsvRow], everybody: Sequence[User]) -> ImportPlan:
    planned = plan(rows, everybody)
    if len(planned.changes) > MAX_CHANGES:
        raise MalformedRequest(
            f"the file adds or changes {len(planned.changes):,} people; import {MAX_CHANGES:,} at a time"
        )
    return planned


def _require_importable(planned: ImportPlan, expected: str | None) -> None:
    if planned.refused:
        first = planned.refused[0]
        count = len(planned.refused)
        rows = "1 row is" if count == 1 else f"{count} rows are"
        raise MalformedRequest(f"{rows} refused, and nothing is imported; line {first.line}: {first.reason}")
    if expected is not None and expected != planned.digest:
        raise Conflict("the file or the people changed after the preview; look at the preview again")


async def _links(session: AsyncSession, services: Services, admin: User, owners: Sequence[User]) -> list[NewPersonLink]:
    await services.audit.note_all(session, admin.name, [("link-given", owner.name, {}) for owner in owners])
    return [
        NewPersonLink(name=owner.name, display_name=owner.display_name, **link.model_dump())
        for owner, link in zip(owners, await new_links(session, owners, made_by_id=admin.id), strict=True)
    ]


def _shown(planned: ImportPlan, *, imported: bool, links: list[NewPersonLink] | None = None) -> PeopleImport:
    return PeopleImport(
        imported=imported,
        digest=planned.digest,
        rows=[ImportRowShown(**asdict(row)) for row in planned.rows],
        links=links or [],
    )
