"""A document as a request brings it: what it is called, how its spans are told, and its bytes, streamed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import Header, Query, Request

from sieve.gateway.documents.ingest import Ingest, Placing
from sieve.store.models import Document
from sieve.web.documents import spans as span_texts

BODY: Final[dict[str, Any]] = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}
"""What OpenAPI is told of a route whose body is a document."""

MAX_NAME: Final = 1000

Form: TypeAlias = Annotated[
    Literal["marked", "literal", "framed"],
    Query(
        description="What the body is. marked: text with <$S> and <$E> around what is classified. literal: the "
        "document's bytes, with spans in the header Sieve-Spans. framed: one line, a JSON array of "
        "[start, end] pairs, then the document's bytes."
    ),
]
DraftForm: TypeAlias = Annotated[
    Literal["marked", "literal", "framed", "file"],
    Query(
        description="What the body is. marked: text with <$S> and <$E> around what is classified. literal: the "
        "document's bytes, with spans in the header Sieve-Spans. framed: one line, a JSON array of "
        "[start, end] pairs, then the document's bytes. file: a file of any other format, to be marked by its places."
    ),
]
Name: TypeAlias = Annotated[
    str,
    Query(
        max_length=MAX_NAME,
        description="It travels in clear to nobody, but counts as plain. Kept without paths and what cannot be seen, "
        "and cut to 300 characters.",
    ),
]
MediaType: TypeAlias = Annotated[str, Query(max_length=200)]
SpansHeader: TypeAlias = Annotated[str | None, Header(description="Of a literal body: 0-5,10-20, start-end in bytes.")]


async def take_in(
    ingest: Ingest,
    request: Request,
    form: Literal["marked", "literal", "framed"],
    spans: str | None,
    *,
    owner_id: str,
    name: str,
    media_type: str,
    placing: Placing | None = None,
) -> Document:
    """The document that the request's body is. Raises what `Ingest` does, and MalformedRequest."""
    body: AsyncIterator[bytes] = request.stream()
    if form == "marked":
        return await ingest.marked(body, owner_id=owner_id, name=name, media_type=media_type, placing=placing)
    if form == "literal":
        found = span_texts.in_header(spans)
    else:
        line, body = await span_texts.framed(body)
        found = await asyncio.to_thread(span_texts.in_line, line)
        del line
    return await ingest.with_spans(body, found, owner_id=owner_id, name=name, media_type=media_type, placing=placing)
