"""Seals: a MAC over each plain chunk, so that an attacker on the plain channel cannot change, swap or forge one.

AES-256-GCM with an empty plaintext and the chunk as associated data, that is GMAC (NIST SP 800-38D): authenticated, not
encrypted. The nonce is the chunk's position (32-bit sub-stream, 64-bit index). Invariant: a key serves one attempt, and
each position is sealed once with it; a re-send repeats the same bytes and seal.
"""

import hmac
from collections.abc import Iterable
from typing import TypeAlias

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM

Piece: TypeAlias = bytes | bytearray | memoryview

KEY_SIZE = 32
SEAL_SIZE = 16


def seal(key: bytes, sub_stream: int, index: int, pieces: Iterable[Piece]) -> bytes:
    """The 16-byte seal of the chunk at (sub_stream, index), whose bytes are `pieces` in order."""
    nonce = sub_stream.to_bytes(4, "big") + index.to_bytes(8, "big")
    mac = Cipher(AES(key), GCM(nonce)).encryptor()
    for piece in pieces:
        mac.authenticate_additional_data(piece)
    mac.finalize()
    return mac.tag


def holds(key: bytes, sub_stream: int, index: int, pieces: Iterable[Piece], claimed: bytes) -> bool:
    """Whether `claimed` is the seal of exactly these bytes at exactly this place. Takes constant time."""
    return hmac.compare_digest(seal(key, sub_stream, index, pieces), claimed)
