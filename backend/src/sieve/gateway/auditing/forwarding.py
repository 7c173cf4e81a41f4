"""Forwards the audit log to a receiver outside the gateway.

Invariant: the position moves only after the receiver has the entries. So every entry arrives, in the order of the
chain; after a crash, or if it is not known whether the receiver has them, the last batch arrives again. A receiver that
is away delays nothing else: entries wait in the log.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.auditing.forwarded_entry import ForwardedEntry
from sieve.gateway.clock import Clock
from sieve.gateway.errors import ForwardingFailed
from sieve.store.database import Database
from sieve.store.queries import audit as queries
from sieve.store.queries import audit_forwarding

log = logging.getLogger(__name__)

PACE_S: Final = 2.0
"""Seconds between two looks for new entries."""
LONGEST_PAUSE_S: Final = 60.0
"""Between two tries to reach a receiver."""


class Receiver(Protocol):
    """`name`: for people, and the key of its position."""

    name: str

    async def last(self) -> tuple[int, str] | None:
        """Number and link of the last entry that it has, if it says."""

    async def send(self, entries: Sequence[ForwardedEntry]) -> None:
        """Returns when it has the entries; raises ForwardingFailed if perhaps it has not."""


@dataclass(slots=True)
class AuditForwarding:
    """The job for one receiver. `kind`: "syslog" or "file". `problem`: why it does not take entries now, without its
    address. `waiting`: how many entries it does not have, as of the last look.
    """

    kind: str
    database: Database
    audit: Audit
    receiver: Receiver
    gateway: str
    reasons: bool
    clock: Clock
    problem: str | None = None
    waiting: int = 0
    _position: int | None = None

    async def run(self) -> None:
        """Forwards entries until cancelled."""
        pause_s = PACE_S
        self._position = None  # another replica may have forwarded entries meanwhile
        while True:
            try:
                while await self.forward():
                    pass
            except ForwardingFailed as error:
                if self.problem is None:
                    log.warning("the audit log cannot be forwarded to %s, and waits: %s", self.receiver.name, error)
                self.problem = str(error)
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
            except Exception as error:  # the database may be busy; a defect here must not stop the gateway
                log.warning("cannot forward the audit log now: %s", type(error).__name__)
            else:
                pause_s = PACE_S
            await asyncio.sleep(pause_s)

    async def forward(self) -> bool:
        """Forwards the next entries; False if there are none.

        Raises:
            ForwardingFailed: the receiver may not have them.
        """
        if self._position is None:
            self._position = await self._start()
        async with self.database.browse() as session:
            head = (await queries.head(session)).number
            rows = await queries.linked(session, queries.ANY, after=self._position, up_to=head)
            self.waiting = await audit_forwarding.entries_after(session, self._position) if rows else 0
        if not rows:
            return False
        entries = [ForwardedEntry.of(self.audit, row, self.gateway, reasons=self.reasons) for row, _ in rows]
        await self.receiver.send(entries)
        if self.problem is not None:
            self.problem = None
            log.info("the audit log is forwarded again to %s", self.receiver.name)
        await self._keep(entries[-1].number)
        self.waiting = max(0, self.waiting - len(entries))
        return True

    async def _start(self) -> int:
        """The position; beyond the stored one if a crash came between sending and storing it."""
        last = await self.receiver.last()
        async with self.database.browse() as session:
            position = await audit_forwarding.position(session, self.receiver.name)
            if last is None or last[0] <= position:
                return position
            # The file may be from another database, or newer than a restored one.
            link = await queries.link_at(session, last[0])
        return last[0] if isinstance(link, bytes) and link.hex() == last[1] else position

    async def _keep(self, number: int) -> None:
        async with self.database.write() as session:
            await audit_forwarding.keep_position(session, self.receiver.name, number, self.clock.now_ns())
        self._position = number
