"""Stored times that lie in the future, fitted to the clock that counts now.

Invariant: after this no stored time is further ahead than it could be if it had been written now. A clock
that was ahead may have set it.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql import ColumnElement

from sieve.store.models import (
    Base,
    Breaker,
    Notification,
    OneTimeLink,
    ReadReceipt,
    Session,
    SignInFailures,
    Transfer,
    UnfinishedSignIn,
)
from sieve.store.queries import factors, notifications, one_time_links, read_receipts


async def fit(
    session: AsyncSession, *, now_ns: int, retry_ns: int, breaker_ns: int, lease_ns: int, held: Collection[str]
) -> None:
    """Fits next tries, breakers, leases, sessions, unfinished sign-ins, one-time links and waits after failed sign-ins
    to `now_ns`. `tests/web/test_clock_set.py` names what is not fitted, and why.

    `retry_ns`, `breaker_ns`, `lease_ns`: the longest wait for a next try, of an open breaker and of a lease. `held`:
    the tokens of the leases that this process holds. They start again: it keeps them, although a clock that was set
    forward says that they have ended. No other lease is extended: its holder may be gone.
    """
    await _cap(session, Transfer, Transfer.next_try_at_ns, now_ns + retry_ns, Transfer.state == "queued")
    await _cap(session, Breaker, Breaker.open_until_ns, now_ns + breaker_ns)
    await _cap(session, Transfer, Transfer.lease_until_ns, now_ns + lease_ns, Transfer.state == "sending")
    await _set(session, Transfer, Transfer.lease_token.in_(held), lease_until_ns=now_ns + lease_ns)
    for waits, longest_ns in (
        (Notification, notifications.LONGEST_PAUSE_NS),
        (ReadReceipt, read_receipts.LONGEST_PAUSE_NS),
    ):
        await _cap(session, waits, waits.next_try_at_ns, now_ns, waits.tries == 0)
        await _cap(session, waits, waits.next_try_at_ns, now_ns + longest_ns)
    await _cap(session, Session, Session.last_used_at_ns, now_ns)
    life_ns = Session.expires_at_ns - Session.created_at_ns
    begun_ahead = Session.created_at_ns > now_ns
    await _set(session, Session, begun_ahead, created_at_ns=now_ns, expires_at_ns=now_ns + life_ns)
    await _cap(session, OneTimeLink, OneTimeLink.expires_at_ns, now_ns + one_time_links.LIFE_NS)
    await _cap(session, UnfinishedSignIn, UnfinishedSignIn.expires_at_ns, now_ns + factors.UNFINISHED_NS)
    failed_ns = SignInFailures.last_at_ns
    wait_ns = SignInFailures.blocked_until_ns - failed_ns
    await _set(session, SignInFailures, failed_ns > now_ns, last_at_ns=now_ns, blocked_until_ns=now_ns + wait_ns)


async def _cap(
    session: AsyncSession,
    row: type[Base],
    column: InstrumentedAttribute[Any],
    at_most_ns: int,
    *which: ColumnElement[bool],
) -> None:
    await _set(session, row, column > at_most_ns, *which, **{column.key: at_most_ns})


async def _set(session: AsyncSession, row: type[Base], *which: ColumnElement[bool], **values: Any) -> None:
    # No row is loaded in this transaction, and there may be many: none is brought up to date.
    await session.execute(update(row).where(*which).values(**values).execution_options(synchronize_session=False))
