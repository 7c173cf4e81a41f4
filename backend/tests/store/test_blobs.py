"""The blob folder: what no row names goes, and names become durable."""

from pathlib import Path

import pytest

from sieve.store import blob_file
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.keys import MasterKeys


def stored(blobs: BlobStore, content: bytes) -> BlobRef:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [content])
    writer.sync()
    return writer.ref(len(content))


def test_sweeping_spares_what_rows_name(blobs: BlobStore, tmp_path: Path, keys: MasterKeys) -> None:
    kept, left_behind = stored(blobs, b"kept"), stored(blobs, b"left")
    half_done = blobs.new_sealed(owner="d", purpose="document")
    foreign = tmp_path / "blobs" / "ab" / "README"
    foreign.write_text("not ours")
    restarted = BlobStore(tmp_path / "blobs", keys)
    assert restarted.sweep({kept.id}) == 2
    assert restarted.read_plain(kept, 0, 4) == b"kept"
    assert not half_done.path.exists()
    assert not (tmp_path / "blobs" / left_behind.id[:2] / left_behind.id).exists()
    assert foreign.exists()
    assert restarted.sweep({kept.id}) == 0
    half_done.discard()


def test_sweeping_after_the_first_blob_is_refused(blobs: BlobStore) -> None:
    ref = stored(blobs, b"just made, no row yet")
    with pytest.raises(ValueError, match="sweep before the first blob"):
        blobs.sweep(set())
    assert blobs.read_plain(ref, 0, 4) == b"just"


def test_deleting_twice_is_no_error(blobs: BlobStore) -> None:
    ref = stored(blobs, b"x")
    blobs.delete(ref)
    blobs.delete(ref)
    assert not blobs._path(ref.id).exists()


@pytest.mark.parametrize("bad", ["", "../../etc/passwd", "A" * 32, "0" * 31, "0" * 32 + "\n"])
def test_an_id_is_never_a_path(blobs: BlobStore, bad: str) -> None:
    with pytest.raises(ValueError, match="no id of a blob"):
        blobs.read_plain(BlobRef(bad, "plain", "d", "document", 0), 0, 0)


def test_syncing_covers_every_folder_that_got_a_file(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(blob_file, "sync_folder", synced.append)
    refs = [stored(blobs, b"x") for _ in range(5)]
    blobs.sync_folder()
    assert {path.name for path in synced} == {ref.id[:2] for ref in refs}
    synced.clear()
    blobs.sync_folder()
    assert synced == []


def test_the_folders_are_private(blobs: BlobStore, tmp_path: Path) -> None:
    folders = [tmp_path / "blobs", *(tmp_path / "blobs").iterdir()]
    assert len(folders) == 257
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def test_no_descriptor_stays_open(blobs: BlobStore) -> None:
    open_before = descriptors()
    ref = stored(blobs, b"abc")
    blobs.open_plain(ref).read(0, 3)
    sealed = blobs.new_sealed(owner="d", purpose="document")
    sealed_ref = sealed.finish()
    blobs.open_sealed(sealed_ref).read(0, 0)
    blobs.new_plain(owner="d", purpose="document").discard()
    blobs.sync_folder()
    assert descriptors() == open_before


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
