"""One-time links, with which people set a password and sign in."""

from fastapi import APIRouter, Request, Response

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.models import User
from sieve.store.queries import one_time_links, people, sessions, sign_in_failures
from sieve.web import cookie as cookies
from sieve.web.passwords import acceptable
from sieve.web.same_origin import FromOurPage
from sieve.web.services import Given
from sieve.web.session.router import shown
from sieve.web.session.schemas import SessionShown
from sieve.web.session.sign_in import enter
from sieve.web.session.throttle import account_of, source_of
from sieve.web.welcome.schemas import LinkLookedAt, LinkOwner, LinkUsed

router = APIRouter(prefix="/welcome", tags=["welcome"])


@router.post("/look")
async def look(asked: LinkLookedAt, services: Given) -> LinkOwner:
    """The owner of a link. This does not use it up."""
    async with services.database.read() as session:
        owner = _found(await one_time_links.owner(session, asked.code.get_secret_value(), now_ns()))
    return LinkOwner(name=owner.name, display_name=owner.display_name)


@router.post("", dependencies=[FromOurPage])
async def use(asked: LinkUsed, request: Request, response: Response, services: Given) -> SessionShown:
    """Sets the password, ends all sessions of that person, and signs in, with a second step if one is needed. The link
    is used up.
    """
    code = asked.code.get_secret_value()
    async with services.database.read() as session:
        owner = _found(await one_time_links.owner(session, code, now_ns()))
    password_hash = await services.passwords.hash(acceptable(asked.password.get_secret_value(), owner.name))
    async with services.database.write() as session:
        # Checked again: another request may have used it while this one hashed.
        owner = _found(await one_time_links.use(session, code, now_ns()))
        await people.change(session, owner.id, password_hash=password_hash)
        await sessions.end_all(session, owner.id)
        await sign_in_failures.clear(session, account_of(owner.name))
        value = await enter(services, session, owner, cookies.value_of(request, services), source_of(request))
    services.announcements.account_changed(owner.id)
    cookies.give(response, request, services, value)
    return await shown(services, request, value)


def _found(owner: User | None) -> User:
    if owner is None:
        raise NotFound(
            Sentence("link-used", "this link was used or replaced, or is too old; ask an admin for a new one")
        )
    return owner
