"""What came with a received document on its cover, and to whom a reply goes."""

from typing import Annotated

from fastapi import Query

from sieve.channel.safe_names import clean_line, clean_text
from sieve.gateway.documents.covers import unseal_received
from sieve.store.models import InboxEntry, User
from sieve.store.queries import inbox as queries
from sieve.store.queries import read_receipts, tags
from sieve.web.access import Recipient
from sieve.web.api_router import api_router
from sieve.web.inbox.schemas import EntryWhole, OtherRecipientShown, ReplyToShown
from sieve.web.services import Given, Services
from sieve.web.times import shown_if
from sieve.web.transfers.schemas import ReplyShown

router = api_router("/inbox/{transfer_id}", tag="inbox")


@router.get("/reply")
async def reply_to(
    transfer_id: str,
    reader: Recipient,
    services: Given,
    login: Annotated[str | None, Query(max_length=200, description="Which of several people of that name.")] = None,
) -> ReplyToShown:
    """To whom a reply to this transfer goes. If its sender cannot receive documents any more, the response is 409.

    An older gateway does not say who the sender is. If it has several people of that name, the response is 409 with
    `kind` "several-senders" and the `candidates`.
    """
    return ReplyToShown.from_attributes(await services.replies.to(reader, transfer_id, login))


async def entry_whole(services: Services, entry: InboxEntry, reader: User) -> EntryWhole:
    """The entry with what came on its cover."""
    received = entry.received
    cover, answered = None, None
    if received.cover is not None:
        cover = unseal_received(services.blobs.keys, received.cover, received.peer_id, received.transfer_id)
    async with services.database.read() as session:
        here = await queries.other_recipients(session, entry)
        tagged = await tags.of(session, [entry.id])
        opened_ns = await read_receipts.opened_at_ns(session, entry.id) if received.read_receipts else None
        if cover is not None and cover.in_reply_to is not None:
            answered = await queries.answered_transfer(session, received.peer_id, cover.in_reply_to, reader.id)
    others = [OtherRecipientShown(name=name, gateway=None) for name in here]
    if cover is not None:
        others += [
            OtherRecipientShown(name=clean_line(other.name), gateway=clean_line(other.gateway))
            for other in cover.others
        ]
    return EntryWhole.of(
        entry,
        reader,
        services.settings,
        tagged.get(entry.id, ()),
        note=None if cover is None else clean_text(cover.note) or None,
        in_reply_to=None if answered is None else ReplyShown(**answered._asdict()),
        other_recipients=others,
        other_recipients_left_out=0 if cover is None else cover.others_left_out,
        opened_at=shown_if(opened_ns),
    )
