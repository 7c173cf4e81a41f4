"""Sealed blobs: nothing clear on the disk, and any change of the file or its row is found."""

import os
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore, StorageFull
from sieve.store.errors import MasterKeyMissing
from sieve.store.master_keys import MasterKeys
from sieve.store.sealed_blob import SEGMENT, TAG, SealedReader, sealed_size, segments

EDGES = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT, 2 * SEGMENT + 5]


def seal(blobs: BlobStore, content: bytes, purpose: str = "document") -> BlobRef:
    writer = blobs.new_sealed(owner="d", purpose=purpose)
    writer.write(content)
    return writer.finish()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=st.sampled_from(EDGES), cuts=st.lists(st.integers(0, 2 * SEGMENT + 5), max_size=6))
def test_what_was_written_in_any_pieces_is_read_back(
    blobs: BlobStore, folder: BlobFolder, size: int, cuts: list[int]
) -> None:
    content = os.urandom(size)
    writer = blobs.new_sealed(owner="d", purpose="document")
    bounds = [0, *sorted(min(cut, size) for cut in cuts), size]
    for start, end in pairwise(bounds):
        writer.write(memoryview(content)[start:end])
    ref = writer.finish()
    assert ref.size == size
    assert folder.path(writer.id).stat().st_size == sealed_size(size) == size + segments(size) * TAG
    assert blobs.open_sealed(ref).read(0, size) == content


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_reader_gives_any_range(data: st.DataObject, sealed_of_600_k: tuple[BlobStore, bytes, BlobRef]) -> None:
    blobs, content, ref = sealed_of_600_k
    reader = blobs.open_sealed(ref)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, len(content)))
        assert reader.read(start, end) == content[start:end]


