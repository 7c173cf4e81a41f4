"""Reads of received documents: the first one shows in the inbox, and all of them in the audit log.

The audit log has one entry an hour for each person, inbox entry and edition, because a page that shows a file asks for
it piece by piece.
"""

import logging
from typing import Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.clock import now_ns
from sieve.store.errors import StoreError
from sieve.store.models import InboxEntry, User
from sieve.store.queries import inbox as queries
from sieve.store.queries import read_receipts
from sieve.web.services import Services

log = logging.getLogger(__name__)

ReadEdition: TypeAlias = Literal["full", "marked", "highlighted", "redacted"]


async def note_read(
    services: Services, reader: User, entry: InboxEntry, edition: ReadEdition, *, opened: bool = True
) -> None:
    """Records that `reader` gets this edition. Call it before the first byte is sent. `opened`: the entry counts as
    read in the inbox, too.

    Documents can be read even while the database cannot be written: then only the gateway's own log has it.
    """
    at_ns, transfer = now_ns(), entry.received.transfer_id
    read = (reader.id, entry.id, edition)
    new = services.recent_reads.add(read, at_ns)
    try:
        unread = opened and entry.read_at_ns is None
        is_asked = opened and await _author_waits(services, entry)
        if not (new or unread or is_asked):
            return
        async with services.database.write() as session:
            if unread or is_asked:
                await queries.mark_read(session, entry, at_ns)
            if is_asked:
                await read_receipts.note_opened(session, entry.user_id, [entry.id], at_ns)
            if new:
                details = {"edition": edition, "entry": entry.id}
                await services.audit.note(session, reader.name, "document-read", transfer, details)
    except StoreError as error:
        if new:
            services.recent_reads.forget(read)
            log.error("%s read transfer %s, which the audit log could not record: %s", reader.name, transfer, error)
        return
    if unread or is_asked:
        services.announcements.inbox_changed([entry.user_id])
        services.read_receipts.wake()


async def record_forward(
    session: AsyncSession, services: Services, reader: User, entry: InboxEntry, edition: ReadEdition
) -> None:
    """Records in the transaction that adds the draft that `reader` forwards this edition, and so reads it."""
    at_ns, transfer = now_ns(), entry.received.transfer_id
    await queries.mark_read(session, entry, at_ns)
    if entry.received.read_receipts:
        await read_receipts.note_opened(session, entry.user_id, [entry.id], at_ns)
    details = {"edition": edition, "entry": entry.id}
    await services.audit.note(session, reader.name, "document-forwarded", transfer, details)


async def _author_waits(services: Services, entry: InboxEntry) -> bool:
    """Whether the author asked for a read receipt, and the entry was not opened yet. Somebody may have marked it as
    read before.
    """
    if not entry.received.read_receipts:
        return False
    async with services.database.read() as session:
        return await read_receipts.opened_at_ns(session, entry.id) is None
