"""Makes the covers of new transfers from what their author asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.cover import MAX_GATEWAY, MAX_OTHER_NAME, MAX_OTHERS, Cover, OtherRecipient
from sieve.core.sentence import Sentence
from sieve.gateway.errors import Conflict, NotAllowed, NotFound
from sieve.gateway.peering.hello import Hello
from sieve.store.models import User
from sieve.store.queries import inbox


@dataclass(frozen=True, slots=True)
class CoverRequest:
    """What an author adds to a send. `reply_to_id`: their inbox entry that the document answers."""

    note: str = ""
    reply_to_id: str | None = None
    read_receipts: bool = False

    @property
    def must_arrive(self) -> bool:
        """Whether the documents must not arrive without their cover."""
        return bool(self.note) or self.read_receipts

    def __repr__(self) -> str:
        return "CoverRequest()"


class Answered(NamedTuple):
    """The received transfer that a document answers."""

    peer_id: str
    transfer_id: str


class At(NamedTuple):
    """The recipients of a send at one peer: display names as far as they are known, else logins."""

    peer_id: str
    gateway: str
    names: Sequence[str]


async def answered(session: AsyncSession, author: User, reply_to_id: str | None) -> Answered | None:
    """The received transfer of that inbox entry of the author; None if there is no reply.

    Raises:
        NotAllowed: the author is not a recipient.
        NotFound: the author has no such entry.
    """
    if reply_to_id is None:
        return None
    if not author.is_recipient:
        raise NotAllowed(
            Sentence(
                "reply-not-recipient", "only recipients can reply to a document; ask an admin for the recipient role"
            )
        )
    # Deleted or not: the draft of a reply may be older than that.
    received = await inbox.received_of(session, author.id, reply_to_id)
    if received is None:
        raise NotFound(Sentence("reply-never-received", "you never received the document that this one answers"))
    return Answered(received.peer_id, received.transfer_id)


def covers(author: User, request: CoverRequest, reply: Answered | None, to: Sequence[At]) -> Mapping[str, Cover]:
    """The cover of every document to each peer, by the peer's id."""
    made = {}
    for at in to:
        others = [
            OtherRecipient(name[:MAX_OTHER_NAME], other.gateway[:MAX_GATEWAY])
            for other in to
            if other.peer_id != at.peer_id
            for name in other.names
        ]
        made[at.peer_id] = Cover(
            sender=author.name,
            note=request.note,
            # Another peer does not know the answered transfer.
            in_reply_to=reply.transfer_id if reply is not None and reply.peer_id == at.peer_id else None,
            read_receipts=request.read_receipts,
            others=tuple(others[:MAX_OTHERS]),
            others_left_out=max(0, len(others) - MAX_OTHERS),
        )
    return made


def missing_covers(peer_name: str, hello: Hello) -> str | None:
    """Why documents whose cover must arrive cannot be sent to this peer; None if they can."""
    if hello.covers:
        return None
    return Sentence(
        "covers-not-taken",
        "{peer} runs an older version, which takes neither notes nor requests for read receipts; send the "
        "document without them, or ask the admin there to update",
        peer=peer_name,
    )


def require_covers(request: CoverRequest, peer_name: str, hello: Hello) -> None:
    """Raises Conflict if the cover must arrive, and this peer takes none."""
    if request.must_arrive and (why := missing_covers(peer_name, hello)) is not None:
        raise Conflict(why)
