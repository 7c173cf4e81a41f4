"""Adds and changes accounts, each with its entry in the audit log. The form for one person and the import share it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from sieve import single_sign_on
from sieve.core.sentence import Sentence
from sieve.gateway.auditing.audit_log import Note
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import User
from sieve.store.queries import approvals as queries
from sieve.store.queries import notifications, one_time_links, people, sessions, tokens
from sieve.web.people import approvals
from sieve.web.services import Services


async def add(session: AsyncSession, services: Services, admin: User, values: Mapping[str, Any]) -> User:
    """Adds a person. `values`: columns of the account.

    Raises:
        Conflict: the login exists, or the person would have no role.
    """
    if await people.by_name(session, values["name"]) is not None:
        raise Conflict(
            Sentence("login-exists", "the login {login} exists already; choose another", login=values["name"])
        )
    [row] = await add_all(session, services, admin, [values])
    return row


async def add_all(
    session: AsyncSession, services: Services, admin: User, everybody: Sequence[Mapping[str, Any]]
) -> Sequence[User]:
    """Adds several people, whose logins do not exist, as `add` does."""
    rows = await people.add_all(session, [{"now_ns": now_ns(), **values} for values in everybody])
    for row in rows:
        _require_role(row)
        if row.is_admin and not row.is_service:
            await approvals.ask(services, session, admin, row, "admin")
    await services.audit.note_all(session, admin.name, [("person-added", row.name, _rights(row)) for row in rows])
    return rows


def gives_more(row: User, values: Mapping[str, Any]) -> bool:
    """Whether these columns give a person a right that they do not have, or let them in again."""
    enables = row.disabled_at_ns is not None and "disabled_at_ns" in values and values["disabled_at_ns"] is None
    rights = single_sign_on.RIGHTS.values()
    return enables or any(values.get(column) and not getattr(row, column) for column in rights)


async def change_all(
    session: AsyncSession, services: Services, admin: User, changes: Sequence[tuple[User, Mapping[str, Any]]]
) -> None:
    """Changes columns of accounts, from the next request on.

    Raises:
        Conflict: a person loses their last role, or the gateway its last admin, or the provider decides on somebody's
            rights.
    """
    for row, values in changes:
        if row.sso_subject is not None and services.sso is not None and services.sso.rules.rights is not None:
            _require_same_rights(row, values)
        had_role, was_admin, was_cleared = has_role(row), row.is_admin, row.cleared
        for column, value in values.items():
            setattr(row, column, value)
        if had_role:
            _require_role(row)
        await _note_rights(session, services, admin, row, was_admin=was_admin, was_cleared=was_cleared)
        if "email" in values and row.email is None and row.email_notifications:
            row.email_notifications = False
            await notifications.remove_emails_of(session, row.id)
        if "disabled_at_ns" in values:
            # If the account is enabled again later, nobody who got in before is in. Earlier versions kept the tokens.
            await sessions.end_all(session, row.id)
            await tokens.end_all(session, row.id, now_ns())
            await one_time_links.end_all(session, row.id)
    await session.flush()
    if not await people.any_admin(session):
        raise Conflict(Sentence("only-admin", "this is the only admin; make another person an admin first"))
    notes: list[Note] = [
        ("person-changed", row.name, _rights(row) | ({"address": True} if "email" in values else {}))
        for row, values in changes
        if values
    ]
    await services.audit.note_all(session, admin.name, notes)


async def change_rights(session: AsyncSession, services: Services, row: User, rights: Mapping[str, bool]) -> bool:
    """Gives a person the rights that the provider's claims give, perhaps none. `rights`: each column of
    `single_sign_on.RIGHTS`. If they lose one, all their sessions and tokens end. Returns whether anything changed.
    """
    before = {column: bool(getattr(row, column)) for column in rights}
    if before == rights:
        return False
    for column, value in rights.items():
        setattr(row, column, value)
    await _note_rights(session, services, None, row, was_admin=before["is_admin"], was_cleared=before["cleared"])
    if any(before[column] and not rights[column] for column in rights):
        await sessions.end_all(session, row.id)
        await tokens.end_all(session, row.id, now_ns())
    await session.flush()
    await services.audit.note(session, row.name, "person-changed", row.name, _rights(row) | {"by": "sso"})
    return True


async def _note_rights(
    session: AsyncSession, services: Services, admin: User | None, row: User, *, was_admin: bool, was_cleared: bool
) -> None:
    """Asks for a second admin if the person is cleared or an admin now and was not before. `admin`: None if the
    provider's claims say so.
    """
    if row.is_admin != was_admin:
        row.admin_confirmed = False
        await queries.withdraw(session, row, "admin")
        if row.is_admin and not row.is_service:
            await approvals.ask(services, session, admin, row, "admin")
    if row.cleared != was_cleared:
        await queries.withdraw(session, row, "clearance")
        holds_earlier = row.cleared and await queries.has_received(session, row)
        await queries.count_clearance(session, row, since_ns=now_ns() if holds_earlier else None)
        if holds_earlier:
            await approvals.ask(services, session, admin, row, "clearance")


def _require_same_rights(row: User, values: Mapping[str, Any]) -> None:
    columns = set(single_sign_on.RIGHTS.values()) & values.keys()
    if any(values[column] != getattr(row, column) for column in columns):
        raise Conflict(
            Sentence(
                "rights-of-provider",
                "{login} signs in with the provider, which decides on their rights; change them there",
                login=row.name,
            )
        )


def has_role(row: User) -> bool:
    """Whether the person may do anything."""
    return row.is_author or row.is_recipient or row.is_admin


def _require_role(row: User) -> None:
    if not has_role(row):
        raise Conflict(
            Sentence(
                "no-role",
                "{login} would have no role; choose author, recipient or admin, or disable the "
                "account if it is not to be used",
                login=row.name,
            )
        )


def _rights(row: User) -> dict[str, Any]:
    """The person's rights, for the audit log."""
    return {
        "author": row.is_author,
        "recipient": row.is_recipient,
        "admin": row.is_admin,
        "cleared": row.cleared,
        "disabled": row.disabled_at_ns is not None,
        **({"service": True} if row.is_service else {}),
    }
