"""A new API token: `sieve_` and 256 random bits, shown once and stored as a hash."""

import secrets

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.safe_names import clean_line
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import ALL_SCOPES, User
from sieve.store.queries import tokens as queries
from sieve.web.tokens.schemas import TokenAsked, TokenMade

PREFIX = "sieve_"
RANDOM_BYTES = 32
DAY_NS = 24 * 3600 * 1_000_000_000


async def new_token(session: AsyncSession, owner: User, asked: TokenAsked) -> TokenMade:
    """Creates a token for `owner`; it is valid once the caller has committed.

    Raises:
        Conflict: a scope is of a role that `owner` does not have, or may not use here.
    """
    possible = _scopes_of(owner)
    scopes = possible if asked.scopes is None else [scope for scope in ALL_SCOPES.split() if scope in asked.scopes]
    if beyond := set(scopes) - set(possible):
        raise Conflict(
            f"the scope {min(beyond)} needs a role that {owner.name} does not have, or this token does not use"
        )
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    now = now_ns()
    row = await queries.add(
        session,
        user_id=owner.id,
        token=token,
        label=clean_line(asked.label),
        now_ns=now,
        expires_at_ns=now + asked.expires_in_days * DAY_NS,
        scopes=" ".join(scopes),
    )
    return TokenMade.from_attributes(row, token=token, scopes=scopes)


def _scopes_of(person: User) -> list[str]:
    """The scopes of their roles."""
    has = {"send": person.is_author, "read": person.is_recipient, "admin": person.is_admin}
    return [scope for scope in ALL_SCOPES.split() if has[scope]]
