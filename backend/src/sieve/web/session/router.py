"""Signing in and out in a browser."""

from typing import Any, Literal

from fastapi import Request, Response

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.models import User
from sieve.store.queries import factors, people, sessions, tokens
from sieve.store.queries.tokens import token_hash
from sieve.web import cookie as cookies
from sieve.web.access import MaybePerson, Person, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.errors import NotSignedIn
from sieve.web.person import PersonShown
from sieve.web.same_origin import FromOurPage
from sieve.web.second_factor import passkeys, relying_party
from sieve.web.second_factor.proof import FactorGiven, party_of
from sieve.web.services import Given, Services
from sieve.web.session import second_step
from sieve.web.session import sign_in as service
from sieve.web.session.recent_confirmation import SignedInBrowser, is_confirmed
from sieve.web.session.schemas import (
    Confirmation,
    ConfirmationShown,
    Methods,
    NextStep,
    OpenSession,
    PasskeySignIn,
    SessionShown,
    SignIn,
)
from sieve.web.session.sign_in import Place

router = api_router(tag="session")


@router.get("/session")
async def now(person: MaybePerson, request: Request, services: Given) -> SessionShown:
    """The signed-in person, if any. Everyone may ask."""
    if person is not None:
        return await _shown(services, request, person)
    return await shown(services, request, cookies.value_of(request, services))


@router.post("/session", dependencies=[FromOurPage])
async def sign_in(asked: SignIn, request: Request, response: Response, services: Given) -> SessionShown:
    """Signs in: sets the cookie. The settings `session_idle_s` and `session_life_s` say when the session ends. If
    `next_step` is not null, the person is signed in only after that step.
    """
    login, password = asked.name.strip().lower(), asked.password.get_secret_value()
    _, value = await service.sign_in(services, login, password, Place.of(request), cookies.value_of(request, services))
    cookies.give(response, request, services, value)
    return await shown(services, request, value)


@router.post("/session/factor", dependencies=[FromOurPage])
async def give_factor(given: FactorGiven, request: Request, response: Response, services: Given) -> SessionShown:
    """Finishes a sign-in with the second factor: sets a new cookie."""
    user, value = await second_step.finish(services, cookies.value_of(request, services), given, request)
    cookies.give(response, request, services, value)
    return await _shown(services, request, user)


@router.post("/session/passkey", dependencies=[FromOurPage])
async def sign_in_with_passkey(
    asked: PasskeySignIn, request: Request, response: Response, services: Given
) -> SessionShown:
    """Signs in with a passkey alone, whose authenticator verified its user: sets the cookie."""
    user, value = await second_step.with_passkey(services, asked.passkey, request, cookies.value_of(request, services))
    cookies.give(response, request, services, value)
    return await _shown(services, request, user)


@router.get("/session/passkey-options")
async def passkey_options(
    purpose: Literal["sign-in", "factor", "confirmation"], person: MaybePerson, request: Request, services: Given
) -> dict[str, Any]:
    """The options of `navigator.credentials.get()`, with a challenge for that purpose. `factor`: of a sign-in that is
    not finished; `confirmation`: of the signed-in person.
    """
    party = party_of(request, services)
    if purpose == "sign-in":
        return passkeys.request_options(party, None, services.challenges.new(purpose))
    if purpose == "factor":
        person = (await second_step.unfinished(services, cookies.value_of(request, services)))[1]
    if person is None:
        raise NotSignedIn("you were no longer signed in; sign in and try again")
    async with services.database.read() as session:
        rows = [row for row in await factors.passkeys(session, person.id) if row.relying_party == party.id]
    return passkeys.request_options(party, rows, services.challenges.new(purpose, person.id))


@router.get("/session/confirmation")
async def confirmation(browser: SignedInBrowser, request: Request, services: Given) -> ConfirmationShown:
    """Whether and how the signed-in person must confirm that it is them."""
    methods = await _methods(services, request, browser.person)
    return ConfirmationShown(confirmed=is_confirmed(browser.session), methods=methods)


