"""Several received documents as one zip, written while it is sent.

Invariant: before each document its reader is looked up again, so that a zip holds nothing that its reader may no
longer have. A document that cannot be included is named in the last file, `NOT_INCLUDED`.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import IO, Final, Literal, cast
from zipfile import ZipFile, ZipInfo

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool

from sieve.gateway.clock import now_ns
from sieve.gateway.errors import Conflict
from sieve.store.errors import BlobDamaged
from sieve.store.models import InboxEntry, User
from sieve.store.queries import inbox as queries
from sieve.web.downloads import edition_pieces, file_name
from sieve.web.services import Services

NAME: Final = "inbox.zip"
NOT_INCLUDED: Final = "not-included.txt"


class _Sink:
    """A file that is only written to; `take` empties it."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: bytes) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        written = bytes(self._written)
        self._written.clear()
        return written


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
        sink = _Sink()
        taken: set[str] = {NOT_INCLUDED}
        missing: list[str] = []
        included: list[str] = []
        # zipfile writes to what cannot seek, but its types want a whole file.
        with ZipFile(cast(IO[bytes], sink), "w") as target:
            for entry_id in entry_ids:
                entry, reader = await self._find(entry_id), await self.signed_in()
                if entry is None:
                    missing.append("A document that is no longer in your inbox.")
                    continue
                document = entry.received.document
                if not self._may_read(reader):
                    missing.append(f"{document.name}: you may no longer read it.")
                    continue
                try:
                    content = edition_pieces(self.services.blobs, document, self.edition)
                    first = await run_in_threadpool(next, content, b"")
                except Conflict as conflict:
                    missing.append(f"{document.name}: {conflict}.")
                    continue
                except BlobDamaged:
                    missing.append(f"{document.name}: it was deleted meanwhile, or is damaged.")
                    continue
                name = _unused(file_name(document.name, self.edition), taken)
                member = ZipInfo(name, time.gmtime(entry.created_at_ns // 1_000_000_000)[:6])
                # A zip cannot be closed, not even after the reader gave up, while a document in it is open.
                with closing(_member(target, sink, member, first, content)) as written:
                    async for piece in iterate_in_threadpool(written):
                        yield piece
                included.append(entry.id)
            if missing:
                target.writestr(NOT_INCLUDED, "".join(f"{line}\n" for line in missing))
        yield sink.take()
        await self._note_read(included)

    def _may_read(self, reader: User | None) -> bool:
        return reader is not None and reader.is_recipient and (reader.cleared or self.edition == "redacted")

    async def _find(self, entry_id: str) -> InboxEntry | None:
        async with self.services.database.read() as session:
            found = await queries.find(session, self.reader_id, entry_id)
        return found[0] if len(found) == 1 else None

    async def _note_read(self, entry_ids: Sequence[str]) -> None:
        async with self.services.database.write() as session:
            await queries.set_read(session, self.reader_id, entry_ids, now_ns())
        self.services.announcements.inbox_changed([self.reader_id])


def _member(
    target: ZipFile, sink: _Sink, info: ZipInfo, first: bytes, rest: Iterator[bytes]
) -> Generator[bytes, None, None]:
    with target.open(info, "w", force_zip64=True) as member:
        member.write(first)
        yield sink.take()
        for piece in rest:
            member.write(piece)
            yield sink.take()
    yield sink.take()


def _unused(name: str, taken: set[str]) -> str:
    """`name`, with a number if it is `taken`, to which it is added. Archives on Windows ignore case."""
    name = name.replace("/", "_").replace("\\", "_") or "document"
    stem, dot, ending = name.rpartition(".")
    found, number = name, 1
    while found.lower() in taken:
        number += 1
        found = f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"
    taken.add(found.lower())
    return found
