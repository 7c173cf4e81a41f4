"""Copies of drafts: the content, the marks and the labels, as a new draft with blobs of its own."""

import asyncio

from sieve.gateway.documents.drafts import Drafts
from sieve.gateway.documents.in_thread import pieces_in_thread
from sieve.gateway.documents.ingest import Ingest, StagedDocument
from sieve.gateway.reading.file import File
from sieve.gateway.stored_document import StoredDocument
from sieve.store.models import Document
from sieve.store.queries.drafts import WholeDraft


async def copy_draft(drafts: Drafts, ingest: Ingest, owner_id: str, draft_id: str, name: str) -> WholeDraft:
    """A new draft like the latest save of that one. Tags, versions and transfers are not copied.

    Raises:
        NotFound: this person has no such draft.
        StorageFull, DatabaseBusy: it cannot be stored.
    """

    async def stage(save: Document) -> StagedDocument:
        document = StoredDocument.of(drafts.blobs, save)
        spans = await document.load_spans()
        pieces = pieces_in_thread(document.held(document.full()))
        if save.format is None:
            return await ingest.stage_with_spans(pieces, spans, save.media_type, draft=True)
        marks = await asyncio.to_thread(File.of(drafts.blobs, save).kept_marks)
        staged = await ingest.stage_file(pieces, spans, marks or b"")
        staged.set_format(save.format, save.media_type, marks=save.marks or 0)
        return staged

    _, staged = await drafts.with_latest(owner_id, draft_id, stage)
    with staged:
        return await drafts.create(owner_id, staged, name, labels_of=draft_id)
