"""The tables of documents and drafts."""

from typing import Literal, TypeAlias

from sqlalchemy import BigInteger, ForeignKey, Index, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sieve.store.models.base import SHOWN, TRASH, Base, Id, Size, TimeNs, index, one_of
from sieve.store.models.blobs import Blob

Origin: TypeAlias = Literal["authored", "received"]


class Draft(Base):
    """What an author works on: a line of documents, one for each save. The latest has the draft's `revision`.

    `trashed_at_ns`: since when it is in its author's trash, from which it can be restored. `is_template`: its author
    starts new documents from it. `forwarded_from`: whose received document it was made from, for people: name and
    gateway. `reply_to`: JSON, of a reply: which inbox entry it answers, and to whom it goes. `locked`: it is from
    before a reset of the account that nobody confirmed.
    """

    __tablename__ = "drafts"
    __table_args__ = (
        index("ix_drafts_list", "owner_id", "changed_at_ns", "id", where=SHOWN),
        index("ix_drafts_trash", "owner_id", "trashed_at_ns", "id", where=TRASH),
        index("ix_drafts_oldest_trash", "trashed_at_ns", "id", where=TRASH),
    )

    id: Mapped[Id]
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    revision: Mapped[int]
    reply_to: Mapped[str | None]
    created_at_ns: Mapped[TimeNs]
    changed_at_ns: Mapped[TimeNs]
    is_template: Mapped[bool] = mapped_column(default=False, server_default=false())
    locked: Mapped[bool] = mapped_column(default=False, server_default=false())
    trashed_at_ns: Mapped[TimeNs | None]
    deleted_at_ns: Mapped[TimeNs | None]
    forwarded_from: Mapped[str | None]


class Document(Base):
    """A document, authored here (`owner_id`: its author) or received. Its bytes are two blobs, never rewritten.

    `plain_digest`: BLAKE3 of the plain stream, hexadecimal; empty if its blob is sealed, which then has it: in clear it
    would confirm a guess. `draft_id` and `revision`: the draft that it is a save of, if it is one, and which.
    `before_restore`: its author replaced this save by an earlier one. `format`: what it was read as, if it came as a
    file to be marked; then it has so many `marks`, sealed in a blob of their own if there are any. `redacted_...`: its
    redacted edition, once it was sent or came with one, sealed in a blob of its own. Its digest is kept in manifests
    alone: in clear it would confirm a guess of what is withheld. `locked`: as a draft's.
    """

    __tablename__ = "documents"
    __table_args__ = (
        one_of("origin", Origin),
        Index("uq_documents_draft_id_revision", "draft_id", "revision", unique=True),
        index(
            "ix_documents_list", "owner_id", "created_at_ns", "id", where="deleted_at_ns IS NULL AND draft_id IS NULL"
        ),
        # Most documents have none: an index of those that have costs the others nothing.
        index("ix_documents_redacted_blob_id", "redacted_blob_id", where="redacted_blob_id IS NOT NULL"),
    )

    id: Mapped[Id]
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"), index=True)
    origin: Mapped[str]
    name: Mapped[str]
    media_type: Mapped[str]
    size: Mapped[Size]
    classified_size: Mapped[Size]
    plain_digest: Mapped[str]
    plain_blob_id: Mapped[str] = mapped_column(ForeignKey("blobs.id"), index=True)
    sealed_blob_id: Mapped[str] = mapped_column(ForeignKey("blobs.id"), index=True)
    sieve_ns: Mapped[int] = mapped_column(BigInteger)
    draft_id: Mapped[str | None] = mapped_column(ForeignKey("drafts.id"))
    revision: Mapped[int | None]
    before_restore: Mapped[bool] = mapped_column(default=False, server_default=false())
    format: Mapped[str | None]
    marks: Mapped[int | None]
    marks_blob_id: Mapped[str | None] = mapped_column(ForeignKey("blobs.id"), index=True)
    redacted_blob_id: Mapped[str | None] = mapped_column(ForeignKey("blobs.id"))
    redacted_size: Mapped[Size | None]
    locked: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at_ns: Mapped[TimeNs]
    deleted_at_ns: Mapped[TimeNs | None]

    plain_blob: Mapped[Blob] = relationship(lazy="raise", foreign_keys=[plain_blob_id])
    sealed_blob: Mapped[Blob] = relationship(lazy="raise", foreign_keys=[sealed_blob_id])
    marks_blob: Mapped[Blob | None] = relationship(lazy="raise", foreign_keys=[marks_blob_id])
    redacted_blob: Mapped[Blob | None] = relationship(lazy="raise", foreign_keys=[redacted_blob_id])
