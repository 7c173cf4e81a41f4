"""The content of the redacted edition that came with a file, to view before, or without, downloading it.

Invariant: the sender's gateway made it, and this gateway does not trust it: a separate process reads it like any
unknown file, in the turn of the person who asks. It reads only the edition, cleared or not, and never the document.
"""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Response

from sieve.gateway.errors import Conflict
from sieve.gateway.reading.file import File
from sieve.store.blobs import BlobDamaged
from sieve.store.models import User
from sieve.web.deps import Recipient
from sieve.web.file_views.routes import PICTURE, Cursor, FirstRow, MostRows, MostUnits, PageNumber, SheetName, Width
from sieve.web.file_views.schemas import OutlineShown, RowsShown, UnitsShown, WordsShown
from sieve.web.inbox.router import entry_of, note_read
from sieve.web.services import Given, Services

router = APIRouter(prefix="/inbox/{transfer_id}/redacted", tags=["inbox"])


@router.get("/outline", response_model=OutlineShown)
async def outline(transfer_id: str, reader: Recipient, services: Given) -> Response:
    """What the redacted edition of a file has: pages and their sizes in points, columns and rows, sheets."""
    return _json(await _asked(services, reader, transfer_id, services.reading.outline))


@router.get("/units", response_model=UnitsShown)
async def units(
    transfer_id: str, reader: Recipient, services: Given, after: Cursor = None, limit: MostUnits = 200
) -> Response:
    """Its pieces of text in reading order, hidden ones too. Fewer than `limit` if they are long."""
    return _json(
        await _asked(services, reader, transfer_id, lambda file: services.reading.units(file, after=after, limit=limit))
    )


@router.get("/rows", response_model=RowsShown)
async def rows(
    transfer_id: str,
    reader: Recipient,
    services: Given,
    first: FirstRow = 1,
    count: MostRows = 200,
    sheet: SheetName = None,
) -> Response:
    """Rows of a sheet of a workbook, the first one if none is named. Fewer than `count` if they are long."""
    return _json(
        await _asked(
            services,
            reader,
            transfer_id,
            lambda file: services.reading.rows(file, first=first, count=count, sheet=sheet),
        )
    )


@router.get("/pages/{number}.png", response_class=Response, responses=PICTURE)
async def picture(
    transfer_id: str, number: PageNumber, reader: Recipient, services: Given, width: Width = 800
) -> Response:
    """A page of a PDF, as a reader shows it."""
    drawn = await _asked(
        services, reader, transfer_id, lambda file: services.reading.picture(file, page=number, width=width)
    )
    return Response(drawn, media_type="image/png")


@router.get("/pages/{number}/words", response_model=WordsShown)
async def words(transfer_id: str, number: PageNumber, reader: Recipient, services: Given) -> Response:
    """The text of a page of a PDF, and where its words stand."""
    return _json(await _asked(services, reader, transfer_id, lambda file: services.reading.words(file, page=number)))


async def _asked(services: Services, reader: User, transfer_id: str, what: Callable[[File], Awaitable[bytes]]) -> bytes:
    entry = await entry_of(services, reader, transfer_id)
    document = entry.received.document
    if document.redacted_blob is None:
        raise Conflict("this came without a redacted edition; only files have one")
    try:
        said = await what(File.of_edition(services.blobs, document, reader.id))
    except BlobDamaged:
        await entry_of(services, reader, transfer_id)  # not damaged, if it went since we looked at its row
        raise
    await note_read(services, entry)
    return said


def _json(said: bytes) -> Response:
    return Response(said, media_type="application/json")
