"""Several received documents as one zip.

Invariant: before each document its reader is looked up again, so that a zip holds nothing that its reader may no
longer have.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sieve.gateway.clock import now_ns
from sieve.store.models import InboxEntry, User
from sieve.store.queries import inbox as queries
from sieve.store.queries import read_receipts
from sieve.web.archive import Included, Missing, zipped
from sieve.web.inbox.clearance import may_read_classified
from sieve.web.inbox.reads import note_read
from sieve.web.services import Services

NAME: Final = "inbox.zip"


@dataclass(slots=True)
class Archive:
    """A zip of one reader's documents. `signed_in`: the reader with their current roles; None once signed out."""

    services: Services
    reader_id: str
    edition: Literal["full", "redacted"]
    signed_in: Callable[[], Awaitable[User | None]]

    async def pieces(self, entry_ids: Sequence[str]) -> AsyncGenerator[bytes, None]:
        """The bytes of the zip. Marks the entries in it as read.

        Raises:
            BlobDamaged: a document turned out to be damaged after its first bytes were sent.
        """
        included: list[str] = []
        async for piece in zipped(self.services.blobs, self._documents(entry_ids), included):
            yield piece
        await self._mark_read(included)

    async def _documents(self, entry_ids: Sequence[str]) -> AsyncIterator[Included | Missing]:
        for entry_id in entry_ids:
            entry, reader = await self._find(entry_id), await self.signed_in()
            if entry is None:
                yield Missing("A document that is no longer in your inbox.")
            elif reader is None or not self._may_read(reader, entry):
                yield Missing(f"{entry.received.document.name}: you may no longer read it.")
            else:
                await note_read(self.services, reader, entry, self.edition, opened=False)
                yield Included(entry.id, entry.received.document, self.edition, entry.created_at_ns)

    def _may_read(self, reader: User, entry: InboxEntry) -> bool:
        return reader.is_recipient and (self.edition == "redacted" or may_read_classified(reader, entry))

    async def _find(self, entry_id: str) -> InboxEntry | None:
        async with self.services.database.read() as session:
            found = await queries.find(session, self.reader_id, entry_id)
        return found[0] if len(found) == 1 else None

    async def _mark_read(self, entry_ids: Sequence[str]) -> None:
        async with self.services.database.write() as session:
            await queries.set_read(session, self.reader_id, entry_ids, now_ns())
            await read_receipts.note_opened(session, self.reader_id, entry_ids, now_ns())
        self.services.read_receipts.wake()
        self.services.announcements.inbox_changed([self.reader_id])
