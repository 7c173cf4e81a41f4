"""RSA keys with one modulus and several small public exponents.

Numbers are `gmpy2.mpz`, which compute like `int` and are typed as such.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm, prod
from random import Random
from typing import Final

import gmpy2

from sieve.lab.errors import LabError

PLAIN_EXPONENT: Final = 65537
"""Of plain RSA, in the paper and on the web."""
_LEAST_BITS: Final = 64


def small_exponents(count: int) -> tuple[int, ...]:
    """The first odd primes: 3, 5, 7, 11 and so on."""
    primes = [2]
    while len(primes) <= count:
        primes.append(int(gmpy2.next_prime(primes[-1])))
    return tuple(primes[1:])


class FaultyRoot(LabError):
    """A root is wrong, as after a hardware fault. It is kept back: with it, anyone can factor the modulus."""


@dataclass(frozen=True, slots=True)
class Root:
    """The private operation: e-th roots modulo n = p q. For a batch, `e` is the product of its exponents."""

    e: int
    n: int
    p: int
    q: int
    d: int
    d_p: int
    d_q: int
    q_inverse: int

    def plain(self, value: int) -> int:
        """With one exponentiation modulo n."""
        root: int = gmpy2.powmod_sec(value, self.d, self.n)
        return root

    def by_crt(self, value: int) -> int:
        """With one exponentiation modulo p and one modulo q, by the Chinese remainder theorem."""
        of_p, of_q = gmpy2.powmod_sec(value, self.d_p, self.p), gmpy2.powmod_sec(value, self.d_q, self.q)
        root: int = of_q + self.q * ((of_p - of_q) * self.q_inverse % self.p)
        return root

    def checked(self, value: int, crt: bool = True) -> int:
        """Raises `FaultyRoot` for a wrong result (Boneh, DeMillo and Lipton)."""
        root = self.by_crt(value) if crt else self.plain(value)
        if gmpy2.powmod(root, self.e, self.n) != value % self.n:
            raise FaultyRoot("a root of the batch is wrong: nothing of this batch is returned")
        return root


@dataclass(frozen=True, slots=True)
class BatchKey:
    """`exponents`: pairwise relatively prime, and each relatively prime to (p - 1)(q - 1)."""

    p: int
    q: int
    exponents: tuple[int, ...]

    def __post_init__(self) -> None:
        if lcm(*self.exponents) != prod(self.exponents):
            raise LabError("the exponents of a batch must be different and relatively prime")
        if gmpy2.gcd(prod(self.exponents), self.phi) != 1:
            raise LabError("an exponent has a factor in common with (p - 1)(q - 1), so that it has no inverse")

    @property
    def n(self) -> int:
        return self.p * self.q

    @property
    def phi(self) -> int:
        return (self.p - 1) * (self.q - 1)

    def root(self, exponents: Sequence[int]) -> Root:
        """The private operation for the product of these exponents."""
        e = gmpy2.mpz(prod(exponents))
        d = gmpy2.invert(e, self.phi)
        return Root(e, self.n, self.p, self.q, d, d % (self.p - 1), d % (self.q - 1), gmpy2.invert(self.q, self.p))


def make_key(bits: int, exponents: Sequence[int], draw: Random) -> BatchKey:
    """A key whose modulus has exactly that many bits. Also e = 65537 has an inverse, for plain RSA.

    `draw`: `random.SystemRandom` for a key that strangers meet.
    """
    if bits < _LEAST_BITS or bits % 2:
        raise LabError(f"a modulus has an even number of bits, at least {_LEAST_BITS}, not {bits}")
    first = _prime(bits // 2, exponents, draw)
    second = first
    while second == first:
        second = _prime(bits // 2, exponents, draw)
    return BatchKey(max(first, second), min(first, second), tuple(exponents))


def _prime(bits: int, exponents: Sequence[int], draw: Random) -> int:
    """With its two highest bits set, so that the product of two has all its bits."""
    forbidden = prod(exponents) * PLAIN_EXPONENT
    while True:
        found: int = gmpy2.mpz(draw.getrandbits(bits) | 3 << (bits - 2) | 1)
        if gmpy2.gcd(found - 1, forbidden) == 1 and gmpy2.is_prime(found, 40):
            return found
