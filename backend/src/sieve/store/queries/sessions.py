"""The sessions of browsers. A session ends when it was idle for too long, at the end of its life, or when it is ended;
it does not count while its person is disabled. `Settings.session_idle_s` and `session_life_s` have the times.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Session, UnfinishedSignIn, User, new_id
from sieve.store.queries.conditional_update import update_where
from sieve.store.queries.tokens import token_hash

NS_PER_S: Final = 1_000_000_000


async def add(
    session: AsyncSession,
    *,
    user_id: str,
    value: str,
    now_ns: int,
    life_s: float,
    device: str | None = None,
    source: str | None = None,
) -> Session:
    """Stores a new session of a person, with the hash of its cookie's `value`, which are 256 random bits. It counts as
    confirmed now: the person has just signed in.
    """
    row = Session(
        id=new_id(),
        user_id=user_id,
        hash=token_hash(value),
        created_at_ns=now_ns,
        last_used_at_ns=now_ns,
        expires_at_ns=now_ns + int(life_s * NS_PER_S),
        confirmed_at_ns=now_ns,
        device=device,
        source=source,
    )
    session.add(row)
    await session.flush()
    return row


async def owner(session: AsyncSession, value: str, now_ns: int, idle_s: float) -> tuple[Session, User] | None:
    """The session and its person; None if it is unknown or has ended, or the person is disabled."""
    wanted = (
        select(Session, User)
        .join(User, User.id == Session.user_id)
        .where(
            Session.hash == token_hash(value),
            Session.expires_at_ns > now_ns,
            Session.last_used_at_ns > now_ns - int(idle_s * NS_PER_S),
            User.disabled_at_ns.is_(None),
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else (found[0], found[1])


async def note_used(session: AsyncSession, session_id: str, now_ns: int) -> None:
    """Remembers that the session was used now. A write: once a minute is often enough."""
    await update_where(session, Session, Session.id == session_id, last_used_at_ns=now_ns)


async def confirm(session: AsyncSession, session_id: str, now_ns: int) -> None:
    """Stores that the session's person has just proved that it is them."""
    await update_where(session, Session, Session.id == session_id, confirmed_at_ns=now_ns)


async def end(session: AsyncSession, value: str) -> None:
    """Ends the session, or the unfinished sign-in, of that cookie, if it is one."""
    for table in (Session, UnfinishedSignIn):
        await session.execute(delete(table).where(table.hash == token_hash(value)))


async def of_user(session: AsyncSession, user_id: str, now_ns: int, idle_s: float) -> Sequence[Session]:
    """A person's sessions that have not ended, the last used first."""
    wanted = select(Session).where(Session.user_id == user_id, ~_ended(now_ns, idle_s))
    return (await session.scalars(wanted.order_by(Session.last_used_at_ns.desc(), Session.id))).all()


async def end_one(session: AsyncSession, user_id: str, session_id: str) -> bool:
    """Ends that session of a person; False if they have no such session."""
    theirs = delete(Session).where(Session.user_id == user_id, Session.id == session_id)
    return (await session.scalar(theirs.returning(Session.id))) is not None


async def end_all(session: AsyncSession, user_id: str, *, but: str | None = None) -> None:
    """Ends every session and unfinished sign-in of a person; all but that of the cookie `but`, if given."""
    kept = token_hash(but) if but is not None else ""
    for table in (Session, UnfinishedSignIn):
        await session.execute(delete(table).where(table.user_id == user_id, table.hash != kept))


async def sweep(session: AsyncSession, now_ns: int, idle_s: float) -> None:
    """Removes the sessions that have ended by the clock."""
    await session.execute(delete(Session).where(_ended(now_ns, idle_s)))


def _ended(now_ns: int, idle_s: float) -> ColumnElement[bool]:
    return or_(Session.expires_at_ns <= now_ns, Session.last_used_at_ns <= now_ns - int(idle_s * NS_PER_S))
