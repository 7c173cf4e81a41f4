"""A seal holds for one key, one place and the very bytes; any other and it does not."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from sieve.channel.seals import KEY_SIZE, SEAL_KINDS, SEAL_SIZE, SealKey, SealKind, cheapest, fastest_first, holds, seal

kinds = st.sampled_from(SEAL_KINDS)
keys = st.builds(SealKey, st.binary(min_size=KEY_SIZE, max_size=KEY_SIZE), kinds)
sub_streams = st.integers(0, 2**32 - 1)
indexes = st.integers(0, 2**64 - 1)
chunks = st.binary(max_size=200)
two: dict[str, Any] = {"min_size": 2, "max_size": 2, "unique": True}


@modest
@given(keys, sub_streams, indexes, chunks)
def test_it_holds_for_any_kind_of_buffer(key: SealKey, sub_stream: int, index: int, chunk: bytes) -> None:
    made = seal(key, sub_stream, index, chunk)
    assert len(made) == SEAL_SIZE
    assert holds(key, sub_stream, index, memoryview(chunk), made)
    assert holds(key, sub_stream, index, bytearray(chunk), made)


@modest
@given(keys, sub_streams, indexes, st.binary(min_size=1, max_size=200), st.data())
def test_any_bit_of_bytes_or_seal_that_differs_breaks_it(
    key: SealKey, sub_stream: int, index: int, chunk: bytes, data: st.DataObject
) -> None:
    made = seal(key, sub_stream, index, chunk)
    flipped = bytearray(chunk + made)
    bit = data.draw(st.integers(0, 8 * len(flipped) - 1))
    flipped[bit // 8] ^= 1 << bit % 8
    assert not holds(key, sub_stream, index, flipped[: len(chunk)], bytes(flipped[len(chunk) :]))


@modest
@given(chunks, st.lists(keys, **two), st.lists(sub_streams, **two), st.lists(indexes, **two))
def test_a_seal_serves_one_key_and_one_place(
    chunk: bytes, keys: list[SealKey], sub_streams: list[int], indexes: list[int]
) -> None:
    (place, made), *others = [(place, seal(*place, chunk)) for place in product(keys, sub_streams, indexes)]
    assert holds(*place, chunk, made)
    assert not any(holds(*other, chunk, made) for other, _ in others)
    assert len({made, *(seal for _, seal in others)}) == 8


@modest
@given(kinds, st.binary(max_size=40))
def test_a_claim_of_any_length_is_just_false(kind: SealKind, claimed: bytes) -> None:
    assert not holds(SealKey(bytes(KEY_SIZE), kind), 0, 0, b"chunk", claimed)


def test_with_aes_it_is_gmac_as_nist_has_it() -> None:
    """McGrew and Viega, test case 13: no plaintext, no associated data, key and nonce zero."""
    assert seal(SealKey(bytes(KEY_SIZE)), 0, 0, b"").hex() == "530f8afbc74536b9a963b4f1c4cb738b"


def test_with_chacha20_it_is_poly1305_under_the_key_of_rfc_8439() -> None:
    """RFC 8439, 2.8: over the chunk, zeros up to 16 bytes, and both lengths; 2.6: under the first block's 32 bytes."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
    from cryptography.hazmat.primitives.poly1305 import Poly1305

    secret, chunk = bytes(range(KEY_SIZE)), b"nineteen bytes long"
    nonce = (7).to_bytes(4, "big") + (3).to_bytes(8, "big")
    block = Cipher(ChaCha20(secret, bytes(4) + nonce), None).encryptor().update(bytes(32))
    said = chunk + bytes(-len(chunk) % 16) + len(chunk).to_bytes(8, "little") + bytes(8)
    assert seal(SealKey(secret, "chacha20-poly1305"), 7, 3, chunk) == Poly1305.generate_tag(block, said)


@pytest.mark.parametrize("kind", SEAL_KINDS)
@pytest.mark.parametrize("size", [5, 16, 24])
def test_a_key_of_another_size_is_no_key(kind: SealKind, size: int) -> None:
    with pytest.raises(ValueError):
        seal(SealKey(bytes(size), kind), 0, 0, b"")


def test_aes_is_chosen_where_it_is_fast_at_both_ends() -> None:
    fast, slow = fastest_first(aes_is_fast=True), fastest_first(aes_is_fast=False)
    assert cheapest(fast, fast) == "aes-256-gcm"
    assert cheapest(fast, slow) == cheapest(slow, fast) == cheapest(slow, slow) == "chacha20-poly1305"


def test_a_peer_that_knows_only_aes_gets_it() -> None:
    assert cheapest(fastest_first(aes_is_fast=False), ("aes-256-gcm",)) == "aes-256-gcm"
    assert cheapest(fastest_first(aes_is_fast=False), ()) == "aes-256-gcm"
    assert cheapest(fastest_first(aes_is_fast=False), ("a later one", "aes-256-gcm")) == "aes-256-gcm"
    assert cheapest(fastest_first(aes_is_fast=True), ("a later one", "aes-256-gcm")) == "aes-256-gcm"
