"""Sealed blobs whose bytes come in any order: read back as any other, sealed once, little of them held meanwhile."""

import os
import random
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sieve.store.blobs import BlobDamaged, BlobStore, DestinationFull, ScatteredWriter
from sieve.store.sealed_blob import SEGMENT, sealed_size

SIZES = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 3 * SEGMENT + 5]


def writer_of(blobs: BlobStore, size: int) -> ScatteredWriter:
    return blobs.new_scattered(owner="d", purpose="document", size=size)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=st.sampled_from(SIZES), cuts=st.lists(st.integers(0, SIZES[-1]), max_size=8), seed=st.integers(0, 2**32))
def test_pieces_in_any_order_are_read_back(blobs: BlobStore, size: int, cuts: list[int], seed: int) -> None:
    content = random.Random(seed).randbytes(size)
    writer = writer_of(blobs, size)
    pieces = list(pairwise([0, *sorted(min(cut, size) for cut in cuts), size]))
    random.Random(seed).shuffle(pieces)
    written = bytearray(size)
    for start, end in pieces:
        writer.write_at(start, memoryview(content)[start:end])
        written[start:end] = b"\1" * (end - start)
        # Only segments that have begun and are not whole are held.
        segments = [written[at : at + SEGMENT] for at in range(0, size, SEGMENT)]
        assert writer.held == sum(0 < segment.count(1) < len(segment) for segment in segments)
        until = min(end, (start // SEGMENT + 1) * SEGMENT)
        assert start == end or writer.read(start, until) == content[start:until]
    ref = writer.finish()
    assert ref.size == size and writer.path.stat().st_size == sealed_size(size)
    assert blobs.open_sealed(ref).read(0, size) == content


def test_a_blob_that_is_not_whole_is_not_finished(blobs: BlobStore) -> None:
    writer = writer_of(blobs, SEGMENT + 1)
    writer.write_at(0, bytes(SEGMENT))
    with pytest.raises(ValueError, match="not whole"):
        writer.finish()


def test_a_sealed_segment_is_never_written_again(blobs: BlobStore) -> None:
    writer = writer_of(blobs, 2 * SEGMENT)
    writer.write_at(0, bytes(SEGMENT))
    with pytest.raises(ValueError, match="never written again"):
        writer.write_at(5, b"x")
    with pytest.raises(ValueError, match="inside the blob"):
        writer.write_at(2 * SEGMENT - 1, b"xy")


def test_what_was_not_written_is_not_read(blobs: BlobStore) -> None:
    writer = writer_of(blobs, 2 * SEGMENT)
    writer.write_at(0, bytes(SEGMENT))
    with pytest.raises(ValueError, match="nothing was written"):
        writer.read(SEGMENT, SEGMENT + 1)
    with pytest.raises(ValueError, match="inside the blob"):
        writer.read(0, SEGMENT + 1)


def test_what_was_changed_on_the_disk_meanwhile_is_not_read_back(blobs: BlobStore) -> None:
    writer = writer_of(blobs, 2 * SEGMENT)
    writer.write_at(0, bytes(SEGMENT))
    with writer.path.open("r+b") as file:
        file.seek(100)
        file.write(b"!")
    with pytest.raises(BlobDamaged):
        writer.read(0, 1)


def test_nothing_clear_is_on_the_disk(blobs: BlobStore) -> None:
    secret = b"the classified sentence " * 20_000
    writer = writer_of(blobs, len(secret))
    writer.write_at(100, secret[100:])
    writer.write_at(0, secret[:100])
    writer.finish()
    assert secret[:12] not in writer.path.read_bytes()
    assert writer.path.stat().st_mode & 0o777 == 0o600


def test_room_is_reserved_and_a_discarded_blob_is_gone(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_of(blobs, 3 * SEGMENT)
    writer.reserve()
    assert writer.path.stat().st_size == sealed_size(3 * SEGMENT)
    writer.discard()
    writer.discard()
    assert not writer.path.exists()
    with pytest.raises(ValueError, match="finished"):
        writer.write_at(0, bytes(SEGMENT))

    def full(fd: int, offset: int, length: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(DestinationFull):
        writer_of(blobs, 1).reserve()
