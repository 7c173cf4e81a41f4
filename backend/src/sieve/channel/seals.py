"""Seals: a MAC over each plain chunk, so that an attacker on the plain channel cannot change, swap or forge one.

A seal is the tag of an AEAD with an empty plaintext and the chunk as associated data: authenticated, not encrypted.
With AES-256-GCM that is GMAC (NIST SP 800-38D); with ChaCha20-Poly1305 (RFC 8439) it is Poly1305 under a separate key
for each chunk. Which one is cheaper depends on the processor (ADR 43). The nonce is the chunk's position (32-bit
sub-stream, 64-bit index). Invariant: a key serves one attempt, and each position is sealed once with it; a re-send
repeats the same bytes and seal.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

Bytes: TypeAlias = bytes | bytearray | memoryview
SealKind: TypeAlias = Literal["aes-256-gcm", "chacha20-poly1305"]
SEAL_KINDS: Final[tuple[SealKind, ...]] = get_args(SealKind)
COMMON_SEAL: Final[SealKind] = "aes-256-gcm"
"""Every version of the protocol knows this one."""
_AEADS: Final[dict[SealKind, type[AESGCM] | type[ChaCha20Poly1305]]] = {
    "aes-256-gcm": AESGCM,
    "chacha20-poly1305": ChaCha20Poly1305,
}

KEY_SIZE = 32
SEAL_SIZE = 16


@dataclass(frozen=True, slots=True)
class SealKey:
    """The key of an attempt's seals: `secret` has `KEY_SIZE` bytes."""

    secret: bytes = field(repr=False)
    kind: SealKind = COMMON_SEAL


def seal(key: SealKey, sub_stream: int, index: int, chunk: Bytes) -> bytes:
    """The 16-byte seal of the chunk at (sub_stream, index).

    Raises:
        ValueError: the key has another size.
    """
    nonce = sub_stream.to_bytes(4, "big") + index.to_bytes(8, "big")
    aead = _AEADS[key.kind]
    if len(key.secret) != KEY_SIZE:
        raise ValueError(f"a seal's key has {KEY_SIZE} bytes")
    return aead(key.secret).encrypt(nonce, b"", chunk)


def holds(key: SealKey, sub_stream: int, index: int, chunk: Bytes, claimed: bytes) -> bool:
    """Whether `claimed` is the seal of exactly these bytes at exactly this place. Takes constant time."""
    return hmac.compare_digest(seal(key, sub_stream, index, chunk), claimed)


def fastest_first(*, aes_is_fast: bool) -> tuple[SealKind, ...]:
    """The seals for a machine on which AES is faster than ChaCha20, or slower."""
    return ("aes-256-gcm", "chacha20-poly1305") if aes_is_fast else ("chacha20-poly1305", "aes-256-gcm")


def cheapest(ours: Sequence[str], theirs: Sequence[str]) -> SealKind:
    """The seal for a transfer between two gateways that list the seals they know, the fastest first.

    AES without instructions costs eight times what the other seal costs, and the other costs twice what AES with
    instructions costs. So AES is the choice only if it is the fastest at both ends, or if the peer knows nothing else.
    """
    other: SealKind = "chacha20-poly1305"
    return other if other in theirs and (ours[0] == other or theirs[0] == other) else COMMON_SEAL
