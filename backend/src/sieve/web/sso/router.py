"""Signing in with the OpenID Connect provider, and confirming there that it is still the same person.

A page of the gateway begins a flow and leads the browser to the provider. The provider leads it back to the page
`/sign-in/sso`, which gives the answer to the gateway. So no address of another site is ever a target of the gateway's,
and the session's cookie keeps SameSite=Strict.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final, NoReturn
from urllib.parse import urlencode, urlsplit

from fastapi import Request, Response

from sieve import addresses
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed, NotFound, ProviderUnreachable
from sieve.gateway.sign_on.flows import LIFE_S, Flow
from sieve.gateway.sign_on.provider import TokenRefused
from sieve.gateway.sign_on.service import SingleSignOn
from sieve.store.queries import factors, sessions
from sieve.web import cookie as cookies
from sieve.web.access import MaybePerson, Person, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.same_origin import FromOurPage
from sieve.web.services import Given, Services
from sieve.web.session import throttle
from sieve.web.session.recent_confirmation import browser_of
from sieve.web.session.router import shown
from sieve.web.session.sign_in import Place, enter
from sieve.web.sso.accounts import account_of_subject
from sieve.web.sso.schemas import Begun, Finished, ProviderShown, Returned, Started

router = api_router("/session/sso", tag="session")
log = logging.getLogger(__name__)

RETURN_PATH: Final = "/sign-in/sso"
NS_PER_S: Final = 1_000_000_000

START_AGAIN: Final = Sentence(
    "sso-start-again", "this sign-in took too long, was used already, or began in another browser; start again"
)


@router.get("")
async def provider(person: Person, request: Request, services: Given) -> ProviderShown:
    """The provider with which people sign in."""
    sso = _configured(services)
    end = sso.provider.end_session_endpoint
    if end is not None:
        back = _our_address(request, services) + "/sign-in"
        asked = urlencode({"client_id": sso.provider.client.client_id, "post_logout_redirect_uri": back})
        end = f"{end}{'&' if '?' in end else '?'}{asked}"
    return ProviderShown(name=sso.name, sign_out_url=end)


@router.post("/start", dependencies=[FromOurPage])
async def start(
    asked: Begun,
    person: MaybePerson,
    credentials: ShownCredentials,
    request: Request,
    response: Response,
    services: Given,
) -> Started:
    """Begins a flow: sets a cookie for it and returns where the browser goes. The flow lasts ten minutes."""
    sso, session_id = _configured(services), None
    if asked.purpose == "confirmation":
        browser = await browser_of(person, credentials, services)
        async with services.database.read() as session:
            if await factors.has_factor(session, browser.person.id):
                raise NotAllowed("confirm with your second factor")
        if browser.person.sso_subject is None or asked.link is not None:
            raise NotAllowed("you do not sign in with the provider; confirm with your password")
        session_id = browser.session.id
    flow, value = sso.flows.begin(
        asked.purpose,
        _our_address(request, services) + RETURN_PATH,
        now_ns() // NS_PER_S,
        session_id=session_id,
        link_code=None if asked.link is None else asked.link.get_secret_value(),
    )
    url = await sso.provider.authorization_url(
        redirect_uri=flow.redirect_uri,
        state=flow.state,
        nonce=flow.nonce,
        verifier=flow.verifier,
        sign_in_again=flow.purpose == "confirmation",
    )
    cookies.give_flow(response, request, services, value, LIFE_S)
    return Started(url=url)


@router.post("", dependencies=[FromOurPage])
async def finish(
    returned: Returned,
    person: MaybePerson,
    credentials: ShownCredentials,
    request: Request,
    response: Response,
    services: Given,
) -> Finished:
    """Finishes a flow with what the provider added to the address. Signs in: sets the cookie, as `POST /session` does;
    or confirms that it is still the signed-in person, which counts for ten minutes. Each flow counts once, in the
    browser that began it.
    """
    sso, place = _configured(services), Place.of(request)
    async with services.database.write() as session:
        guess = await throttle.count(session, f"sso {returned.state}", place.source, now_ns())
    try:
        async with services.database.write() as session:
            flow = await sso.flows.use(session, cookies.flow_of(request, services), returned.state)
        if flow is None:
            raise NotAllowed(START_AGAIN)
        claims = await _claims(sso, flow, returned)
    except ProviderUnreachable:
        await _take_back(services, guess)
        raise
    except NotAllowed:
        await _note_failure(services, guess, place.source)
        raise
    cookies.take_back_flow(response, request, services)
    if flow.purpose == "confirmation":
        browser = await browser_of(person, credentials, services)
        same = browser.person.sso_issuer == sso.issuer and browser.person.sso_subject == claims["sub"]
        if browser.session.id != flow.session_id or not same:
            await _note_failure(services, guess, place.source)
            raise NotAllowed(
                Sentence("sso-other-person", "you signed in at the provider as somebody else; try again as yourself")
            )
        async with services.database.write() as session:
            await throttle.take_back(session, guess)
            await sessions.confirm(session, browser.session.id, now_ns())
        return Finished(purpose=flow.purpose, session=await shown(services, request, credentials.cookie))
    async with services.database.write() as session:
        found = await account_of_subject(services, sso, session, claims, flow.link_code)
        value = None
        if not isinstance(found, NotAllowed):
            await throttle.take_back(session, guess)
            old, both = cookies.value_of(request, services), sso.rules.has_second_factor(claims)
            value = await enter(services, session, found, old, place, "sso", both=both)
    if isinstance(found, NotAllowed) or value is None:
        await _note_failure(services, guess, place.source)
        _refuse(found)
    cookies.give(response, request, services, value)
    return Finished(purpose=flow.purpose, session=await shown(services, request, value))


async def _claims(sso: SingleSignOn, flow: Flow, returned: Returned) -> Mapping[str, Any]:
    metadata = await sso.provider.metadata()
    # RFC 9207: an answer of another provider is not exchanged with this one.
    if returned.iss != sso.issuer and (returned.iss is not None or metadata.names_itself):
        raise TokenRefused(START_AGAIN)
    if returned.error is not None or returned.code is None:
        raise NotAllowed(
            Sentence(
                "sso-cancelled", "you did not sign in at the provider, or it refused; start again, or ask an admin"
            )
        )
    return await sso.provider.claims(
        code=returned.code.get_secret_value(),
        verifier=flow.verifier,
        redirect_uri=flow.redirect_uri,
        nonce=flow.nonce,
        signed_in_since=flow.began_at if flow.purpose == "confirmation" else None,
        now=now_ns() // NS_PER_S,
    )


def _refuse(found: object) -> NoReturn:
    raise found if isinstance(found, NotAllowed) else NotAllowed(START_AGAIN)


def _configured(services: Services) -> SingleSignOn:
    if services.sso is None:
        raise NotFound("this gateway has no sign-in provider; sign in with your password")
    return services.sso


def _our_address(request: Request, services: Services) -> str:
    """Where the provider leads the browser back to: `web_url`; or the loopback address that the browser uses.

    Raises:
        NotAllowed: the browser is at another address.
    """
    host, public = (request.url.hostname or "").lower(), services.settings.web_url
    if addresses.is_loopback(host):
        return f"{request.url.scheme}://{request.url.netloc}"
    if public is None or urlsplit(public).hostname != host:
        raise NotAllowed(
            Sentence(
                "sso-other-address",
                "single sign-on works at {address} only; open the gateway there",
                address=public or "localhost",
            )
        )
    return public


async def _take_back(services: Services, guess: throttle.Guess) -> None:
    async with services.database.write() as session:
        await throttle.take_back(session, guess)


async def _note_failure(services: Services, guess: throttle.Guess, source: str) -> None:
    """Records a failed sign-in in the audit log: the first in a row from its source, the second, the fourth, and on."""
    log.warning("single sign-on refused from %s, %d in a row", source, guess.failures)
    if guess.failures.bit_count() == 1:
        async with services.database.write() as session:
            details = {"failures": guess.failures, "source": source, "with": "sso"}
            await services.audit.note(session, "", "sign-in-failed", "", details)
