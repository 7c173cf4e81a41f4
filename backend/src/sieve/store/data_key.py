"""The key of one blob, and which AEAD it is for: the faster one on the machine that made it.

32 bytes are a key of AES-256-GCM. A byte more in front, 1, makes it a key of ChaCha20-Poly1305 (ADR 43). A master key
wraps it, so nobody can exchange one AEAD for the other.
"""

import secrets
from typing import Final, TypeAlias

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from sieve.aes_speed import aes_is_fast

Aead: TypeAlias = AESGCM | ChaCha20Poly1305
_SIZE: Final = 32
_CHACHA20: Final = b"\1"


def fresh() -> bytes:
    """A random key for the AEAD that is faster here."""
    key = secrets.token_bytes(_SIZE)
    return key if aes_is_fast() else _CHACHA20 + key


def aead(key: bytes) -> Aead:
    """The AEAD with that key.

    Raises:
        ValueError: it is no such key.
    """
    if len(key) == _SIZE:
        return AESGCM(key)
    if len(key) == _SIZE + 1 and key.startswith(_CHACHA20):
        return ChaCha20Poly1305(key[1:])
    raise ValueError("the key of a blob has 32 bytes, or 33 and the first is 1")
