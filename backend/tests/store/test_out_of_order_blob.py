"""Sealed blobs whose bytes come in any order: read back as any other, sealed once, little of them held meanwhile."""

import os
import random
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sieve.store.blobs import IN_ROW, BlobDamaged, BlobStore, ScatteredWriter, StorageFull
from sieve.store.sealed_blob import FREE_FOR_ROWS, SEGMENT, sealed_size

SIZES = [0, 1, IN_ROW, IN_ROW + 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 3 * SEGMENT + 5]


def writer_of(blobs: BlobStore, size: int) -> ScatteredWriter:
    return blobs.new_scattered(owner="d", purpose="document", size=size)


def the_file(tmp_path: Path) -> Path:
    """The only one that the store has."""
    [file] = (tmp_path / "blobs").glob("??/*")
    return file


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
    assert ref.size == size and (ref.content is not None) == (size <= IN_ROW)
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


def test_what_was_changed_on_the_disk_meanwhile_is_not_read_back(blobs: BlobStore, tmp_path: Path) -> None:
    writer = writer_of(blobs, 2 * SEGMENT)
    writer.write_at(0, bytes(SEGMENT))
    with the_file(tmp_path).open("r+b") as file:
        file.seek(100)
        file.write(b"!")
    with pytest.raises(BlobDamaged):
        writer.read(0, 1)


def test_nothing_clear_is_on_the_disk(blobs: BlobStore, tmp_path: Path) -> None:
    secret = b"the classified sentence " * 20_000
    writer = writer_of(blobs, len(secret))
    writer.write_at(100, secret[100:])
    writer.write_at(0, secret[:100])
    writer.finish()
    file = the_file(tmp_path)
    assert secret[:12] not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.stat().st_size == sealed_size(len(secret), resumable=True)


@pytest.mark.parametrize(("free", "fits"), [(FREE_FOR_ROWS + 10, True), (FREE_FOR_ROWS + 9, False)])
def test_where_little_is_free_what_a_row_is_to_keep_is_refused_before_its_bytes_come(
    blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, fits: bool
) -> None:
    asked: list[Path] = []

    def disk(path: Path) -> SimpleNamespace:
        asked.append(path)
        return SimpleNamespace(f_bavail=free, f_frsize=1)

    monkeypatch.setattr(os, "statvfs", disk)
    with nullcontext() if fits else pytest.raises(StorageFull, match="is full"):
        writer_of(blobs, 10).reserve()
    assert asked == [tmp_path / "blobs"]


def test_what_a_row_keeps_is_sealed_bound_to_it_and_no_file(blobs: BlobStore, tmp_path: Path) -> None:
    secret = b"the classified sentence"
    writer = writer_of(blobs, len(secret))
    writer.reserve()
    writer.write_at(4, secret[4:])
    writer.write_at(0, secret[:4])
    assert writer.read(0, 7) == secret[:7]
    ref = writer.finish()
    whole = blobs.kept_in_row(secret, owner="d", purpose="document")
    assert not list((tmp_path / "blobs").glob("??/*"))
    for kept in (ref, whole):
        assert kept.content is not None and len(kept.content) == sealed_size(len(secret))
        assert secret[:7] not in kept.content and kept.content not in repr(kept).encode()
        assert blobs.open_sealed(kept).read(4, 10) == secret[4:10]
        with blobs.held(kept):
            blobs.delete(kept)
        cut, longer = replace(kept, size=kept.size - 16), replace(kept, size=kept.size + 1)
        changed = replace(kept, content=bytes(len(kept.content)))
        for wrong in (replace(kept, owner="e"), replace(kept, id="0" * 32), changed, cut, longer):
            with pytest.raises(BlobDamaged):
                blobs.open_sealed(wrong).read(0, 1)
    with pytest.raises(BlobDamaged):
        blobs.open_sealed(replace(ref, content=whole.content)).read(0, 1)
    with pytest.raises(ValueError, match="one segment"):
        blobs.kept_in_row(bytes(SEGMENT + 1), owner="d", purpose="document")
    with pytest.raises(ValueError, match="finished"):
        writer.finish()
    writer.discard()


def test_room_is_reserved_and_a_discarded_blob_is_gone(
    blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = writer_of(blobs, 3 * SEGMENT)
    writer.reserve()
    assert the_file(tmp_path).stat().st_size == sealed_size(3 * SEGMENT, resumable=True)
    writer.discard()
    writer.discard()
    assert not list((tmp_path / "blobs").glob("??/*"))
    with pytest.raises(ValueError, match="finished"):
        writer.write_at(0, bytes(SEGMENT))

    def full(fd: int, offset: int, length: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(StorageFull):
        writer_of(blobs, SEGMENT).reserve()


# --- a writing that is interrupted -----------------------------------------------------------------------------------

BIG = 3 * SEGMENT + 5


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stops=st.lists(st.sets(st.integers(0, 3)), max_size=4), seed=st.integers(0, 2**32))
def test_a_writing_resumes_from_its_whole_segments(blobs: BlobStore, stops: list[set[int]], seed: int) -> None:
    content = random.Random(seed).randbytes(BIG)
    writer, written = writer_of(blobs, BIG), set[int]()
    for stop in stops:
        for index in stop - written:
            start, end = index * SEGMENT, min((index + 1) * SEGMENT, BIG)
            writer.write_at(start, content[start:end])
        written |= stop
        halves = set(range(4)) - written
        for index in halves:
            writer.write_at(index * SEGMENT, content[index * SEGMENT :][:3])
        whole, ref = writer.whole, writer.begun
        assert {at // SEGMENT for start, end in whole for at in range(start, end, SEGMENT)} == written
        writer.sync()
        writer.close()
        assert ref is not None and ref.size == BIG
        writer = blobs.resume_scattered(ref, whole)
        assert (writer.whole, writer.held) == (whole, 0)
    for index in set(range(4)) - written:
        start, end = index * SEGMENT, min((index + 1) * SEGMENT, BIG)
        writer.write_at(start, content[start:end])
    assert blobs.open_sealed(writer.finish()).read(0, BIG) == content


def test_a_segment_that_is_written_again_has_another_nonce(blobs: BlobStore, tmp_path: Path) -> None:
    """Who resumes may bring other bytes: under one nonce, both together would tell what they are."""
    writer = writer_of(blobs, BIG)
    ref = writer.begun
    assert ref is not None
    seen = set()
    for content in (bytes(SEGMENT), bytes(SEGMENT), b"1" * SEGMENT):
        writer.write_at(0, content)
        seen.add(the_file(tmp_path).read_bytes()[:12])
        writer.close()
        writer = blobs.resume_scattered(ref, [])  # a crash came before it was recorded
    assert len(seen) == 3 and all(any(nonce) for nonce in seen)


def test_a_writing_is_not_resumed_without_its_file_or_its_key(blobs: BlobStore, tmp_path: Path) -> None:
    writer = writer_of(blobs, BIG)
    ref = writer.begun
    assert ref is not None
    writer.close()
    with pytest.raises(BlobDamaged):
        blobs.resume_scattered(replace(ref, owner="e"), [])
    the_file(tmp_path).unlink()
    with pytest.raises(BlobDamaged):
        blobs.resume_scattered(ref, [])
    assert writer_of(blobs, 1).begun is None, "what its row will hold is not on the disk"
