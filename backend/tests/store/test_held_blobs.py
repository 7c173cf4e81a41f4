"""A blob that is being read outlives its deletion until it has been."""

from pathlib import Path

import pytest

from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore


def new_blob(blobs: BlobStore) -> BlobRef:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"plain"])
    return writer.finish(5)


def files(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "blobs").rglob("*") if path.is_file()]


def test_it_goes_when_the_last_one_lets_it_go(blobs: BlobStore, tmp_path: Path) -> None:
    ref = new_blob(blobs)
    with blobs.held(ref):
        with blobs.held(ref, new_blob(blobs)):
            blobs.delete(ref)
            blobs.delete(ref)
        assert blobs.open_plain(ref).read(0, 5) == b"plain"
    assert ref.id not in files(tmp_path)
    assert len(files(tmp_path)) == 1


def test_one_that_nobody_deletes_stays(blobs: BlobStore, tmp_path: Path) -> None:
    ref = new_blob(blobs)
    with blobs.held(ref):
        pass
    assert files(tmp_path) == [ref.id]
    blobs.delete(ref)
    assert files(tmp_path) == []


def test_what_is_gone_cannot_be_held_and_holds_nothing(blobs: BlobStore, tmp_path: Path) -> None:
    gone, there = new_blob(blobs), new_blob(blobs)
    blobs.delete(gone)
    with pytest.raises(BlobDamaged), blobs.held(there, gone):
        pass
    blobs.delete(there)
    assert files(tmp_path) == []
