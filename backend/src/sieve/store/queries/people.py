"""People with an account here, by their login (which is kept in lower case and looked up whatever its case)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from sqlalchemy import Table, bindparam, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import User, new_id
from sieve.store.queries.conditional_update import update_where


def new(
    *,
    name: str,
    display_name: str,
    now_ns: int,
    unit: str | None = None,
    email: str | None = None,
    is_author: bool = False,
    is_recipient: bool = False,
    is_admin: bool = False,
    cleared: bool = False,
    is_service: bool = False,
    admin_confirmed: bool = False,
    password_hash: str | None = None,
    sso_issuer: str | None = None,
    sso_subject: str | None = None,
    disabled_at_ns: int | None = None,
) -> User:
    """A new person, in no session."""
    return User(
        id=new_id(),
        name=name.lower(),
        display_name=display_name,
        unit=unit,
        email=email,
        is_author=is_author,
        is_recipient=is_recipient,
        is_admin=is_admin,
        cleared=cleared,
        is_service=is_service,
        admin_confirmed=admin_confirmed,
        password_hash=password_hash,
        sso_issuer=sso_issuer,
        sso_subject=sso_subject,
        disabled_at_ns=disabled_at_ns,
        created_at_ns=now_ns,
    )


async def add(session: AsyncSession, **values: Any) -> User:
    """Adds a new person; `values` as in `new`. Look first whether the name is taken: `by_name`."""
    [user] = await add_all(session, [values])
    return user


async def add_all(session: AsyncSession, everybody: Iterable[Mapping[str, Any]]) -> Sequence[User]:
    """Adds several new people, as `add` does."""
    users = [new(**values) for values in everybody]
    session.add_all(users)
    await session.flush()
    return users


async def by_id(session: AsyncSession, user_id: str) -> User | None:
    """The person of that id, disabled or not."""
    return await session.get(User, user_id)


async def by_name(session: AsyncSession, name: str) -> User | None:
    """The person of that login, disabled or not."""
    return await session.scalar(select(User).where(User.name == name.lower()))


async def by_subject(session: AsyncSession, issuer: str, subject: str) -> User | None:
    """The person who signs in with that OpenID Connect provider as `subject`, disabled or not."""
    return await session.scalar(select(User).where(User.sso_issuer == issuer, User.sso_subject == subject))


async def everybody(session: AsyncSession) -> Sequence[User]:
    """All people, disabled ones too, by login."""
    return (await session.scalars(select(User).order_by(User.name))).all()


_RECIPIENTS: Final = select(User).where(User.is_recipient, User.disabled_at_ns.is_(None)).order_by(User.name)


async def recipients(session: AsyncSession, names: Sequence[str] | None = None) -> Sequence[User]:
    """Those who can receive, by login: all of them, or those among `names`."""
    if names is None:
        return (await session.scalars(_RECIPIENTS)).all()
    asked = {name.lower() for name in names}
    return (await session.scalars(_RECIPIENTS.where(User.name.in_(asked)))).all()


_USERS: Final = cast(Table, User.__table__)
_IDS: Final = select(_USERS.c.name, _USERS.c.id).where(_USERS.c.is_recipient, _USERS.c.disabled_at_ns.is_(None))
_ID: Final = _IDS.where(_USERS.c.name == bindparam("name"))
_IDS_AMONG: Final = _IDS.where(_USERS.c.name.in_(bindparam("names", expanding=True)))


async def recipient_ids(session: AsyncSession, names: Iterable[str]) -> Mapping[str, str]:
    """The ids of those among `names` who can receive, by their logins."""
    asked = {name.lower() for name in names}
    # Most transfers have one recipient, and a list would be expanded into the statement each time.
    found = (
        await session.execute(_ID, {"name": asked.pop()})
        if len(asked) == 1
        else await session.execute(_IDS_AMONG, {"names": sorted(asked)})
    )
    return {row.name: row.id for row in found}


async def any_admin(session: AsyncSession) -> bool:
    """Whether there is an admin who is not disabled."""
    wanted = select(User.id).where(User.is_admin, User.disabled_at_ns.is_(None))
    return bool(await session.scalar(select(exists(wanted))))


async def admin_ids(session: AsyncSession) -> Sequence[str]:
    """The ids of the admins."""
    return (await session.scalars(select(User.id).where(User.is_admin, User.disabled_at_ns.is_(None)))).all()


async def change(session: AsyncSession, user_id: str, **values: Any) -> bool:
    """Changes columns of a person; False if there is no such person."""
    return await update_where(session, User, User.id == user_id, **values) > 0
