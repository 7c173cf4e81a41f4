"""Algorithms 1 and 2 of the paper, step by step as printed, and mended.

In the paper's form each client also sends v' = v^e' for the exponent e' of its sibling leaf, so that the server need
not raise ciphertexts at the lowest inner nodes. Printed step 19 stores their product as the node's *exponent*. So no
step ever sets the ciphertext of these nodes, and step 20 or 21 reads one that does not exist. Mended, step 19 stores
it, modulo N, as the ciphertext.

Even mended, the server believes what clients claim: a wrong v' spoils the message of the client at the sibling leaf.
`tree` never asks for v'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import gmpy2

from sieve.lab.batch_rsa.keys import BatchKey
from sieve.lab.errors import LabError


class CannotFollow(LabError):
    """A printed step needs a value that no step before it sets."""


@dataclass(slots=True)
class _Node:
    exponent: int
    ciphertext: int | None = None
    left: Self | None = None
    right: Self | None = None
    m: int = 0


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """What algorithm 2 sends. `v_raised`: v'; None for a leaf whose sibling is no leaf."""

    v: int
    v_raised: int | None


def siblings(exponents: Sequence[int]) -> list[int | None]:
    """e' of each client. With an odd number, the last leaf has no leaf beside it."""
    pairs = [number ^ 1 for number in range(len(exponents))]
    return [exponents[other] if other < len(exponents) else None for other in pairs]


def algorithm_2(m: int, exponent: int, sibling: int | None, n: int) -> ClientMessage:
    """The client's part: encrypts m (step 5), and raises the result for its sibling (step 7)."""
    v = gmpy2.powmod(m, exponent, n)
    return ClientMessage(v, None if sibling is None else raised(v, sibling, n))


def raised(v: int, sibling: int, n: int) -> int:
    """v' (step 7)."""
    power: int = gmpy2.powmod(v, sibling, n)
    return power


def lowest_powers(received: Sequence[ClientMessage], exponents: Sequence[int], n: int) -> list[int | None]:
    """What the server computes itself if clients send no v': the lowest inner nodes of step 20."""
    pairs = zip(received, siblings(exponents), strict=True)
    return [None if sibling is None else raised(each.v, sibling, n) for each, sibling in pairs]


def algorithm_1(key: BatchKey, received: Sequence[ClientMessage], mended: bool) -> list[int]:
    """The server's part: the messages in the order of the key's exponents. `received`: at least two, one for each.

    Raises `CannotFollow` if not mended.
    """
    n = key.n
    leaves = [_Node(e, each.v) for e, each in zip(key.exponents, received, strict=True)]
    # A full binary tree (step 4): the two nodes that have waited longest get a parent.
    waiting, inner = list(leaves), list[_Node]()
    for j in range(1, len(leaves)):  # steps 16 to 20
        left, right, *waiting = waiting
        node = _Node(left.exponent * right.exponent, left=left, right=right)
        if j <= len(leaves) // 2:
            raised = received[2 * j - 2].v_raised, received[2 * j - 1].v_raised
            if raised[0] is None or raised[1] is None:
                raise LabError("a client whose leaf has a sibling must send v'")
            if mended:
                node.ciphertext = raised[0] * raised[1] % n
            else:
                node.exponent = raised[0] * raised[1]
        else:
            node.ciphertext = (
                gmpy2.powmod(_read(left, 20), right.exponent, n) * gmpy2.powmod(_read(right, 20), left.exponent, n) % n
            )
        waiting.append(node)
        inner.append(node)
    root = waiting[0]
    root.m = key.root(key.exponents).by_crt(_read(root, 21))  # steps 21 to 23
    for node in reversed(inner):  # steps 27 to 30
        if node.left is None or node.right is None:
            raise AssertionError("an inner node has two children")
        e_left, e_right = node.left.exponent, node.right.exponent
        x = e_left * gmpy2.invert(e_left, e_right)
        known = gmpy2.powmod(_read(node.left, 30), x // e_left, n) * gmpy2.powmod(
            _read(node.right, 30), (x - 1) // e_right, n
        )
        node.right.m = gmpy2.powmod(node.m, x, n) * gmpy2.invert(known, n) % n
        node.left.m = node.m * gmpy2.invert(node.right.m, n) % n
    return [leaf.m for leaf in leaves]


def _read(node: _Node, step: int) -> int:
    if node.ciphertext is None:
        raise CannotFollow(f"step {step} reads the ciphertext of a node that step 19 gave none")
    return node.ciphertext
