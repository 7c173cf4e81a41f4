"""The tables of what is received: documents, inbox entries, read receipts and partials."""

from sqlalchemy import ForeignKey, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sieve.store.models.base import SHOWN, TRASH, Base, Id, Size, TimeNs, index
from sieve.store.models.blobs import Blob
from sieve.store.models.documents import Document
from sieve.store.models.peers import Peer


class Received(Base):
    """A transfer that was delivered here, once. Row and receipt outlive the document; manifest and cover do not.

    `cover`: sealed, if it came with one. `read_receipts`: whether the author asks when recipients open it.
    `in_reply_to`: the id of the transfer from here that it answers, as its sender says.
    """

    __tablename__ = "received"
    __table_args__ = (
        UniqueConstraint("peer_id", "transfer_id"),
        # Includes the column that the list filters by, so that the database skips other rows.
        index("ix_received_list", "received_at_ns", "id", "peer_id"),
        index("ix_received_in_reply_to", "in_reply_to", where="in_reply_to IS NOT NULL"),
    )

    id: Mapped[Id]
    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"))
    transfer_id: Mapped[str]
    manifest_digest: Mapped[str]
    manifest_blob_id: Mapped[str] = mapped_column(ForeignKey("blobs.id"), index=True)
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.id"), index=True)
    sender_name: Mapped[str]
    mode: Mapped[str]
    receipt: Mapped[str]
    received_at_ns: Mapped[TimeNs]
    deadline_at_ns: Mapped[TimeNs]
    cover: Mapped[bytes | None]
    read_receipts: Mapped[bool] = mapped_column(default=False, server_default=false())
    in_reply_to: Mapped[str | None]

    document: Mapped[Document] = relationship(lazy="raise")
    peer: Mapped[Peer] = relationship(lazy="raise")
    manifest_blob: Mapped[Blob] = relationship(lazy="raise")


class ReadReceipt(Base):
    """That a person opened a document whose author asks for that. `next_try_at_ns`: when to report it to the author's
    gateway; None once it is reported, or given up.
    """

    __tablename__ = "read_receipts"
    __table_args__ = (index("ix_read_receipts_due", "next_try_at_ns", where="next_try_at_ns IS NOT NULL"),)

    entry_id: Mapped[str] = mapped_column(ForeignKey("inbox.id"), primary_key=True)
    opened_at_ns: Mapped[TimeNs]
    next_try_at_ns: Mapped[TimeNs | None]
    tries: Mapped[int]


class Partial(Base):
    """What is kept of a document that came in part: its blobs have no rows of their own. `blob_ids`: of its files, with
    blanks between. `kept`: the blobs' keys and what of each is held, sealed. `size`: what the whole takes.
    """

    __tablename__ = "partials"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    transfer_id: Mapped[str] = mapped_column(primary_key=True)
    manifest_digest: Mapped[str]
    size: Mapped[Size]
    deadline_at_ns: Mapped[TimeNs]
    touched_at_ns: Mapped[TimeNs]
    blob_ids: Mapped[str]
    kept: Mapped[bytes]


class InboxEntry(Base):
    """One person's entry for a received transfer.

    `trashed_at_ns`: since when it is in the person's trash, from which it can be restored. `deleted_at_ns`: since when
    it is gone. `before_clearance`: it arrived before its person was cleared, and no second admin agreed; `locked`: it
    is from before a reset of the account that nobody confirmed.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("user_id", "received_id"),
        # The last column is for the count of unread entries.
        index("ix_inbox_list", "user_id", "created_at_ns", "id", "read_at_ns", where=SHOWN),
        index("ix_inbox_trash", "user_id", "trashed_at_ns", "id", where=TRASH),
        index("ix_inbox_oldest_trash", "trashed_at_ns", "id", where=TRASH),
        index("ix_inbox_oldest", "created_at_ns", "id", where="deleted_at_ns IS NULL"),
    )

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    received_id: Mapped[str] = mapped_column(ForeignKey("received.id"), index=True)
    before_clearance: Mapped[bool] = mapped_column(default=False, server_default=false())
    locked: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at_ns: Mapped[TimeNs]
    read_at_ns: Mapped[TimeNs | None]
    trashed_at_ns: Mapped[TimeNs | None]
    deleted_at_ns: Mapped[TimeNs | None]

    received: Mapped[Received] = relationship(lazy="raise")
