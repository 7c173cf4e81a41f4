"""An outgoing transfer as it is read back for sending: its manifest and its document."""

import json
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.manifest import Manifest
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobStore
from sieve.store.models import Transfer
from sieve.store.queries import blobs as blob_queries
from sieve.store.queries import documents as document_queries


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What an attempt needs."""

    manifest: Manifest
    document: StoredDocument


async def load(session: AsyncSession, blobs: BlobStore, transfer: Transfer) -> Outgoing:
    """The transfer's manifest and document.

    Raises:
        BlobDamaged: what is stored cannot be read back.
    """
    document = StoredDocument.of(blobs, await document_queries.by_id(session, transfer.document_id))
    manifest_ref = await blob_queries.ref(session, transfer.manifest_blob_id)
    head = json.loads(blobs.open_sealed(manifest_ref).read(0, manifest_ref.size))
    return Outgoing(Manifest.from_head(head, document.spans), document)
