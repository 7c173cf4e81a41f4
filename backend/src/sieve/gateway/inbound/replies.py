"""Replies: to whom an answer to a received document goes."""

from dataclasses import dataclass

from sieve.channel.names import clean_line
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


@dataclass(frozen=True, slots=True)
class Replies:
    """Finds senders, as far as documents can be sent to them."""

    database: Database
    keys: MasterKeys
    peers: Peers
    directories: PeerDirectories

    async def to(self, reader: User, entry_or_transfer_id: str) -> ReplyTo:
        """To whom a reply to that entry of the reader goes.

        Raises:
            NotFound: the reader has no such entry.
            Conflict: the sender cannot receive documents, or is not known.
            BlobDamaged: the cover cannot be read.
        """
        async with self.database.read() as session:
            found = await inbox.find(session, reader.id, entry_or_transfer_id)
        if len(found) != 1:
            raise NotFound("there is no such transfer in your inbox")
        entry, received = found[0], found[0].received
        sender, gateway = received.sender_name, received.peer.name
        peer = self.peers.by_id(received.peer_id)
        if peer is None or not peer.active:
            raise Conflict(f"you cannot reply to {sender}: this gateway is not paired with {gateway} any more")
        login = None
        if received.cover is not None:
            login = unseal_received(self.keys, received.cover, received.peer_id, received.transfer_id).sender
        try:
            listed = (await self.directories.of(peer)).recipients
        except (PeerUnreachable, PeerRefused, WrongPeer) as error:
            if login is None:
                raise Conflict(
                    f"{gateway} does not answer, so it is not known who {sender} is; try again later"
                ) from error
            listed = [RemoteRecipient(login, sender, cleared=False)]  # the gateway checks it before it sends
        # An older gateway does not say the login; a name that one person has is as good.
        theirs = [one for one in listed if (one.name == login if login is not None else one.display_name == sender)]
        if len(theirs) != 1:
            raise Conflict(
                f"you cannot reply to {sender}: {gateway} does not list them among its recipients; ask its admin, or "
                "write to someone else there"
            )
        name = clean_line(received.document.name)
        return ReplyTo(entry.id, name, peer.name, theirs[0].name, theirs[0].display_name)
