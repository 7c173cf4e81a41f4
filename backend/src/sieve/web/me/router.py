"""My account, and this gateway."""

from importlib.metadata import version

from fastapi import Request
from pydantic import BaseModel

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.store.queries import one_time_links, sessions, tokens
from sieve.store.queries import people as people_queries
from sieve.web.access import Person, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.me.schemas import PasswordChange
from sieve.web.person import PersonShown
from sieve.web.services import Given
from sieve.web.session.recent_confirmation import ConfirmedBrowser
from sieve.web.session.sign_in import prove
from sieve.web.session.throttle import source_of

router = api_router(tag="gateway")


class Listeners(BaseModel):
    """`host:port` of each listener, as it is bound."""

    web: str
    secure: str
    plain: str


class GatewayShown(BaseModel):
    """`pin` and `receipt_key`, in hexadecimal, identify this gateway to its peers. `retention_days`: how long received
    documents stay in the inboxes; null if they are not deleted. `deleted_days`: how long deleted entries and drafts can
    be restored. `deadline_s`: seconds after which the gateway gives up on a transfer whose author names no deadline.
    """

    name: str
    version: str
    listeners: Listeners
    max_document_bytes: int
    retention_days: int | None
    deleted_days: int
    deadline_s: float
    pin: str
    receipt_key: str


@router.get("/me")
async def me(person: Person) -> PersonShown:
    """My account."""
    return PersonShown.of(person)


@router.put("/me/password", status_code=204)
async def change_password(
    asked: PasswordChange, browser: ConfirmedBrowser, shown: ShownCredentials, request: Request, services: Given
) -> None:
    """Changes my password. All my other sessions and all my API tokens end, and unused links to set a password
    expire. I signed in, or confirmed that it is me, in the last ten minutes: with my second factor if I have one.
    """
    person = browser.person
    new = await services.passwords.acceptable(
        asked.new.get_secret_value(), person.name, person.display_name, services.settings.name
    )
    proof = await prove(services, person.name, asked.current.get_secret_value(), source_of(request))
    if proof is None:
        raise _wrong()
    password_hash = await services.passwords.hash(new)
    async with services.database.write() as session:
        if await proof.redeem(session) is None:
            raise _wrong()
        await people_queries.change(session, person.id, password_hash=password_hash)
        await sessions.end_all(session, person.id, but=shown.cookie)
        await tokens.end_all(session, person.id, now_ns())
        await one_time_links.end_all(session, person.id)
        await services.audit.note(session, person.name, "password-set", person.name, {"by": "password"})
    services.announcements.account_changed(person.id)


@router.get("/gateway")
async def gateway(person: Person, services: Given) -> GatewayShown:
    """This gateway: its name, addresses, limits and keys."""
    return GatewayShown(
        name=services.settings.name,
        version=version("security-sieve"),
        listeners=Listeners(**services.listeners),
        max_document_bytes=services.settings.max_document_bytes,
        retention_days=services.settings.retention_days,
        deleted_days=services.settings.deleted_days,
        deadline_s=services.settings.deadline_s,
        pin=services.identity.pin,
        receipt_key=services.identity.receipt_public_key.hex(),
    )


def _wrong() -> NotAllowed:
    # Not 401, which means that the sign-in has ended.
    return NotAllowed("the current password is wrong; ask an admin for a link if you do not know it")
