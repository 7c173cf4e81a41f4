"""Locks an account after an admin gave a way in to it (docs/adr/0037)."""

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.store.models import User
from sieve.store.queries import approvals, people
from sieve.web.services import Services


async def lock(services: Services, session: AsyncSession, owner: User, by_id: str | None) -> None:
    """Locks what the account holds until a second admin agrees, and locks confirmed admins, so that nobody agrees in
    their name. `by_id`: the admin who gave the way in; None if it was made on the gateway's host.
    """
    if not owner.admin_confirmed and not await approvals.holds_documents(session, owner):
        return
    await approvals.lock(session, owner, by_id, now_ns())
    admin = None if by_id is None else await people.by_id(session, by_id)
    actor = owner.name if admin is None else admin.name
    await services.audit.note(session, actor, "approval-asked", owner.name, {"kind": "reset"})
