"""Links with which people set their password: 256 random bits, shown once, usable once, valid for a week.

A person has one link at most that counts: the last one that was made.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import OneTimeLink, User, new_id
from sieve.store.queries.change import change
from sieve.store.queries.tokens import token_hash

LIFE_NS: Final = 7 * 24 * 3600 * 1_000_000_000


async def add(session: AsyncSession, *, user_id: str, code: str, now_ns: int) -> OneTimeLink:
    """Keeps a new link of a person; the earlier ones are over, and old ones of anybody are removed."""
    [row] = await add_all(session, {user_id: code}, now_ns)
    return row


async def add_all(session: AsyncSession, codes: Mapping[str, str], now_ns: int) -> Sequence[OneTimeLink]:
    """Keeps new links of several people, as `add` does. `codes`: by the ids of the people."""
    await end_all(session, *codes)
    await session.execute(delete(OneTimeLink).where(OneTimeLink.expires_at_ns <= now_ns))
    rows = [
        OneTimeLink(
            id=new_id(),
            user_id=user_id,
            hash=token_hash(code),
            created_at_ns=now_ns,
            expires_at_ns=now_ns + LIFE_NS,
        )
        for user_id, code in codes.items()
    ]
    session.add_all(rows)
    await session.flush()
    return rows


async def owner(session: AsyncSession, code: str, now_ns: int) -> User | None:
    """Whose link it is; None if it is unknown, used, replaced or expired, or its owner disabled."""
    wanted = (
        select(User)
        .join(OneTimeLink, OneTimeLink.user_id == User.id)
        .where(
            OneTimeLink.hash == token_hash(code),
            OneTimeLink.used_at_ns.is_(None),
            OneTimeLink.expires_at_ns > now_ns,
            User.disabled_at_ns.is_(None),
        )
    )
    return await session.scalar(wanted)


async def use(session: AsyncSession, code: str, now_ns: int) -> User | None:
    """Uses the link up and says whose it was; None, and nothing is done, if it does not count (see `owner`)."""
    user = await owner(session, code, now_ns)
    if user is not None:
        await change(session, OneTimeLink, OneTimeLink.hash == token_hash(code), used_at_ns=now_ns)
    return user


async def end_all(session: AsyncSession, *user_ids: str) -> None:
    """Ends every link of these people that is not used."""
    unused = OneTimeLink.used_at_ns.is_(None)
    await session.execute(delete(OneTimeLink).where(OneTimeLink.user_id.in_(user_ids), unused))
