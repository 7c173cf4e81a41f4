"""People who are signed in in a browser. A session is over when it is idle for too long, at its longest life at the
latest, when it is ended, and while its person is disabled.
"""

from typing import Final

from sqlalchemy import delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Session, User, new_id
from sieve.store.queries.change import change
from sieve.store.queries.tokens import token_hash

HOUR_NS: Final = 3600 * 1_000_000_000
IDLE_NS: Final = 12 * HOUR_NS
LIFE_NS: Final = 7 * 24 * HOUR_NS


async def add(session: AsyncSession, *, user_id: str, value: str, now_ns: int) -> Session:
    """Keeps a new session of a person. `value`: what their cookie holds, 256 random bits; kept is its hash."""
    row = Session(
        id=new_id(),
        user_id=user_id,
        hash=token_hash(value),
        created_at_ns=now_ns,
        last_used_at_ns=now_ns,
        expires_at_ns=now_ns + LIFE_NS,
    )
    session.add(row)
    await session.flush()
    return row


async def owner(session: AsyncSession, value: str, now_ns: int) -> tuple[Session, User] | None:
    """Whose session it is; None if it is unknown or over, or its owner disabled."""
    wanted = (
        select(Session, User)
        .join(User, User.id == Session.user_id)
        .where(
            Session.hash == token_hash(value),
            Session.expires_at_ns > now_ns,
            Session.last_used_at_ns > now_ns - IDLE_NS,
            User.disabled_at_ns.is_(None),
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else (found[0], found[1])


async def note_used(session: AsyncSession, session_id: str, now_ns: int) -> None:
    """Remembers that the session was used now. A write: once a minute is often enough."""
    await change(session, Session, Session.id == session_id, last_used_at_ns=now_ns)


async def end(session: AsyncSession, value: str) -> None:
    """Ends the session of that cookie, if it is one."""
    await session.execute(delete(Session).where(Session.hash == token_hash(value)))


async def end_all(session: AsyncSession, user_id: str, *, but: str | None = None) -> None:
    """Ends every session of a person; all but that of the cookie `but`, if given."""
    kept = token_hash(but) if but is not None else ""
    await session.execute(delete(Session).where(Session.user_id == user_id, Session.hash != kept))


async def sweep(session: AsyncSession, now_ns: int) -> None:
    """Removes the sessions that are over by themselves."""
    over = or_(Session.expires_at_ns <= now_ns, Session.last_used_at_ns <= now_ns - IDLE_NS)
    await session.execute(delete(Session).where(over))
