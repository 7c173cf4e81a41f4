"""Proof of a second factor: a code of the authenticator app, a recovery code, or a passkey.

Guesses of codes are limited like passwords, but counted separately: somebody who knows the password can guess no
more codes by giving it again.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self, TypeAlias

from fastapi import Request
from pydantic import Field, model_validator
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.store.models import User
from sieve.store.queries import factors
from sieve.web.errors import MalformedRequest
from sieve.web.passkey_challenges import Purpose
from sieve.web.schemas import RequestBody
from sieve.web.second_factor import authenticator_app, passkeys, recovery_codes, relying_party
from sieve.web.second_factor.passkeys import BadPasskey, UsedPasskey
from sieve.web.second_factor.relying_party import RelyingParty
from sieve.web.secret_text import SecretText
from sieve.web.services import Services

Method: TypeAlias = Literal["passkey", "app", "recovery-code"]

NO_PASSKEYS: Final = (
    "passkeys do not work at this address; open the gateway at its https address (SIEVE_WEB_URL) or at localhost"
)


class FactorGiven(RequestBody):
    """One of: a `code` of the authenticator app, a `recovery_code`, and a `passkey`'s answer."""

    code: Annotated[SecretText, Field(max_length=20)] | None = None
    recovery_code: Annotated[SecretText, Field(max_length=100)] | None = None
    passkey: UsedPasskey | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.code, self.recovery_code, self.passkey)) != 1:
            raise ValueError("give one of code, recovery_code and passkey")
        return self


@dataclass(frozen=True, slots=True)
class Proved:
    """A proved factor. `since_reset`: it was added after a reset of the account that nobody confirmed.
    `needs_password`: it is a passkey that does not sign in alone now.
    """

    method: Method
    since_reset: bool
    needs_password: bool = False


async def prove(
    services: Services, session: AsyncSession, user: User, given: FactorGiven, request: Request, purpose: Purpose
) -> Proved | None:
    """The factor of `user` that `given` proves, in the caller's writing transaction; None if it proves none. A right
    code is used up.
    """
    if given.code is not None:
        return await _app(services, session, user, given.code.get_secret_value())
    if given.recovery_code is not None:
        found = await factors.use_recovery_code(
            session, user.id, recovery_codes.hash_of(given.recovery_code.get_secret_value())
        )
        if found is None:
            return None
        details = {"left": await factors.recovery_codes_left(session, user.id)}
        await services.audit.note(session, user.name, "recovery-code-used", user.name, details)
        return Proved("recovery-code", found.since_reset)
    if given.passkey is None:
        return None
    party = relying_party.of(request, services.settings)
    if party is None:
        return None
    found_user = await passkey_owner(services, session, given.passkey, party, purpose, user)
    return None if found_user is None else found_user[1]


async def passkey_owner(
    services: Services,
    session: AsyncSession,
    answer: UsedPasskey,
    party: RelyingParty,
    purpose: Purpose,
    user: User | None = None,
) -> tuple[str, Proved] | None:
    """The id of the person whose passkey gave this answer to a challenge for `purpose`; None if it does not verify.
    `user`: whose passkey it must be; without one, the authenticator must have verified its user.
    """
    subject = "" if user is None else user.id
    try:
        challenge = passkeys.challenge_of(answer)
        row = await factors.passkey(session, passkeys.credential_id_of(answer))
        if row is None or row.relying_party != party.id or (user is not None and row.user_id != user.id):
            return None
        if not services.challenges.is_valid(challenge, purpose, subject):
            return None
        count = passkeys.verify_used(answer, row, party, challenge, verified_user=user is None)
    except BadPasskey:
        return None
    if not await services.challenges.use(session, challenge):
        return None
    row.sign_count, row.last_used_at_ns = count, now_ns()
    if purpose == "factor":  # the person has just given their password
        row.needs_password = False
    await session.flush()
    return row.user_id, Proved("passkey", row.since_reset, row.needs_password)


async def _app(services: Services, session: AsyncSession, user: User, code: str) -> Proved | None:
    row = await factors.confirmed_app(session, user.id)
    if row is None or row.confirmed_at_ns is None:
        return None
    now = now_ns()
    secret = authenticator_app.unseal(services.blobs.keys, row.secret, user.id)
    step = authenticator_app.step_of(secret, code, now, row.last_step)
    if step is None:
        return None
    row.last_step, row.last_used_at_ns = step, now
    await session.flush()
    return Proved("app", row.since_reset)


def party_of(request: Request, services: Services) -> RelyingParty:
    """The relying party at this address.

    Raises:
        MalformedRequest: passkeys do not work here.
    """
    party = relying_party.of(request, services.settings)
    if party is None:
        raise MalformedRequest(NO_PASSKEYS)
    return party
