"""The audit log, for admins: accountable actions, and the check that no entry was changed."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from sieve.gateway.auditing.audit_log import MAX_REASON
from sieve.gateway.auditing.chain_heads import ChainSeen
from sieve.gateway.auditing.chain_parts import format_head
from sieve.store.errors import StoreError
from sieve.store.marking_models import AuditEntry
from sieve.store.queries import audit as queries
from sieve.store.queries.lists import After
from sieve.web.access import Admin
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given
from sieve.web.times import shown

router = APIRouter(tags=["audit"])

T = TypeVar("T")


class AuditEntryShown(BaseModel):
    """`actor`: a login. `subject`: the name or id of the thing acted on. `reason`: as the actor wrote it."""

    id: str
    at: datetime
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    reason: str | None


@router.get("/audit")
async def entries(admin: Admin, services: Given, asked: AskedPage) -> Page[AuditEntryShown]:
    """The entries, latest first."""
    async with services.database.browse() as session:
        rows = await queries.page(session, after=asked.after, limit=asked.limit)

    def show(row: AuditEntry) -> AuditEntryShown:
        return AuditEntryShown(
            id=row.id,
            # Converted: SQLite stores values of any type, and one damaged row must not hide the others.
            at=shown(int(row.at_ns) if isinstance(row.at_ns, int | float) else 0),
            actor=str(row.actor),
            action=str(row.action),
            subject=str(row.subject),
            details=_opened(services.audit.details_of, row, lambda complaint: {"sealed": complaint}),
            reason=_opened(services.audit.reason_of, row, lambda complaint: complaint),
        )

    return asked.page_from(rows, show, lambda row: After(row.at_ns, row.id))


class AuditChain(BaseModel):
    """`head`: number and link of the last entry. `problems`: empty if no entry was changed. `known`: problems from
    before an admin began a new part of the chain.
    """

    entries: int
    head: str
    problems: list[str]
    known: list[str]

    @classmethod
    def of(cls, seen: ChainSeen) -> "AuditChain":
        return cls(
            entries=seen.head.number, head=format_head(seen.head), problems=[*seen.problems], known=[*seen.known]
        )


class NewPart(BaseModel):
    """`head`: the last head that the admin saw. `reason`: why the chain continues from there; sealed at rest."""

    head: str
    reason: str = Field(min_length=1, max_length=MAX_REASON)


Heads = Annotated[
    list[str] | None,
    Query(alias="head", max_length=100, description="A head from a receipt or a log."),
]


@router.get("/audit/chain")
async def chain(admin: Admin, services: Given, heads: Heads = None) -> AuditChain:
    """Checks that the entries are unchanged, each linked to the one before it, and that the given heads are among
    them.
    """
    return AuditChain.of(await services.audit_heads.verify(heads or ()))


@router.post("/audit/chain")
async def begin_part(admin: Admin, services: Given, asked: NewPart) -> AuditChain:
    """Begins a new part of a damaged chain: earlier problems are listed as known from then on, and heads are signed
    again. Refused if nothing is wrong.
    """
    seen = await services.audit_heads.begin_part(services.audit, admin.name, asked.head, asked.reason)
    return AuditChain.of(seen)


def _opened(opened: Callable[[AuditEntry], T], row: AuditEntry, instead: Callable[[str], T]) -> T:
    """A sealed part of an entry. One that cannot be opened must not hide the others."""
    try:
        return opened(row)
    except StoreError as error:
        return instead(f"(this cannot be opened: {error})")
    except (TypeError, ValueError):  # without its text, which may quote the value
        return instead("(this cannot be opened: it is not as it was written; see sieve audit verify)")
