"""Failed sign-ins in a row, by key: how many, and until when the next one has to wait. Forgotten after a day of peace.

To be used in one writing transaction from looking to counting, so that no two guesses see the same count.
"""

from typing import Final

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import SignInFailures

KEPT_NS: Final = 24 * 3600 * 1_000_000_000


async def of(session: AsyncSession, key: str, now_ns: int) -> SignInFailures:
    """The failures of `key`; a row of none, if there are none that count any more."""
    row = await session.get(SignInFailures, key)
    if row is None:
        row = SignInFailures(key=key, failures=0, last_at_ns=now_ns, blocked_until_ns=0)
        session.add(row)
    elif row.last_at_ns <= now_ns - KEPT_NS:
        row.failures, row.blocked_until_ns = 0, 0
    return row


async def clear(session: AsyncSession, key: str) -> None:
    """Forgets the failures of `key`."""
    await session.execute(delete(SignInFailures).where(SignInFailures.key == key))


async def sweep(session: AsyncSession, now_ns: int) -> None:
    """Removes what does not count any more."""
    await session.execute(delete(SignInFailures).where(SignInFailures.last_at_ns <= now_ns - KEPT_NS))
