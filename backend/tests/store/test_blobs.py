"""The blob store: files, their names, and when these are durable."""

from contextlib import suppress
from pathlib import Path

import pytest

from sieve.store import blob_file
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import IN_ROW, BlobRef, BlobStore, PlainWriter, ScatteredWriter, SealedWriter


def stored(blobs: BlobStore, content: bytes) -> BlobRef:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [content])
    return writer.finish(len(content))


def test_deleting_twice_is_no_error(blobs: BlobStore, folder: BlobFolder) -> None:
    ref = stored(blobs, b"x")
    blobs.delete(ref)
    blobs.delete(ref)
    assert not folder.path(ref.id).exists()


@pytest.mark.parametrize("bad", ["", "../../etc/passwd", "A" * 32, "0" * 31, "0" * 32 + "\n"])
def test_an_id_is_never_a_path(blobs: BlobStore, bad: str) -> None:
    with pytest.raises(ValueError, match="no id of a blob"):
        blobs.is_there(BlobRef(bad, "plain", "d", "document", 0))


def test_syncing_covers_every_folder_that_got_a_file_or_a_folder(
    blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(blob_file, "sync_folder", synced.append)
    refs = [stored(blobs, b"x") for _ in range(5)]
    blobs.sync_names()
    assert {*synced} == {tmp_path / "blobs", *(tmp_path / "blobs" / ref.id[:2] for ref in refs)}
    synced.clear()
    blobs.sync_names()
    assert synced == []
    near = blobs.new_plain(owner="d", purpose="document", near=refs[0].id)
    blobs.sync_names()
    assert synced == [tmp_path / "blobs" / refs[0].id[:2]]
    near.discard()


def test_what_is_stored_together_shares_a_folder(blobs: BlobStore, tmp_path: Path) -> None:
    first = blobs.new_plain(owner="d", purpose="document").id
    others: list[PlainWriter | SealedWriter | ScatteredWriter] = [
        blobs.new_plain(owner="d", purpose="document", near=first),
        blobs.new_sealed(owner="d", purpose="document", near=first),
        blobs.new_scattered(owner="d", purpose="document", size=IN_ROW + 1, near=first),
    ]
    names = {file.name for file in (tmp_path / "blobs").glob("??/*")}
    assert len(names) == 4 and {name[:2] for name in names} == {first[:2]}
    assert all(len(name) == 32 for name in names)
    for writer in others:
        writer.discard()


def test_a_folder_that_could_not_be_synced_is_synced_the_next_time(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [stored(blobs, b"x") for _ in range(5)]
    synced: list[Path] = []

    def fails(path: Path) -> None:
        if path.name == refs[0].id[:2]:
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(blob_file, "sync_folder", fails)
        with pytest.raises(OSError, match="Input/output error"):
            blobs.sync_names()
    monkeypatch.setattr(blob_file, "sync_folder", synced.append)
    blobs.sync_names()
    assert refs[0].id[:2] in {path.name for path in synced}


def test_the_folders_are_private(blobs: BlobStore, tmp_path: Path) -> None:
    ref = stored(blobs, b"x")
    folders = [tmp_path / "blobs", tmp_path / "blobs" / ref.id[:2]]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def test_no_descriptor_stays_open(blobs: BlobStore) -> None:
    open_before = descriptors()
    ref = stored(blobs, b"abc")
    blobs.open_plain(ref).read(0, 3)
    sealed = blobs.new_sealed(owner="d", purpose="document")
    sealed_ref = sealed.finish()
    blobs.open_sealed(sealed_ref).read(0, 0)
    blobs.new_plain(owner="d", purpose="document").discard()
    blobs.sync_names()
    assert descriptors() == open_before


def descriptors() -> int:
    """How many files are open. The client of an S3 store keeps connections."""
    found = 0
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor that lists them
            found += not str(each.readlink()).startswith(("socket:", "anon_inode:"))
    return found
