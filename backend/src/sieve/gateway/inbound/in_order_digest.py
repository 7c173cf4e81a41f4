"""The digest of a stream whose bytes come in any order: hashed on the way as far as they come in order, and only the
rest read again.
"""

from collections.abc import Callable

from blake3 import blake3

from sieve.store.segment_tags import PlainSum

PIECE = 256 * 1024
"""Bytes that are read at a time; what reads them may want them not to cross a multiple of it."""


class InOrderDigest:
    """BLAKE3 of a stream of `size` bytes. `taken_by`: what takes it, if not BLAKE3 alone; it sees each byte once."""

    def __init__(self, size: int, taken_by: PlainSum | None = None) -> None:
        self._size = size
        self._hash = taken_by or blake3()
        self._hashed = 0

    @property
    def missing(self) -> int:
        """How many bytes came out of order, or not at all yet."""
        return self._size - self._hashed

    def update(self, offset: int, data: bytes | bytearray | memoryview) -> None:
        """These bytes came, and stay as they are. Others may come out of order and untold."""
        if offset == self._hashed:
            self._hash.update(data)
            self._hashed += len(data)

    def digest(self, read: Callable[[int, int], bytes]) -> bytes:
        """The digest; `read(start, end)` gives what is missing, in order. Blocking, if anything is."""
        while self._hashed < self._size:
            end = min((self._hashed // PIECE + 1) * PIECE, self._size)
            self.update(self._hashed, read(self._hashed, end))
        return self._hash.digest()
