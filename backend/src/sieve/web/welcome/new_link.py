"""A new one-time link: a path with 256 random bits, shown once and stored as a hash."""

import secrets
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import User
from sieve.store.queries import one_time_links as queries
from sieve.web.times import shown
from sieve.web.welcome.schemas import LinkMade

RANDOM_BYTES: Final = 32


async def new_link(session: AsyncSession, owner: User) -> LinkMade:
    """Creates a link for `owner`, which replaces earlier ones; it is valid once the caller has committed.

    Raises:
        Conflict: `owner` is disabled.
    """
    if owner.disabled_at_ns is not None:
        raise Conflict(f"{owner.name} is disabled; enable the account first")
    code = secrets.token_urlsafe(RANDOM_BYTES)
    row = await queries.add(session, user_id=owner.id, code=code, now_ns=now_ns())
    return LinkMade(url=f"/welcome#{code}", expires_at=shown(row.expires_at_ns))
