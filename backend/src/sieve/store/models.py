"""The tables. A row says who, what, when and in which state; never a byte, a position or a key of what is classified.

Ids are uuid4 in hexadecimal unless said. Times are nanoseconds since the epoch. No relation loads itself: a query
names what it loads, and a forgotten one raises (`lazy="raise"`).
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, get_args
from uuid import uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Integer, MetaData, UniqueConstraint, false, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from sieve.store.blob_ref import BlobKind, BlobRef
from sieve.store.dialect import WHOLE_NUMBER

TimeNs: TypeAlias = Annotated[int, mapped_column(BigInteger)]
"""Nanoseconds since the epoch."""
Size: TypeAlias = Annotated[int, mapped_column(BigInteger)]
"""Bytes."""
Id: TypeAlias = Annotated[str, mapped_column(primary_key=True)]

PeerState: TypeAlias = Literal["unconfirmed", "active", "removed"]
Origin: TypeAlias = Literal["authored", "received"]
TransferState: TypeAlias = Literal["queued", "sending", "delivered", "failed", "cancelled"]
AttemptOutcome: TypeAlias = Literal["delivered", "again", "failed", "cancelled", "lost"]
MarkRole: TypeAlias = Literal["sender", "receiver"]
ApprovalKind: TypeAlias = Literal["clearance", "reset", "admin"]

ALL_SCOPES: Final = "send read admin"
"""What a token may allow: an author's, a recipient's and an admin's requests."""
OPEN_STATES: Final = ("queued", "sending")
"""The states of a transfer that is not over."""


_SHOWN: Final = "deleted_at_ns IS NULL AND trashed_at_ns IS NULL"
_TRASH: Final = "deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL"


def new_id() -> str:
    """A fresh id."""
    return uuid4().hex


def _one_of(column: str, values: Any) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in get_args(values))
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _index(name: str, *columns: str, where: str | None = None, unique: bool = False) -> Index:
    """An index of the rows for which `where` holds; its columns are in the order in which lists are read."""
    only = None if where is None else text(where)
    return Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)


