"""The audit log, for admins: accountable actions, and the check that no entry was changed."""

import logging
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from sieve.gateway.auditing.audit_log import MAX_REASON
from sieve.gateway.auditing.chain_heads import ChainSeen
from sieve.gateway.auditing.chain_parts import format_head
from sieve.store.errors import StoreError
from sieve.store.queries import audit as queries
from sieve.store.queries.audit import AuditFilter
from sieve.store.queries.sorting import After, Found
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.audit.export import MEDIA_TYPES, Format
from sieve.web.audit.export import lines as export_lines
from sieve.web.audit.schemas import ACTIONS, AuditEntryShown, Kind
from sieve.web.downloads import disposition
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services
from sieve.web.times import kept

router = api_router(tag="audit")
log = logging.getLogger(__name__)


def _filter(
    actor: Annotated[
        str | None, Query(max_length=200, description="A login: what that person did. Empty: somebody unknown.")
    ] = None,
    kind: Annotated[Kind | None, Query(description="What it is about.")] = None,
    search: Annotated[
        str | None,
        Query(max_length=200, description="Part of a login, a name, an address or an id, in any case. Not in reasons."),
    ] = None,
    since: Annotated[datetime | None, Query(description="Then or later.")] = None,
    until: Annotated[datetime | None, Query(description="Before then.")] = None,
) -> AuditFilter:
    return AuditFilter(
        actor=actor,
        actions=None if kind is None else ACTIONS[kind],
        search=search,
        since_ns=None if since is None else kept(since),
        until_ns=None if until is None else kept(until),
    )


Wanted = Annotated[AuditFilter, Depends(_filter)]


@router.get("/audit")
async def entries(admin: Admin, services: Given, wanted: Wanted, asked: AskedPage) -> Page[AuditEntryShown]:
    """The entries, latest first."""
    async with services.database.browse() as session:
        rows = await queries.page(session, wanted, after=asked.after, limit=asked.limit)
    return asked.page_from(
        Found(rows), lambda row: AuditEntryShown.of(services.audit, row), lambda row: After(row.at_ns, row.id)
    )


@router.get("/audit/export", response_class=StreamingResponse)
async def export(
    admin: Admin,
    services: Given,
    wanted: Wanted,
    form: Annotated[Format, Query(alias="format", description="`jsonl` proves each entry; `csv` is for spreadsheets.")],
) -> StreamingResponse:
    """The entries as a file, oldest first. An entry says who exported; it is not in the file itself."""
    last = await _note_export(services, admin.name, form)
    pieces = export_lines(services, wanted, form, last)
    headers = {"Content-Disposition": disposition(f"audit-{services.settings.name}.{form}")}
    return StreamingResponse(pieces, media_type=MEDIA_TYPES[form], headers=headers)


async def _note_export(services: Services, admin: str, form: Format) -> int:
    """Records the export, and returns the number of the last entry before. The log can be exported even while the
    database cannot be written: then only the gateway's own log has it.
    """
    try:
        async with services.database.write() as session:
            last = (await queries.head(session)).number
            await services.audit.note(session, admin, "audit-exported", "", {"format": form})
    except StoreError as error:
        log.error("%s exported the audit log, which could not record it: %s", admin, error)
        async with services.database.browse() as session:
            last = (await queries.head(session)).number
    return last


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
