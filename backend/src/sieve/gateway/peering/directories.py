"""The last known directory of each peer: its hello and its recipients, in the database, for when it does not answer.

Invariant: a kept directory only helps an author to choose. The peer checks the recipients of every transfer itself.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from sieve.core.sentence import Sentence
from sieve.gateway.clock import Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Links, RemoteRecipient
from sieve.gateway.peering.peers import Peer
from sieve.store.database import Database
from sieve.store.queries import peer_directories

log = logging.getLogger(__name__)

ANSWER_S: Final = 2.0
"""How long an author waits for a peer before this gateway uses what it knows."""


class Directory(NamedTuple):
    """Who can receive at a peer, and whether it takes covers. `as_of_ns`: when the peer said so; None: just now."""

    recipients: Sequence[RemoteRecipient]
    covers: bool
    as_of_ns: int | None = None


@asynccontextmanager
async def answers_soon(peer: Peer) -> AsyncIterator[None]:
    """Limits requests for which an author waits.

    Raises:
        PeerUnreachable: they took longer than `ANSWER_S`.
    """
    try:
        async with asyncio.timeout(ANSWER_S):
            yield
    except TimeoutError as late:
        raise PeerUnreachable(
            Sentence("peer-silent", "{peer} did not answer within {seconds} s", peer=peer.name, seconds=round(ANSWER_S))
        ) from late


@dataclass(slots=True)
class PeerDirectories:
    """Asks peers for their directories, and keeps what they answer."""

    database: Database
    links: Links
    clock: Clock = field(default_factory=Clock)

    async def of(self, peer: Peer) -> Directory:
        """The peer's directory; the last known one if the peer does not answer soon.

        Raises:
            PeerUnreachable, PeerRefused: it does not answer, and never did.
            WrongPeer: another gateway answered.
        """
        link = self.links.to(peer)
        try:
            async with answers_soon(peer):
                hello, recipients = await link.hello(), await link.recipients()
        except (PeerUnreachable, PeerRefused):
            if (kept := await self.known(peer)) is None:
                raise
            return kept
        await self._keep(peer, hello, recipients)
        return Directory(recipients, hello.covers)

    async def hello(self, peer: Peer) -> Hello | None:
        """The peer's hello; the last known one if the peer does not answer soon, None if it never did."""
        try:
            async with answers_soon(peer):
                return await self.links.to(peer).hello()
        except (PeerUnreachable, PeerRefused, WrongPeer):
            async with self.database.read() as session:
                row = await peer_directories.of(session, peer.id)
            try:
                return None if row is None else _HELLO.validate_json(row.hello)
            except ValidationError:  # of another version of this gateway
                return None

    async def names(self, peer_ids: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """The display names of recipients by their logins, for each of these peers that ever answered. Asks nobody."""
        async with self.database.read() as session:
            kept = await peer_directories.recipients(session, set(peer_ids))
        return {peer_id: _names(recipients) for peer_id, recipients in kept.items()}

    async def known(self, peer: Peer) -> Directory | None:
        """The peer's last known directory, without asking it; None if it never answered."""
        async with self.database.read() as session:
            row = await peer_directories.of(session, peer.id)
        try:
            if row is None:
                return None
            covers = _HELLO.validate_json(row.hello).covers
            return Directory(_RECIPIENTS.validate_json(row.recipients), covers, row.said_at_ns)
        except ValidationError:  # of another version of this gateway
            return None

    async def _keep(self, peer: Peer, hello: Hello, recipients: Sequence[RemoteRecipient]) -> None:
        said = _RECIPIENTS.dump_json(list(recipients)).decode()
        try:
            async with self.database.write() as session:
                await peer_directories.keep(
                    session, peer.id, _HELLO.dump_json(hello).decode(), said, self.clock.now_ns()
                )
        except Exception as error:  # the database may be busy or its disk full: the author needs the answer anyway
            log.warning("the directory of %s cannot be stored just now: %s", peer.name, error)


_HELLO: Final = TypeAdapter(Hello)
_RECIPIENTS: Final = TypeAdapter(list[RemoteRecipient])


def _names(recipients: str) -> Mapping[str, str]:
    try:
        return {each.name: each.display_name for each in _RECIPIENTS.validate_json(recipients)}
    except ValidationError:  # of another version of this gateway
        return {}
