"""The rows of blobs: what opens one, and which are still needed."""

from sqlalchemy import select, union
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blob_ref import BlobRef
from sieve.store.models import Blob, Document, Received, Transfer


async def ref(session: AsyncSession, blob_id: str) -> BlobRef:
    """The reference of a blob that another row names."""
    return (await session.get_one(Blob, blob_id)).ref


async def ids(session: AsyncSession) -> set[str]:
    """The ids of all blobs that something still needs: what `BlobStore.sweep` is to spare.

    A deleted document needs none, so files that a crash kept from being removed go at the next start.
    """
    alive = Document.deleted_at_ns.is_(None)
    needed = union(
        select(Document.plain_blob_id).where(alive),
        select(Document.sealed_blob_id).where(alive),
        select(Transfer.manifest_blob_id),
        select(Received.manifest_blob_id),
    )
    return set(await session.scalars(needed))
