"""The inbox as a list: pages, counts, and changes and downloads of several entries."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import NotAllowed
from sieve.store.models import User
from sieve.store.queries import inbox as queries
from sieve.store.queries import inbox_list, tags
from sieve.store.queries.inbox_list import EntryFilter, Order, Sort
from sieve.web.access import Recipient, StillSignedIn
from sieve.web.api_router import api_router
from sieve.web.bulk import AT_ONCE, MOST_CHANGED, Ids
from sieve.web.downloads import streamed_attachment
from sieve.web.inbox.archive import NAME, Archive
from sieve.web.inbox.schemas import (
    EntriesArchive,
    EntriesChange,
    EntriesChanged,
    EntriesCounted,
    EntryShown,
)
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services
from sieve.web.tags import TagsShown

router = api_router("/inbox", tag="inbox")


def _filter(
    reader: Recipient,
    search: Annotated[
        str,
        Query(max_length=200, description="A part of the document's name, the sender or the gateway, in any case."),
    ] = "",
    tag: Annotated[str | None, Query(max_length=200, description="Only those that I gave this tag.")] = None,
    unread: Annotated[bool, Query(description="Only those that I have not read.")] = False,
    deleted: Annotated[bool, Query(description="Those that I deleted and can still restore.")] = False,
) -> EntryFilter:
    return EntryFilter(reader.id, search, tag, unread, deleted)


def _order(
    reader: Recipient,
    sort: Annotated[Sort, Query(description="time: when it was received; for deleted ones, deleted.")] = "time",
    descending: Annotated[bool, Query(description="The latest, the largest or Z first.")] = True,
) -> Order:
    return Order(sort, descending, plain_sizes=not reader.reads_all_classified)


Wanted = Annotated[EntryFilter, Depends(_filter)]
Ordered = Annotated[Order, Depends(_order)]


@router.get("")
async def listed(
    reader: Recipient, services: Given, wanted: Wanted, order: Ordered, asked: AskedPage
) -> Page[EntryShown]:
    """My received transfers, latest first. Without clearance, sizes are those of the plain parts."""
    async with services.database.browse() as session:
        found = await inbox_list.page(session, wanted, order, after=asked.after, limit=asked.limit)
        tagged = await tags.of(session, [row.id for row in found.rows])
    return asked.page_from(
        found,
        lambda row: EntryShown.of(row, reader, services.settings, tagged.get(row.id, ())),
        lambda row: inbox_list.place(row, order),
    )


@router.get("/counts")
async def counts(services: Given, wanted: Wanted) -> EntriesCounted:
    """How many entries GET /inbox lists, and how many of them are unread."""
    async with services.database.browse() as session:
        found = await inbox_list.count(session, wanted)
    return EntriesCounted(entries=found.entries, unread=found.unread, more=found.more)


@router.get("/ids")
async def ids(services: Given, wanted: Wanted, order: Ordered) -> Ids:
    """The ids of the entries that GET /inbox lists; of the first 5000 at most. A search may end earlier."""
    async with services.database.browse() as session:
        return Ids.of(await inbox_list.ids(session, wanted, order, limit=MOST_CHANGED))


@router.get("/tags")
async def used_tags(reader: Recipient, services: Given) -> TagsShown:
    """The tags of my entries."""
    async with services.database.browse() as session:
        return TagsShown.of(await tags.used(session, tags.ENTRIES, reader.id))


@router.post("/changes")
async def change(asked: EntriesChange, reader: Recipient, services: Given) -> EntriesChanged:
    """Marks entries as read or unread, deletes, restores or tags them. What a reset locked is not deleted forever."""
    locked = 0
    if asked.change == "delete forever":
        changed = await _delete_forever(services, reader, asked.ids)
        async with services.database.browse() as session:
            locked = await queries.count_locked(session, reader.id, asked.ids)
    else:
        async with services.database.write() as session:
            changed = await _changed(session, reader.id, asked)
    services.announcements.inbox_changed([reader.id])
    return EntriesChanged(ids=list(changed), locked=locked)


@router.post("/archive", response_class=StreamingResponse)
async def archive(
    asked: EntriesArchive, reader: Recipient, services: Given, signed_in: StillSignedIn
) -> StreamingResponse:
    """One zip with these documents. The file not-included.txt in it names those that are missing, and why."""
    if asked.edition == "full" and not reader.cleared:
        raise NotAllowed("the full edition is for cleared recipients; ask for edition=redacted")
    pieces = Archive(services, reader.id, asked.edition, signed_in).pieces(asked.ids)
    return streamed_attachment(pieces, name=NAME, media_type="application/zip")


async def _changed(session: AsyncSession, reader_id: str, asked: EntriesChange) -> Sequence[str]:
    match asked.change:
        case "delete":
            return await queries.move_to_trash(session, reader_id, asked.ids, now_ns())
        case "restore":
            return await queries.restore(session, reader_id, asked.ids)
        case "tag":
            return await tags.add(session, tags.ENTRIES, reader_id, asked.ids, asked.tag or "")
        case "untag":
            return await tags.remove(session, tags.ENTRIES, reader_id, asked.ids, asked.tag or "")
        case _:
            read_at_ns = now_ns() if asked.change == "read" else None
            return await queries.set_read(session, reader_id, asked.ids, read_at_ns)


async def _delete_forever(services: Services, reader: User, entry_ids: Sequence[str]) -> Sequence[str]:
    removed: list[str] = []
    for first in range(0, len(entry_ids), AT_ONCE):
        async with services.database.write() as session:
            entries = await queries.deletable(session, reader.id, entry_ids[first : first + AT_ONCE])
            refs = [ref for entry in entries for ref in await queries.delete(session, entry, now_ns())]
        await run_in_threadpool(services.blobs.delete_all, refs)
        removed += [entry.id for entry in entries]
    return removed
