"""An outgoing transfer, read from the store: its manifest, its document and its cover."""

import asyncio
import json
from dataclasses import dataclass
from typing import Self

from blake3 import blake3

from sieve.channel.cover import Cover
from sieve.channel.manifest import Manifest
from sieve.gateway.documents.covers import unseal_sent
from sieve.gateway.stored_document import SPANS_AT_ONCE, StoredDocument
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.plain_blob import CHANGED
from sieve.store.queries.outbox import ToSend


@dataclass(frozen=True, slots=True)
class OutgoingDocument:
    """`sieve_ns`: how long separating the document took at its upload. `cover`: None if it was queued by a version of
    this gateway that made none."""

    manifest: Manifest
    document: StoredDocument
    sieve_ns: int
    cover: Cover | None = None

    @classmethod
    async def load(cls, blobs: BlobStore, stored: ToSend) -> Self:
        """The same as `of`, in a thread if there are many spans."""
        if stored.sealed.size - stored.classified_size > SPANS_AT_ONCE:
            return await asyncio.to_thread(cls.of, blobs, stored)
        return cls.of(blobs, stored)

    @classmethod
    def of(cls, blobs: BlobStore, stored: ToSend) -> Self:
        """The transfer's manifest, document and cover.

        Raises:
            BlobDamaged: the stored blobs cannot be read.
        """
        head = json.loads(blobs.open_sealed(stored.manifest).read(0, stored.manifest.size))
        document = StoredDocument(
            blobs,
            stored.plain,
            stored.sealed,
            stored.size,
            stored.classified_size,
            # Only what this manifest names travels.
            stored.redacted if "redacted" in head else None,
            bytes.fromhex(head["plain_digest"]),
            stored.marks if "marks" in head else None,
        )
        cover = None if stored.cover is None else unseal_sent(blobs.keys, stored.cover, stored.transfer_id)
        return cls(Manifest.from_head(head, document.spans), document, stored.sieve_ns, cover)

    def check_plain(self) -> None:
        """Compares the stored plain stream with the manifest. Blocking.

        Raises:
            BlobDamaged: it is not the one of the manifest.
        """
        digest = blake3()
        for piece in self.document.plain_stream():
            digest.update(piece)
        if digest.digest() != self.manifest.plain_digest:
            raise BlobDamaged(CHANGED)
