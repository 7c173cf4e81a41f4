"""Links with which people set their password: 256 random bits, shown once, usable once, valid for a week.

A person has one link at most that counts: the last one that was made.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import OneTimeLink, User, new_id
from sieve.store.queries.tokens import token_hash

LIFE_NS: Final = 7 * 24 * 3600 * 1_000_000_000


async def add(
    session: AsyncSession, *, user_id: str, code: str, now_ns: int, made_by_id: str | None = None
) -> OneTimeLink:
    """Stores a new link of a person; the earlier ones are over, and old ones of anybody are removed."""
    [row] = await add_all(session, {user_id: code}, now_ns, made_by_id)
    return row


async def add_all(
    session: AsyncSession, codes: Mapping[str, str], now_ns: int, made_by_id: str | None
) -> Sequence[OneTimeLink]:
    """Stores new links of several people, as `add` does. `codes`: by the ids of the people."""
    await end_all(session, *codes)
    await session.execute(delete(OneTimeLink).where(OneTimeLink.expires_at_ns <= now_ns))
    rows = [
        OneTimeLink(
            id=new_id(),
            user_id=user_id,
            hash=token_hash(code),
            created_at_ns=now_ns,
            expires_at_ns=now_ns + LIFE_NS,
            made_by_id=made_by_id,
        )
        for user_id, code in codes.items()
    ]
    session.add_all(rows)
    await session.flush()
    return rows


async def owner(session: AsyncSession, code: str, now_ns: int) -> User | None:
    """Whose link it is; None if it is unknown, used, replaced or expired, or its owner disabled."""
    found = await _find(session, code, now_ns)
    return None if found is None else found[0]


async def use(session: AsyncSession, code: str, now_ns: int) -> tuple[User, str | None] | None:
    """Uses the link up; returns its owner and the id of the admin who made it (None: made on the gateway's host). None,
    and nothing changes, if it is not valid (see `owner`).
    """
    found = await _find(session, code, now_ns)
    if found is None:
        return None
    user, link = found
    link.used_at_ns = now_ns
    return user, link.made_by_id


async def _find(session: AsyncSession, code: str, now_ns: int) -> tuple[User, OneTimeLink] | None:
    wanted = (
        select(User, OneTimeLink)
        .join(OneTimeLink, OneTimeLink.user_id == User.id)
        .where(
            OneTimeLink.hash == token_hash(code),
            OneTimeLink.used_at_ns.is_(None),
            OneTimeLink.expires_at_ns > now_ns,
            User.disabled_at_ns.is_(None),
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else (found[0], found[1])


async def end_all(session: AsyncSession, *user_ids: str) -> None:
    """Ends every link of these people that is not used."""
    unused = OneTimeLink.used_at_ns.is_(None)
    await session.execute(delete(OneTimeLink).where(OneTimeLink.user_id.in_(user_ids), unused))
