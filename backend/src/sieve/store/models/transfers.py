"""The tables of what is sent: transfers, their recipients, attempts and timing marks."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Integer, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sieve.store.models.base import Base, Id, Size, TimeNs, index, one_of
from sieve.store.models.blobs import Blob
from sieve.store.models.documents import Document
from sieve.store.models.peers import Peer
from sieve.store.models.people import (
    User,
)
from sieve.store.sentence_text import SentenceText

TransferState: TypeAlias = Literal["queued", "sending", "delivered", "failed", "cancelled"]
AttemptOutcome: TypeAlias = Literal["delivered", "again", "failed", "cancelled", "lost"]
MarkRole: TypeAlias = Literal["sender", "receiver"]
OPEN_STATES: Final = ("queued", "sending")
"""The states of a transfer that is not over."""


class Transfer(Base):
    """An outgoing transfer: a row of the outbox. `attempt` grows with each claim and is the fence.

    `lease_token` is the claim's: only who holds it may write the row. `reason`: the last sentence for people.
    `recipients_checked`: whether the peer said that it knows them. `plan`: JSON, what the latest attempt made of what
    was asked: mode, channels and split. `batch_id`: what its author chose to go together has one in common,
    and `batch_size` is how many that were. `redacted_size`: of the redacted edition, if one is sent;
    `redacted_note`: why none does, of a file that might have one. `marks_size`: of the author's marks as they are sent,
    if they are. `off_plain`: no attempt may use the plain channel (any more). `unreachable_since_ns`: since when it
    waits because its peer cannot be reached. `cover`: sealed, see `documents.covers`; gone with the document.
    `reply_to_id`: the author's inbox entry that it answers. `read_receipts`: whether the author asks when recipients
    open it.
    """

    __tablename__ = "transfers"
    __table_args__ = (
        one_of("state", TransferState),
        Index("ix_transfers_state_next_try_at_ns", "state", "next_try_at_ns"),
        # Whose turn is next, for each peer: in this order transfers are claimed.
        Index("ix_transfers_peer_id_state_turn", "peer_id", "state", "next_try_at_ns", "created_at_ns", "id"),
        # Include the columns that lists filter by, so that the database skips other rows.
        index("ix_transfers_list", "created_at_ns", "id", "state", "peer_id", "author_id"),
        index("ix_transfers_author_list", "author_id", "created_at_ns", "id", "state", "peer_id"),
        CheckConstraint("(state = 'sending') = (lease_token IS NOT NULL)", name="lease"),
    )

    id: Mapped[Id]
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.id"), index=True)
    author_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"))
    batch_id: Mapped[str | None]
    batch_size: Mapped[int | None]
    mode: Mapped[str]
    secure_channels: Mapped[int] = mapped_column(default=1)
    plain_channels: Mapped[int] = mapped_column(default=1)
    split: Mapped[str] = mapped_column(default="range")
    plan: Mapped[str | None]
    state: Mapped[str]
    manifest_blob_id: Mapped[str] = mapped_column(ForeignKey("blobs.id"), index=True)
    manifest_digest: Mapped[str]
    redacted_size: Mapped[Size | None]
    redacted_note: Mapped[str | None]
    marks_size: Mapped[Size | None]
    recipients_checked: Mapped[bool]
    attempt: Mapped[int] = mapped_column(BigInteger, default=0)
    lease_token: Mapped[str | None]
    lease_until_ns: Mapped[TimeNs | None]
    next_try_at_ns: Mapped[TimeNs | None]
    reason: Mapped[str | None] = mapped_column(SentenceText)
    fruitless_tries: Mapped[int] = mapped_column(default=0)
    peer_holds: Mapped[Size] = mapped_column(default=0, server_default="0")
    deadline_at_ns: Mapped[TimeNs]
    created_at_ns: Mapped[TimeNs]
    verified_at_ns: Mapped[TimeNs | None]
    delivered_at_ns: Mapped[TimeNs | None]
    receipt: Mapped[str | None]
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    off_plain: Mapped[bool] = mapped_column(default=False)
    unreachable_since_ns: Mapped[TimeNs | None]
    cover: Mapped[bytes | None]
    reply_to_id: Mapped[str | None]
    read_receipts: Mapped[bool] = mapped_column(default=False, server_default=false())

    document: Mapped[Document] = relationship(lazy="raise")
    author: Mapped[User] = relationship(lazy="raise")
    peer: Mapped[Peer] = relationship(lazy="raise")
    manifest_blob: Mapped[Blob] = relationship(lazy="raise")
    recipients: Mapped[list["TransferRecipient"]] = relationship(lazy="raise", order_by="TransferRecipient.name")

    @property
    def recipient_names(self) -> Sequence[str]:
        """Whom it is for: logins at the peer."""
        return [recipient.name for recipient in self.recipients]


class TransferRecipient(Base):
    """One whom a transfer is for, by login at the peer. `display_name`: theirs when it was sent, if it was known.
    `opened_at_ns`: when they first opened it, if the author asked and the peer reported it.
    """

    __tablename__ = "transfer_recipients"

    transfer_id: Mapped[str] = mapped_column(ForeignKey("transfers.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    display_name: Mapped[str | None]
    opened_at_ns: Mapped[TimeNs | None]


class RecipientGroup(Base):
    """Recipients that an author saved under a name. `members`: JSON, pairs of a gateway's name and a login there."""

    __tablename__ = "recipient_groups"
    __table_args__ = (UniqueConstraint("owner_id", "name"),)

    id: Mapped[Id]
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str]
    members: Mapped[str]
    created_at_ns: Mapped[TimeNs]


class Attempt(Base):
    """One attempt at a transfer, and how it ended. `plan`: JSON, once it is made. `lost`: its holder vanished, and when
    is not known. `receiver_durations`: JSON, as the peer reported them. `secure_left`, `plain_left`: how many bytes of
    the document left this gateway at most, of an attempt that did not deliver it; null if that is not known.
    """

    __tablename__ = "attempts"
    __table_args__ = (one_of("outcome", AttemptOutcome),)

    transfer_id: Mapped[str] = mapped_column(ForeignKey("transfers.id"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    plan: Mapped[str | None]
    started_at_ns: Mapped[TimeNs]
    ended_at_ns: Mapped[TimeNs | None]
    outcome: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(SentenceText)
    receiver_durations: Mapped[str | None]
    secure_left: Mapped[Size | None]
    plain_left: Mapped[Size | None]


class Mark(Base):
    """A timing mark of one attempt, by this host's clock. `channel` is empty where none is meant.

    `id` counts up, so that marks of one instant keep their order.
    """

    __tablename__ = "marks"
    __table_args__ = (one_of("role", MarkRole),)

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    transfer_id: Mapped[str] = mapped_column(index=True)
    attempt: Mapped[int] = mapped_column(BigInteger)
    role: Mapped[str]
    name: Mapped[str]
    channel: Mapped[str]
    at_ns: Mapped[TimeNs]
