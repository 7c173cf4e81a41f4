"""Signing in with a password. Every failure has the same response. `config` sets how long a session lasts."""

import logging
import secrets
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.config import Settings
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.store.models import User
from sieve.store.models.factors import First, Need
from sieve.store.queries import factors, people, sessions, sign_in_failures
from sieve.web.errors import NotSignedIn
from sieve.web.services import Services
from sieve.web.session import throttle
from sieve.web.session.device import device_of

log = logging.getLogger(__name__)

RANDOM_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody signs in. `source`: as `throttle.source_of`; `device`: as `device_of`."""

    source: str
    device: str | None

    @classmethod
    def of(cls, request: Request) -> "Place":
        return cls(throttle.source_of(request), device_of(request.headers.get("user-agent", "")))


@dataclass(frozen=True, slots=True)
class Proof:
    """Proof of the password with the hash `kept`. `fresh`: the hash to store instead, if `kept` is out of date."""

    user_id: str
    kept: str
    fresh: str | None
    guess: throttle.Guess

    async def redeem(self, session: AsyncSession) -> User | None:
        """The person, if that is still their password. Takes back the guess that was counted as failed."""
        user = await people.by_id(session, self.user_id)
        if user is None or user.password_hash != self.kept or user.disabled_at_ns is not None:
            return None
        await throttle.take_back(session, self.guess)
        if self.fresh is not None:
            await people.change(session, user.id, password_hash=self.fresh)
        return user


async def prove(services: Services, login: str, password: str, source: str) -> Proof | None:
    """Proof that this is the password of an enabled account; None if it is not. The caller redeems the proof.

    Raises:
        TooManyTries: too many guesses were wrong; this one was not checked.
    """
    async with services.database.write() as session:
        guess = await throttle.count(session, login, source, now_ns())
        user = await people.by_name(session, login)
    kept = None if user is None or user.disabled_at_ns is not None else user.password_hash
    compared = await services.passwords.compare(kept, password)
    if user is None or kept is None or not compared.right:
        log.warning("wrong login or password from %s, %d in a row", source, guess.failures)
        await _note_failure(services, None if user is None else user.name, source, guess)
        return None
    return Proof(user.id, kept, compared.fresh, guess)


async def sign_in(services: Services, login: str, password: str, place: Place, old: str | None) -> tuple[User, str]:
    """The person, and the value of their new cookie, as `enter` makes it. Ends the session of the cookie `old`.

    Raises:
        NotSignedIn: login or password is wrong, or the account is disabled or has no password.
        TooManyTries: too many guesses were wrong; this one was not checked.
    """
    proof = await prove(services, login, password, place.source)
    if proof is not None:
        async with services.database.write() as session:
            user = await proof.redeem(session)
            if user is not None:
                return user, await enter(services, session, user, old, place)
    raise NotSignedIn(
        Sentence(
            "wrong-password", "wrong login or password; try again, or ask an admin for a link to set a new password"
        )
    )


async def _note_failure(services: Services, login: str | None, source: str, guess: throttle.Guess) -> None:
    """Records a failed sign-in in the audit log, unless the log has enough of them: the first in a row with that login,
    the second, the fourth and so on. Those with a login that does not exist (None) count together and are not named,
    because people sometimes type a password as their login.
    """
    async with services.database.write() as session:
        refused = await throttle.count_refused(session, now_ns(), known=login is not None)
        failures = refused if login is None else guess.of_account
        if failures.bit_count() == 1:
            details = {"failures": failures, "source": source}
            await services.audit.note(session, "", "sign-in-failed", login or "", details)


def requires_factor(settings: Settings, user: User) -> bool:
    """Whether this person must have a second factor, by `Settings.second_factor`."""
    match settings.second_factor:
        case "all":
            return True
        case "admins":
            return user.is_admin
        case "admins-and-cleared":
            return user.is_admin or user.cleared
        case _:
            return False


async def enter(
    services: Services,
    session: AsyncSession,
    user: User,
    old: str | None,
    place: Place,
    proved: First = "password",
    *,
    both: bool = False,
) -> str:
    """Continues for a person who proved their password, used their one-time link, or signed in at the provider: begins
    a session, or asks for the second step first. Returns the value of the new cookie. Ends the session of the cookie
    `old`. `both`: the provider checked a second factor, too. It does not replace the person's own one while what a link
    locked is locked: somebody else may have linked the account with their own at the provider.
    """
    has_own = await factors.has_factor(session, user.id)
    if both and not (has_own and user.locked_before_ns is not None):
        return await begin(services, session, user, old, place, "sso and its factor")
    if has_own:
        needs: Need = "factor"
    elif requires_factor(services.settings, user):
        needs = "enrolment"
    else:
        return await begin(services, session, user, old, place, None if proved == "password" else proved)
    if old is not None:
        await sessions.end(session, old)
    value = secrets.token_urlsafe(RANDOM_BYTES)
    await factors.add_unfinished(session, user.id, value, needs, now_ns(), proved)
    return value


async def begin(
    services: Services, session: AsyncSession, user: User, old: str | None, place: Place, by: str | None = None
) -> str:
    """Begins a session of `user` in place of that of the cookie `old`; returns the value of its cookie. Records the
    sign-in in the audit log. `by`: how the person signed in, if not by password alone.

    Also deletes the expired sessions and counts of everyone.
    """
    now = now_ns()
    settings = services.settings
    await sessions.sweep(session, now, settings.session_idle_s)
    await sign_in_failures.sweep(session, now)
    if old is not None:
        await sessions.end(session, old)
    details = {"source": place.source} if by is None else {"source": place.source, "with": by}
    await services.audit.note(session, user.name, "signed-in", user.name, details)
    value = secrets.token_urlsafe(RANDOM_BYTES)
    await sessions.add(
        session,
        user_id=user.id,
        value=value,
        now_ns=now,
        life_s=settings.session_life_s,
        device=place.device,
        source=place.source,
    )
    return value
