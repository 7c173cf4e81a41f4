"""My second factors: passkeys, an authenticator app, recovery codes.

Invariant: the person who changes them signed in, or confirmed that it is them, in the last ten minutes; or has just
given the right password and must add their first factor before they are signed in.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotFound
from sieve.store.models import Passkey, User, new_id
from sieve.store.queries import factors as queries
from sieve.store.queries import sessions
from sieve.web import cookie as cookies
from sieve.web.access import MaybePerson, ShownCredentials
from sieve.web.api_router import api_router
from sieve.web.errors import MalformedRequest, NotSignedIn
from sieve.web.factors.schemas import (
    AppCode,
    AppSetUp,
    AppShown,
    FactorAdded,
    FactorsShown,
    PasskeyAdded,
    PasskeyShown,
    RecoveryCodes,
)
from sieve.web.same_origin import SAFE_METHODS, FromOurPage
from sieve.web.second_factor import authenticator_app, passkeys, recovery_codes, relying_party
from sieve.web.second_factor.passkeys import BadPasskey
from sieve.web.second_factor.proof import party_of
from sieve.web.services import Given, Services
from sieve.web.session.recent_confirmation import ConfirmedBrowser, browser_of, require_confirmed
from sieve.web.session.second_step import START_AGAIN, unfinished
from sieve.web.session.sign_in import Place, begin, requires_factor
from sieve.web.times import shown, shown_if

router = api_router("/factors", tag="factors")

MAX_PASSKEYS: Final = 20


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose factors they are. `cookie`: its value. `enrolling`: they must add the first one to be signed in, after what
    they `proved`.
    """

    person: User
    cookie: str
    enrolling: bool
    proved: str = ""


async def _owner(person: MaybePerson, shown: ShownCredentials, request: Request, services: Given) -> Owner:
    cookie = shown.cookie or ""
    if person is None and shown.token is None:
        row, waiting = await unfinished(services, shown.cookie)
        if row.needs == "enrolment":
            return Owner(waiting, cookie, enrolling=True, proved=row.proved)
    browser = await browser_of(person, shown, services)
    if request.method not in SAFE_METHODS:
        require_confirmed(browser.session)
    return Owner(browser.person, cookie, enrolling=False)


FactorOwner = Annotated[Owner, Depends(_owner)]


@router.get("")
async def mine(owner: FactorOwner, request: Request, services: Given) -> FactorsShown:
    """My second factors."""
    person = owner.person
    async with services.database.read() as session:
        rows = await queries.passkeys(session, person.id)
        app = await queries.confirmed_app(session, person.id)
        codes = await queries.recovery_codes_left(session, person.id)
    return FactorsShown(
        passkeys=[PasskeyShown.from_attributes(row) for row in rows],
        app=None
        if app is None
        else AppShown(added_at=shown(app.created_at_ns), last_used_at=shown_if(app.last_used_at_ns)),
        recovery_codes_left=codes,
        required=requires_factor(services.settings, person),
        passkeys_here=relying_party.of(request, services.settings) is not None,
    )


@router.get("/passkey-options")
async def passkey_options(owner: FactorOwner, request: Request, services: Given) -> dict[str, Any]:
    """The options of `navigator.credentials.create()`."""
    party, person = party_of(request, services), owner.person
    async with services.database.read() as session:
        rows = await queries.passkeys(session, person.id)
    challenge = services.challenges.new("registration", person.id)
    return passkeys.creation_options(party, services.settings.name, person, rows, challenge)


@router.post("/passkeys", status_code=201, dependencies=[FromOurPage])
async def add_passkey(
    asked: PasskeyAdded, owner: FactorOwner, request: Request, response: Response, services: Given
) -> FactorAdded:
    """Adds a passkey. With the first factor come recovery codes."""
    party, person = party_of(request, services), owner.person
    try:
        challenge = passkeys.challenge_of(asked.passkey)
        verified = passkeys.verify_new(asked.passkey, party, challenge)
    except BadPasskey as error:
        raise MalformedRequest(str(error)) from error
    async with services.database.write() as session:
        await _require_still(services, session, owner)
        if len(await queries.passkeys(session, person.id)) >= MAX_PASSKEYS:
            raise Conflict(f"you have {MAX_PASSKEYS} passkeys, which is the limit; remove one first")
        if await queries.passkey(session, verified.credential_id) is not None:
            raise Conflict("this passkey was added already")
        of_ours = services.challenges.is_valid(challenge, "registration", person.id)
        if not of_ours or not await services.challenges.use(session, challenge):
            raise MalformedRequest("adding the passkey took too long or was done already; try again")
        session.add(
            Passkey(
                id=new_id(),
                user_id=person.id,
                name=asked.name,
                relying_party=party.id,
                credential_id=verified.credential_id,
                public_key=verified.public_key,
                sign_count=verified.sign_count,
                since_reset=await queries.is_since_reset(session, person.id),
                created_at_ns=now_ns(),
            )
        )
        await session.flush()
        details = {"factor": "passkey", "name": asked.name}
        added, value = await _added(services, session, owner, request, details)
    if value is not None:
        cookies.give(response, request, services, value)
    return added


