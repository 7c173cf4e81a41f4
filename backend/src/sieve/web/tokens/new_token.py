"""A new API token: `sieve_` and 256 random bits, shown once and stored as a hash."""

import secrets

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.names import clean_line
from sieve.gateway.clock import now_ns
from sieve.store.models import User
from sieve.store.queries import tokens as queries
from sieve.web.tokens.schemas import TokenAsked, TokenMade

PREFIX = "sieve_"
RANDOM_BYTES = 32
NS_PER_S = 1_000_000_000


async def new_token(session: AsyncSession, owner: User, asked: TokenAsked) -> TokenMade:
    """Creates a token for `owner`; it is valid once the caller has committed."""
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    now = now_ns()
    row = await queries.add(
        session,
        user_id=owner.id,
        token=token,
        label=clean_line(asked.label),
        now_ns=now,
        expires_at_ns=None if asked.expires_in_s is None else now + asked.expires_in_s * NS_PER_S,
    )
    return TokenMade.from_attributes(row, token=token)
