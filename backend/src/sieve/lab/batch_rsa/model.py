"""The paper's formulas, and queueing formulas that hold. Times in seconds, rates per second."""

import math
from collections.abc import Callable, Mapping
from typing import Final

from sieve.lab.errors import LabError

EXPONENTS: Final = (
    *(3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59),
    *(61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137),
)
"""Of batches of up to 32; a test compares them with `keys.small_exponents`."""
PRINTED_RSA_S: Final[Mapping[int, float]] = {512: 0.016, 1024: 0.032, 2048: 0.130}
"""The paper's plain RSA, by the bits of the modulus (section 6.2)."""

BatchTime = Callable[[int], float]
"""How long a batch of that many takes; one is plain RSA."""


def longest_exponent(batch: int) -> int:
    """k: the bits of the largest exponent of a batch, whose exponents are the first odd primes."""
    if not 1 <= batch <= len(EXPONENTS):
        raise LabError(f"a batch has 1 to {len(EXPONENTS)} requests, not {batch}")
    return EXPONENTS[batch - 1].bit_length()


def speedup(bits: int, batch: int) -> float:
    """Equation 1: b plain decryptions over one batch."""
    k = longest_exponent(batch)
    return batch * (3 * bits + 1) / (3 * bits + 44 * batch + 3 * batch**3 * k - 1)


def by_formula(bits: int, rsa_s: float) -> BatchTime:
    """T_b of equation 1, for plain RSA of `rsa_s`."""
    return lambda batch: rsa_s if batch == 1 else batch * rsa_s / speedup(bits, batch)


def queue_wait_s(rate_per_s: float, service_s: float) -> float:
    """T_q of equation 4, in its third form. The second form has a wrong sign: exp(-x) - 1 for exp(x) - 1."""
    x = rate_per_s * service_s
    # exp(-x) instead of exp(x), which may be too large.
    return 0.5 * service_s / (1 + math.exp(-1.5 * x) / -math.expm1(-x))


def response_bound_s(batch: int, rate_per_s: float) -> float:
    """What the paper holds below TRT (equation 7): b / 2λ + (b - 1) / λ + b / λ."""
    return (2.5 * batch - 1) / rate_per_s


def largest_by_bound(rate_per_s: float, bound_s: float) -> int:
    """The whole part of 0.4 (λ TRT + 1), theorem 2 and step 4 of algorithm 3."""
    return math.floor(0.4 * (rate_per_s * bound_s + 1) + 1e-9)


def largest_by_key(bits: int) -> int:
    """The whole part of n / (log2 n)^2, theorem 1 and step 5 of algorithm 3."""
    return math.floor(bits / math.log2(bits) ** 2)


def paper_response_s(batch: int, rate_per_s: float, batch_s: float) -> float:
    """RRT = T_q + T_c + T_b as the paper computes it, with T_c at its largest: (b - 1) / λ, the wait of the first."""
    return queue_wait_s(rate_per_s, batch_s) + (batch - 1) / rate_per_s + batch_s


def plain_response_s(rate_per_s: float, rsa_s: float) -> float:
    """T' of equation 8: M/D/1 without batches; infinite if that is not stable."""
    busy = rate_per_s * rsa_s
    return rsa_s + rsa_s * busy / (2 * (1 - busy)) if busy < 1 else math.inf


def mean_response_s(batch: int, rate_per_s: float, batch_s: float) -> float:
    """The mean response with full batches of Poisson arrivals; infinite if they cannot keep up.

    A request waits for (b - 1) / 2λ in the mean until its batch is full. Full batches arrive at Erlang-b intervals;
    their wait is the approximation of Krämer and Langenbach-Belz for GI/G/1. Exact for b = 1.
    """
    busy = rate_per_s * batch_s / batch
    if busy >= 1:
        return math.inf
    # Squared coefficient of variation of Erlang-b intervals; that of service is 0.
    varies = 1 / batch
    regular = math.exp(-2 * (1 - busy) * (1 - varies) ** 2 / (3 * busy * varies))
    wait_s = batch_s * busy / (2 * (1 - busy)) * varies * regular
    return (batch - 1) / (2 * rate_per_s) + wait_s + batch_s
