"""Who is asking: what a route's signature says of who may call it.

    async def send(author: Author, ...)        only people with that role get in
    async def me(person: Person, ...)          anybody with a token that counts

The token is looked up on every request, so that a revoked token, a disabled account and a role that was taken away
count at once.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from sieve.gateway.errors import NotAllowed
from sieve.gateway.marks import now_ns
from sieve.store.errors import DatabaseBusy, DestinationFull
from sieve.store.models import User
from sieve.store.queries import tokens
from sieve.web.errors import NotSignedIn
from sieve.web.services import Given

NOTE_USE_EVERY_NS = 60 * 1_000_000_000

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="An API token: sieve_ and 43 characters.")


async def _person(
    services: Given, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> User:
    if credentials is None:
        raise NotSignedIn("this wants an API token, as Authorization: Bearer sieve_...")
    now = now_ns()
    async with services.database.read() as session:
        found = await tokens.owner(session, credentials.credentials, now)
    if found is None:
        raise NotSignedIn("this token is unknown, expired or revoked, or its owner's account is disabled")
    token, user = found
    if now - (token.last_used_at_ns or 0) > NOTE_USE_EVERY_NS:
        # Only a note: a request that reads must not fail because nobody can write.
        with suppress(DatabaseBusy, DestinationFull):
            async with services.database.write() as session:
                await tokens.note_used(session, token.id, now)
    return user


Person = Annotated[User, Depends(_person)]


def _author(person: Person) -> User:
    if not person.is_author:
        raise NotAllowed("this is for authors")
    return person


def _recipient(person: Person) -> User:
    if not person.is_recipient:
        raise NotAllowed("this is for recipients")
    return person


def _admin(person: Person) -> User:
    if not person.is_admin:
        raise NotAllowed("this is for admins")
    return person


def _author_or_admin(person: Person) -> User:
    if not (person.is_author or person.is_admin):
        raise NotAllowed("this is for authors and admins")
    return person


async def _still(
    services: Given, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Callable[[], Awaitable[User | None]]:
    async def still() -> User | None:
        async with services.database.read() as session:
            found = await tokens.owner(session, credentials.credentials if credentials else "", now_ns())
        return found[1] if found else None

    return still


Author = Annotated[User, Depends(_author)]
Recipient = Annotated[User, Depends(_recipient)]
Admin = Annotated[User, Depends(_admin)]
AuthorOrAdmin = Annotated[User, Depends(_author_or_admin)]
StillSignedIn = Annotated[Callable[[], Awaitable[User | None]], Depends(_still)]
"""For an answer that takes long: asks again who this is, with the roles of that moment; None if the token is over."""
