"""The record protection of one direction: RFC 8446 section 5 and RFC 5246 section 6.2.3.3, AEAD suites only."""

import struct
from typing import Final

from cryptography.exceptions import InvalidTag

from sieve.lab.tls_split.errors import (
    BAD_RECORD_MAC,
    PROTOCOL_VERSION,
    RECORD_OVERFLOW,
    UNEXPECTED_MESSAGE,
    RecordError,
)
from sieve.lab.tls_split.secrets_in_memory import wipe
from sieve.lab.tls_split.suites import NONCE_SIZE, Suite, key_and_iv, next_secret

CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA = 20, 21, 22, 23
HEADER_SIZE: Final = 5
MAX_CONTENT: Final = 2**14
TAG_SIZE: Final = 16
_EXPLICIT_SIZE: Final = 8
_HEADER: Final = struct.Struct(">BHH")
_VERSION: Final = 0x0303
_MOST_ADDED: Final = {True: 256, False: 2048}
"""By which a protected record may be longer than its content, in TLS 1.3 and 1.2."""


def record_at_start(buffered: bytes | bytearray | memoryview) -> int | None:
    """The size of the record at the start of a buffer, with its header; None if it is incomplete."""
    if len(buffered) < HEADER_SIZE:
        return None
    size = HEADER_SIZE + int.from_bytes(buffered[3:HEADER_SIZE], "big")
    return size if len(buffered) >= size else None


def is_header(buffered: bytes | bytearray) -> bool:
    """Whether a buffer of at least `HEADER_SIZE` bytes begins like a record."""
    size = int.from_bytes(buffered[3:HEADER_SIZE], "big")
    return CHANGE_CIPHER_SPEC <= buffered[0] <= APPLICATION_DATA and buffered[1] == 3 and size <= MAX_CONTENT + 2048


class _Direction:
    def __init__(self, suite: Suite, secret: bytearray, sequence: int) -> None:
        self._suite = suite
        self._secret = secret
        self.sequence = sequence
        self._iv, self._nonce = bytearray(NONCE_SIZE), bytearray(NONCE_SIZE)
        self._set_key()

    def _set_key(self) -> None:
        key, iv = key_and_iv(self._suite, self._secret)
        self._aead = self._suite.aead(key)
        for each in (self._iv, self._nonce):
            memoryview(each)[: len(iv)] = iv
        self._nonce_is_of = 0
        wipe(key, iv)

    def update(self) -> None:
        """Moves on to the next generation of keys (KeyUpdate)."""
        self._secret = next_secret(self._suite, self._secret)
        self.sequence = 0
        self._set_key()

    def forget(self) -> None:
        """Overwrites the secret and the IV. The AEAD clears its own key when it is freed."""
        wipe(self._secret, self._iv, self._nonce)
        del self._aead

    def _next_nonce(self) -> bytearray:
        """The nonce of this sequence number, always in the same place: a new object for each would leave IVs behind."""
        iv, nonce = self._iv, self._nonce
        nonce[-1] = iv[-1] ^ self.sequence & 0xFF
        # The other bytes change with every 256th record.
        if self.sequence >> 8 != self._nonce_is_of:
            self._nonce_is_of = self.sequence >> 8
            for at, byte in enumerate(self._nonce_is_of.to_bytes(7, "big"), NONCE_SIZE - 8):
                nonce[at] = iv[at] ^ byte
        return nonce

    def _explicit_nonce(self, explicit: bytes) -> bytearray:
        """The nonce of a record that carries a part of it: the IV is the rest."""
        self._nonce[NONCE_SIZE - _EXPLICIT_SIZE :] = explicit
        return self._nonce

    def _tls12_data(self, kind: int, size: int) -> bytes:
        """What TLS 1.2 authenticates beside the content."""
        return self.sequence.to_bytes(8, "big") + bytes((kind, 3, 3)) + size.to_bytes(2, "big")


