"""Integrates the two streams of a document. Nothing is stored.

Both streams are held in memory: the classified one must not be stored in clear, and the response needs both. So their
size is limited; `sieve integrate` has no limit.
"""

import asyncio
from typing import Final

from fastapi import Request
from starlette.responses import StreamingResponse

from sieve.core.document import Spans
from sieve.core.integrate import integrate
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.documents.intake import BODY
from sieve.web.documents.spans import framed, in_line
from sieve.web.downloads import attachment
from sieve.web.errors import MalformedRequest
from sieve.web.request_bodies import read_pieces

router = api_router(tag="documents")

MAX_BYTES: Final = 16 * 1024 * 1024
_PIECE: Final = 256 * 1024


@router.post("/integrate", openapi_extra=BODY, response_class=StreamingResponse)
async def whole(author: Author, request: Request) -> StreamingResponse:
    """The document of two streams. The body is one line, a JSON array of the classified ranges as [start, end] pairs,
    then the classified stream, then the plain one, together at most 16 MiB. Nothing is stored.
    """
    line, halves = await framed(request.stream())
    spans = await asyncio.to_thread(in_line, line)
    both = await read_pieces(halves, MAX_BYTES, "the document")
    document = await asyncio.to_thread(_together, spans, both)
    # In pieces, so that other requests are answered in between.
    pieces = (document[at : at + _PIECE] for at in range(0, len(document), _PIECE))
    return await attachment(pieces, name="document", media_type="application/octet-stream", size=len(document))


def _together(spans: Spans, both: bytearray) -> bytes:
    classified = spans.classified_size
    if classified > len(both):
        raise MalformedRequest("body: it is shorter than the classified ranges")
    halves = memoryview(both)
    return integrate(spans, len(both), bytes(halves[:classified]), bytes(halves[classified:]))
