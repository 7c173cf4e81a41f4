"""A new one-time link: a path with 256 random bits, shown once and stored as a hash."""

import secrets
from collections.abc import Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import User
from sieve.store.queries import one_time_links as queries
from sieve.web.one_time_links.schemas import LinkMade
from sieve.web.times import shown

RANDOM_BYTES: Final = 32


async def new_link(session: AsyncSession, owner: User, *, made_by_id: str | None) -> LinkMade:
    """Creates a link for `owner`, which replaces earlier ones; it is valid once the caller has committed. `made_by_id`:
    the admin; None on the gateway's host.

    Raises:
        Conflict: `owner` is disabled, or a service account.
    """
    [link] = await new_links(session, [owner], made_by_id=made_by_id)
    return link


async def new_links(session: AsyncSession, owners: Sequence[User], *, made_by_id: str | None) -> Sequence[LinkMade]:
    """Creates a link for each of `owners`, as `new_link` does."""
    for owner in owners:
        if owner.disabled_at_ns is not None:
            raise Conflict(f"{owner.name} is disabled; enable the account first")
        if owner.is_service:
            raise Conflict(f"{owner.name} is a service account, which has no password; make a token for it")
    codes = {owner.id: secrets.token_urlsafe(RANDOM_BYTES) for owner in owners}
    rows = await queries.add_all(session, codes, now_ns(), made_by_id)
    return [LinkMade(url=f"/welcome#{codes[row.user_id]}", expires_at=shown(row.expires_at_ns)) for row in rows]
