"""Plain blobs: written in any order, by offsets, and then only read."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore, StorageFull
from sieve.store.segment_tags import SEGMENT


def test_pieces_come_in_any_order_and_are_read_in_any(blobs: BlobStore, folder: BlobFolder) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.reserve(11)
    assert writer.write_at(6, [b"wor", b"", bytearray(b"ld")]) == 5
    writer.write_at(0, [memoryview(b"hello ")])
    assert writer.read(3, 8) == b"lo wo"
    ref = writer.finish(11)
    blobs.sync_names()
    assert (ref.kind, ref.size, ref.owner, ref.purpose, ref.content) == ("plain", 11, "d", "document", None)
    assert blobs.open_plain(ref).read(0, 11) == b"hello world"
    assert blobs.open_plain(ref).read(6, 11) == b"world"
    assert folder.path(writer.id).stat().st_mode & 0o777 == 0o600
    assert folder.path(writer.id).parent.stat().st_mode & 0o777 == 0o700


def test_another_process_may_write_into_the_reserved_file(blobs: BlobStore, folder: BlobFolder) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.reserve(4)
    with folder.path(writer.id).open("r+b") as other:
        other.write(b"data")
    assert blobs.open_plain(writer.finish(4)).read(0, 4) == b"data"


@settings(max_examples=30)
@given(pieces=st.lists(st.binary(max_size=50), max_size=40), limit=st.integers(1, 20))
def test_short_writes_and_many_pieces_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], limit: int
) -> None:
    from sieve.store import blob_file

    path = tmp_path_factory.mktemp("short") / "file"
    fd = blob_file.create(path)
    pwritev = os.pwritev

    def short(fd: int, buffers: list[memoryview], offset: int) -> int:
        return pwritev(fd, [memoryview(b"".join(buffers))[:limit]], offset)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "pwritev", short)
        assert blob_file.write_at(fd, 3, pieces) == sum(map(len, pieces))
    whole = b"".join(pieces)
    assert blob_file.read_at(fd, 3, len(whole)) == whole
    os.close(fd)


def test_more_pieces_than_one_system_call_takes(blobs: BlobStore) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    data = os.urandom(5000)
    writer.write_at(0, [data[i : i + 1] for i in range(5000)])
    assert blobs.open_plain(writer.finish(5000)).read(0, 5000) == data


@settings(max_examples=50)
@given(data=st.data())
def test_a_reader_gives_any_range(data: st.DataObject, plain_of_600_k: tuple[BlobStore, bytes, BlobRef]) -> None:
    blobs, content, ref = plain_of_600_k
    reader = blobs.open_plain(ref)
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + data.draw(st.sampled_from([3, SEGMENT, 10**6])))))
        assert reader.read(start, end) == content[start:end]


def test_what_was_reserved_and_not_used_is_given_back(blobs: BlobStore, folder: BlobFolder) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.reserve(10_000)
    writer.write_at(0, [b"abc"])
    ref = writer.finish(3)
    assert folder.path(writer.id).stat().st_size == 3
    with pytest.raises(ValueError, match="inside the blob"):
        blobs.open_plain(ref).read(0, 4)


def test_an_empty_blob_is_one(blobs: BlobStore) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.reserve(0)
    ref = writer.finish(0)
    assert blobs.open_plain(ref).read(0, 0) == b""


def test_fewer_bytes_than_said_are_refused(blobs: BlobStore) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"abc"])
    with pytest.raises(BlobDamaged, match="shorter"):
        writer.finish(4)
    writer.discard()


def test_a_finished_blob_is_never_written_again(blobs: BlobStore) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"abc"])
    writer.finish(3)
    with pytest.raises(ValueError, match="finished"):
        writer.write_at(0, [b"x"])
    with pytest.raises(ValueError, match="finished"):
        writer.finish(3)


def test_discarding_leaves_nothing_also_after_the_end_and_twice(blobs: BlobStore, folder: BlobFolder) -> None:
    begun, ended = (blobs.new_plain(owner="d", purpose="document") for _ in range(2))
    ended.finish(0)
    for writer in (begun, ended, begun):
        writer.discard()
        assert not folder.path(writer.id).exists()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_has_one_name(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def full(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    writer = blobs.new_plain(owner="d", purpose="document")
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(StorageFull, match="the disk that holds the documents is full"):
        writer.reserve(10)
    monkeypatch.setattr(os, "pwritev", full)
    with pytest.raises(StorageFull):
        writer.write_at(0, [b"x"])
    writer.discard()
    monkeypatch.setattr(os, "open", full)
    with pytest.raises(StorageFull):
        blobs.new_plain(owner="d", purpose="document")


def test_a_missing_or_cut_file_is_damage(blobs: BlobStore, folder: BlobFolder) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"abcdef"])
    ref = writer.finish(6)
    os.truncate(folder.path(writer.id), 4)
    with pytest.raises(BlobDamaged, match="shorter than it was"):
        blobs.open_plain(ref).read(0, 6)
    with pytest.raises(BlobDamaged, match="shorter than it was"):
        blobs.open_plain(ref).read(5, 6)
    folder.path(writer.id).unlink()
    with pytest.raises(BlobDamaged, match="missing"):
        blobs.open_plain(ref).read(0, 1)


def test_a_link_in_the_place_of_a_blob_is_not_followed(blobs: BlobStore, folder: BlobFolder, tmp_path: Path) -> None:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"abc"])
    ref = writer.finish(3)
    folder.path(writer.id).rename(tmp_path / "elsewhere")
    folder.path(writer.id).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        blobs.open_plain(ref).read(0, 3)
