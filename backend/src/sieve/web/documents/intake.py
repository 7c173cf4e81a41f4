"""The document in a request: its name, its spans in one of three forms, and its bytes as a stream."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import Header, Query, Request

from sieve.gateway.documents.ingest import Ingest, StagedDocument
from sieve.web.documents import spans as span_texts
from sieve.web.request_bodies import body_of

BODY: Final = body_of("application/octet-stream", {"type": "string"})
"""The OpenAPI description of a body that is a document."""

MAX_NAME: Final = 1000

_FORMS: Final = (
    "What the body is. marked: text with <$S> and <$E> around what is classified. literal: the document's bytes, with "
    "spans in the header Sieve-Spans. framed: one line, a JSON array of [start, end] pairs, then the document's bytes."
)
TextForm: TypeAlias = Literal["marked", "literal", "framed"]
Form: TypeAlias = Annotated[TextForm, Query(description=_FORMS)]
DraftForm: TypeAlias = Annotated[
    Literal[TextForm, "file"],
    Query(description=f"{_FORMS} file: a file of any other format, to be marked by its places."),
]
Name: TypeAlias = Annotated[
    str,
    Query(
        max_length=MAX_NAME,
        description="The document's name, which counts as plain. Paths and invisible characters are removed, and it is "
        "cut to 300 characters.",
    ),
]
MediaType: TypeAlias = Annotated[str, Query(max_length=200)]
SpansHeader: TypeAlias = Annotated[str | None, Header(description="Of a literal body: 0-5,10-20, start-end in bytes.")]


async def stage(
    ingest: Ingest,
    request: Request,
    form: TextForm,
    spans: str | None,
    media_type: str,
    *,
    draft: bool = False,
) -> StagedDocument:
    """Stages the document in the body of `request`. Raises the errors of `Ingest`, and MalformedRequest."""
    body: AsyncIterator[bytes] = request.stream()
    if form == "marked":
        return await ingest.stage_marked_text(body, media_type, draft=draft)
    if form == "literal":
        found = span_texts.in_header(spans)
    else:
        line, body = await span_texts.framed(body)
        found = await asyncio.to_thread(span_texts.in_line, line)
        del line
    return await ingest.stage_with_spans(body, found, media_type, draft=draft)
