"""A gateway's data folder, without a gateway: what backups are made of, and restored into."""

import asyncio
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from databases import url
from sieve.gateway.backups.folder import Places
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobRef, BlobStore, ScatteredWriter, SealedWriter
from sieve.store.database_from_url import database_from_url
from sieve.store.master_keys import MasterKeys
from sieve.store.models import new_id
from sieve.store.queries import documents, keys_in_use, people

KEY = "42" * 32
IDENTITY = {"identity.pem": b"certificate", "identity.key": b"key", "ca.pem": b"authority", "receipt.key": b"signs"}


@dataclass(frozen=True)
class Kept:
    """`plain` and `sealed`: a document's blobs."""

    id: str
    plain: BlobRef
    sealed: BlobRef
    content: bytes


class KeptData:
    """Data in its default places below `folder`, with as many documents as are added."""

    def __init__(self, folder: Path, migrated: Path | None = None) -> None:
        """`migrated`: the database to begin with; without one nothing is there."""
        self.folder = folder
        self.places = Places(
            folder, folder / "sieve.db", folder / "blobs", folder / "identity", folder.parent / f"{folder.name}.key"
        )
        self.keys = MasterKeys.from_text(KEY)
        self.environment = {"SIEVE_DATA_DIR": str(folder), "SIEVE_MASTER_KEY_FILE": str(self.places.master_key)}
        if migrated is None:
            return
        folder.mkdir(mode=0o700)
        shutil.copyfile(migrated, self.places.database)
        self.places.database.chmod(0o600)
        self.places.master_key.write_text(f"{KEY}\n")
        self.places.master_key.chmod(0o600)
        self.write_identity(IDENTITY)
        self.blobs = BlobStore(BlobFolder(self.places.blobs), self.keys)

    def write_identity(self, files: dict[str, bytes]) -> None:
        self.places.identity.mkdir(exist_ok=True)
        for name, data in files.items():
            (self.places.identity / name).write_bytes(data)

    def path(self, ref: BlobRef) -> Path:
        """Where a blob's file lies."""
        return self.places.blobs / ref.id[:2] / ref.id

    def add(self, content: bytes, *, received: bool = False, draft: bool = False) -> Kept:
        """Stores a document, half of which is classified. `received`: its sealed blob is written as one that comes.
        `draft`: its plain stream is sealed, as those of drafts are."""
        if draft:
            writer = self.blobs.new_sealed(owner="d", purpose="document")
            writer.write(content)
            plain = writer.finish()
        else:
            in_clear = self.blobs.new_plain(owner="d", purpose="document")
            in_clear.write_at(0, [content])
            plain = in_clear.finish(len(content))
        sealed: SealedWriter | ScatteredWriter
        if received:
            sealed = self.blobs.new_scattered(owner="d", purpose="document", size=len(content))
            sealed.write_at(0, content)
        else:
            sealed = self.blobs.new_sealed(owner="d", purpose="document")
            sealed.write(content)
        kept = Kept(new_id(), plain, sealed.finish(), content)
        self.blobs.sync_names()

        async def commit() -> None:
            database = database_from_url(url(self.places.database))
            async with database.write() as session:
                await keys_in_use.record(session, self.keys.current)
                owner = await people.by_name(session, "anna")
                if owner is None:
                    owner = await people.add(session, name="anna", display_name="Anna", is_author=True, now_ns=1)
                await documents.add(
                    session,
                    document_id=kept.id,
                    owner_id=owner.id,
                    origin="authored",
                    name="memo",
                    media_type="text/plain",
                    size=2 * len(content),
                    classified_size=len(content),
                    plain_digest="" if draft else blake3(content).hexdigest(),
                    plain_blob=kept.plain,
                    sealed_blob=kept.sealed,
                    sieve_ns=5,
                    now_ns=1,
                )
            await database.dispose()

        asyncio.run(commit())
        return kept

    def delete(self, kept: Kept) -> None:
        """Deletes a document as a gateway does: the row, then the files."""

        async def commit() -> None:
            database = database_from_url(url(self.places.database))
            async with database.write() as session:
                gone = await documents.delete(session, kept.id, 2)
            await database.dispose()
            self.blobs.delete_all(gone or ())

        asyncio.run(commit())

    def read(self) -> dict[str, bytes]:
        """The plain stream of each document by its id, once its sealed one was seen to be the same."""

        async def read() -> dict[str, bytes]:
            blobs, database = (
                BlobStore(BlobFolder(self.places.blobs), self.keys),
                database_from_url(url(self.places.database)),
            )
            found = {}
            async with database.read() as session:
                owner = await people.by_name(session, "anna")
                for document in [] if owner is None else await documents.of_owner(session, owner.id):
                    whole = await documents.by_id(session, document.id)
                    plain, sealed = whole.plain_blob.ref, whole.sealed_blob.ref
                    found[document.id] = blobs.open_plain(plain).read(0, plain.size)
                    assert blobs.open_sealed(sealed).read(0, sealed.size) == found[document.id]
            await database.dispose()
            return found

        return asyncio.run(read())


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def open_to_others(folder: Path) -> list[str]:
    """Files in a folder, and the folder itself, if other users may use them."""
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if stat.S_IMODE(os.lstat(path).st_mode) & 0o077]
