"""Several documents as one zip, written while it is sent.

Documents that cannot be included are named in the last file, `NOT_INCLUDED`.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import closing
from typing import IO, Final, NamedTuple, cast
from zipfile import ZipFile, ZipInfo

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool

from sieve.gateway.errors import Conflict
from sieve.store.blobs import BlobStore
from sieve.store.errors import BlobDamaged
from sieve.store.models import Document
from sieve.web.downloads import Edition, edition_pieces, file_name

NOT_INCLUDED: Final = "not-included.txt"


class Included(NamedTuple):
    """A document of the zip. `id`: what the caller knows it by. `at_ns`: the time of its file."""

    id: str
    document: Document
    edition: Edition
    at_ns: int


class Missing(NamedTuple):
    """A document that is not in the zip: `reason` is a line for people."""

    reason: str


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


async def zipped(
    blobs: BlobStore, documents: AsyncIterator[Included | Missing], written_ids: list[str]
) -> AsyncGenerator[bytes, None]:
    """The bytes of a zip. Asks for each document when the one before is written, and adds its id to `written_ids`.

    Raises:
        BlobDamaged: a document turned out to be damaged after its first bytes were sent.
    """
    sink = _Sink()
    taken: set[str] = {NOT_INCLUDED}
    missing: list[str] = []
    # zipfile writes to what cannot seek, but its types want a whole file.
    with ZipFile(cast(IO[bytes], sink), "w") as target:
        async for each in documents:
            if isinstance(each, Missing):
                missing.append(each.reason)
                continue
            document = each.document
            try:
                content = edition_pieces(blobs, document, each.edition)
                first = await run_in_threadpool(next, content, b"")
            except Conflict as conflict:
                missing.append(f"{document.name}: {conflict}.")
                continue
            except BlobDamaged:
                missing.append(f"{document.name}: it was deleted meanwhile, or is damaged.")
                continue
            name = _unused(file_name(document.name, each.edition), taken)
            member = ZipInfo(name, time.gmtime(each.at_ns // 1_000_000_000)[:6])
            # A zip cannot be closed, not even after the reader gave up, while a document in it is open.
            with closing(_member(target, sink, member, first, content)) as written:
                async for piece in iterate_in_threadpool(written):
                    yield piece
            written_ids.append(each.id)
        if missing:
            target.writestr(NOT_INCLUDED, "".join(f"{line}\n" for line in missing))
    yield sink.take()


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
