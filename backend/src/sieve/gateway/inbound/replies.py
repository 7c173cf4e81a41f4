"""Replies: to whom an answer to a received document goes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sieve.channel.safe_names import clean_line
from sieve.core.sentence import Sentence
from sieve.gateway.documents.covers import unseal_received
from sieve.gateway.errors import Conflict, NotFound, PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.directories import PeerDirectories
from sieve.gateway.peering.links import RemoteRecipient
from sieve.gateway.peering.peers import Peers
from sieve.store.database import Database
from sieve.store.master_keys import MasterKeys
from sieve.store.models import User
from sieve.store.queries import inbox


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """The sender of an inbox entry. `recipient`: their login at `peer`. `document`: the name of what is answered."""

    entry_id: str
    document: str
    peer: str
    recipient: str
    recipient_name: str


class SeveralSenders(Conflict):
    """The sender's gateway does not say which of several people of one name the sender is. `candidates`: them."""

    def __init__(self, sender: str, gateway: str, candidates: Sequence[RemoteRecipient]) -> None:
        logins = ", ".join(one.name for one in candidates)
        super().__init__(f"{gateway} lists several people named {sender} ({logins}); say to whom the reply goes")
        self.candidates = candidates


@dataclass(frozen=True, slots=True)
class Replies:
    """Finds senders, as far as documents can be sent to them."""

    database: Database
    keys: MasterKeys
    peers: Peers
    directories: PeerDirectories

    async def to(self, reader: User, entry_or_transfer_id: str, login: str | None = None) -> ReplyTo:
        """To whom a reply to that entry of the reader goes. `login`: which of several people of the sender's name, if
        their gateway does not say.

        Raises:
            NotFound: the reader has no such entry.
            SeveralSenders: it is not known which of several people the sender is.
            Conflict: the sender cannot receive documents, or is not known.
            BlobDamaged: the cover cannot be read.
        """
        async with self.database.read() as session:
            found = await inbox.find(session, reader.id, entry_or_transfer_id)
        if len(found) != 1:
            raise NotFound(Sentence("no-such-entry", "there is no such transfer in your inbox"))
        entry, received = found[0], found[0].received
        sender, gateway = received.sender_name, received.peer.name
        peer = self.peers.by_id(received.peer_id)
        if peer is None or not peer.active:
            raise Conflict(
                Sentence(
                    "reply-not-paired",
                    "you cannot reply to {sender}: this gateway is not paired with {peer} any more",
                    sender=sender,
                    peer=gateway,
                )
            )
        known = None
        if received.cover is not None:
            known = unseal_received(self.keys, received.cover, received.peer_id, received.transfer_id).sender
        try:
            listed = (await self.directories.of(peer)).recipients
        except (PeerUnreachable, PeerRefused, WrongPeer) as error:
            if known is None:
                raise Conflict(
                    Sentence(
                        "reply-unreachable",
                        "{peer} does not answer, so it is not known who {sender} is; try again later",
                        peer=gateway,
                        sender=sender,
                    )
                ) from error
            listed = [RemoteRecipient(known, sender, cleared=False)]  # the gateway checks it before it sends
        # An older gateway does not say the login; a name that one person has is as good.
        theirs = [one for one in listed if (one.name == known if known is not None else one.display_name == sender)]
        if len(theirs) > 1 and login is not None:
            theirs = [one for one in theirs if one.name == login]
        if not theirs:
            raise Conflict(
                Sentence(
                    "reply-not-listed",
                    "you cannot reply to {sender}: {peer} does not list them among its recipients; "
                    "ask its admin, or write to someone else there",
                    sender=sender,
                    peer=gateway,
                )
            )
        if len(theirs) > 1:
            raise SeveralSenders(sender, gateway, theirs)
        name = clean_line(received.document.name)
        return ReplyTo(entry.id, name, peer.name, theirs[0].name, theirs[0].display_name)
