"""Removes what a peer does not accept, as its hello says, from a transfer: the marks, and perhaps the redacted edition.

Invariant: the manifest is fixed when the author sends. This is its only change, and it is stored before any byte of the
transfer leaves: the same document, with a manifest that an older peer can read.
"""

from dataclasses import dataclass, replace

from sieve.channel import canonical
from sieve.channel.manifest import WITH_EDITION, WITH_MARKS, Manifest
from sieve.gateway.clock import now_ns
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.peering.hello import Hello
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.queries import outbox


@dataclass(frozen=True, slots=True)
class Fitted:
    """A manifest that the peer accepts. `without_edition`: why it has no redacted edition any more, if it has not. An
    author is not told of missing marks: the receiver then finds out from the edition what is classified.
    """

    manifest: Manifest
    without_edition: str | None = None


def fitted(manifest: Manifest, hello: Hello) -> Fitted | None:
    """The manifest without what the peer does not accept; None if the peer accepts all of it."""
    left = manifest
    if WITH_MARKS not in hello.manifests or manifest.carried_size > hello.max_document_bytes:
        left = manifest.without_marks()
    if left.redacted is not None:
        without = "it is sent without a redacted edition, because"
        if WITH_EDITION not in hello.manifests:
            why = f"{without} {hello.name} runs an older version that accepts none"
            return Fitted(left.without_edition(), why)
        if left.carried_size > hello.max_document_bytes >= left.size:
            why = f"{without} both together are more than {hello.name} accepts"
            return Fitted(left.without_edition(), why)
    return None if left == manifest else Fitted(left)


async def stored(
    database: Database, blobs: BlobStore, outgoing: OutgoingDocument, token: str, fitting: Fitted
) -> OutgoingDocument | None:
    """The transfer with that manifest, in this and every further attempt. None if the claim of `token` no longer holds
    it.
    """
    manifest = fitting.manifest
    head = canonical.dumps(manifest.head)
    blob = blobs.kept_in_row(head, owner=manifest.transfer_id, purpose="manifest")
    async with database.write() as session:
        held = await outbox.replace_manifest(
            session,
            manifest.transfer_id,
            token,
            blob,
            manifest.digest,
            without_edition=fitting.without_edition,
            now_ns=now_ns(),
        )
    # What the manifest does not name is not read: it would be at the end of the stream.
    document = replace(
        outgoing.document,
        redacted_file=outgoing.document.redacted_file if manifest.redacted is not None else None,
        marks_file=outgoing.document.marks_file if manifest.marks is not None else None,
    )
    return replace(outgoing, manifest=manifest, document=document) if held else None
