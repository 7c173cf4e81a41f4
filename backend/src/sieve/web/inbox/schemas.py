"""A delivered transfer as its recipient sees it: cleared recipients see all of it, others nothing that reveals withheld
content."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import BaseModel

from sieve.config import Settings
from sieve.formats.recognition import can_highlight
from sieve.formats.text.separation import is_text
from sieve.gateway.documents.retention import kept_until_ns, trashed_until_ns
from sieve.gateway.reading.received_marks_basis import Basis
from sieve.store.models import Document, InboxEntry, User
from sieve.web.bulk import BulkArchive, Changed, TagChange
from sieve.web.downloads import ReceivedEdition
from sieve.web.file_views.schemas import MarkShown
from sieve.web.inbox.clearance import Withheld, withheld
from sieve.web.schemas import Shown
from sieve.web.times import shown, shown_if
from sieve.web.transfers.schemas import ReplyShown


class EntryShown(Shown):
    """`withheld`: why what is classified is withheld from me (I am not cleared, was cleared later, or my account was
    reset later); null if it is not. Then `mode`, `document_bytes` and `classified_bytes` are null. `plain_digest`:
    hexadecimal BLAKE3.

    `redacted_bytes`: of the redacted edition that came with a file; null if none did, and for a text, whose redacted
    edition follows from its plain part. `deleted_at`: since when it is in the trash; null if it is
    not. `kept_until`: when the gateway deletes it for good; null if it does not. `read_receipts`: the author asked to
    be told when I open it. `tags`: mine; nobody else sees them.
    """

    id: str
    transfer_id: str
    peer: str
    sender: str
    name: str
    media_type: str
    withheld: Withheld | None
    mode: str | None
    editions: list[ReceivedEdition]
    plain_bytes: int
    plain_digest: str
    redacted_bytes: int | None
    document_bytes: int | None
    classified_bytes: int | None
    received_at: datetime
    read_at: datetime | None
    deleted_at: datetime | None
    kept_until: datetime | None
    read_receipts: bool
    tags: list[str]

    @classmethod
    def of(cls, row: InboxEntry, reader: User, settings: Settings, tags: Sequence[str], **more: Any) -> Self:
        received = row.received
        document = received.document
        why = withheld(reader, row)
        trashed_until = trashed_until_ns(row.trashed_at_ns, settings.deleted_days)
        return cls.from_attributes(
            row,
            transfer_id=received.transfer_id,
            peer=received.peer.name,
            sender=received.sender_name,
            name=document.name,
            media_type=document.media_type,
            withheld=why,
            mode=received.mode if why is None else None,
            editions=editions_for(document, classified=why is None),
            plain_bytes=document.size - document.classified_size,
            plain_digest=document.plain_digest,
            redacted_bytes=document.redacted_size,
            document_bytes=document.size if why is None else None,
            classified_bytes=document.classified_size if why is None else None,
            received_at=shown(received.received_at_ns),
            deleted_at=shown_if(row.trashed_at_ns),
            kept_until=shown_if(kept_until_ns(row.created_at_ns, settings.retention_days, trashed_until)),
            read_receipts=received.read_receipts,
            tags=list(tags),
            **more,
        )


class OtherRecipientShown(BaseModel):
    """Another person who received the document. `gateway`: theirs, as the sender's gateway names it; null here."""

    name: str
    gateway: str | None


class EntryWhole(EntryShown):
    """With what came on its cover: the author's `note`, if there is one, and the document of mine that it answers
    (`in_reply_to`). `other_recipients`: who else received it; `other_recipients_left_out`: how many more at other
    gateways. `opened_at`: when I first opened it, if the author asked for read receipts.
    """

    note: str | None
    in_reply_to: ReplyShown | None
    other_recipients: list[OtherRecipientShown]
    other_recipients_left_out: int
    opened_at: datetime | None


class ReplyToShown(Shown):
    """To whom a reply goes: their login at a peer. `document`: the name of what is answered."""

    entry_id: str
    document: str
    peer: str
    recipient: str
    recipient_name: str


class ReceivedMarks(BaseModel):
    """What is classified in a received file. `basis`: what shows it. `marks`: its author's marks, which came with it;
    `spans`: the classified bytes themselves, exactly;
    `edition`: the redacted edition that came with the file, so these are the places that it withholds; `parts`: only
    which parts of the file travelled classified, so every text in them is marked."""

    basis: Basis
    marks: list[MarkShown]


class EntriesCounted(BaseModel):
    """How many entries a list has, and how many of them are unread. `more`: a search looked at the first 20,000 entries
    only; the list has at least these.
    """

    entries: int
    unread: int
    more: bool


class EntriesChange(TagChange):
    """A change of several entries of mine. Entries that are not there are skipped. `tag`: for `tag` and `untag`."""

    change: Literal["read", "unread", "delete", "restore", "delete forever", "tag", "untag"]


class EntriesChanged(Changed):
    """The entries that were changed. `locked`: how many were not deleted forever, because a reset locked them."""

    locked: int


class EntriesArchive(BulkArchive):
    """Which entries, in which edition."""

    edition: Literal["full", "redacted"]


class ReceiptExcerpt(BaseModel):
    """The part of a receipt for recipients without clearance. The whole receipt has sizes and digests of content
    that is withheld from them."""

    transfer_id: str
    plain_digest: str
    received_at: datetime


def editions_for(document: Document, *, classified: bool) -> list[ReceivedEdition]:
    """The editions of a document for a reader who may, or may not, read what is classified."""
    is_written = is_text(document.media_type)
    redacted: list[ReceivedEdition] = ["redacted"] if is_written or document.redacted_size is not None else []
    if not classified:
        return redacted
    if not is_written and document.classified_size and can_highlight(document.name, document.media_type):
        return ["full", *redacted, "highlighted"]
    return ["full", *redacted, "marked"] if is_written else ["full", *redacted]
