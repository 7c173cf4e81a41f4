"""The cipher suites of the experiment and their key schedules: RFC 8446 section 7 and RFC 5246 section 6.3."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from sieve.lab.tls_split.secrets_in_memory import wipe

NONCE_SIZE: Final = 12
_SALT_SIZE: Final = 4
"""Of AES-GCM in TLS 1.2: the rest of the nonce travels in each record."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A cipher suite. `code`: its number on the wire; `digest`: the hash of its key schedule, as `hashlib` names it."""

    code: int
    name: str
    aead: type[AESGCM] | type[ChaCha20Poly1305]
    key_size: int
    digest: str

    @property
    def is_tls13(self) -> bool:
        return self.code >> 8 == 0x13

    @property
    def has_explicit_nonce(self) -> bool:
        """Whether each record carries eight bytes of its nonce: AES-GCM in TLS 1.2."""
        return not self.is_tls13 and self.aead is AESGCM

    @property
    def iv_size(self) -> int:
        return _SALT_SIZE if self.has_explicit_nonce else NONCE_SIZE

    @property
    def secret_size(self) -> int:
        """The size of what is handed over for one direction: a traffic secret, or in TLS 1.2 a key and an IV."""
        return _hash_size(self) if self.is_tls13 else self.key_size + self.iv_size


def _hash_size(suite: Suite) -> int:
    return 48 if suite.digest == "sha384" else 32


_RSA, _ECDSA = "TLS_ECDHE_RSA_WITH_", "TLS_ECDHE_ECDSA_WITH_"
SUITES: Final[Mapping[int, Suite]] = {
    code: Suite(code, name, aead, key_size, digest)
    for code, name, aead, key_size, digest in (
        (0x1301, "TLS_AES_128_GCM_SHA256", AESGCM, 16, "sha256"),
        (0x1302, "TLS_AES_256_GCM_SHA384", AESGCM, 32, "sha384"),
        (0x1303, "TLS_CHACHA20_POLY1305_SHA256", ChaCha20Poly1305, 32, "sha256"),
        (0xC02B, _ECDSA + "AES_128_GCM_SHA256", AESGCM, 16, "sha256"),
        (0xC02C, _ECDSA + "AES_256_GCM_SHA384", AESGCM, 32, "sha384"),
        (0xC02F, _RSA + "AES_128_GCM_SHA256", AESGCM, 16, "sha256"),
        (0xC030, _RSA + "AES_256_GCM_SHA384", AESGCM, 32, "sha384"),
        (0xCCA8, _RSA + "CHACHA20_POLY1305_SHA256", ChaCha20Poly1305, 32, "sha256"),
        (0xCCA9, _ECDSA + "CHACHA20_POLY1305_SHA256", ChaCha20Poly1305, 32, "sha256"),
    )
}


def expand_label(suite: Suite, secret: bytes | bytearray, label: bytes, size: int) -> bytearray:
    """HKDF-Expand-Label with an empty context, for at most one block of the hash, which all uses here fit in.

    The caller wipes it; no other copy is left.
    """
    block = hmac.digest(secret, _info(label, size), suite.digest)
    taken = bytearray(memoryview(block)[:size])
    wipe(block)
    return taken


@cache
def _info(label: bytes, size: int) -> bytes:
    label = b"tls13 " + label
    return size.to_bytes(2, "big") + bytes((len(label),)) + label + b"\0\1"


def key_and_iv(suite: Suite, secret: bytes | bytearray) -> tuple[bytearray, bytearray]:
    """The key and the IV of one direction; the caller wipes both."""
    if suite.is_tls13:
        return expand_label(suite, secret, b"key", suite.key_size), expand_label(suite, secret, b"iv", NONCE_SIZE)
    whole = memoryview(secret)
    return bytearray(whole[: suite.key_size]), bytearray(whole[suite.key_size :])


def next_secret(suite: Suite, secret: bytes | bytearray) -> bytearray:
    """The traffic secret after a KeyUpdate. Wipes the one before."""
    following = expand_label(suite, secret, b"traffic upd", suite.secret_size)
    wipe(secret)
    return following


def tls12_secrets(
    suite: Suite, master: bytes | bytearray, client_random: bytes, server_random: bytes
) -> tuple[bytearray, bytearray]:
    """What is handed over for reading from the client and for writing to it: key and IV of each, from the key block.

    The caller wipes them; no other copy is left.
    """
    key, iv, size = suite.key_size, suite.iv_size, _hash_size(suite)
    seed = b"key expansion" + server_random + client_random
    block = memoryview(bytearray(2 * (key + iv)))
    # A(i) and the seed, in place: a `bytes` of both would be one more copy.
    fed = memoryview(bytearray(size + len(seed)))
    fed[size:] = seed
    for at in range(0, len(block), size):
        link = hmac.digest(master, fed[:size] if at else seed, suite.digest)
        fed[:size] = link
        piece = hmac.digest(master, fed, suite.digest)
        taken = min(size, len(block) - at)
        block[at : at + taken] = memoryview(piece)[:taken]
        wipe(link, piece)
    read, write = bytearray(key + iv), bytearray(key + iv)
    for side, (whole, first) in enumerate(((memoryview(read), 0), (memoryview(write), key))):
        whole[:key] = block[first : first + key]
        whole[key:] = block[2 * key + side * iv : 2 * key + (side + 1) * iv]
    wipe(block, fed)
    return read, write
