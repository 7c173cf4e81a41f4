"""One-time links, with which people set a password and sign in."""

from fastapi import Request, Response

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotFound
from sieve.store.models import User
from sieve.store.queries import approvals, one_time_links, sign_in_failures
from sieve.web import cookie as cookies
from sieve.web.account_lock import lock
from sieve.web.api_router import api_router
from sieve.web.one_time_links.schemas import LinkLookedAt, LinkOwner, LinkUsed
from sieve.web.same_origin import FromOurPage
from sieve.web.services import Given
from sieve.web.session.router import shown
from sieve.web.session.schemas import SessionShown
from sieve.web.session.sign_in import Place, enter
from sieve.web.session.throttle import account_of

router = api_router("/welcome", tag="one-time links")


@router.post("/look")
async def look(asked: LinkLookedAt, services: Given) -> LinkOwner:
    """The owner of a link. This does not use it up."""
    async with services.database.read() as session:
        owner = _found(await one_time_links.owner(session, asked.code.get_secret_value(), now_ns()))
    return LinkOwner(name=owner.name, display_name=owner.display_name)


@router.post("", dependencies=[FromOurPage])
async def use(asked: LinkUsed, request: Request, response: Response, services: Given) -> SessionShown:
    """Sets the password, ends all sessions and tokens of that person, and signs in, with a second step if one is
    needed. The link is used up. What the account holds from before is locked until a second admin agrees. Second
    factors that were added since an earlier link, which nobody confirmed, are removed.
    """
    code = asked.code.get_secret_value()
    async with services.database.read() as session:
        owner = _found(await one_time_links.owner(session, code, now_ns()))
    password = await services.passwords.acceptable(
        asked.password.get_secret_value(), owner.name, owner.display_name, services.settings.name
    )
    password_hash = await services.passwords.hash(password)
    async with services.database.write() as session:
        # Checked again: another request may have used it while this one hashed.
        used = await one_time_links.use(session, code, now_ns())
        owner = _found(None if used is None else used[0])
        made_by_id = None if used is None else used[1]
        # Not by the first link of an admin who was created on the gateway's host, together with a token.
        if owner.password_hash is not None or owner.sso_subject is not None or made_by_id is not None:
            await lock(services, session, owner, made_by_id)
            if await approvals.end_ways_in(session, owner, now_ns()):
                await services.audit.note(session, owner.name, "factors-taken-away", owner.name)
        owner.password_hash, owner.sso_issuer, owner.sso_subject = password_hash, None, None
        await services.audit.note(session, owner.name, "password-set", owner.name, {"by": "link"})
        await sign_in_failures.clear(session, account_of(owner.name))
        value = await enter(services, session, owner, cookies.value_of(request, services), Place.of(request))
    services.announcements.account_changed(owner.id)
    cookies.give(response, request, services, value)
    return await shown(services, request, value)


def _found(owner: User | None) -> User:
    if owner is None:
        raise NotFound(
            Sentence("link-used", "this link was used or replaced, or is too old; ask an admin for a new one")
        )
    return owner
