"""Fiat's batch RSA: the roots of several ciphertexts, one for each exponent, for the price of about one.

Up the tree of exponents the ciphertexts are multiplied to v = prod v_i^(e / e_i), e the product of the exponents. Its
e-th root m is the product of the messages. Down the tree, m is broken up again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final, Self

import gmpy2

from sieve.lab.batch_rsa.keys import BatchKey, Root
from sieve.lab.errors import LabError

_KEPT: Final = 1024
"""Trees and roots of this many sets of exponents are kept: partial batches of 8 have 255."""


@dataclass(frozen=True, slots=True)
class Tree:
    """`exponent`: of a leaf, or the product of those below. `x`: 0 modulo the left exponent, 1 modulo the right one."""

    exponent: int
    left: Self | None = None
    right: Self | None = None
    x: int = 0
    x_left: int = 0
    x_right: int = 0

    @classmethod
    def of(cls, exponents: Sequence[int]) -> Self:
        """As balanced as can be."""
        if len(exponents) == 1:
            return cls(gmpy2.mpz(exponents[0]))
        half = len(exponents) // 2
        left, right = cls.of(exponents[:half]), cls.of(exponents[half:])
        x = left.exponent * gmpy2.invert(left.exponent, right.exponent)
        return cls(left.exponent * right.exponent, left, right, x, x // left.exponent, (x - 1) // right.exponent)


@dataclass(frozen=True, slots=True)
class _Product:
    """What the way up leaves at a node for the way down."""

    value: int
    left: Self | None = None
    right: Self | None = None


def _up(tree: Tree, values: Sequence[int], n: int) -> _Product:
    if tree.left is None or tree.right is None:
        return _Product(values[0])
    half = len(values) // 2
    left, right = _up(tree.left, values[:half], n), _up(tree.right, values[half:], n)
    value = gmpy2.powmod(left.value, tree.right.exponent, n) * gmpy2.powmod(right.value, tree.left.exponent, n) % n
    return _Product(value, left, right)


def _down(tree: Tree, product: _Product, m: int, n: int) -> list[int]:
    if tree.left is None or tree.right is None or product.left is None or product.right is None:
        return [m]
    # m^x = m_right * v_left^x_left * v_right^x_right. One inversion serves both quotients.
    power = gmpy2.powmod(m, tree.x, n)
    known = gmpy2.powmod(product.left.value, tree.x_left, n) * gmpy2.powmod(product.right.value, tree.x_right, n) % n
    inverse = gmpy2.invert(power * known % n, n)
    right = power * power % n * inverse % n
    left = known * known % n * inverse % n * m % n
    return [*_down(tree.left, product.left, left, n), *_down(tree.right, product.right, right, n)]


class BatchDecryptor:
    """Decrypts batches under one key. `draw`: for blinding; None leaves it out, and the check of the root, too, as the
    paper does, to measure the bare arithmetic. `crt`: for the one root of a batch.
    """

    def __init__(self, key: BatchKey, draw: Random | None, crt: bool = True) -> None:
        self.key = key
        self._n = key.n
        self._draw, self._crt = draw, crt
        self._tree = lru_cache(_KEPT)(Tree.of)
        self._root = lru_cache(_KEPT)(key.root)

    def decrypt(self, ciphertexts: Mapping[int, int]) -> dict[int, int]:
        """The message of each exponent's ciphertext; any of the key's exponents may be missing.

        What has no inverse modulo n is decrypted alone: it would spoil the others.
        """
        for exponent, value in ciphertexts.items():
            if exponent not in self.key.exponents or not 0 <= value < self._n:
                raise LabError("a batch takes ciphertexts below the modulus, each for an exponent of the key")
        fit = {e: v for e, v in sorted(ciphertexts.items()) if gmpy2.gcd(v, self._n) == 1}
        alone = {e: self._take(self._root((e,)), v) for e, v in ciphertexts.items() if e not in fit}
        return alone | (self._together(fit) if fit else {})

    def _together(self, ciphertexts: Mapping[int, int]) -> dict[int, int]:
        n, exponents = self._n, tuple(ciphertexts)
        values = [gmpy2.mpz(value) for value in ciphertexts.values()]
        unblind = 1
        if self._draw is not None:
            # (m r)^e = v r^e: with the same r at each leaf, all messages on the way are blinded.
            blind, unblind = _pair(n, self._draw)
            values = [v * gmpy2.powmod(blind, e, n) % n for e, v in zip(exponents, values, strict=True)]
        tree = self._tree(exponents)
        product = _up(tree, values, n)
        found = _down(tree, product, self._take(self._root(exponents), product.value), n)
        if self._draw is not None:
            found = [m * unblind % n for m in found]
        return dict(zip(exponents, found, strict=True))

    def _take(self, root: Root, value: int) -> int:
        if self._draw is not None:
            return root.checked(value, self._crt)
        return root.by_crt(value) if self._crt else root.plain(value)


def _pair(n: int, draw: Random) -> tuple[int, int]:
    """A random number and its inverse."""
    while True:
        number = gmpy2.mpz(draw.randrange(2, int(n)))
        if gmpy2.gcd(number, n) == 1:
            return number, gmpy2.invert(number, n)


def multiplications(tree: Tree) -> float:
    """How many modular multiplications both ways take in the mean, by square and multiply, an inversion as 20."""
    if tree.left is None or tree.right is None:
        return 0
    raised = (tree.left.exponent, tree.right.exponent, tree.x, tree.x_left, tree.x_right)
    return (
        sum(1.5 * (int(each).bit_length() - 1) for each in raised)
        + 29
        + multiplications(tree.left)
        + multiplications(tree.right)
    )


def counted_speedup(bits: int, exponents: Sequence[int], crt: bool = False) -> float:
    """b plain decryptions over one batch, by multiplications. With CRT an exponentiation costs a quarter."""
    root = 1.5 * bits / (4 if crt else 1)
    return len(exponents) * root / (root + multiplications(Tree.of(exponents)))
