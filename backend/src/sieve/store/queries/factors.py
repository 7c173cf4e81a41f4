"""Second factors of people, and sign-ins that still need one.

A person *has* a second factor if they have a passkey or a confirmed authenticator app. Recovery codes replace it once
each; they come with the first factor and go with the last.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import AuthenticatorApp, Passkey, RecoveryCode, UnfinishedSignIn, User
from sieve.store.models.factors import First, Need
from sieve.store.queries.tokens import token_hash

NS_PER_S: Final = 1_000_000_000
UNFINISHED_NS: Final = 15 * 60 * NS_PER_S
"""How long a person may take for the second step."""


async def passkeys(session: AsyncSession, user_id: str) -> Sequence[Passkey]:
    """A person's passkeys, the oldest first."""
    wanted = select(Passkey).where(Passkey.user_id == user_id).order_by(Passkey.created_at_ns, Passkey.id)
    return (await session.scalars(wanted)).all()


async def passkey(session: AsyncSession, credential_id: bytes) -> Passkey | None:
    """The passkey of that credential id."""
    return await session.scalar(select(Passkey).where(Passkey.credential_id == credential_id))


async def remove_passkey(session: AsyncSession, user_id: str, passkey_id: str) -> Passkey | None:
    """Removes a passkey of that person; None if there is no such one."""
    row = await session.scalar(select(Passkey).where(Passkey.id == passkey_id, Passkey.user_id == user_id))
    if row is not None:
        await session.delete(row)
        await session.flush()
    return row


async def app(session: AsyncSession, user_id: str) -> AuthenticatorApp | None:
    """A person's authenticator app, also one that is not confirmed yet."""
    return await session.get(AuthenticatorApp, user_id)


async def confirmed_app(session: AsyncSession, user_id: str) -> AuthenticatorApp | None:
    """A person's authenticator app, if it is confirmed."""
    row = await app(session, user_id)
    return row if row is not None and row.confirmed_at_ns is not None else None


async def keep_app(session: AsyncSession, user_id: str, secret: bytes, now_ns: int) -> None:
    """Stores an authenticator app that is not confirmed yet, in place of an earlier one."""
    await remove_app(session, user_id)
    session.add(AuthenticatorApp(user_id=user_id, secret=secret, created_at_ns=now_ns))
    await session.flush()


async def remove_app(session: AsyncSession, user_id: str) -> None:
    """Removes a person's authenticator app."""
    await session.execute(delete(AuthenticatorApp).where(AuthenticatorApp.user_id == user_id))


async def has_factor(session: AsyncSession, user_id: str) -> bool:
    """Whether the person has a second factor."""
    with_passkey = exists(select(Passkey.id).where(Passkey.user_id == user_id))
    confirmed = AuthenticatorApp.confirmed_at_ns.is_not(None)
    with_app = exists(select(AuthenticatorApp.user_id).where(AuthenticatorApp.user_id == user_id, confirmed))
    return bool(await session.scalar(select(or_(with_passkey, with_app))))


async def who_has_one(session: AsyncSession) -> Sequence[str]:
    """The ids of all people with a second factor."""
    confirmed = AuthenticatorApp.confirmed_at_ns.is_not(None)
    wanted = select(Passkey.user_id).union(select(AuthenticatorApp.user_id).where(confirmed))
    return (await session.scalars(wanted)).all()


async def keep_recovery_codes(session: AsyncSession, user_id: str, hashes: Iterable[str], now_ns: int) -> None:
    """Stores a person's recovery codes, in place of all earlier ones."""
    await session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    newer = await is_since_reset(session, user_id)
    session.add_all(
        [RecoveryCode(hash=each, user_id=user_id, since_reset=newer, created_at_ns=now_ns) for each in hashes]
    )
    await session.flush()


