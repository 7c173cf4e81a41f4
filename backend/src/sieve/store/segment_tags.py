"""Tags of a plain blob's segments: they show which byte on the disk is not the one that was written.

    tag = AEAD(tag key, nonce = index, plaintext = empty, AAD = segment), 16 bytes for each 256 KiB

The AEAD is the key's (`data_key`); with AES-256-GCM this is GMAC (NIST SP 800-38D) and costs a third of BLAKE3.
Invariant: each blob has its own tag key and its bytes never change, so a pair of key and nonce serves one segment. Tags
are over the plain stream alone, stay in the blob's row and never travel.
"""

from typing import Final

from blake3 import blake3
from cryptography.exceptions import InvalidTag

from sieve.store import data_key
from sieve.store.blob_file import Bytes

SEGMENT: Final = 256 * 1024
TAG: Final = 16


def segments(size: int) -> int:
    """How many segments `size` bytes are; the last one may be short."""
    return -(-size // SEGMENT)


class PlainSum:
    """BLAKE3 of a plain stream and the tags of its segments, taken in one pass, in order."""

    def __init__(self, tag_key: bytes) -> None:
        self._aead = data_key.aead(tag_key)
        self._hash = blake3()
        self._tags = bytearray()
        # The segment that is not whole yet, and how much of it is there. One buffer for all segments: to grow a new one
        # each time costs more than the tags do.
        self._begun, self._given = memoryview(b""), 0

    def update(self, data: Bytes) -> None:
        """Takes the next bytes of the stream."""
        self._hash.update(data)
        rest = memoryview(data).cast("B")
        while rest:
            piece, rest = rest[: SEGMENT - self._given], rest[SEGMENT - self._given :]
            if len(piece) == SEGMENT:
                self._tag(piece)
                continue
            if not self._begun:
                self._begun = memoryview(bytearray(SEGMENT))
            self._begun[self._given : self._given + len(piece)] = piece
            self._given += len(piece)
            if self._given == SEGMENT:
                self._tag_begun()

    def digest(self) -> bytes:
        """BLAKE3 of all that was given."""
        return self._hash.digest()

    def tags(self) -> bytes:
        """The tags of all segments, one after the other. Ends the sum."""
        if self._given:
            self._tag_begun()
        return bytes(self._tags)

    def _tag_begun(self) -> None:
        self._tag(self._begun[: self._given])
        self._given = 0

    def _tag(self, segment: Bytes) -> None:
        self._tags += self._aead.encrypt(_nonce(len(self._tags) // TAG), b"", segment)


class SegmentTags:
    """The tags of a blob, to verify what is read."""

    def __init__(self, tag_key: bytes, tags: bytes) -> None:
        self._aead, self._tags = data_key.aead(tag_key), tags

    def hold(self, first: int, data: bytes) -> bool:
        """Whether these are the bytes of whole segments from segment `first` on; the blob's last one may be short."""
        view = memoryview(data)
        for number in range(segments(len(data))):
            index = first + number
            tag = self._tags[index * TAG : (index + 1) * TAG]
            segment = view[number * SEGMENT : (number + 1) * SEGMENT]
            try:
                self._aead.decrypt(_nonce(index), tag, segment)
            except InvalidTag:
                return False
        return True


def _nonce(index: int) -> bytes:
    return index.to_bytes(12, "big")
