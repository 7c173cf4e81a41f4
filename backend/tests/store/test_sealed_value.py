"""A sealed value opens where it belongs, as it was, and under its key alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.store.errors import BlobDamaged, MasterKeyError
from sieve.store.master_keys import SIV, MasterKeys
from sieve.store.sealed_value import seal, unseal

KEYS = MasterKeys([bytes(range(32)), bytes(32)])
NOT_SECRET = SIV
"""Fixed bytes of every sealed value, which the generator finds in the source."""


@given(st.binary(max_size=200), st.text(max_size=20))
def test_what_is_sealed_opens_again_and_is_not_seen(text: bytes, place: str) -> None:
    value = seal(KEYS, text, place)
    assert unseal(KEYS, value, place) == text
    assert len(text) < 8 or text in NOT_SECRET or text not in value
    assert seal(KEYS, text, place) != value


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_changed_value_does_not_open(where: int, by: int) -> None:
    value = bytearray(seal(KEYS, b"Ida Halvorsen", "audit/1"))
    value[where % len(value)] ^= by
    with pytest.raises((BlobDamaged, MasterKeyError)):
        unseal(KEYS, bytes(value), "audit/1")


def test_a_value_opens_nowhere_else() -> None:
    value = seal(KEYS, b"Ida Halvorsen", "audit/1")
    with pytest.raises(BlobDamaged):
        unseal(KEYS, value, "audit/2")
    with pytest.raises(BlobDamaged):
        unseal(KEYS, value[:90], "audit/1")


def test_a_value_of_an_older_key_opens_while_that_is_kept() -> None:
    old = MasterKeys([bytes(32)])
    value = seal(old, b"Ida", "p")
    assert unseal(KEYS, value, "p") == b"Ida"
    with pytest.raises(MasterKeyError, match="add it to the master key file"):
        unseal(MasterKeys([bytes(range(32))]), value, "p")
