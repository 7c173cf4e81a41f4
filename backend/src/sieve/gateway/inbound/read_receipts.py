"""Read receipts: reports to authors' gateways who opened a document, and takes such reports from peers.

Invariant: a read receipt is added in the transaction that notes that the entry was read, and stays due until the
author's gateway took the report, refused it for good, or did not take it for `GIVE_UP_NS`. A gateway that stops between
reporting and recording that reports twice; the author's gateway keeps the first report. Each peer has a task of its
own, so that a peer that does not answer delays no report to others.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import BaseModel, Field

from sieve.channel.manifest import MAX_RECIPIENT_BYTES, MAX_TIME_NS
from sieve.channel.refusals import RefusalKind
from sieve.gateway.clock import NS_PER_S, Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.peering.links import Links
from sieve.gateway.peering.peers import Peer, Peers
from sieve.gateway.telemetry.announcements import Announcements
from sieve.store.database import Database
from sieve.store.queries import read_receipts
from sieve.store.queries.read_receipts import Due

log = logging.getLogger(__name__)

PACE_S: Final = 15.0
"""Seconds between two looks for read receipts that are due; a new one is reported at once."""
AT_ONCE: Final = 50
FIRST_RETRY_NS: Final = 15 * NS_PER_S
GIVE_UP_NS: Final = 30 * 24 * 3600 * NS_PER_S
MAX_REPORT: Final = 4096
"""Bytes of a report, in JSON."""


class Opened(BaseModel):
    """A peer's report that a recipient opened a document. `recipient`: their login there."""

    recipient: Annotated[str, Field(min_length=1, max_length=MAX_RECIPIENT_BYTES)]
    opened_at_ns: Annotated[int, Field(ge=0, le=MAX_TIME_NS, strict=True)]


@dataclass(slots=True)
class ReadReceipts:
    """The job that reports to authors' gateways."""

    database: Database
    peers: Peers
    links: Links
    clock: Clock
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _busy: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def wake(self) -> None:
        """Looks for read receipts at once: one may have been added."""
        self._news.set()

    async def run(self) -> None:
        """Reports what is due until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._news.clear()
                try:
                    await self.begin_due(tasks)
                except Exception as error:  # the database may be busy; a defect here must not stop the gateway
                    log.warning("cannot report read receipts now: %s", type(error).__name__)
                with suppress(TimeoutError):
                    async with asyncio.timeout(PACE_S):
                        await self._news.wait()

    async def begin_due(self, tasks: asyncio.TaskGroup) -> None:
        """Starts a task for each peer to which a report is due, unless there is one already."""
        async with self.database.browse() as session:
            peer_ids = await read_receipts.due_peers(session, self.clock.now_ns())
        for peer_id in peer_ids:
            if peer_id not in self._busy:
                self._busy[peer_id] = tasks.create_task(self._report_all(peer_id))

    async def report_due(self, peer_id: str) -> int:
        """Reports the read receipts that are due to a peer, up to `AT_ONCE`; returns how many were due."""
        now_ns = self.clock.now_ns()
        async with self.database.browse() as session:
            due = await read_receipts.due(session, peer_id, now_ns, limit=AT_ONCE)
        if due:
            next_tries = await asyncio.gather(*(self._report(one, now_ns) for one in due))
            async with self.database.write() as session:
                await read_receipts.settle(session, list(zip(due, next_tries, strict=True)))
        return len(due)

    async def _report_all(self, peer_id: str) -> None:
        try:
            while await self.report_due(peer_id):
                pass
        except Exception as error:  # the database may be busy; a defect here must not stop the gateway
            log.warning("cannot report read receipts now: %s", type(error).__name__)
        else:
            self._news.set()  # one may have been added since
        finally:
            del self._busy[peer_id]

    async def _report(self, one: Due, now_ns: int) -> int | None:
        """Reports one; returns when to try again, None if that is not needed."""
        peer = self.peers.by_id(one.peer_id)
        if peer is None:
            return None
        report = {"recipient": one.recipient, "opened_at_ns": one.opened_at_ns}
        try:
            await self.links.to(peer).ask("POST", f"/v1/transfers/{one.transfer_id}/opened", json=report)
        except (PeerUnreachable, PeerRefused, WrongPeer) as refused:
            is_final = isinstance(refused, PeerRefused) and refused.permanent
            is_over = now_ns - one.opened_at_ns > GIVE_UP_NS and not self.clock.is_doubted
            if is_final or is_over:
                log.warning("transfer %s: a read receipt is given up: %s", one.transfer_id, refused)
                return None
            return now_ns + min(read_receipts.LONGEST_PAUSE_NS, FIRST_RETRY_NS << min(one.tries, 20))
        return None


async def take_report(
    database: Database, announcements: Announcements, peer: Peer, transfer_id: str, opened: Opened, now_ns: int
) -> None:
    """Records a peer's report for the author of the transfer.

    Raises:
        PeerRefused: the peer did not get such a transfer for that recipient, or its author did not ask; or this gateway
            does not know yet that the transfer was delivered.
    """
    recipient = opened.recipient.lower()
    async with database.read() as session:
        found = await read_receipts.asked(session, peer.id, transfer_id, recipient)
    if found is None:
        raise PeerRefused("no read receipt was asked for this", permanent=True)
    if found.state != "delivered":
        raise PeerRefused("the transfer is not delivered yet", permanent=False, kind=RefusalKind.BUSY)
    if found.opened_at_ns is not None:
        return
    async with database.write() as session:
        # The peer's clock is its own: no document is opened before it was delivered, or in the future.
        opened_at_ns = max(found.delivered_at_ns or 0, min(opened.opened_at_ns, now_ns))
        await read_receipts.keep_report(session, transfer_id, recipient, opened_at_ns)
    announcements.transfer_changed(found.author_id, transfer_id)
