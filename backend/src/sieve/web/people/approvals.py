"""What waits for a second admin, and admins who agree or refuse (docs/adr/0037)."""

from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.auditing.audit_log import Action
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict, NotAllowed, NotFound
from sieve.store.models import ApprovalKind, User
from sieve.store.queries import approvals as queries
from sieve.store.queries import people
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.people.schemas import Approvals, ApprovalShown
from sieve.web.services import Given, Services
from sieve.web.session.recent_confirmation import ConfirmedAdmin

router = api_router("/approvals", tag="people")


@router.get("")
async def waiting(admin: Admin, services: Given) -> Approvals:
    """What waits for a second admin, the oldest first."""
    async with services.database.read() as session:
        found = await queries.waiting(session)
        others = [each for each in await people.everybody(session) if queries.is_confirmed_admin(each)]
    return Approvals(
        waiting=[ApprovalShown.of(each, admin) for each in found],
        other_admins=sum(each.id != admin.id for each in others),
    )


@router.post("/{approval_id}/agree", status_code=204)
async def agree(approval_id: str, admin: ConfirmedAdmin, services: Given) -> None:
    """Agrees, as the second admin. If the first one does not count as an admin any more, another must agree, too."""
    async with services.database.write() as session:
        found, me = await _found(session, approval_id, admin)
        if not found.may_agree(me):
            raise _refusal(found, me, "agree to")
        kind, done = found.approval.kind, await queries.agree(session, found, me, now_ns())
        await services.audit.note(
            session, me.name, "approval-given", found.person.name, {"kind": kind, "in_effect": done}
        )
    services.announcements.account_changed(found.person.id)


@router.post("/{approval_id}/refuse", status_code=204)
async def refuse(approval_id: str, admin: Admin, services: Given) -> None:
    """Refuses a request, or withdraws one of mine. For a reset, this also ends the account's sessions and tokens, and
    removes its password or its link to the provider, and the second factors that were added since. Its other passkeys
    sign in alone only after they were the second step behind a new password, and e-mails about new documents are
    switched off. What is locked stays locked.
    """
    async with services.database.write() as session:
        found, me = await _found(session, approval_id, admin)
        withdrawn = found.may_withdraw(me)
        if not withdrawn and not found.may_refuse(me):
            raise _refusal(found, me, "refuse")
        kind, person = found.approval.kind, found.person
        await queries.withdraw(session, person, cast(ApprovalKind, kind))
        if kind == "reset":
            person.password_hash = person.sso_issuer = person.sso_subject = None
            if await queries.end_ways_in(session, person, now_ns()):
                await services.audit.note(session, me.name, "factors-taken-away", person.name)
        action: Action = "approval-withdrawn" if withdrawn else "approval-refused"
        await services.audit.note(session, me.name, action, person.name, {"kind": kind})
    services.announcements.account_changed(person.id)


async def ask(services: Services, session: AsyncSession, admin: User | None, person: User, kind: ApprovalKind) -> None:
    """Asks for a second admin, with an entry in the audit log. Without a first `admin`, two must agree."""
    await queries.ask(session, person, kind, None if admin is None else admin.id, now_ns())
    actor = person.name if admin is None else admin.name
    await services.audit.note(session, actor, "approval-asked", person.name, {"kind": kind})


async def _found(session: AsyncSession, approval_id: str, admin: User) -> tuple[queries.Waiting, User]:
    """The request, and the admin as they are now."""
    found, me = await queries.waiting(session, approval_id), await people.by_id(session, admin.id)
    if not found or me is None:
        raise NotFound("this request was agreed to, refused or replaced")
    return found[0], me


def _refusal(found: queries.Waiting, me: User, what: str) -> Exception:
    if me.id == found.person.id:
        return NotAllowed(f"you cannot {what} a request about yourself; ask another admin")
    if me.is_service:
        return NotAllowed(f"a service account cannot {what} requests; ask a person who is an admin")
    if queries.is_confirmed_admin(me):
        return Conflict("you asked for this yourself; another admin must agree")
    if me.locked_before_ns is not None:
        return NotAllowed(f"your account was reset; another admin must confirm that before you can {what} requests")
    return NotAllowed(f"a second admin must confirm your role before you can {what} requests")
