"""Which encryption is cheaper on this machine: AES where the processor has instructions for it, else ChaCha20."""

import time
from collections.abc import Callable
from functools import cache
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

_SAMPLE: Final = bytes(16 * 1024)
"""As long as a TLS record."""
_TRIES: Final = 5
"""The quickest counts: a busy machine only slows some of them."""


@cache
def aes_is_fast() -> bool:
    """Whether AES-256-GCM is faster than ChaCha20-Poly1305 here. Measures for less than a millisecond, once.

    The ratio is about 3 with instructions and 1 to 4 without, so that a busy machine does not change the answer.
    """
    return is_faster(_encrypts(AESGCM), _encrypts(ChaCha20Poly1305), time.perf_counter_ns)


def is_faster(one: Callable[[], object], other: Callable[[], object], clock: Callable[[], int]) -> bool:
    """Whether the quickest of some runs of `one` takes less than that of `other`, run in turn."""
    quickest = [2**63, 2**63]
    for _ in range(_TRIES):
        for at, work in enumerate((one, other)):
            begun = clock()
            work()
            quickest[at] = min(quickest[at], clock() - begun)
    return quickest[0] < quickest[1]


def _encrypts(aead: type[AESGCM] | type[ChaCha20Poly1305]) -> Callable[[], object]:
    cipher, nonce = aead(bytes(32)), bytes(12)
    return lambda: cipher.encrypt(nonce, _SAMPLE, None)
