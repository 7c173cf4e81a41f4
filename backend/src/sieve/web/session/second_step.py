"""The second step of signing in, signing in with a passkey alone, and confirming that it is still the same person.

Every wrong factor has the same response. Each try counts as failed before it is checked, as for passwords.
"""

import logging
from typing import Final

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.store.models import Session, UnfinishedSignIn, User
from sieve.store.queries import approvals, factors, people, sessions
from sieve.web.errors import NotSignedIn
from sieve.web.second_factor.passkeys import UsedPasskey
from sieve.web.second_factor.proof import FactorGiven, Proved, party_of, passkey_owner, prove
from sieve.web.services import Services
from sieve.web.session import sign_in, throttle
from sieve.web.session.schemas import Confirmation
from sieve.web.session.throttle import source_of

log = logging.getLogger(__name__)

START_AGAIN: Final = "this sign-in took too long or was ended; enter your login and password again"
WRONG: Final = (
    "this code or passkey is wrong, or the code was used before; try the next code or another way, or ask an admin to "
    "take your second factor away"
)

PASSWORD_FIRST: Final = Sentence(
    "passkey-needs-password",
    "this passkey alone does not sign you in now, because somebody used a one-time link for your account, or an admin "
    "refused or withdrew a reset of it: sign in with your login and password, then with the passkey; if you have no "
    "password, or do not know it, ask an admin",
)


async def unfinished(services: Services, cookie: str | None) -> tuple[UnfinishedSignIn, User]:
    """The unfinished sign-in of this cookie, and its person.

    Raises:
        NotSignedIn: there is none.
    """
    if cookie is not None:
        async with services.database.read() as session:
            found = await factors.unfinished(session, cookie, now_ns())
        if found is not None:
            return found
    raise NotSignedIn(START_AGAIN)


async def finish(services: Services, cookie: str | None, given: FactorGiven, request: Request) -> tuple[User, str]:
    """Finishes the sign-in of this cookie with a factor; returns the person and the value of their new cookie.

    Raises:
        NotSignedIn: there is no such sign-in (any more).
        NotAllowed: the factor is wrong.
        TooManyTries: too many were wrong; this one was not checked.
    """
    user = (await unfinished(services, cookie))[1]
    guess = await _count(services, user, given, request)
    async with services.database.write() as session:
        # Again: another request may have ended or finished it.
        found = None if cookie is None else await factors.unfinished(session, cookie, now_ns())
        if found is None or found[0].needs != "factor":
            raise NotSignedIn(START_AGAIN)
        proved = await prove(services, session, user, given, request, "factor")
        if proved is not None:
            await throttle.take_back(session, guess)
            await _unlock(services, session, found[1], proved)
            by = f"{found[0].proved} and {proved.method}"
            return found[1], await sign_in.begin(services, session, found[1], cookie, sign_in.Place.of(request), by)
    await _note_failure(services, user, request, guess)
    raise NotAllowed(WRONG)


async def with_passkey(services: Services, answer: UsedPasskey, request: Request, old: str | None) -> tuple[User, str]:
    """Signs in with a passkey alone, whose authenticator verified its user. Otherwise as `sign_in.sign_in`.

    Raises:
        NotSignedIn: the passkey is unknown or does not verify, the account is disabled, its person signs in with the
            provider, or the passkey must be given together with a new password first.
        TooManyTries: too many did not verify; this one was not checked.
        MalformedRequest: passkeys do not work at this address.
    """
    party, source, needs_password = party_of(request, services), source_of(request), False
    async with services.database.write() as session:
        guess = await throttle.count(session, f"passkey {answer.raw_id}", source, now_ns())
    async with services.database.write() as session:
        proved = await passkey_owner(services, session, answer, party, "sign-in")
        user = None if proved is None else await people.by_id(session, proved[0])
        # The provider must still know the people who sign in with it.
        if proved is not None and user is not None and user.disabled_at_ns is None and user.sso_subject is None:
            await throttle.take_back(session, guess)
            if not proved[1].needs_password:
                return user, await sign_in.begin(services, session, user, old, sign_in.Place.of(request), "passkey")
            needs_password = True
    if needs_password:
        raise NotSignedIn(PASSWORD_FIRST)
    log.warning("unknown passkey from %s, %d in a row", source, guess.failures)
    if guess.failures.bit_count() == 1:
        async with services.database.write() as session:
            details = {"failures": guess.failures, "source": source, "with": "passkey"}
            await services.audit.note(session, "", "sign-in-failed", "", details)
    raise NotSignedIn("this passkey is not known here or could not be verified; sign in another way")


async def confirm(services: Services, row: Session, user: User, given: Confirmation, request: Request) -> None:
    """Stores that the session's person confirmed that it is them: with a factor if they have one, else by password.

    Raises:
        NotAllowed: the factor or password is wrong, or a factor is needed.
        TooManyTries: too many were wrong; this one was not checked.
    """
    if given.password is not None:
        async with services.database.read() as session:
            if await factors.has_factor(session, user.id):
                raise NotAllowed("confirm with your second factor, not with your password")
        proof = await sign_in.prove(services, user.name, given.password.get_secret_value(), source_of(request))
        if proof is not None:
            async with services.database.write() as session:
                if await proof.redeem(session) is not None:
                    await sessions.confirm(session, row.id, now_ns())
                    return
        raise NotAllowed("this password is wrong; try again")
    guess = await _count(services, user, given, request)
    async with services.database.write() as session:
        proved = await prove(services, session, user, given, request, "confirmation")
        if proved is not None:
            await throttle.take_back(session, guess)
            await sessions.confirm(session, row.id, now_ns())
            return
    await _note_failure(services, user, request, guess)
    raise NotAllowed(WRONG)


async def _unlock(services: Services, session: AsyncSession, user: User, proved: Proved) -> None:
    """Unlocks what a one-time link locked, if the person had added this factor before (docs/adr/0037).

    Only for somebody who also gave the password: otherwise somebody else may have set it with the link, and could still
    use it.
    """
    if await approvals.confirm_reset(session, user, now_ns(), factor_since_reset=proved.since_reset):
        details = {"kind": "reset", "in_effect": True, "with": proved.method}
        await services.audit.note(session, user.name, "approval-given", user.name, details)


async def _count(services: Services, user: User, given: FactorGiven, request: Request) -> throttle.Guess:
    """Counts a try. Passkeys are counted apart, so that somebody who guesses codes does not keep the owner out."""
    kind = "code" if given.passkey is None else "passkey"
    async with services.database.write() as session:
        return await throttle.count(session, f"{kind} of {user.id}", source_of(request), now_ns(), throttle.FACTOR)


async def _note_failure(services: Services, user: User, request: Request, guess: throttle.Guess) -> None:
    """Records a wrong factor in the audit log: the first in a row of that person, the second, the fourth and so on."""
    source = source_of(request)
    log.warning("wrong second factor from %s, %d in a row", source, guess.of_account)
    if guess.of_account.bit_count() == 1:
        async with services.database.write() as session:
            details = {"failures": guess.of_account, "source": source}
            await services.audit.note(session, "", "second-factor-failed", user.name, details)
