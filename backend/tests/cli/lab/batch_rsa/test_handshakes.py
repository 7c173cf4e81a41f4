"""Handshakes of TLS 1.2 whose RSA decryption goes through the batcher, with real clients."""

from collections.abc import Mapping
from functools import cache
from random import Random

import gmpy2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.cli.lab.batch_rsa.batcher import Batcher
from sieve.cli.lab.batch_rsa.handshakes import FOREVER_S, answers, bench, poisson, scenarios, together
from sieve.cli.lab.batch_rsa.server import ANSWER
from sieve.lab.batch_rsa import certificate, printed_algorithms
from sieve.lab.batch_rsa.keys import BatchKey, make_key
from sieve.lab.batch_rsa.model import EXPONENTS
from sieve.lab.batch_rsa.tree import BatchDecryptor
from sieve.lab.errors import LabError

BITS, BATCH = 1024, 4


@cache
def _key(bits: int = BITS) -> BatchKey:
    return make_key(bits, EXPONENTS[:BATCH], Random(1))


def test_openssls_clients_are_served_in_batches_even_if_some_leave() -> None:
    full, partial, left_early, left_late, unique = scenarios(BITS, BATCH)
    assert full["sizes"] == left_early["sizes"] == left_late["sizes"] == unique["sizes"] == [BATCH]
    assert sum(partial["sizes"]) == BATCH - 1


def test_arrivals_at_random_are_all_served() -> None:
    (row,) = poisson(BITS, BATCH, longest_wait_s=0.02, rate_per_s=100, clients=6)
    assert sum(row["sizes"]) == 6
    assert row["decrypted_ms"] > 0


def test_a_client_that_does_not_know_the_papers_scheme_fails_and_disturbs_nobody() -> None:
    """It encrypts for the exponent of the certificate, so the paper's scheme is not backward compatible."""
    with bench(_key(), FOREVER_S, unique=True) as running:
        stock = running.openssl()
        knowing = together(running, BATCH - 1)
        assert knowing == [ANSWER] * (BATCH - 1)
        assert answers([stock]) == [b""]
        assert running.batcher.sizes == [BATCH]


def test_a_client_refuses_an_exponent_that_was_changed_to_1_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    write = certificate.write
    monkeypatch.setattr(certificate, "write", lambda random, exponent, sibling: write(random, 1, None))
    with bench(_key(), 0, unique=True) as running:
        with pytest.raises(certificate.UnknownExponent):
            running.paper_client()
        assert running.batcher.sizes == []
    # What the paper's client would do: with exponent 1, everybody on the way reads the secret.
    assert printed_algorithms.algorithm_2(12345, 1, None, _key().n).v == 12345


@given(st.binary(min_size=32, max_size=32), st.sampled_from(EXPONENTS), st.sampled_from([None, *EXPONENTS]))
def test_a_server_hello_says_both_exponents_and_stays_random_otherwise(
    random: bytes, exponent: int, sibling: int | None
) -> None:
    changed = bytearray(random)
    certificate.write(changed, exponent, sibling)
    assert certificate.read(bytes(changed)) == (exponent, sibling)
    assert changed[4:] == random[4:]


@given(st.integers(0, 2**16 - 1).filter(lambda number: number not in EXPONENTS))
def test_other_exponents_are_refused(number: int) -> None:
    for exponent, sibling in ((number, None), (3, number or 1)):
        changed = bytearray(32)
        certificate.write(changed, exponent, sibling)
        with pytest.raises(certificate.UnknownExponent):
            certificate.read(bytes(changed))


class _Broken(BatchDecryptor):
    def decrypt(self, ciphertexts: Mapping[int, int]) -> dict[int, int]:
        if 666 in ciphertexts.values():
            raise LabError("broken")
        return super().decrypt(ciphertexts)


def test_a_batch_that_cannot_be_decrypted_says_so_and_the_next_one_is() -> None:
    key = _key(256)
    with Batcher(_Broken(key, None), 0) as batcher:
        with batcher.open() as place, pytest.raises(LabError, match="broken"):
            place.decrypt(666)
        with batcher.open() as place:
            assert place.decrypt(gmpy2.powmod(5, place.exponent, key.n)) == 5
            with pytest.raises(LabError, match="one ciphertext"):
                place.decrypt(5)
    with batcher.open() as place, pytest.raises(LabError, match="closed"):
        place.decrypt(5)