async def recovery_codes_left(session: AsyncSession, user_id: str) -> int:
    """How many recovery codes of a person are unused."""
    wanted = select(func.count()).select_from(RecoveryCode).where(RecoveryCode.user_id == user_id)
    return await session.scalar(wanted) or 0


async def use_recovery_code(session: AsyncSession, user_id: str, code_hash: str) -> RecoveryCode | None:
    """Uses up a recovery code; None if the person has no such one."""
    row = await session.get(RecoveryCode, code_hash)
    if row is None or row.user_id != user_id:
        return None
    await session.delete(row)
    await session.flush()
    return row


async def remove_all(session: AsyncSession, user_id: str) -> None:
    """Removes all factors and recovery codes of a person."""
    for table in (Passkey, AuthenticatorApp, RecoveryCode):
        await session.execute(delete(table).where(table.user_id == user_id))


async def is_since_reset(session: AsyncSession, user_id: str) -> bool:
    """Whether a factor that the person adds in this transaction is from after a reset that nobody confirmed."""
    wanted = select(User.locked_before_ns.is_not(None)).where(User.id == user_id)
    return bool(await session.scalar(wanted))


async def remove_since_reset(session: AsyncSession, user_id: str) -> bool:
    """Removes the factors and recovery codes that were added after a reset that nobody confirmed, and an app that is
    not confirmed yet. Returns whether a factor was removed.
    """
    newer_app = or_(AuthenticatorApp.confirmed_at_ns.is_(None), AuthenticatorApp.since_reset)
    removed = [
        *await session.scalars(
            delete(Passkey).where(Passkey.user_id == user_id, Passkey.since_reset).returning(Passkey.created_at_ns)
        ),
        *await session.scalars(
            delete(AuthenticatorApp)
            .where(AuthenticatorApp.user_id == user_id, newer_app)
            .returning(AuthenticatorApp.confirmed_at_ns)
        ),
    ]
    await session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id, RecoveryCode.since_reset))
    if not await has_factor(session, user_id):
        await remove_all(session, user_id)
    return any(at_ns is not None for at_ns in removed)


async def require_password(session: AsyncSession, user_id: str) -> None:
    """From now on the person's passkeys sign in alone only after they were the second step behind a password."""
    await session.execute(update(Passkey).where(Passkey.user_id == user_id).values(needs_password=True))


async def count_as_older(session: AsyncSession, user_id: str) -> None:
    """The reset was confirmed: every factor of the person now counts as older than the next one."""
    for table in (Passkey, AuthenticatorApp, RecoveryCode):
        await session.execute(update(table).where(table.user_id == user_id).values(since_reset=False))


async def add_unfinished(
    session: AsyncSession, user_id: str, value: str, needs: Need, now_ns: int, proved: First = "password"
) -> UnfinishedSignIn:
    """Stores a sign-in that still needs a factor, with the hash of its cookie's `value`. Removes expired ones."""
    await session.execute(delete(UnfinishedSignIn).where(UnfinishedSignIn.expires_at_ns <= now_ns))
    row = UnfinishedSignIn(
        hash=token_hash(value), user_id=user_id, needs=needs, proved=proved, expires_at_ns=now_ns + UNFINISHED_NS
    )
    session.add(row)
    await session.flush()
    return row


async def unfinished(session: AsyncSession, value: str, now_ns: int) -> tuple[UnfinishedSignIn, User] | None:
    """The unfinished sign-in of that cookie and its person; None if it is unknown or over, or they are disabled."""
    wanted = (
        select(UnfinishedSignIn, User)
        .join(User, User.id == UnfinishedSignIn.user_id)
        .where(
            UnfinishedSignIn.hash == token_hash(value),
            UnfinishedSignIn.expires_at_ns > now_ns,
            # A clock that was set back must not make it last longer.
            UnfinishedSignIn.expires_at_ns <= now_ns + UNFINISHED_NS,
            User.disabled_at_ns.is_(None),
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    return None if found is None else (found[0], found[1])
