"""The unique certificate of the paper: one certificate for the modulus; `ServerHello.random` carries the exponents.

The first two bytes of the random are e_i, the next two e'_i, 0 if there is none. The paper does not say where they are.
They take 4 of the 32 random bytes.

The paper says that this does not weaken SSL. It does: with RSA key exchange, nothing signs `ServerHello`, and only the
*Finished* messages cover it, under keys that come from the secret itself. An attacker on the path who changes e_i to 1
reads the secret, and can finish both handshakes. So `read` takes only exponents that a batch has. Then a changed
exponent only makes the handshake fail.
"""

from sieve.lab.batch_rsa.model import EXPONENTS
from sieve.lab.errors import LabError

_BYTES = 2


class UnknownExponent(LabError):
    """The server asks for an exponent that no batch has, such as 1, which would not encrypt."""


def write(random: bytearray, exponent: int, sibling: int | None) -> None:
    """Overwrites the first bytes of a `ServerHello.random`."""
    random[: 2 * _BYTES] = exponent.to_bytes(_BYTES) + (sibling or 0).to_bytes(_BYTES)


def read(random: bytes) -> tuple[int, int | None]:
    """e_i and e'_i. Raises `UnknownExponent`."""
    exponent, sibling = int.from_bytes(random[:_BYTES]), int.from_bytes(random[_BYTES : 2 * _BYTES])
    if exponent not in EXPONENTS or (sibling and sibling not in EXPONENTS):
        raise UnknownExponent("the server asks for an exponent that no batch has")
    return exponent, sibling or None