class Opener(_Direction):
    """Opens the records that the peer sealed."""

    def open(self, record: bytes) -> tuple[int, bytes]:
        """The type and content of one whole record.

        Raises:
            RecordError: the record is not authentic, too long, or not of this protocol.
        """
        suite, body = self._suite, record[HEADER_SIZE:]
        if len(body) > MAX_CONTENT + _MOST_ADDED[suite.is_tls13]:
            raise RecordError(RECORD_OVERFLOW, "a record is too long")
        if record[0] != APPLICATION_DATA and (suite.is_tls13 or record[0] not in (ALERT, HANDSHAKE)):
            raise RecordError(UNEXPECTED_MESSAGE, f"a record of type {record[0]} after the handshake")
        # In TLS 1.3 the version is authenticated with the rest of the header.
        if not suite.is_tls13 and record[1:3] != b"\3\3":
            raise RecordError(PROTOCOL_VERSION, "a record of another version")
        try:
            kind, content = (
                self._open13(record[:HEADER_SIZE], body) if suite.is_tls13 else self._open12(record[0], body)
            )
        except InvalidTag:
            raise RecordError(BAD_RECORD_MAC, "a record is not authentic") from None
        if len(content) > MAX_CONTENT:
            raise RecordError(RECORD_OVERFLOW, "the content of a record is too long")
        self.sequence += 1
        return kind, content

    def _open13(self, header: bytes, body: bytes) -> tuple[int, bytes]:
        inner = self._aead.decrypt(self._next_nonce(), body, header).rstrip(b"\0")
        if not inner:
            raise RecordError(UNEXPECTED_MESSAGE, "a record without a type")
        return inner[-1], inner[:-1]

    def _open12(self, kind: int, body: bytes) -> tuple[int, bytes]:
        explicit = b""
        if self._suite.has_explicit_nonce:
            explicit, body = body[:_EXPLICIT_SIZE], body[_EXPLICIT_SIZE:]
        if len(body) < TAG_SIZE:
            raise RecordError(BAD_RECORD_MAC, "a record is too short")
        nonce = self._explicit_nonce(explicit) if explicit else self._next_nonce()
        return kind, self._aead.decrypt(nonce, body, self._tls12_data(kind, len(body) - TAG_SIZE))


class Sealer(_Direction):
    """Seals records for the peer. `explicit_nonce`: of the next record, for AES-GCM in TLS 1.2."""

    def __init__(self, suite: Suite, secret: bytearray, sequence: int, explicit_nonce: int = 0) -> None:
        super().__init__(suite, secret, sequence)
        self._explicit = explicit_nonce
        # In TLS 1.3 the content's type is encrypted with it.
        self._added = (
            HEADER_SIZE + TAG_SIZE + (1 if suite.is_tls13 else _EXPLICIT_SIZE if suite.has_explicit_nonce else 0)
        )

    def seal(self, kind: int, content: bytes | memoryview, longest: int = MAX_CONTENT) -> bytearray:
        """The content in records one after the other, each with `longest` bytes of it but the last; at least one."""
        view = memoryview(content)
        starts = range(0, len(view) or 1, longest)
        # One buffer for all records, into which the AEAD writes: each further copy would cost as much as encrypting.
        records = bytearray(len(view) + len(starts) * self._added)
        place, at = memoryview(records), 0
        for start in starts:
            part = view[start : start + longest]
            end = at + len(part) + self._added
            self._seal_into(place[at:end], kind, part)
            at = end
        return records

    def _seal_into(self, place: memoryview, kind: int, content: memoryview) -> None:
        if self._suite.is_tls13:
            known = place[:HEADER_SIZE] = _HEADER.pack(APPLICATION_DATA, _VERSION, len(place) - HEADER_SIZE)
            nonce, body, inner = self._next_nonce(), HEADER_SIZE, b"".join((content, bytes((kind,))))
            self._aead.encrypt_into(nonce, inner, known, place[body:])
        else:
            place[:HEADER_SIZE] = _HEADER.pack(kind, _VERSION, len(place) - HEADER_SIZE)
            known = self._tls12_data(kind, len(content))
            if self._suite.has_explicit_nonce:
                explicit = self._explicit.to_bytes(_EXPLICIT_SIZE, "big")
                self._explicit = (self._explicit + 1) % 2**64
                body = HEADER_SIZE + _EXPLICIT_SIZE
                place[HEADER_SIZE:body] = explicit
                nonce = self._explicit_nonce(explicit)
            else:
                nonce, body = self._next_nonce(), HEADER_SIZE
            self._aead.encrypt_into(nonce, content, known, place[body:])
        self.sequence += 1
