"""Adds and changes accounts, each with its entry in the audit log. The form for one person and the import share it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.sentence import Sentence
from sieve.gateway.auditing.audit_log import Note
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.models import User
from sieve.store.queries import approvals as queries
from sieve.store.queries import notifications, one_time_links, people, sessions
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


async def change_all(
    session: AsyncSession, services: Services, admin: User, changes: Sequence[tuple[User, Mapping[str, Any]]]
) -> None:
    """Changes columns of accounts, from the next request on.

    Raises:
        Conflict: a person loses their last role, or the gateway its last admin.
    """
    for row, values in changes:
        had_role, was_admin, was_cleared = _has_role(row), row.is_admin, row.cleared
        for column, value in values.items():
            setattr(row, column, value)
        if had_role:
            _require_role(row)
        await _note_rights(session, services, admin, row, was_admin=was_admin, was_cleared=was_cleared)
        if "email" in values and row.email is None and row.email_notifications:
            row.email_notifications = False
            await notifications.remove_emails_of(session, row.id)
        if values.get("disabled_at_ns") is not None:
            # If the account is enabled again later, the person has to sign in again.
            await sessions.end_all(session, row.id)
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


async def _note_rights(
    session: AsyncSession, services: Services, admin: User, row: User, *, was_admin: bool, was_cleared: bool
) -> None:
    """Asks for a second admin if the person is cleared or an admin now and was not before."""
    if row.is_admin != was_admin:
        row.admin_confirmed = False
        await queries.withdraw(session, row, "admin")
        if row.is_admin and not row.is_service:
            await approvals.ask(services, session, admin, row, "admin")
    if row.cleared != was_cleared:
        row.cleared_since_ns = None
        await queries.withdraw(session, row, "clearance")
        if row.cleared and await queries.has_received(session, row):
            row.cleared_since_ns = now_ns()
            await approvals.ask(services, session, admin, row, "clearance")


def _has_role(row: User) -> bool:
    return row.is_author or row.is_recipient or row.is_admin


def _require_role(row: User) -> None:
    if not _has_role(row):
        raise Conflict(
            Sentence(
                "no-role",
                "{login} would have no role; choose author, recipient or admin, or disable the "
                "account if it is not to be used",
                login=row.name,
            )
        )


def _rights(row: User) -> dict[str, bool]:
    """The person's rights, for the audit log."""
    return {
        "author": row.is_author,
        "recipient": row.is_recipient,
        "admin": row.is_admin,
        "cleared": row.cleared,
        "disabled": row.disabled_at_ns is not None,
        **({"service": True} if row.is_service else {}),
    }
