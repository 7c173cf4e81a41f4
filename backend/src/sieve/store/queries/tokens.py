"""API tokens: 256 random bits that are shown once. Only their SHA-256 is stored, which is enough: they cannot be
guessed."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sqlalchemy import bindparam, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import ALL_SCOPES, Token, User, new_id
from sieve.store.queries.conditional_update import update_where
from sieve.store.queries.rows_as_objects import RowsOf


def token_hash(token: str) -> str:
    """How a token is kept and looked up."""
    return sha256(token.encode()).hexdigest()


async def add(
    session: AsyncSession,
    *,
    user_id: str,
    token: str,
    label: str,
    now_ns: int,
    expires_at_ns: int | None = None,
    scopes: str = ALL_SCOPES,
) -> Token:
    """Stores a new token of a person."""
    row = Token(
        id=new_id(),
        user_id=user_id,
        hash=token_hash(token),
        label=label,
        scopes=scopes,
        created_at_ns=now_ns,
        expires_at_ns=expires_at_ns,
    )
    session.add(row)
    await session.flush()
    return row


# Built once: every request asks.
_TOKENS: Final = RowsOf(Token)
_USERS: Final = RowsOf(User)
_T, _U = _TOKENS.table.c, _USERS.table.c
_OWNER: Final = (
    select(*_TOKENS.columns, *_USERS.columns)
    .join_from(_TOKENS.table, _USERS.table, _U.id == _T.user_id)
    .where(
        _T.hash == bindparam("hash"),
        _T.revoked_at_ns.is_(None),
        or_(_T.expires_at_ns.is_(None), _T.expires_at_ns > bindparam("now_ns")),
        _U.disabled_at_ns.is_(None),
    )
)


async def owner(session: AsyncSession, token: str, now_ns: int) -> tuple[Token, User] | None:
    """Whose token it is; None if it is unknown, revoked or expired, or its owner disabled. No change of either is
    written."""
    found = (await session.execute(_OWNER, {"hash": token_hash(token), "now_ns": now_ns})).one_or_none()
    of_token = len(_TOKENS.columns)
    return None if found is None else (_TOKENS.made(found[:of_token]), _USERS.made(found[of_token:]))


async def note_used(session: AsyncSession, token_id: str, now_ns: int) -> None:
    """Remembers that the token was used now. A write: once a minute is often enough."""
    await update_where(session, Token, Token.id == token_id, last_used_at_ns=now_ns)


async def of_user(session: AsyncSession, user_id: str) -> Sequence[Token]:
    """A person's tokens that are not revoked, the latest first."""
    wanted = select(Token).where(Token.user_id == user_id, Token.revoked_at_ns.is_(None))
    return (await session.scalars(wanted.order_by(Token.created_at_ns.desc(), Token.id))).all()


async def revoke(session: AsyncSession, user_id: str, token_id: str, now_ns: int) -> bool:
    """Ends a token of that person; False if there is no such one."""
    revoked = await update_where(
        session,
        Token,
        Token.id == token_id,
        Token.user_id == user_id,
        Token.revoked_at_ns.is_(None),
        revoked_at_ns=now_ns,
    )
    return revoked > 0


async def end_all(session: AsyncSession, user_id: str, now_ns: int) -> None:
    """Revokes every token of a person."""
    await update_where(session, Token, Token.user_id == user_id, Token.revoked_at_ns.is_(None), revoked_at_ns=now_ns)
