"""The audit log, for admins: who did what that others answer for."""

import json
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from sieve.gateway.audit import Audit
from sieve.store.errors import StoreError
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.pages import After
from sieve.web.deps import Admin
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given
from sieve.web.times import shown

router = APIRouter(tags=["audit"])


class AuditEntryShown(BaseModel):
    """`actor`: a login. `subject`: what it was done to, by name or id. `reason`: in the actor's own words."""

    id: str
    at: datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    reason: str | None


@router.get("/audit")
async def entries(admin: Admin, services: Given, asked: AskedPage) -> Page[AuditEntryShown]:
    """The entries, the latest first."""
    async with services.database.browse() as session:
        rows = await queries.page(session, after=asked.after, limit=asked.limit)

    def show(row: AuditEntry) -> AuditEntryShown:
        return AuditEntryShown(
            id=row.id,
            at=shown(row.at_ns),
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            details=json.loads(row.details),
            reason=_reason(services.audit, row),
        )

    return asked.page_from(rows, show, lambda row: After(row.at_ns, row.id))


def _reason(audit: Audit, row: AuditEntry) -> str | None:
    """One that does not open hides none of the other entries."""
    try:
        return audit.reason_of(row)
    except StoreError as error:
        return f"(this reason cannot be opened: {error})"
