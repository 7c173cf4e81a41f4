"""A seal holds for one key, one place and the very bytes; any other and it does not."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from documents import cuts
from sieve.channel.seals import KEY_SIZE, SEAL_SIZE, holds, seal

keys = st.binary(min_size=KEY_SIZE, max_size=KEY_SIZE)
sub_streams = st.integers(0, 2**32 - 1)
indexes = st.integers(0, 2**64 - 1)
chunks = st.binary(max_size=200)
two: dict[str, Any] = {"min_size": 2, "max_size": 2, "unique": True}


@modest
@given(keys, sub_streams, indexes, chunks, st.data())
def test_pieces_do_not_matter(key: bytes, sub_stream: int, index: int, chunk: bytes, data: st.DataObject) -> None:
    made = seal(key, sub_stream, index, [chunk])
    assert len(made) == SEAL_SIZE
    pieces = data.draw(cuts(chunk))
    assert holds(key, sub_stream, index, [memoryview(piece) for piece in pieces], made)
    assert holds(key, sub_stream, index, [bytearray(piece) for piece in pieces], made)


@modest
@given(keys, sub_streams, indexes, st.binary(min_size=1, max_size=200), st.data())
def test_any_bit_of_bytes_or_seal_that_differs_breaks_it(
    key: bytes, sub_stream: int, index: int, chunk: bytes, data: st.DataObject
) -> None:
    made = seal(key, sub_stream, index, [chunk])
    flipped = bytearray(chunk + made)
    bit = data.draw(st.integers(0, 8 * len(flipped) - 1))
    flipped[bit // 8] ^= 1 << bit % 8
    assert not holds(key, sub_stream, index, [flipped[: len(chunk)]], bytes(flipped[len(chunk) :]))


@modest
@given(chunks, st.lists(keys, **two), st.lists(sub_streams, **two), st.lists(indexes, **two))
def test_a_seal_serves_one_key_and_one_place(
    chunk: bytes, keys: list[bytes], sub_streams: list[int], indexes: list[int]
) -> None:
    (place, made), *others = [(place, seal(*place, [chunk])) for place in product(keys, sub_streams, indexes)]
    assert holds(*place, [chunk], made)
    assert not any(holds(*other, [chunk], made) for other, _ in others)
    assert len({made, *(seal for _, seal in others)}) == 8


@modest
@given(st.binary(max_size=40))
def test_a_claim_of_any_length_is_just_false(claimed: bytes) -> None:
    assert not holds(bytes(KEY_SIZE), 0, 0, [b"chunk"], claimed)


def test_it_is_gmac_as_nist_has_it() -> None:
    """McGrew and Viega, test case 13: no plaintext, no associated data, key and nonce zero."""
    assert seal(bytes(KEY_SIZE), 0, 0, []).hex() == "530f8afbc74536b9a963b4f1c4cb738b"


def test_a_key_of_another_size_is_no_key() -> None:
    with pytest.raises(ValueError):
        seal(b"short", 0, 0, [])
