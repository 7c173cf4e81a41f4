"""The files behind a handle's plain stream. It consists of the plain streams of a load's documents, one after the
other; each has its own file, or none if its document was dropped.

Invariant: one thread writes them. A second thread computes each stream's digest and tags from the bytes that come in
order, while the first one waits for the disk. A file that cannot be written, or is dropped, is closed immediately and
its bytes are discarded; the others are not affected.
"""

import logging
from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from sieve.channel.load import MAX_DOCUMENTS
from sieve.store.direct_file import DirectFile
from sieve.store.errors import StorageFull
from sieve.store.segment_tags import PlainSum, segments

log = logging.getLogger(__name__)

F_co = TypeVar("F_co", covariant=True)

# The most bytes that came out of order and are read again for the digest: more would make other writes wait.
READ_AGAIN = 8 * 1024 * 1024
# The most segments whose tags fit into one message to the gateway: a stream of 32 GiB.
MOST_SEGMENTS = 128 * 1024
# The most descriptors of one handle: the kernel passes 253 at a time.
MAX_DESCRIPTORS: Final = 2 * MAX_DOCUMENTS
# The least bytes of a stream that are worth a second descriptor and writes around the page cache.
AROUND_FROM = 64 * 1024


# Hashing takes half as long as the disk does, so it runs beside the writes.
_hashing = ThreadPoolExecutor(1, "hashing")
# Of bytes that are discarded, or whose file is read again for its tags.
_ANY_KEY: Final = bytes(32)


class Openable(Protocol):
    """A blob whose bytes can be opened for the plain listener, such as a `PlainWriter`."""

    def open_direct(self, *, around: bool) -> DirectFile:
        """See `UnfinishedBlob.open_direct`."""


class StreamPart(NamedTuple, Generic[F_co]):
    """A range of a handle's stream: a document's plain stream, or a gap of it. Its bytes go to `file` from offset `at`
    on; without a file they are discarded. `tag_key`: the key of the file's tags, in hexadecimal.
    """

    file: F_co | None
    start: int
    end: int
    tag_key: str = ""
    at: int = 0


OpenPart: TypeAlias = StreamPart[DirectFile]
"""A part whose file is open."""


class Sum(NamedTuple):
    """BLAKE3 of a plain stream, and the tags of its segments."""

    digest: bytes
    tags: bytes


def open_parts(parts: Sequence[StreamPart[Openable]]) -> list[OpenPart]:
    """Opens the files.

    Raises:
        OSError: one cannot be opened; then none is.
    """
    opened: list[OpenPart] = []
    try:
        for blob, start, end, tag_key, at in parts:
            file = None if blob is None else blob.open_direct(around=end - start >= AROUND_FROM)
            opened.append(OpenPart(file, start, end, tag_key, at))
    except OSError:
        close_parts(opened)
        raise
    return opened


def close_parts(opened: Sequence[OpenPart]) -> None:
    """Closes the files."""
    for part in opened:
        if part.file is not None:
            part.file.close()


@dataclass(slots=True)
class _PlainFile:
    """The file of one part. `hashed`: how many bytes came in order and are hashed."""

    file: DirectFile | None
    start: int
    end: int
    sum: PlainSum
    at: int = 0
    hashed: int = 0
    failed: bool = False

    @property
    def missing(self) -> int:
        """How many bytes must be read again for the digest."""
        return 0 if self.file is None else self.end - self.start - self.hashed

    def write_at(self, offset: int, data: memoryview) -> None:
        if self.file is None:
            return
        in_order = self.hashed == offset
        # For few bytes the other thread costs more than it saves.
        hashed = _hashing.submit(self.sum.update, data) if in_order and len(data) >= AROUND_FROM else None
        try:
            self.file.write_at(self.at + offset, data)
        except (OSError, StorageFull) as error:
            log.error("a plain chunk cannot be written: %s", error)
            self.failed = True
            self.close()
            return
        finally:
            # Only then may the caller reuse `data`.
            if hashed is not None:
                hashed.result()
        if in_order:
            if hashed is None:
                self.sum.update(data)
            self.hashed += len(data)

    def whole_sum(self) -> Sum | None:
        if self.file is None:
            return None
        self.sum.update(self.file.read_at(self.at + self.hashed, self.missing))
        return Sum(self.sum.digest(), self.sum.tags())

    def close(self) -> None:
        if self.file is not None:
            file, self.file = self.file, None
            file.close()


class PlainFiles:
    """The files of one handle. They exist, with space for the whole stream, or will be dropped."""

    def __init__(self, parts: Sequence[OpenPart]) -> None:
        """`parts`: one after the other, from 0 on, none empty. Their files are this object's to close."""
        self._files = [
            _PlainFile(file, start, end, PlainSum(bytes.fromhex(tag_key) or _ANY_KEY), at)
            for file, start, end, tag_key, at in parts
        ]
        self._starts = [file.start for file in self._files]
        self._segments = [segments(file.end - file.start) for file in self._files]

    def write_at(self, offset: int, data: memoryview) -> None:
        """Writes bytes of the handle's stream into the files of their parts. Never raises: see `failed`."""
        number = bisect_right(self._starts, offset) - 1
        while data:
            file = self._files[number]
            piece, data = data[: file.end - offset], data[file.end - offset :]
            file.write_at(offset - file.start, piece)
            offset, number = file.end, number + 1

    def drop(self, number: int) -> None:
        """Closes that file, so that its space is free once it has no name."""
        self._files[number].close()

    @property
    def failed(self) -> tuple[int, ...]:
        """The numbers of the files that could not be written."""
        return tuple(number for number, file in enumerate(self._files) if file.failed)

    def sums(self) -> tuple[Sum | None, ...]:
        """The digest and tags of each stream that has a file, once all of it is written; empty if too much must be read
        again, or if the tags are too many for one message.

        Raises:
            BlobDamaged, OSError: they cannot be read.
        """
        if sum(file.missing for file in self._files) > READ_AGAIN or sum(self._segments) > MOST_SEGMENTS:
            return ()
        return tuple(file.whole_sum() for file in self._files)

    def close(self) -> None:
        """Closes all files."""
        for file in self._files:
            file.close()
