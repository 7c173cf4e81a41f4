"""What waits for a second admin (docs/adr/0037): clearance for earlier documents, what a reset locked, and the role of
an admin who is to count as a second one.

Invariants: two confirmed admins agreed to each, neither of whom is the person concerned. What came first is known
from what was stored when, never from a clock: a lock or a clearance marks the rows that exist then, and a factor says
whether it was added while a lock waited.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from sieve.store.models import Approval, ApprovalKind, Document, Draft, InboxEntry, User, new_id
from sieve.store.queries import factors, notifications, one_time_links, sessions, tokens


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request with the person concerned, and the first admin; None if there is none (any more)."""

    approval: Approval
    person: User
    asked_by: User | None

    @property
    def first_admin(self) -> User | None:
        """The confirmed admin who has agreed to it already. Never the person concerned, who may have asked for it."""
        first = self.asked_by
        if first is None or first.id == self.person.id or not is_confirmed_admin(first):
            return None
        return first

    def may_agree(self, admin: User) -> bool:
        """Whether this admin's agreement counts."""
        return is_confirmed_admin(admin) and admin.id != self.person.id and admin.id != self.approval.asked_by_id

    def may_refuse(self, admin: User) -> bool:
        """Whether this admin may refuse it."""
        return is_confirmed_admin(admin) and admin.id != self.person.id

    def may_withdraw(self, admin: User) -> bool:
        """Whether this admin asked for it, and may withdraw it, confirmed or not: what was withheld stays so."""
        return admin.id == self.approval.asked_by_id


def is_confirmed_admin(user: User) -> bool:
    """Whether they count as one of two admins. A service account does not: any admin makes tokens for it."""
    counts = user.is_admin and user.admin_confirmed and not user.is_service
    return counts and user.disabled_at_ns is None and user.locked_before_ns is None


async def waiting(session: AsyncSession, approval_id: str | None = None) -> Sequence[Waiting]:
    """All requests, the oldest first; or that one."""
    asked_by = aliased(User)
    wanted = (
        select(Approval, User, asked_by)
        .join(User, User.id == Approval.user_id)
        .outerjoin(asked_by, asked_by.id == Approval.asked_by_id)
        .order_by(Approval.created_at_ns, Approval.id)
    )
    if approval_id is not None:
        wanted = wanted.where(Approval.id == approval_id)
    return [Waiting(*found) for found in (await session.execute(wanted)).all()]


async def ask(session: AsyncSession, user: User, kind: ApprovalKind, asked_by_id: str | None, now_ns: int) -> None:
    """Asks for a second admin, in place of an earlier request of that kind."""
    await withdraw(session, user, kind)
    session.add(Approval(id=new_id(), user_id=user.id, kind=kind, asked_by_id=asked_by_id, created_at_ns=now_ns))
    await session.flush()


async def withdraw(session: AsyncSession, user: User, *kinds: ApprovalKind) -> bool:
    """Removes requests of these kinds; whether there were any."""
    theirs = delete(Approval).where(Approval.user_id == user.id, Approval.kind.in_(kinds))
    return bool((await session.scalars(theirs.returning(Approval.id))).all())


async def agree(session: AsyncSession, found: Waiting, admin: User, now_ns: int) -> bool:
    """An admin for whom `may_agree` holds agrees. Whether that was enough: if no confirmed admin asked for it, this
    one counts as the first, and another must agree.
    """
    if found.first_admin is None:
        found.approval.asked_by_id = admin.id
        await session.flush()
        return False
    await _grant(session, found.person, found.approval.kind, now_ns)
    return True


async def confirm_reset(session: AsyncSession, user: User, now_ns: int, *, factor_since_reset: bool) -> bool:
    """Unlocks what a reset locked, because the person proved a second factor. Whether it did: not if the factor was
    added after the earliest reset that nobody confirmed.
    """
    if user.locked_before_ns is None or factor_since_reset:
        return False
    await _grant(session, user, "reset", now_ns)
    return True


async def confirm_all(session: AsyncSession, user: User, now_ns: int) -> Sequence[str]:
    """Grants all that waits, and unlocks the account: for the operator of the gateway's host. Returns what it was."""
    kinds = set(await session.scalars(select(Approval.kind).where(Approval.user_id == user.id)))
    # A refused request is gone, but not what it was about.
    kinds |= {"reset"} if user.locked_before_ns is not None else set()
    kinds |= {"clearance"} if user.cleared and user.cleared_since_ns is not None else set()
    kinds |= {"admin"} if user.is_admin and not user.admin_confirmed and not user.is_service else set()
    for kind in kinds:
        await _grant(session, user, kind, now_ns)
    return sorted(kinds)