@router.delete("/passkeys/{passkey_id}", status_code=204)
async def remove_passkey(passkey_id: str, browser: ConfirmedBrowser, services: Given) -> None:
    """Removes a passkey of mine."""
    async with services.database.write() as session:
        row = await queries.remove_passkey(session, browser.person.id, passkey_id)
        if row is None:
            raise NotFound("you have no such passkey")
        await _removed(services, session, browser.person, {"factor": "passkey", "name": row.name})


@router.post("/app", dependencies=[FromOurPage])
async def set_up_app(owner: FactorOwner, services: Given) -> AppSetUp:
    """Begins to set up an authenticator app. It counts once a code of it was confirmed."""
    person, secret = owner.person, authenticator_app.new_secret()
    sealed = authenticator_app.seal(services.blobs.keys, secret, person.id)
    async with services.database.write() as session:
        await _require_still(services, session, owner)
        if await queries.confirmed_app(session, person.id) is not None:
            raise Conflict("you use an authenticator app already; remove it first")
        await queries.keep_app(session, person.id, sealed, now_ns())
    address = authenticator_app.uri(secret, person.name, services.settings.name)
    return AppSetUp(secret=secret, address=address, qr=authenticator_app.qr_rows(address))


@router.post("/app/confirmation", dependencies=[FromOurPage])
async def confirm_app(
    asked: AppCode, owner: FactorOwner, request: Request, response: Response, services: Given
) -> FactorAdded:
    """Confirms the app with a code that it shows. With the first factor come recovery codes."""
    person, now = owner.person, now_ns()
    async with services.database.write() as session:
        await _require_still(services, session, owner)
        row = await queries.app(session, person.id)
        if row is None or row.confirmed_at_ns is not None:
            raise Conflict("no authenticator app is being set up; start again")
        secret = authenticator_app.unseal(services.blobs.keys, row.secret, person.id)
        step = authenticator_app.step_of(secret, asked.code.get_secret_value(), now, None)
        if step is None:
            raise MalformedRequest("this code is wrong; check the clock of the device and enter the code it shows now")
        row.confirmed_at_ns, row.last_step = now, step
        row.since_reset = await queries.is_since_reset(session, person.id)
        await session.flush()
        added, value = await _added(services, session, owner, request, {"factor": "app"})
    if value is not None:
        cookies.give(response, request, services, value)
    return added


@router.delete("/app", status_code=204)
async def remove_app(browser: ConfirmedBrowser, services: Given) -> None:
    """Removes my authenticator app."""
    async with services.database.write() as session:
        if await queries.confirmed_app(session, browser.person.id) is None:
            raise NotFound("you use no authenticator app")
        await queries.remove_app(session, browser.person.id)
        await _removed(services, session, browser.person, {"factor": "app"})


@router.post("/recovery-codes")
async def new_recovery_codes(browser: ConfirmedBrowser, services: Given) -> RecoveryCodes:
    """Creates ten recovery codes in place of the earlier ones."""
    async with services.database.write() as session:
        if not await queries.has_factor(session, browser.person.id):
            raise Conflict("add a passkey or an authenticator app first")
        return RecoveryCodes(recovery_codes=await _new_codes(services, session, browser.person))


async def _require_still(services: Services, session: AsyncSession, owner: Owner) -> None:
    """Checks in the transaction that the person is still signed in; or that they may add a factor without, because it
    is the first one. Otherwise a request that waits for its turn could add one after an admin ended every way in.
    """
    now = now_ns()
    if not owner.enrolling:
        if await sessions.owner(session, owner.cookie, now, services.settings.session_idle_s) is None:
            raise NotSignedIn("you were no longer signed in; sign in and try again")
        return
    found = await queries.unfinished(session, owner.cookie, now)
    if found is None or await queries.has_factor(session, owner.person.id):
        raise NotSignedIn(START_AGAIN)


async def _added(
    services: Services, session: AsyncSession, owner: Owner, request: Request, details: dict[str, str]
) -> tuple[FactorAdded, str | None]:
    """After a factor was added: recovery codes if the person has none, and the cookie of the session that it begins."""
    person = owner.person
    await services.audit.note(session, person.name, "factor-added", person.name, details)
    left = await queries.recovery_codes_left(session, person.id)
    added = FactorAdded(recovery_codes=None if left else await _new_codes(services, session, person))
    if not owner.enrolling:
        return added, None
    by = f"{owner.proved} and new {details['factor']}"
    return added, await begin(services, session, person, owner.cookie, Place.of(request), by)


async def _removed(services: Services, session: AsyncSession, person: User, details: dict[str, str]) -> None:
    if not await queries.has_factor(session, person.id):
        if requires_factor(services.settings, person):
            raise Conflict("this gateway requires a second factor of you; add another one before you remove this one")
        await queries.remove_all(session, person.id)
    await services.audit.note(session, person.name, "factor-removed", person.name, details)


async def _new_codes(services: Services, session: AsyncSession, person: User) -> list[str]:
    codes = recovery_codes.new()
    hashes = [recovery_codes.hash_of(code) for code in codes]
    await queries.keep_recovery_codes(session, person.id, hashes, now_ns())
    await services.audit.note(session, person.name, "recovery-codes-made", person.name)
    return codes