class Base(DeclarativeBase):
    """All tables; every constraint has a name, so that a migration can speak of it."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {int: WHOLE_NUMBER}
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class User(Base):
    """A person with an account here, or (`is_service`) a program, whose account has no password. `name` is the login,
    in lower case; `unit` the department; a `cleared` person may read classified content.

    `cleared_since_ns`: clearance does not count for what was received before; null: there is no such limit.
    `locked_before_ns`: what is from before is locked, because somebody may have got into the account; null: nothing is.
    Both are for people to read; marks on the rows of what is from before decide. `admin_confirmed`: counts as a second
    admin (`queries.approvals`).

    `sso_issuer`, `sso_subject`: whom the OpenID Connect provider says that the person is; then there is no password.
    """

    __tablename__ = "users"
    __table_args__ = (_index("ix_users_sso", "sso_issuer", "sso_subject", unique=True),)

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    unit: Mapped[str | None]
    email: Mapped[str | None]
    email_notifications: Mapped[bool] = mapped_column(default=False, server_default="0")
    is_author: Mapped[bool]
    is_recipient: Mapped[bool]
    is_admin: Mapped[bool]
    cleared: Mapped[bool]
    is_service: Mapped[bool] = mapped_column(default=False, server_default=false())
    admin_confirmed: Mapped[bool] = mapped_column(default=False, server_default=false())
    cleared_since_ns: Mapped[TimeNs | None]
    locked_before_ns: Mapped[TimeNs | None]
    password_hash: Mapped[str | None]
    sso_issuer: Mapped[str | None]
    sso_subject: Mapped[str | None]
    disabled_at_ns: Mapped[TimeNs | None]
    created_at_ns: Mapped[TimeNs]

    @property
    def reads_all_classified(self) -> bool:
        """Whether they may read what is classified in each document addressed to them."""
        return self.cleared and self.cleared_since_ns is None and self.locked_before_ns is None


class Token(Base):
    """An API token. `hash`: SHA-256 of it, in hexadecimal; the token itself is kept nowhere. `scopes`: of `ALL_SCOPES`,
    with blanks between.
    """

    __tablename__ = "tokens"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str]
    scopes: Mapped[str] = mapped_column(default=ALL_SCOPES, server_default=ALL_SCOPES)
    created_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs | None]
    last_used_at_ns: Mapped[TimeNs | None]
    revoked_at_ns: Mapped[TimeNs | None]


class Session(Base):
    """Somebody signed in in a browser. `hash`: SHA-256 of the cookie's value, which is kept nowhere. `confirmed_at_ns`:
    when the person last proved that it is them. `device`: the browser, as it names itself; `source`: the address that
    it signed in from.
    """

    __tablename__ = "sessions"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    created_at_ns: Mapped[TimeNs]
    last_used_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs]
    confirmed_at_ns: Mapped[TimeNs | None]
    device: Mapped[str | None]
    source: Mapped[str | None]


class OneTimeLink(Base):
    """A link by which a person sets their password, once. `hash`: SHA-256 of its code, which is kept nowhere.
    `made_by_id`: the admin; null if it was made on the gateway's host.
    """

    __tablename__ = "one_time_links"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    hash: Mapped[str] = mapped_column(unique=True)
    created_at_ns: Mapped[TimeNs]
    expires_at_ns: Mapped[TimeNs]
    used_at_ns: Mapped[TimeNs | None]
    made_by_id: Mapped[str | None]


class Approval(Base):
    """What waits for a second admin, about a person (`queries.approvals`). `asked_by_id`: the first admin; null if it
    was done on the gateway's host.
    """

    __tablename__ = "approvals"
    __table_args__ = (_one_of("kind", ApprovalKind), UniqueConstraint("user_id", "kind"))

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[str]
    asked_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    created_at_ns: Mapped[TimeNs]


class SignInFailures(Base):
    """Failed sign-ins in a row of an account or from a source. `key`: `account:` or `source:` and which;
    `unknown` for all logins that do not exist, `known` for all that do."""

    __tablename__ = "sign_in_failures"

    key: Mapped[Id]
    failures: Mapped[int]
    last_at_ns: Mapped[TimeNs]
    blocked_until_ns: Mapped[TimeNs]


class Peer(Base):
    """A gateway that this one is paired with, or this gateway itself (`peers.OWN_ID`). A removed peer's row
    stays.
    """

    __tablename__ = "peers"
    __table_args__ = (
        _one_of("state", PeerState),
        # A removed peer's name may be used again.
        _index("uq_peers_name", "name", where="state != 'removed'", unique=True),
    )

    id: Mapped[Id]
    name: Mapped[str]
    secure_url: Mapped[str]
    plain_url: Mapped[str]
    ca_der: Mapped[bytes]
    receipt_key: Mapped[bytes]
    state: Mapped[str]
    created_at_ns: Mapped[TimeNs]
    confirmed_at_ns: Mapped[TimeNs | None]
    removed_at_ns: Mapped[TimeNs | None]

    breaker: Mapped["Breaker | None"] = relationship(lazy="raise", viewonly=True)


class PeerPin(Base):
    """A key of a peer. `pin`: SHA-256 of its subject public key info, in hexadecimal."""

    __tablename__ = "peer_pins"

    id: Mapped[Id]
    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), index=True)
    pin: Mapped[str]
    added_at_ns: Mapped[TimeNs]
    retired_at_ns: Mapped[TimeNs | None]


class Blob(Base):
    """A `BlobRef`, kept. `content`: a small sealed blob's bytes, sealed, in place of a file. `tags`: of a plain blob's
    segments; none of one that was stored before there were tags and is not tagged yet.
    """

    __tablename__ = "blobs"
    __table_args__ = (_one_of("kind", BlobKind),)

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


class Draft(Base):
    """What an author works on: a line of documents, one for each save. The latest has the draft's `revision`.

    `trashed_at_ns`: since when it is in its author's trash, from which it can be restored. `is_template`: its author
    starts new documents from it. `forwarded_from`: whose received document it was made from, for people: name and
    gateway. `reply_to`: JSON, of a reply: which inbox entry it answers, and to whom it goes. `locked`: it is from
    before a reset of the account that nobody confirmed.
    """

    __tablename__ = "drafts"
    __table_args__ = (
        _index("ix_drafts_list", "owner_id", "changed_at_ns", "id", where=_SHOWN),
        _index("ix_drafts_trash", "owner_id", "trashed_at_ns", "id", where=_TRASH),
        _index("ix_drafts_oldest_trash", "trashed_at_ns", "id", where=_TRASH),
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

    `draft_id` and `revision`: the draft that it is a save of, if it is one, and which. `before_restore`: its author
    replaced this save by an earlier one. `format`: what it was read as,
    if it came as a file to be marked; then it has so many `marks`, sealed in a blob of their own if there are any.
    `redacted_...`: its redacted edition, once it was sent or came with one, sealed in a blob of its own. Its digest is
    kept in manifests alone: in clear it would confirm a guess of what is withheld. `locked`: as a draft's.
    """

    __tablename__ = "documents"
    __table_args__ = (
        _one_of("origin", Origin),
        Index("uq_documents_draft_id_revision", "draft_id", "revision", unique=True),
        _index(
            "ix_documents_list", "owner_id", "created_at_ns", "id", where="deleted_at_ns IS NULL AND draft_id IS NULL"
        ),
        # Most documents have none: an index of those that have costs the others nothing.
        _index("ix_documents_redacted_blob_id", "redacted_blob_id", where="redacted_blob_id IS NOT NULL"),
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
        _one_of("state", TransferState),
        Index("ix_transfers_state_next_try_at_ns", "state", "next_try_at_ns"),
        # Whose turn is next, for each peer: in this order transfers are claimed.
        Index("ix_transfers_peer_id_state_turn", "peer_id", "state", "next_try_at_ns", "created_at_ns", "id"),
        # Include the columns that lists filter by, so that the database skips other rows.
        _index("ix_transfers_list", "created_at_ns", "id", "state", "peer_id", "author_id"),
        _index("ix_transfers_author_list", "author_id", "created_at_ns", "id", "state", "peer_id"),
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
    reason: Mapped[str | None]
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
    __table_args__ = (_one_of("outcome", AttemptOutcome),)

    transfer_id: Mapped[str] = mapped_column(ForeignKey("transfers.id"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    plan: Mapped[str | None]
    started_at_ns: Mapped[TimeNs]
    ended_at_ns: Mapped[TimeNs | None]
    outcome: Mapped[str | None]
    reason: Mapped[str | None]
    receiver_durations: Mapped[str | None]
    secure_left: Mapped[Size | None]
    plain_left: Mapped[Size | None]


class Mark(Base):
    """A timing mark of one attempt, by this host's clock. `channel` is empty where none is meant.

    `id` counts up, so that marks of one instant keep their order.
    """

    __tablename__ = "marks"
    __table_args__ = (_one_of("role", MarkRole),)

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    transfer_id: Mapped[str] = mapped_column(index=True)
    attempt: Mapped[int] = mapped_column(BigInteger)
    role: Mapped[str]
    name: Mapped[str]
    channel: Mapped[str]
    at_ns: Mapped[TimeNs]


class Received(Base):
    """A transfer that was delivered here, once. Row and receipt outlive the document; manifest and cover do not.

    `cover`: sealed, if it came with one. `read_receipts`: whether the author asks when recipients open it.
    `in_reply_to`: the id of the transfer from here that it answers, as its sender says.
    """

    __tablename__ = "received"
    __table_args__ = (
        UniqueConstraint("peer_id", "transfer_id"),
        # Includes the column that the list filters by, so that the database skips other rows.
        _index("ix_received_list", "received_at_ns", "id", "peer_id"),
        _index("ix_received_in_reply_to", "in_reply_to", where="in_reply_to IS NOT NULL"),
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
    __table_args__ = (_index("ix_read_receipts_due", "next_try_at_ns", where="next_try_at_ns IS NOT NULL"),)

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
        _index("ix_inbox_list", "user_id", "created_at_ns", "id", "read_at_ns", where=_SHOWN),
        _index("ix_inbox_trash", "user_id", "trashed_at_ns", "id", where=_TRASH),
        _index("ix_inbox_oldest_trash", "trashed_at_ns", "id", where=_TRASH),
        _index("ix_inbox_oldest", "created_at_ns", "id", where="deleted_at_ns IS NULL"),
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


class Breaker(Base):
    """The breaker of a peer: failures in a row, and until when nothing is sent there."""

    __tablename__ = "breakers"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    failures: Mapped[int]
    open_until_ns: Mapped[TimeNs | None]


class PeerCosts(Base):
    """What the planner believes of sending to a peer (JSON): totals of time, nothing of what was sent."""

    __tablename__ = "peer_costs"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    believed: Mapped[str]
    changed_at_ns: Mapped[TimeNs]


class PeerDirectory(Base):
    """What a peer last said (JSON): its hello, and who can receive there."""

    __tablename__ = "peer_directories"

    peer_id: Mapped[str] = mapped_column(ForeignKey("peers.id"), primary_key=True)
    hello: Mapped[str]
    recipients: Mapped[str]
    said_at_ns: Mapped[TimeNs]
