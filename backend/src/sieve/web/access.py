"""Authentication: a parameter of each route says who may call it.

    async def send(author: Author, ...)        only people with that role
    async def me(person: Person, ...)          everyone with a valid token or cookie
    async def now(person: MaybePerson, ...)    everyone

A token's scopes narrow the roles of its owner: with a token of scope "send", an admin is only an author. So whatever
looks at roles looks at scopes, too.

Each request looks up its token or cookie, so a revoked token, an ended session, a disabled account and a removed role
take effect at once. If a body takes more than `KNOWN_FOR_S` to arrive, they are looked up again after it.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import make_transient
from starlette.types import Scope

from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.store.models import Session, Token, User
from sieve.store.queries import sessions, tokens
from sieve.web import cookie as cookies
from sieve.web import same_origin
from sieve.web.cookie import Cookie
from sieve.web.errors import NotSignedIn
from sieve.web.request_guard import COUNTED_REQUEST
from sieve.web.services import Given, Services

KNOWN_FOR_S: Final = 1.0
_KNOWN: Final = "sieve.known_person"
"""Key of the ASGI scope: the credentials that were looked up before the body was read, their owner, and until when (a
monotonic clock) that counts."""
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="An API token: sieve_ and 43 characters.")


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials of a request: a token, a cookie, or nothing. With both, the token counts."""

    token: str | None
    cookie: str | None

    async def owner(self, session: AsyncSession, now_ns: int, idle_s: float) -> tuple[Token | Session, User] | None:
        """Their owner, with the roles that they allow; None if they are not valid. `idle_s`: how long a session
        without requests lasts.
        """
        if self.token is not None:
            found = await tokens.owner(session, self.token, now_ns)
            if found is not None:
                _narrow(found[1], found[0].scopes.split())
            return found
        if self.cookie is not None:
            return await sessions.owner(session, self.cookie, now_ns, idle_s)
        return None


def _narrow(user: User, scopes: Sequence[str]) -> None:
    make_transient(user)  # no change of it is ever written
    user.is_author = user.is_author and "send" in scopes
    user.is_recipient = user.is_recipient and "read" in scopes
    user.is_admin = user.is_admin and "admin" in scopes


async def _shown(
    request: Request, bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)], cookie: Cookie
) -> Credentials:
    if bearer is not None:
        return Credentials(bearer.credentials, None)
    if cookie is not None and request.method not in same_origin.SAFE_METHODS:
        same_origin.require(request)
    return Credentials(None, cookie)


ShownCredentials = Annotated[Credentials, Depends(_shown)]


async def _maybe_person(request: Request, services: Given, shown: ShownCredentials) -> User | None:
    known, person, until_s = request.scope.get(_KNOWN, (None, None, 0.0))
    if known == shown and time.monotonic() < until_s:
        return cast(User, person)
    now = now_ns()
    async with services.database.read() as session:
        found = await shown.owner(session, now, services.settings.session_idle_s)
    if found is None:
        return None
    row, user = found
    asked = request.scope.get(COUNTED_REQUEST)
    if asked is not None:
        asked.by(user.id)
    services.last_used.note(row, now)
    request.scope[_KNOWN] = (shown, user, time.monotonic() + KNOWN_FOR_S)
    return user


MaybePerson = Annotated[User | None, Depends(_maybe_person)]


async def _person(person: MaybePerson, shown: ShownCredentials) -> User:
    if person is not None:
        return person
    if shown.token is not None:
        raise NotSignedIn(
            Sentence("token-unknown", "this token is unknown, expired or revoked, or its owner's account is disabled")
        )
    if shown.cookie is not None:
        raise NotSignedIn(Sentence("signed-out", "you were no longer signed in; sign in and try again"))
    raise NotSignedIn(Sentence("not-signed-in", "you were not signed in; sign in and try again, or give an API token"))


Person = Annotated[User, Depends(_person)]


async def signed_in(scope: Scope, services: Services) -> User:
    """The person who makes a request, identified before its body is read.

    Raises:
        NotSignedIn: the request has no valid credentials.
        NotAllowed: it has a cookie, but does not come from a page of this gateway.
    """
    request = Request(scope)
    shown = await _shown(request, await _bearer(request), cookies.value_of(request, services))
    return await _person(await _maybe_person(request, services, shown), shown)


def _only(those: str, scopes: str, may: Callable[[User], bool]) -> Any:
    async def check(person: Person, shown: ShownCredentials) -> User:
        if may(person):
            return person
        if shown.token is not None:
            raise NotAllowed(f"only {those} may do this, with a token of scope {scopes}")
        raise NotAllowed(f"only {those} may do this")

    return Depends(check)


async def _still(services: Given, shown: ShownCredentials) -> Callable[[], Awaitable[User | None]]:
    async def still() -> User | None:
        async with services.database.read() as session:
            found = await shown.owner(session, now_ns(), services.settings.session_idle_s)
        return found[1] if found else None

    return still


Author = Annotated[User, _only("authors", "send", lambda person: person.is_author)]
Recipient = Annotated[User, _only("recipients", "read", lambda person: person.is_recipient)]
Admin = Annotated[User, _only("admins", "admin", lambda person: person.is_admin)]
AuthorOrAdmin = Annotated[
    User, _only("authors and admins", "send or admin", lambda person: person.is_author or person.is_admin)
]
StillSignedIn = Annotated[Callable[[], Awaitable[User | None]], Depends(_still)]
"""For long responses: looks up the person again, with their current roles; None once the sign-in has ended.

This does not count as use of a session: one that only listens is idle."""
