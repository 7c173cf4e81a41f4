"""Downloads: responses with a document's bytes in pieces, as attachments that browsers neither run nor cache.

A response's head reveals no more than its body: it has a length only if the person may know it.
"""

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Final, Literal
from urllib.parse import quote

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Send

from sieve.core.sentence import Sentence
from sieve.formats.registry import TABLES
from sieve.formats.text.separation import is_text
from sieve.gateway.errors import Conflict
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobStore
from sieve.store.errors import BlobDamaged
from sieve.store.models import Document

log = logging.getLogger(__name__)

Edition = Literal["full", "redacted", "marked"]
"""The editions that a person can download."""
ReceivedEdition = Literal[Edition, "highlighted"]
"""`highlighted`: a received file with its classified content highlighted, made when it is asked for."""
AskedEdition = Literal[Edition, "gaps"]
"""`gaps` is for viewers: marked text that shows where content is withheld, for everyone who may have the redacted
edition."""

Download = Literal[AskedEdition, "plain", "classified"]
"""An edition or, for the author, one of the two streams."""

_PASSED_ON: Final = frozenset(
    {
        "application/pdf",
        "application/zip",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
    }
)
FRONT: Final = 8 * 1024 * 1024
"""Bytes of the plain stream that are checked before a response begins, while its status can still report an error. This
takes at most 3 ms."""
_HEADERS: Final = {"Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}


def _require_edition(row: Document, edition: Download) -> None:
    """Raises Conflict if a document has no such edition that is stored; `redacted_file` is for those yet to be made."""
    if edition in ("full", "plain", "classified") or (edition == "redacted" and row.redacted_size is not None):
        return
    if row.origin == "received" and edition == "redacted" and not is_text(row.media_type):
        raise Conflict(Sentence("no-redacted-edition", "this file came without a redacted edition; ask its sender"))
    if row.format in TABLES and edition == "marked":
        return  # for viewers: the file of a table is text
    if row.format is not None:
        raise Conflict(f"a file has no {edition} edition; only text has one")
    if not is_text(row.media_type):
        raise Conflict(f"a document of type {row.media_type} has no {edition} edition; only text has one")


def _size_of(row: Document, edition: Download) -> int | None:
    """The bytes of a stored edition, if the row knows them."""
    match edition:
        case "full":
            return row.size
        case "plain":
            return row.size - row.classified_size
        case "classified":
            return row.classified_size
        case "redacted":
            return row.redacted_size
        case _:
            return None


async def redacted_file(row: Document, size: int, pieces: Iterator[bytes]) -> StreamingResponse:
    """The response with the redacted edition of a file, which is a file of its format."""
    return await attachment(pieces, name=file_name(row.name, "redacted"), media_type=row.media_type, size=size)


async def download(blobs: BlobStore, row: Document, edition: Download) -> StreamingResponse:
    """The response with a stored edition or stream, complete even if the document is deleted while it is read.

    Raises:
        Conflict: there is no such edition.
        BlobDamaged: the document has been deleted or changed.
    """
    return await attachment(
        edition_pieces(blobs, row, edition),
        name=file_name(row.name, edition),
        media_type=row.media_type,
        size=_size_of(row, edition),
    )


def edition_pieces(blobs: BlobStore, row: Document, edition: Download) -> Iterator[bytes]:
    """The bytes of a stored edition or stream, even if the document is deleted while they are read.

    Raises:
        Conflict: there is no such edition.
        BlobDamaged: at the first piece; the document has been deleted or changed.
    """
    _require_edition(row, edition)
    document = StoredDocument.of(blobs, row)
    return document.held(_pieces_of(document, edition))


@asynccontextmanager
async def unless_deleted(find: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Raises what `find` raises instead of `BlobDamaged`: a document that was deleted after its row was read is not
    damaged. `find`: reads the row again, and raises if it is gone.
    """
    try:
        yield
    except BlobDamaged:
        await find()
        raise


def _pieces_of(document: StoredDocument, edition: Download) -> Iterator[bytes]:
    # A generator: the files are opened and read in a thread, once they are held.
    if edition in ("full", "marked", "gaps") or (edition == "redacted" and document.redacted_file is None):
        document.check_plain(FRONT)
    match edition:
        case "plain":
            yield from document.plain_stream()
        case "classified":
            yield from document.classified_stream()
        case "full":
            yield from document.full()
        case "marked":
            yield from document.marked()
        case "redacted" if document.redacted_file is not None:
            yield from document.redacted_edition()
        case "redacted":
            yield from document.redacted()
        case "gaps":
            yield from document.gaps()


async def highlighted_file(row: Document, size: int, pieces: Iterator[bytes]) -> StreamingResponse:
    """The response with a highlighted file."""
    return await attachment(pieces, name=file_name(row.name, "highlighted"), media_type=row.media_type, size=size)


def file_name(name: str, edition: Download | ReceivedEdition) -> str:
    """The file name of an edition: `memo.redacted.md` for the redacted edition of `memo.md`. Only the full edition has
    the document's own name, so that nobody sends it by mistake.
    """
    if edition == "full":
        return name
    stem, dot, ending = name.rpartition(".")
    return f"{stem}.{edition}.{ending}" if dot and stem else f"{name}.{edition}"


async def attachment(
    pieces: Iterator[bytes], *, name: str, media_type: str, size: int | None = None
) -> StreamingResponse:
    """A response with these bytes in large pieces, each read in a thread. The first piece is read, and raises, here,
    while the status can still be chosen.

    `size`: of all pieces, if the person may know it.
    """
    first = await run_in_threadpool(next, pieces, b"")
    headers = {**_HEADERS, "Content-Disposition": disposition(name)}
    if size is not None:
        headers["Content-Length"] = str(size)
    return _Attachment(_all(first, pieces), media_type=shown_type(media_type), headers=headers)


def streamed_attachment(pieces: AsyncIterator[bytes], *, name: str, media_type: str) -> StreamingResponse:
    """A response with bytes that are made while it is sent."""
    headers = {**_HEADERS, "Content-Disposition": disposition(name)}
    return _Attachment(pieces, media_type=shown_type(media_type), headers=headers)


class _Attachment(StreamingResponse):
    """A response that ends before the first segment that was changed on the disk."""

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except BlobDamaged as damaged:
            # Unfinished: the server closes the connection, so that the client notices.
            log.error("a download was cut: %s", damaged.for_log)


async def _all(first: bytes, rest: Iterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in iterate_in_threadpool(rest):
        yield piece


def shown_type(media_type: str) -> str:
    """The type of the response: plain text, one of a list, or bytes. Browsers might run other types."""
    if is_text(media_type):
        return "text/plain; charset=utf-8"
    essence = media_type.split(";")[0].strip().lower()
    return essence if essence in _PASSED_ON else "application/octet-stream"


def disposition(name: str) -> str:
    """A Content-Disposition that saves as `name` (RFC 6266), with an ASCII form for older clients."""
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
