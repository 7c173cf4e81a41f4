"""The tables of blobs, the folder that holds them, and the master key."""

from sqlalchemy.orm import Mapped

from sieve.store.blob_ref import BlobKind, BlobRef
from sieve.store.models.base import Base, Id, Size, TimeNs, one_of


class Blob(Base):
    """A `BlobRef`, kept. `content`: a small sealed blob's bytes, sealed, in place of a file. `tags`: of a plain blob's
    segments; none of one that was stored before there were tags and is not tagged yet.
    """

    __tablename__ = "blobs"
    __table_args__ = (one_of("kind", BlobKind),)

    id: Mapped[Id]
    kind: Mapped[str]
    owner: Mapped[str]
    purpose: Mapped[str]
    size: Mapped[Size]
    key_id: Mapped[str | None]
    wrapped_key: Mapped[bytes | None]
    content: Mapped[bytes | None]
    tags: Mapped[bytes | None]
    created_at_ns: Mapped[TimeNs]

    @classmethod
    def of(cls, ref: BlobRef, now_ns: int) -> "Blob":
        """The row that keeps `ref`."""
        return cls(
            id=ref.id,
            kind=ref.kind,
            owner=ref.owner,
            purpose=ref.purpose,
            size=ref.size,
            key_id=ref.key_id,
            wrapped_key=ref.wrapped_key,
            content=ref.content,
            tags=ref.tags,
            created_at_ns=now_ns,
        )

    @property
    def ref(self) -> BlobRef:
        """The reference that the blob store works with."""
        return BlobRef(
            id=self.id,
            kind="sealed" if self.kind == "sealed" else "plain",
            owner=self.owner,
            purpose=self.purpose,
            size=self.size,
            key_id=self.key_id,
            wrapped_key=self.wrapped_key,
            content=self.content,
            tags=self.tags,
        )


class BlobFolder(Base):
    """The blob folder that this database belongs to; one row. `id`: what the folder's file `folder-id` says."""

    __tablename__ = "blob_folder"

    id: Mapped[Id]


class MasterKey(Base):
    """A master key that ever wrapped anything that is kept here, by its id. Each that a row names is among them."""

    __tablename__ = "master_keys"

    id: Mapped[Id]
