"""An author's drafts as a list: pages, counts, and changes and downloads of several drafts."""

from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import Depends, Query
from starlette.responses import StreamingResponse

from sieve.gateway.clock import now_ns
from sieve.store.models import Document, User
from sieve.store.queries import draft_list, drafts, tags
from sieve.store.queries.draft_list import DraftFilter, Order, Sort
from sieve.store.queries.sorting import Found
from sieve.web.access import Author, StillSignedIn
from sieve.web.api_router import api_router
from sieve.web.archive import zipped
from sieve.web.audited_own_reads import note_own_read
from sieve.web.bulk import MOST_CHANGED, BulkArchive, Ids, authored, change_each
from sieve.web.downloads import streamed_attachment
from sieve.web.drafts.schemas import DraftsChange, DraftsChanged, DraftsCounted, DraftShown
from sieve.web.paging import AskedPage, Page
from sieve.web.services import Given, Services
from sieve.web.tags import TagsShown

router = api_router("/drafts", tag="drafts")

ARCHIVE_NAME: Final = "documents.zip"


def _filter(
    author: Author,
    search: Annotated[str, Query(max_length=200, description="A part of the name, in any case.")] = "",
    tag: Annotated[str | None, Query(max_length=200, description="Only those that I gave this tag.")] = None,
    templates: Annotated[bool, Query(description="Only templates.")] = False,
    deleted: Annotated[bool, Query(description="Those that I deleted and can still restore.")] = False,
) -> DraftFilter:
    return DraftFilter(author.id, search, tag, templates, deleted)


def _order(
    sort: Annotated[
        Sort, Query(description="time: of the latest change or deletion. state: of the latest transfer.")
    ] = "time",
    descending: Annotated[bool, Query(description="The latest, the largest or Z first.")] = True,
) -> Order:
    return Order(sort, descending)


Wanted = Annotated[DraftFilter, Depends(_filter)]
Ordered = Annotated[Order, Depends(_order)]


@router.get("")
async def mine(services: Given, wanted: Wanted, order: Ordered, asked: AskedPage) -> Page[DraftShown]:
    """My drafts, latest change first."""
    async with services.database.browse() as session:
        found = await draft_list.page(session, wanted, order, after=asked.after, limit=asked.limit)
    return asked.page_from(Found(found), DraftShown.of, lambda whole: draft_list.place(whole, order))


@router.get("/counts")
async def counts(services: Given, wanted: Wanted) -> DraftsCounted:
    """How many drafts GET /drafts lists, and their size."""
    async with services.database.browse() as session:
        found = await draft_list.count(session, wanted)
    return DraftsCounted(drafts=found.rows, bytes=found.bytes)


@router.get("/ids")
async def ids(services: Given, wanted: Wanted, order: Ordered) -> Ids:
    """The ids of the drafts that GET /drafts lists; of the first 5000, if there are more."""
    async with services.database.browse() as session:
        return Ids.of(Found(await draft_list.ids(session, wanted, order, limit=MOST_CHANGED)))


@router.get("/tags")
async def used_tags(author: Author, services: Given) -> TagsShown:
    """The tags of my drafts."""
    async with services.database.browse() as session:
        return TagsShown.of(await tags.used(session, tags.DRAFTS, author.id))


@router.post("/changes")
async def change(asked: DraftsChange, author: Author, services: Given) -> DraftsChanged:
    """Deletes, restores or tags drafts, or makes them templates. Drafts that are being sent are not deleted."""
    changed = await _changed(asked, author, services)
    for draft_id in changed:
        services.announcements.draft_changed(author.id, draft_id)
    under_way = 0
    if asked.change in ("delete", "delete forever"):
        async with services.database.browse() as session:
            under_way = await drafts.count_under_way(session, author.id, asked.ids)
    return DraftsChanged(ids=list(changed), under_way=under_way)


@router.post("/archive", response_class=StreamingResponse)
async def archive(asked: BulkArchive, author: Author, services: Given, signed_in: StillSignedIn) -> StreamingResponse:
    """One zip with these drafts: texts with their marks, files as they are. The file not-included.txt in it names those
    that are missing, and why.
    """

    async def find(draft_id: str) -> tuple[Document, int]:
        whole = await services.drafts.owned(author.id, draft_id)
        await note_own_read(services, author, whole.save)
        return whole.save, whole.draft.changed_at_ns

    pieces = zipped(services.blobs, authored(asked.ids, signed_in, find), [])
    return streamed_attachment(pieces, name=ARCHIVE_NAME, media_type="application/zip")


async def _changed(asked: DraftsChange, author: User, services: Services) -> Sequence[str]:
    """Returns the ids of the drafts that changed."""
    if asked.change == "delete forever":
        return await change_each(asked.ids, lambda draft_id: services.drafts.remove(author.id, draft_id))
    async with services.database.write() as session:
        match asked.change:
            case "delete":
                return await drafts.move_all_to_trash(session, author.id, asked.ids, now_ns())
            case "restore":
                return await drafts.restore_all(session, author.id, asked.ids)
            case "tag":
                return await tags.add(session, tags.DRAFTS, author.id, asked.ids, asked.tag or "")
            case "untag":
                return await tags.remove(session, tags.DRAFTS, author.id, asked.ids, asked.tag or "")
            case _:
                is_template = asked.change == "template"
                return await drafts.set_template(session, author.id, asked.ids, is_template=is_template)
