"""Tags of a plain blob's segments: they show which byte on the disk is not the one that was written.

    tag = GMAC(tag key, nonce = index, segment), 16 bytes for each 256 KiB

GMAC is AES-256-GCM with an empty plaintext (NIST SP 800-38D); it costs a third of BLAKE3. Invariant: each blob has a
tag key of its own and its bytes never change, so a pair of key and nonce serves one segment. Tags are over the plain
stream alone, stay in the blob's row and never travel.
"""

from typing import Final

from blake3 import blake3
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import AEADEncryptionContext, Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM

from sieve.store.blob_file import Bytes

SEGMENT: Final = 256 * 1024
TAG: Final = 16
KEY_SIZE: Final = 32


def segments(size: int) -> int:
    """How many segments `size` bytes are; the last one may be short."""
    return -(-size // SEGMENT)


class PlainSum:
    """BLAKE3 of a plain stream and the tags of its segments, taken in one pass, in order."""

    def __init__(self, tag_key: bytes) -> None:
        self._key = AES(tag_key)
        self._hash = blake3()
        self._tags = bytearray()
        # The segment that is not whole yet, and how many of its bytes were given.
        self._mac: AEADEncryptionContext | None = None
        self._given = 0

    def update(self, data: Bytes) -> None:
        """Takes the next bytes of the stream."""
        self._hash.update(data)
        rest = memoryview(data).cast("B")
        while rest:
            if self._mac is None:
                self._mac = Cipher(self._key, GCM(_nonce(len(self._tags) // TAG))).encryptor()
            piece, rest = rest[: SEGMENT - self._given], rest[SEGMENT - self._given :]
            self._mac.authenticate_additional_data(piece)
            self._given += len(piece)
            if self._given == SEGMENT:
                self._end_segment(self._mac)

    def digest(self) -> bytes:
        """BLAKE3 of all that was given."""
        return self._hash.digest()

    def tags(self) -> bytes:
        """The tags of all segments, one after the other. Ends the sum."""
        if self._mac is not None:
            self._end_segment(self._mac)
        return bytes(self._tags)

    def _end_segment(self, mac: AEADEncryptionContext) -> None:
        mac.finalize()
        self._tags += mac.tag
        self._mac, self._given = None, 0


class SegmentTags:
    """The tags of a blob, to verify what is read."""

    def __init__(self, tag_key: bytes, tags: bytes) -> None:
        self._cipher, self._tags = AESGCM(tag_key), tags

    def hold(self, first: int, data: bytes) -> bool:
        """Whether these are the bytes of whole segments from segment `first` on; the blob's last one may be short."""
        view = memoryview(data)
        for number in range(segments(len(data))):
            index = first + number
            tag = self._tags[index * TAG : (index + 1) * TAG]
            segment = view[number * SEGMENT : (number + 1) * SEGMENT]
            try:
                self._cipher.decrypt(_nonce(index), tag, segment)
            except InvalidTag:
                return False
        return True


def _nonce(index: int) -> bytes:
    return index.to_bytes(12, "big")
