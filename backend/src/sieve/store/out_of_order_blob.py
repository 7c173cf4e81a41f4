"""A sealed blob of known size that is written in any order, as bytes come over several channels.

A segment is sealed when its last byte arrives; until then it is in memory. `held` counts these segments, so that the
caller can wait. `whole` lists the sealed ones, with which the writing can be resumed; a segment that was sealed but not
recorded is then written again, under a fresh nonce.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sieve.store.blob_file import Bytes, check_range
from sieve.store.blob_ref import BlobRef
from sieve.store.sealed_blob import SEGMENT, SealedFile, SealedInRow, segments


@dataclass(slots=True)
class _Partial:
    """An incomplete segment."""

    clear: bytearray
    missing: int


class ScatteredWriter:
    """Writes one sealed blob of `size` bytes. End it with `finish` or `discard`, or `close` it."""

    def __init__(self, into: SealedFile | SealedInRow, size: int, whole: Iterable[tuple[int, int]] = ()) -> None:
        """`whole`: the ranges of the segments that are sealed already."""
        self._into = into
        self._size = size
        self._finished = False
        self._last = segments(size) - 1
        self._partial: dict[int, _Partial] = {}
        self._sealed = bytearray(self._last + 1)  # a flag for each segment
        # Buffers are reused: the first touch of fresh memory costs more than the sealing.
        self._spare: list[bytearray] = []
        for start, end in whole:
            check_range(start, end, size)
            for index in range(-(-start // SEGMENT), self._last + 1 if end == size else end // SEGMENT):
                self._sealed[index] = 1

    @property
    def begun(self) -> BlobRef | None:
        """The reference that resumes the writing; None if a row will hold the blob, because nothing is on the disk."""
        return replace(self._into.begun, size=self._size) if isinstance(self._into, SealedFile) else None

    @property
    def whole(self) -> list[tuple[int, int]]:
        """The ranges of the sealed segments in the clear text."""
        ranges: list[tuple[int, int]] = []
        for index, sealed in enumerate(self._sealed):
            if sealed:
                start, end = index * SEGMENT, index * SEGMENT + self._length(index)
                if ranges and ranges[-1][1] == start:
                    start = ranges.pop()[0]
                ranges.append((start, end))
        return ranges

    @property
    def held(self) -> int:
        """How many segments are held in memory."""
        return len(self._partial)

    def reserve(self) -> None:
        """Reserves space for the sealed blob.

        Raises:
            StorageFull: there is not enough.
        """
        self._into.reserve(self._size)

    def write_at(self, offset: int, data: Bytes) -> None:
        """Writes bytes at their offset. No byte is written twice.

        Raises:
            ValueError: they belong to a segment that is sealed already, or are beyond the end.
            StorageFull: there is no room; call `discard`.
        """
        view = memoryview(data).cast("B")
        check_range(offset, offset + len(view), self._size)
        while len(view):
            index, at = divmod(offset, SEGMENT)
            piece = view[: SEGMENT - at]
            self._put(index, at, piece)
            view, offset = view[len(piece) :], offset + len(piece)

    def _put(self, index: int, at: int, piece: memoryview) -> None:
        if self._sealed[index]:
            raise ValueError("this segment of the blob is sealed; it is never written again")
        partial = self._partial.get(index)
        length = self._length(index)
        if partial is None and len(piece) == length:
            self._seal(index, piece)
            return
        if partial is None:
            clear = self._spare.pop() if self._spare else bytearray(min(SEGMENT, self._size))
            partial = self._partial[index] = _Partial(clear, length)
        partial.clear[at : at + len(piece)] = piece
        partial.missing -= len(piece)
        if not partial.missing:
            self._seal(index, memoryview(partial.clear)[:length])
            del self._partial[index]
            self._spare.append(partial.clear)

    def _seal(self, index: int, clear: Bytes) -> None:
        self._sealed[index] = 1
        self._into.seal(index, clear, last=index == self._last)

    def _length(self, index: int) -> int:
        return self._size - index * SEGMENT if index == self._last else SEGMENT

    def read(self, start: int, end: int) -> bytes:
        """What was written from `start` to `end`, within one segment.

        Raises:
            BlobDamaged: it is not what was written.
            ValueError: it was not written, or reaches into another segment.
        """
        index, at = divmod(start, SEGMENT)
        check_range(start, end, min((index + 1) * SEGMENT, self._size))
        partial = self._partial.get(index)
        if partial is not None:
            return bytes(memoryview(partial.clear)[at : at + end - start])
        if not self._sealed[index]:
            raise ValueError("nothing was written there")
        clear = self._into.unseal(index, self._length(index), last=index == self._last)
        return clear[at : at + end - start]

    def finish(self) -> BlobRef:
        """Ends the writing; the bytes are durable when this returns (the name: `BlobStore.sync_names`).

        Raises:
            ValueError: some bytes were not written, or the blob is finished.
        """
        if self._finished:
            raise ValueError("this blob is finished; it is never written again")
        if not self._size and not self._sealed[0]:
            self._seal(0, b"")  # an empty blob is one empty segment
        if not all(self._sealed):
            raise ValueError("the blob is not whole yet")
        self._finished = True
        return self._into.finish(self._size)

    def sync(self) -> None:
        """Makes every segment sealed so far durable."""
        if isinstance(self._into, SealedFile):
            self._into.sync()

    def close(self) -> None:
        """Interrupts the writing: the file stays, incomplete segments are lost."""
        self._partial, self._spare = {}, []
        if isinstance(self._into, SealedFile):
            self._into.close()

    def discard(self) -> None:
        """Removes the file, also after `finish`; not once a row names it. May be called twice."""
        self._partial, self._spare = {}, []
        self._into.discard()
