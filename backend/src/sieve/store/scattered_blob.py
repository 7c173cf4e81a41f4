"""A sealed blob of known size that is written in any order: what comes over several channels.

A segment is sealed when the last of its bytes is there, and never again: its nonce serves once. Until then it is in
memory; how many are is told, so that whoever brings the bytes can wait.
"""

from dataclasses import dataclass

from sieve.store.blob_file import Bytes, check_range
from sieve.store.blob_ref import BlobRef
from sieve.store.sealed_blob import SEGMENT, SealedFile, SealedInRow, segments


@dataclass(slots=True)
class _Partial:
    """A segment some of whose bytes are there."""

    clear: bytearray
    missing: int


class ScatteredWriter:
    """Writes one sealed blob of `size` bytes. End it with `finish` or `discard`."""

    def __init__(self, into: SealedFile | SealedInRow, size: int) -> None:
        self._into = into
        self._size = size
        self._finished = False
        self._last = segments(size) - 1
        self._partial: dict[int, _Partial] = {}
        self._sealed = bytearray(self._last + 1)  # a flag for each segment
        # A buffer that was sealed is taken again: the first touch of fresh memory costs more than the sealing.
        self._spare: list[bytearray] = []

    @property
    def held(self) -> int:
        """How many segments are held in memory."""
        return len(self._partial)

    def reserve(self) -> None:
        """Makes sure that everything finds room, sealed.

        Raises:
            DestinationFull: it does not.
        """
        self._into.reserve(self._size)

    def write_at(self, offset: int, data: Bytes) -> None:
        """Puts bytes in their place. No byte is written twice.

        Raises:
            ValueError: they belong to a segment that is sealed already, or lie beyond the end.
            DestinationFull: there is no room; only `discard` is left to do.
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
        """What is in a file is on the disk when this returns (the name: `BlobStore.sync_folder`).

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

    def discard(self) -> None:
        """Removes the file, also after `finish`; not once a row names it. May be called twice."""
        self._partial, self._spare = {}, []
        self._into.discard()
