"""Batch RSA equals plain RSA, for any key, messages and set of exponents."""

from functools import cache
from random import Random

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.batch_rsa import printed_algorithms
from sieve.lab.batch_rsa.keys import BatchKey, FaultyRoot, Root, make_key, small_exponents
from sieve.lab.batch_rsa.model import EXPONENTS, speedup
from sieve.lab.batch_rsa.tree import BatchDecryptor, Tree, counted_speedup, multiplications
from sieve.lab.errors import LabError

BITS, MOST = 256, 10


@cache
def _key(seed: int, count: int = MOST) -> BatchKey:
    return make_key(BITS, small_exponents(count), Random(seed))


def _encrypt(key: BatchKey, messages: dict[int, int]) -> dict[int, int]:
    return {e: gmpy2.powmod(m, e, key.n) for e, m in messages.items()}


_MESSAGES = st.dictionaries(st.sampled_from(small_exponents(MOST)), st.integers(0, 2**BITS), min_size=1)


@given(seed=st.integers(0, 3), numbers=_MESSAGES, blind=st.booleans(), crt=st.booleans())
def test_a_batch_gives_what_plain_rsa_gives(seed: int, numbers: dict[int, int], blind: bool, crt: bool) -> None:
    key = _key(seed)
    messages = {e: number % key.n for e, number in numbers.items()}
    ciphertexts = _encrypt(key, messages)
    found = BatchDecryptor(key, Random(1) if blind else None, crt).decrypt(ciphertexts)
    assert found == messages
    for e, value in ciphertexts.items():
        assert key.root([e]).by_crt(value) == key.root([e]).plain(value) == messages[e]


@given(data=st.data(), seed=st.integers(0, 3))
def test_any_number_below_the_modulus_is_a_ciphertext(data: st.DataObject, seed: int) -> None:
    """Also one that no client made, and multiples of a prime factor, which have no inverse."""
    key = _key(seed)
    odd = st.sampled_from([0, 1, key.p, key.q, key.n - 1])
    any_value = st.one_of(odd, st.integers(0, int(key.n) - 1))
    values = data.draw(st.dictionaries(st.sampled_from(key.exponents), any_value, min_size=1))
    found = BatchDecryptor(key, Random(1)).decrypt(values)
    assert {e: gmpy2.powmod(m, e, key.n) for e, m in found.items()} == values


def test_values_that_are_no_ciphertexts_are_refused() -> None:
    key = _key(0)
    for wrong in ({3: key.n}, {3: -1}, {4: 1}, {65537: 1}):
        with pytest.raises(LabError):
            BatchDecryptor(key, None).decrypt(wrong)


def test_a_wrong_root_is_kept_back() -> None:
    key = _key(0)
    whole = key.root((3, 5))
    fault = Root(whole.e, whole.n, whole.p, whole.q, whole.d, whole.d_p + 2, whole.d_q, whole.q_inverse)
    with pytest.raises(FaultyRoot):
        fault.checked(gmpy2.mpz(2))


@pytest.mark.parametrize("exponents", [(3, 9), (3, 3), (4,)])
def test_exponents_must_be_relatively_prime(exponents: tuple[int, ...]) -> None:
    with pytest.raises(LabError):
        BatchKey(_key(0).p, _key(0).q, exponents)


@given(bits=st.integers(32, 80).map(lambda half: 2 * half), seed=st.integers())
def test_a_modulus_has_exactly_its_bits(bits: int, seed: int) -> None:
    assert int(make_key(bits, (3, 5), Random(seed)).n).bit_length() == bits


@given(st.integers(2, MOST), st.data())
def test_the_mended_algorithms_of_the_paper_decrypt(batch: int, data: st.DataObject) -> None:
    key = _key(1, batch)
    messages = data.draw(st.lists(st.integers(1, int(key.p) - 1), min_size=batch, max_size=batch))
    sent = [
        printed_algorithms.algorithm_2(m, e, sibling, key.n)
        for m, e, sibling in zip(messages, key.exponents, printed_algorithms.siblings(key.exponents), strict=True)
    ]
    assert printed_algorithms.algorithm_1(key, sent, mended=True) == messages
    # What clients save the server is exactly what they send.
    assert printed_algorithms.lowest_powers(sent, key.exponents, key.n) == [each.v_raised for each in sent]
    with pytest.raises(printed_algorithms.CannotFollow):
        printed_algorithms.algorithm_1(key, sent, mended=False)


def test_a_client_that_lies_about_its_second_number_spoils_its_siblings_message_in_the_papers_form() -> None:
    key = _key(1, 4)
    messages = [5, 6, 7, 8]
    sent = [
        printed_algorithms.algorithm_2(m, e, sibling, key.n)
        for m, e, sibling in zip(messages, key.exponents, printed_algorithms.siblings(key.exponents), strict=True)
    ]
    spoiled = [printed_algorithms.ClientMessage(sent[0].v, 12345), *sent[1:]]
    found = printed_algorithms.algorithm_1(key, spoiled, mended=True)
    assert found[0] != 5 and found[1] != 6 and found[2:] == [7, 8]
    # Batches of the tree do not use that number.
    values = dict(zip(key.exponents, (each.v for each in spoiled), strict=True))
    assert list(BatchDecryptor(key, None).decrypt(values).values()) == messages


def test_the_exponents_of_the_formulas_are_those_of_the_keys() -> None:
    assert small_exponents(len(EXPONENTS)) == EXPONENTS


def test_counting_multiplications_gives_more_than_equation_1_for_large_batches() -> None:
    assert multiplications(Tree.of([3])) == 0
    for bits in (512, 1024, 2048):
        assert counted_speedup(bits, EXPONENTS[:8]) > speedup(bits, 8)
        assert counted_speedup(bits, EXPONENTS[:8], crt=True) < counted_speedup(bits, EXPONENTS[:8])
