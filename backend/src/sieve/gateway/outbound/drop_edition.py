"""Removes the redacted edition from a transfer whose peer does not accept it, which its hello says.

Invariant: the manifest is fixed when the author sends. This is its only change, and it is stored before any byte of the
transfer leaves: the same document, with a manifest that an older peer can read.
"""

from dataclasses import replace

from sieve.channel import canonical
from sieve.channel.manifest import WITH_EDITION, Manifest
from sieve.gateway.clock import now_ns
from sieve.gateway.outbound.outgoing import Outgoing
from sieve.gateway.peering.hello import Hello
from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.queries import outbox


def why_left(manifest: Manifest, hello: Hello) -> str | None:
    """Why the peer does not accept the document's redacted edition; None if it does, or if there is none."""
    if manifest.redacted is None:
        return None
    if WITH_EDITION not in hello.manifests:
        return f"it is sent without a redacted edition, because {hello.name} runs an older version that accepts none"
    if manifest.carried_size > hello.max_document_bytes >= manifest.size:
        return f"it is sent without a redacted edition, because both together are more than {hello.name} accepts"
    return None


async def left_behind(
    database: Database, blobs: BlobStore, outgoing: Outgoing, token: str, why: str
) -> Outgoing | None:
    """The transfer without its redacted edition, in this and every further attempt. None if the claim of `token` no
    longer holds it.
    """
    manifest = outgoing.manifest.without_edition()
    head = canonical.dumps(manifest.head)
    blob = blobs.kept_in_row(head, owner=manifest.transfer_id, purpose="manifest")
    async with database.write() as session:
        held = await outbox.leave_edition(
            session, manifest.transfer_id, token, blob, manifest.digest, note=why, now_ns=now_ns()
        )
    return replace(outgoing, manifest=manifest) if held else None
