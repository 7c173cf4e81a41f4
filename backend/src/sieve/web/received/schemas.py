"""Received documents as admins see them: totals and states, never content."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from sieve.gateway.inbound.partials import Incoming
from sieve.store.models import Received, TimingRecord
from sieve.store.queries.received_list import HolderRow
from sieve.web.schemas import Shown, sizes
from sieve.web.times import shown, shown_if


class HolderShown(BaseModel):
    """A person who received a document. `name`: their login. `opened_at`: when they opened it first; null if they did
    not. `deleted`: it is not in their inbox any more.
    """

    name: str
    display_name: str
    opened_at: datetime | None
    deleted: bool


class ReceivedShown(Shown):
    """A document that a peer delivered. `sender`: the author's name, as their gateway says. `stored_ms`: from the first
    byte until it was stored. `cipher` and `key_exchange`: of the secure channel, as in a transfer's plan. These are
    null once its timing record is not kept any more. `document_deleted_at`: when the last recipient's copy was deleted.
    """

    id: str
    transfer_id: str
    name: str
    peer: str
    sender: str
    mode: str
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    received_at: datetime
    stored_ms: float | None
    cipher: str | None
    key_exchange: str | None
    document_deleted_at: datetime | None
    recipients: list[HolderShown]

    @classmethod
    def of(cls, row: Received, holders: Sequence[HolderRow], record: TimingRecord | None) -> "ReceivedShown":
        stored_us = None if record is None else record.stored_us
        return cls.from_attributes(
            row,
            name=row.document.name,
            peer=row.peer.name,
            sender=row.sender_name,
            stored_ms=None if stored_us is None else stored_us / 1000,
            cipher=(record and record.suite) or None,
            key_exchange=record and record.key_exchange,
            document_deleted_at=shown_if(row.document.deleted_at_ns),
            recipients=[
                HolderShown(
                    name=each.name,
                    display_name=each.display_name,
                    opened_at=shown_if(each.opened_at_ns),
                    deleted=each.deleted,
                )
                for each in holders
            ],
            **sizes(row.document),
        )


class IncompleteShown(BaseModel):
    """A document of which only a part arrived, because its attempt broke off. `bytes`: all of its bytes; `held_bytes`:
    those that arrived. `arriving`: an attempt continues it now. `kept_until`: when the part is removed.
    """

    transfer_id: str
    peer: str
    bytes: int
    held_bytes: int
    arriving: bool
    last_byte_at: datetime
    kept_until: datetime

    @classmethod
    def of(cls, incoming: Incoming, peer: str) -> "IncompleteShown":
        partial = incoming.partial
        return cls(
            transfer_id=incoming.transfer_id,
            peer=peer,
            bytes=partial.size,
            held_bytes=partial.kept.held.size,
            arriving=incoming.is_taken,
            last_byte_at=shown(partial.touched_at_ns),
            kept_until=shown(partial.until_ns),
        )


class ReceivedCounted(BaseModel):
    """How many documents the list has, and their bytes together. `more`: it has more than 10,000, or a search
    looked at the first 20,000 documents only. Then it has at least these, and `bytes` is null.
    """

    documents: int
    bytes: int | None
    more: bool