@router.post("/session/confirmation", status_code=204)
async def confirm(given: Confirmation, browser: SignedInBrowser, request: Request, services: Given) -> None:
    """Confirms that it is still the signed-in person. This counts for ten minutes, as signing in does."""
    await second_step.confirm(services, browser.session, browser.person, given, request)


@router.delete("/session", status_code=204, dependencies=[FromOurPage])
async def sign_out(person: MaybePerson, request: Request, response: Response, services: Given) -> None:
    """Ends the session of this cookie, also an unfinished sign-in, and removes the cookie."""
    cookie = cookies.value_of(request, services)
    if cookie is not None:
        async with services.database.write() as session:
            await sessions.end(session, cookie)
            if person is not None:
                await services.audit.note(session, person.name, "signed-out", person.name)
        if person is not None:
            services.announcements.account_changed(person.id)
    cookies.take_back(response, request, services)


@router.delete("/sessions", status_code=204)
async def sign_out_everywhere(person: Person, request: Request, response: Response, services: Given) -> None:
    """Ends all my sessions, including this one, and all my API tokens."""
    async with services.database.write() as session:
        await sessions.end_all(session, person.id)
        await tokens.end_all(session, person.id, now_ns())
        await services.audit.note(session, person.name, "sessions-ended", person.name)
    services.announcements.account_changed(person.id)
    cookies.take_back(response, request, services)


@router.get("/sessions")
async def mine(person: Person, credentials: ShownCredentials, services: Given) -> list[OpenSession]:
    """Where I am signed in, the last used first."""
    now, idle_s = now_ns(), services.settings.session_idle_s
    this = None if credentials.cookie is None else token_hash(credentials.cookie)
    async with services.database.read() as session:
        rows = await sessions.of_user(session, person.id, now, idle_s)
    return [OpenSession.from_attributes(row, current=row.hash == this) for row in rows]


@router.delete("/sessions/{session_id}", status_code=204)
async def end_one(session_id: str, person: Person, services: Given) -> None:
    """Ends one of my sessions at once."""
    async with services.database.write() as session:
        if not await sessions.end_one(session, person.id, session_id):
            raise NotFound("you have no such session; it has ended already")
        await services.audit.note(session, person.name, "session-ended", person.name, {"session": session_id})
    services.announcements.account_changed(person.id)


async def shown(services: Services, request: Request, cookie: str | None) -> SessionShown:
    """The session or unfinished sign-in of that cookie, as the API shows it."""
    person, step = None, None
    if cookie is not None:
        async with services.database.read() as session:
            found = await sessions.owner(session, cookie, now_ns(), services.settings.session_idle_s)
            waiting = await factors.unfinished(session, cookie, now_ns())
        person = None if found is None else found[1]
        if waiting is not None:
            methods = await _methods(services, request, waiting[1])
            needs = waiting[0].needs
            step = NextStep.model_validate({"name": waiting[1].name, "needs": needs, "methods": methods})
    return await _shown(services, request, person, step)


async def _shown(
    services: Services, request: Request, person: User | None, step: NextStep | None = None
) -> SessionShown:
    async with services.database.read() as session:
        any_admin = await people.any_admin(session)
    return SessionShown(
        gateway=services.settings.name,
        needs_admin=not any_admin,
        passkeys=relying_party.of(request, services.settings) is not None,
        sso=None if services.sso is None else services.sso.name,
        laboratory=services.laboratory is not None,
        person=None if person is None else PersonShown.of(person),
        next_step=step,
    )


async def _methods(services: Services, request: Request, person: User) -> Methods:
    party = relying_party.of(request, services.settings)
    async with services.database.read() as session:
        rows = await factors.passkeys(session, person.id)
        app = await factors.confirmed_app(session, person.id)
        codes = await factors.recovery_codes_left(session, person.id)
    return Methods(
        password=not rows and app is None and person.password_hash is not None,
        passkey=party is not None and any(row.relying_party == party.id for row in rows),
        app=app is not None,
        recovery_code=codes > 0,
        sso=not rows and app is None and person.sso_subject is not None,
    )