def test_reading_in_order_opens_each_segment_once(
    sealed_of_600_k: tuple[BlobStore, bytes, BlobRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs, content, ref = sealed_of_600_k
    reader = blobs.open_sealed(ref)
    opened = 0
    pread = os.pread

    def counting(fd: int, size: int, offset: int) -> bytes:
        nonlocal opened
        opened += 1
        return pread(fd, size, offset)

    monkeypatch.setattr(os, "pread", counting)
    got = b"".join(reader.read(start, min(start + 1000, ref.size)) for start in range(0, ref.size, 1000))
    assert got == content
    assert opened == 3


def test_nothing_clear_is_on_the_disk(blobs: BlobStore, folder: BlobFolder) -> None:
    secret = b"the classified sentence "
    ref = seal(blobs, secret * 20_000)
    assert secret[:12] not in folder.path(ref.id).read_bytes()
    assert folder.path(ref.id).stat().st_mode & 0o777 == 0o600
    assert "wrapped" not in repr(ref)


@settings(max_examples=60, deadline=None)
@given(place=st.integers(0, 600_000 + 3 * TAG - 1), bit=st.integers(0, 7))
def test_any_flipped_bit_is_found(
    sealed_of_600_k: tuple[BlobStore, bytes, BlobRef],
    sealed_folder: BlobFolder,
    keys: MasterKeys,
    place: int,
    bit: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    _, content, ref = sealed_of_600_k
    damaged = bytearray(sealed_folder.path(ref.id).read_bytes())
    damaged[place] ^= 1 << bit
    folder = BlobFolder(tmp_path_factory.mktemp("flip"))
    folder.path(ref.id).parent.mkdir()
    folder.path(ref.id).write_bytes(damaged)
    reader = SealedReader(folder, ref, keys)
    hit = place // (SEGMENT + TAG)
    for index in range(3):
        start, end = index * SEGMENT, min((index + 1) * SEGMENT, ref.size)
        if index == hit:
            with pytest.raises(BlobDamaged, match="a sealed file was changed; restore it from a backup"):
                reader.read(start, end)
        else:
            assert reader.read(start, end) == content[start:end]


def test_segments_that_change_places_are_found(blobs: BlobStore, folder: BlobFolder) -> None:
    ref = seal(blobs, os.urandom(3 * SEGMENT))
    path, step = folder.path(ref.id), SEGMENT + TAG
    file = path.read_bytes()
    path.write_bytes(file[step : 2 * step] + file[:step] + file[2 * step :])
    with pytest.raises(BlobDamaged):
        blobs.open_sealed(ref).read(0, 1)


@pytest.mark.parametrize("size", [2 * SEGMENT, SEGMENT])
def test_a_cut_at_a_segment_is_found_even_if_the_row_agrees(blobs: BlobStore, folder: BlobFolder, size: int) -> None:
    ref = seal(blobs, os.urandom(3 * SEGMENT))
    os.truncate(folder.path(ref.id), sealed_size(size))
    with pytest.raises(BlobDamaged, match="not as long as it was"):
        blobs.open_sealed(ref).read(0, 1)
    shorter = blobs.open_sealed(replace(ref, size=size))
    with pytest.raises(BlobDamaged, match="was changed"):
        shorter.read(size - 1, size)


def test_a_longer_file_is_found(blobs: BlobStore, folder: BlobFolder) -> None:
    ref = seal(blobs, b"short")
    with folder.path(ref.id).open("ab") as file:
        file.write(b"more")
    with pytest.raises(BlobDamaged, match="not as long"):
        blobs.open_sealed(ref).read(0, 5)


@pytest.mark.parametrize("change", [{"owner": "e"}, {"purpose": "manifest"}, {"owner": "dd", "purpose": "ocument"}])
def test_a_key_opens_nothing_under_another_row(blobs: BlobStore, change: dict[str, str]) -> None:
    ref = seal(blobs, b"secret")
    with pytest.raises(BlobDamaged, match="its row was changed"):
        blobs.open_sealed(replace(ref, **change))  # type: ignore[arg-type]


def test_files_that_change_places_are_found(blobs: BlobStore, folder: BlobFolder) -> None:
    one, two = seal(blobs, b"first!"), seal(blobs, b"second")
    path = folder.path(one.id)
    path.write_bytes(folder.path(two.id).read_bytes())
    with pytest.raises(BlobDamaged, match="was changed"):
        blobs.open_sealed(one).read(0, 6)
    with pytest.raises(BlobDamaged, match="its row was changed"):
        blobs.open_sealed(replace(two, id=one.id))


def test_without_its_master_key_a_blob_stays_shut(blobs: BlobStore, folder: BlobFolder) -> None:
    ref = seal(blobs, b"secret")
    strangers = MasterKeys([b"\7" * 32])
    with pytest.raises(MasterKeyMissing, match=r"the master key .* is needed and not here"):
        BlobStore(folder, strangers).open_sealed(ref)


def test_a_blob_whose_key_cannot_be_wrapped_leaves_no_file(
    blobs: BlobStore, folder: BlobFolder, keys: MasterKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(keys, "wrap", fails)
    with pytest.raises(MemoryError):
        blobs.new_scattered(owner="d", purpose="document", size=SEGMENT)
    assert not [path for path in folder.root.glob("??/*") if path.is_file()]


def test_every_blob_has_a_key_of_its_own(blobs: BlobStore, folder: BlobFolder) -> None:
    one, two = seal(blobs, bytes(1000)), seal(blobs, bytes(1000))
    assert one.wrapped_key != two.wrapped_key
    assert folder.path(one.id).read_bytes() != folder.path(two.id).read_bytes()


def test_what_was_reserved_and_not_used_is_given_back(blobs: BlobStore, folder: BlobFolder) -> None:
    writer = blobs.new_sealed(owner="d", purpose="document")
    writer.reserve(SEGMENT * 3)
    assert folder.path(writer.id).stat().st_size == sealed_size(SEGMENT * 3)
    writer.write(b"little")
    ref = writer.finish()
    assert folder.path(writer.id).stat().st_size == sealed_size(6)
    assert blobs.open_sealed(ref).read(0, 6) == b"little"


def test_a_full_disk_and_a_finished_blob_are_errors(
    blobs: BlobStore, folder: BlobFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = blobs.new_sealed(owner="d", purpose="document")
    with monkeypatch.context() as patch:

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        patch.setattr(os, "pwritev", full)
        with pytest.raises(StorageFull):
            writer.write(bytes(2 * SEGMENT))
    writer.discard()
    writer.discard()
    assert not folder.path(writer.id).exists()
    with pytest.raises(ValueError, match="finished"):
        writer.write(b"x")


def test_a_plain_blob_cannot_be_opened_as_a_sealed_one(blobs: BlobStore) -> None:
    plain = blobs.new_plain(owner="d", purpose="document")
    ref = plain.finish(0)
    with pytest.raises(ValueError, match="no key"):
        blobs.open_sealed(ref)
    with pytest.raises(ValueError, match="a sealed blob needs no tags"):
        replace(ref, kind="sealed")
