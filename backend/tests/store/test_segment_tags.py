"""A byte of a plain blob that changed on the disk is never read back as good."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.store import plain_blob
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore
from sieve.store.master_keys import MasterKeys
from sieve.store.segment_tags import SEGMENT, TAG, PlainSum, SegmentTags, segments

KEY = bytes(range(32))
SIZES = st.one_of(st.integers(0, 40), st.integers(SEGMENT - 2, SEGMENT + 2), st.integers(2 * SEGMENT, 3 * SEGMENT))


def summed(content: bytes, cuts: list[int]) -> PlainSum:
    taken = PlainSum(KEY)
    bounds = [0, *sorted(min(cut, len(content)) for cut in cuts), len(content)]
    for start, end in pairwise(bounds):
        taken.update(content[start:end])
    return taken


@given(size=SIZES, cuts=st.lists(st.integers(0, 3 * SEGMENT), max_size=5))
def test_however_the_bytes_come_digest_and_tags_are_the_same(size: int, cuts: list[int]) -> None:
    content = os.urandom(size)
    pieces, whole = summed(content, cuts), summed(content, [])
    assert pieces.digest() == whole.digest() == blake3(content).digest()
    tags = whole.tags()
    assert pieces.tags() == tags
    assert len(tags) == segments(size) * TAG
    assert SegmentTags(KEY, tags).hold(0, content)


class Stored(NamedTuple):
    blobs: BlobStore
    ref: BlobRef
    path: Path
    content: bytes


@pytest.fixture(scope="module", params=[1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT + 70_000, 3 * SEGMENT])
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    return a_plain_blob(tmp_path_factory.mktemp("stored"), request.param)


@settings(max_examples=40)
@given(data=st.data())
def test_one_changed_bit_is_noticed_where_it_is_read_and_nowhere_else(stored: Stored, data: st.DataObject) -> None:
    size = stored.ref.size
    at = data.draw(st.integers(0, size - 1))
    reader = stored.blobs.open_plain(stored.ref)
    with flipped(stored.path, at, bit=data.draw(st.integers(0, 7))):
        for _ in range(4):
            start = data.draw(st.integers(0, size))
            end = data.draw(st.integers(start, size))
            if start < end and start // SEGMENT <= at // SEGMENT <= (end - 1) // SEGMENT:
                with pytest.raises(BlobDamaged, match="was changed on its disk"):
                    reader.read(start, end)
            else:
                assert reader.read(start, end) == stored.content[start:end]


def test_segments_do_not_change_places(tmp_path: Path) -> None:
    blobs, ref, path, content = a_plain_blob(tmp_path, 2 * SEGMENT)
    path.write_bytes(content[SEGMENT:] + content[:SEGMENT])
    with pytest.raises(BlobDamaged):
        blobs.open_plain(ref).read(0, 1)


def test_a_row_that_names_fewer_segments_cuts_nothing(tmp_path: Path) -> None:
    blobs, ref, _, _ = a_plain_blob(tmp_path, 2 * SEGMENT)
    assert ref.tags is not None
    for cut in (replace(ref, size=SEGMENT, tags=ref.tags[:TAG]), replace(ref, size=SEGMENT)):
        with pytest.raises(BlobDamaged):
            blobs.open_plain(cut).read(0, SEGMENT)


def test_another_blobs_row_does_not_fit(tmp_path: Path) -> None:
    """Not even with its own tags and its own bytes: the key is bound to the blob."""
    blobs, ref, _, _ = a_plain_blob(tmp_path, 9)
    _, other, _, _ = a_plain_blob(tmp_path, 9)
    forged = replace(other, id=ref.id)
    with pytest.raises(BlobDamaged, match="cannot be checked"):
        blobs.open_plain(forged).read(0, 9)


def test_without_its_master_key_a_blob_cannot_be_checked(tmp_path: Path) -> None:
    _, ref, _, _ = a_plain_blob(tmp_path, 9)
    other = BlobStore(BlobFolder(tmp_path / "blobs"), MasterKeys([bytes(32)]))
    with pytest.raises(BlobDamaged, match="the master key .* is needed and not here"):
        other.open_plain(ref).read(0, 9)


def test_a_blob_without_tags_is_compared_as_a_whole(tmp_path: Path) -> None:
    """One from before there were tags: no range of it is read before all of it fits its digest."""
    blobs, ref, path, content = a_plain_blob(tmp_path, 2 * SEGMENT + 5)
    old, digest = untagged(ref), blake3(content).digest()
    reader = blobs.open_plain(old, digest)
    assert reader.read(SEGMENT - 2, SEGMENT + 2) == content[SEGMENT - 2 : SEGMENT + 2]
    flip(path, 3)
    with pytest.raises(BlobDamaged):
        blobs.open_plain(old, digest).read(SEGMENT, SEGMENT + 1)
    with pytest.raises(BlobDamaged):
        reader.read(0, 1)
    with pytest.raises(ValueError, match="by its digest"):
        blobs.open_plain(old)


def test_a_blob_gets_tags_later_if_it_fits_its_digest(tmp_path: Path) -> None:
    blobs, ref, path, content = a_plain_blob(tmp_path, SEGMENT + 5)
    tagged = blobs.tag(untagged(ref), blake3(content).digest())
    assert blobs.open_plain(tagged).read(0, len(content)) == content
    flip(path, SEGMENT)
    with pytest.raises(BlobDamaged):
        blobs.open_plain(tagged).read(SEGMENT, SEGMENT + 5)
    with pytest.raises(BlobDamaged):
        blobs.tag(untagged(ref), blake3(content).digest())


def test_the_sentence_names_our_disk_and_what_to_do() -> None:
    assert plain_blob.CHANGED == (
        "this gateway's stored file of the document was changed on its disk; ask the admin to restore it from a backup"
    )


def a_plain_blob(folder: Path, size: int) -> Stored:
    files, content = BlobFolder(folder / "blobs"), os.urandom(size)
    blobs = BlobStore(files, MasterKeys([KEY]))
    writer = blobs.new_plain(owner="d", purpose="document")
    taken = PlainSum(writer.tag_key)
    writer.write_at(0, [content])
    taken.update(content)
    return Stored(blobs, writer.finish(size, taken.tags()), files.path(writer.id), content)


def untagged(ref: BlobRef) -> BlobRef:
    return replace(ref, tags=None, key_id=None, wrapped_key=None)


@contextmanager
def flipped(path: Path, at: int, bit: int) -> Iterator[None]:
    flip(path, at, bit)
    try:
        yield
    finally:
        flip(path, at, bit)


def flip(path: Path, at: int, bit: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))