async def _grant(session: AsyncSession, user: User, kind: str, now_ns: int) -> None:
    match kind:
        case "clearance":
            await count_clearance(session, user, since_ns=None)
        case "reset":
            user.locked_before_ns = None
            await _restart_trash(session, user, now_ns)
            await _mark_locked(session, user, locked=False)
            await factors.count_as_older(session, user.id)
        case "admin":
            user.admin_confirmed = user.is_admin and not user.is_service
    await session.execute(delete(Approval).where(Approval.user_id == user.id, Approval.kind == kind))
    await session.flush()


async def count_clearance(session: AsyncSession, user: User, *, since_ns: int | None) -> None:
    """From now on, at `since_ns`, clearance counts for what arrives later; for everything, if that is None."""
    user.cleared_since_ns = since_ns
    earlier = since_ns is not None
    theirs = update(InboxEntry).where(InboxEntry.user_id == user.id, InboxEntry.before_clearance.is_not(earlier))
    await session.execute(theirs.values(before_clearance=earlier))


async def _restart_trash(session: AsyncSession, user: User, now_ns: int) -> None:
    # Somebody who got in by the link may have filled it, and the owner could restore nothing until now.
    for table, owner in ((InboxEntry, InboxEntry.user_id), (Draft, Draft.owner_id)):
        theirs = update(table).where(owner == user.id, table.locked, table.trashed_at_ns.is_not(None))
        await session.execute(theirs.values(trashed_at_ns=now_ns))


async def _mark_locked(session: AsyncSession, user: User, *, locked: bool) -> None:
    # What exists in this transaction is from before, whatever a clock says.
    for table, owner in ((InboxEntry, InboxEntry.user_id), (Draft, Draft.owner_id), (Document, Document.owner_id)):
        theirs = update(table).where(owner == user.id, table.locked.is_not(locked))
        await session.execute(theirs.values(locked=locked))


async def lock(session: AsyncSession, user: User, asked_by_id: str | None, now_ns: int) -> None:
    """Locks what the account holds, because somebody got a new way in; asks for a second admin.

    If another admin's request waits already, neither of them has seen the other's way in: then two must agree.
    """
    user.locked_before_ns = now_ns
    await _mark_locked(session, user, locked=True)
    theirs = Approval.user_id == user.id, Approval.kind == "reset"
    before = await session.scalar(select(Approval).where(*theirs))
    if before is not None and before.asked_by_id != asked_by_id:
        asked_by_id = None
    await ask(session, user, "reset", asked_by_id, now_ns)


async def end_ways_in(session: AsyncSession, user: User, now_ns: int) -> bool:
    """Ends all sessions, tokens and unused links of a person, and e-mails to an address that somebody else may have
    set. Removes the second factors that were added since the earliest reset that nobody confirmed; returns whether it
    removed one. Nobody knows whose the other passkeys are, as an account that held nothing was not locked: they do not
    sign in alone until they were given with the new password.
    """
    await sessions.end_all(session, user.id)
    await tokens.end_all(session, user.id, now_ns)
    await one_time_links.end_all(session, user.id)
    user.email_notifications = False
    await notifications.remove_emails_of(session, user.id)
    await factors.require_password(session, user.id)
    return user.locked_before_ns is not None and await factors.remove_since_reset(session, user.id)


async def has_received(session: AsyncSession, user: User) -> bool:
    """Whether documents are in their inbox or its trash."""
    return bool(
        await session.scalar(select(exists().where(InboxEntry.user_id == user.id, InboxEntry.deleted_at_ns.is_(None))))
    )


async def holds_documents(session: AsyncSession, user: User) -> bool:
    """Whether they have received documents, drafts or documents of their own."""
    drafts = exists().where(Draft.owner_id == user.id, Draft.deleted_at_ns.is_(None))
    documents = exists().where(Document.owner_id == user.id, Document.deleted_at_ns.is_(None))
    return await has_received(session, user) or bool(await session.scalar(select(or_(drafts, documents))))
