"""Signing in and out in a browser."""

from fastapi import APIRouter, Request, Response

from sieve.store.models import User
from sieve.store.queries import people, sessions
from sieve.web import cookie as cookies
from sieve.web.access import MaybePerson, Person
from sieve.web.person import PersonShown
from sieve.web.same_origin import FromOurPage
from sieve.web.services import Given, Services
from sieve.web.session import sign_in as service
from sieve.web.session.schemas import SessionShown, SignIn
from sieve.web.session.throttle import source_of

router = APIRouter(tags=["session"])


@router.get("/session")
async def now(person: MaybePerson, services: Given) -> SessionShown:
    """The signed-in person, if any. Everyone may ask."""
    return await shown(services, person)


@router.post("/session", dependencies=[FromOurPage])
async def sign_in(asked: SignIn, request: Request, response: Response, services: Given) -> SessionShown:
    """Signs in: sets the cookie. The settings `session_idle_s` and `session_life_s` say when the session ends."""
    login, password = asked.name.strip().lower(), asked.password.get_secret_value()
    user, value = await service.sign_in(
        services, login, password, source_of(request), cookies.value_of(request, services)
    )
    cookies.give(response, request, services, value)
    return await shown(services, user)


@router.delete("/session", status_code=204, dependencies=[FromOurPage])
async def sign_out(person: MaybePerson, request: Request, response: Response, services: Given) -> None:
    """Ends the session of this cookie, and removes the cookie."""
    cookie = cookies.value_of(request, services)
    if cookie is not None:
        async with services.database.write() as session:
            await sessions.end(session, cookie)
        if person is not None:
            services.announcements.account_changed(person.id)
    cookies.take_back(response, request, services)


@router.delete("/sessions", status_code=204)
async def sign_out_everywhere(person: Person, request: Request, response: Response, services: Given) -> None:
    """Ends all my sessions, including this one. API tokens stay valid."""
    async with services.database.write() as session:
        await sessions.end_all(session, person.id)
    services.announcements.account_changed(person.id)
    cookies.take_back(response, request, services)


async def shown(services: Services, person: User | None) -> SessionShown:
    """The session of `person`, as the API shows it."""
    async with services.database.read() as session:
        any_admin = await people.any_admin(session)
    return SessionShown(
        gateway=services.settings.name,
        needs_admin=not any_admin,
        person=None if person is None else PersonShown.of(person),
    )
