"""What is known of the machine's clock: see `sieve.gateway.peering.clock_trust`."""

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import ClockNote
from sieve.store.queries import audit

_ID = 1


async def latest(session: AsyncSession) -> ClockNote | None:
    """The last note. Before there are any, the last entry of the audit log says what the clock read; None if there is
    none."""
    note = await session.get(ClockNote, _ID)
    if note is None and (at_ns := await audit.last_at_ns(session)) is not None:
        return ClockNote(id=_ID, believed_at_ns=at_ns, unconfirmed_ns=None)
    return note


async def put(session: AsyncSession, believed_at_ns: int, unconfirmed_ns: int | None) -> None:
    """Replaces the note."""
    await session.merge(ClockNote(id=_ID, believed_at_ns=believed_at_ns, unconfirmed_ns=unconfirmed_ns))
    await session.flush()
