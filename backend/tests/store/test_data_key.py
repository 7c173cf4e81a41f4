"""The key of a blob names its AEAD, and blobs of both kinds are read and written side by side."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from sieve.store import data_key
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore
from sieve.store.master_keys import MasterKeys

CONTENT = bytes(range(256)) * 2500
BOTH = pytest.mark.parametrize("fast", [True, False])


@BOTH
def test_a_fresh_key_is_for_the_faster_aead(monkeypatch: pytest.MonkeyPatch, fast: bool) -> None:
    monkeypatch.setattr(data_key, "aes_is_fast", lambda: fast)
    one, other = data_key.fresh(), data_key.fresh()
    assert one != other
    assert isinstance(data_key.aead(one), AESGCM if fast else ChaCha20Poly1305)


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), b"\2" + bytes(32), bytes(34)])
def test_no_other_bytes_are_a_key(key: bytes) -> None:
    with pytest.raises(ValueError):
        data_key.aead(key)


@BOTH
def test_a_blob_is_read_on_a_machine_of_the_other_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    blobs = BlobStore(BlobFolder(tmp_path), MasterKeys([bytes(32)]))
    monkeypatch.setattr(data_key, "aes_is_fast", lambda: fast)
    refs = [_sealed(blobs), _plain(blobs), blobs.kept_in_row(CONTENT[:100], owner="o", purpose="p")]
    monkeypatch.setattr(data_key, "aes_is_fast", lambda: not fast)
    sealed, plain, in_row = refs
    assert blobs.open_sealed(sealed).read(0, sealed.size) == CONTENT
    assert blobs.open_sealed(in_row).read(0, in_row.size) == CONTENT[:100]
    assert blobs.open_plain(plain).read(0, plain.size) == CONTENT


@BOTH
def test_a_changed_byte_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: bool) -> None:
    monkeypatch.setattr(data_key, "aes_is_fast", lambda: fast)
    folder = BlobFolder(tmp_path)
    blobs = BlobStore(folder, MasterKeys([bytes(32)]))
    sealed, plain = _sealed(blobs), _plain(blobs)
    for ref in (sealed, plain):
        path = next(path for path in tmp_path.rglob("*") if path.is_file() and ref.id in str(path))
        content = bytearray(path.read_bytes())
        content[300_000] ^= 1
        path.write_bytes(content)
    for reader in (blobs.open_sealed(sealed), blobs.open_plain(plain)):
        assert reader.read(0, 1000) == CONTENT[:1000]
        with pytest.raises(BlobDamaged):
            reader.read(0, len(CONTENT))


def _sealed(blobs: BlobStore) -> BlobRef:
    writer = blobs.new_sealed(owner="o", purpose="p")
    writer.write(CONTENT)
    return writer.finish()


def _plain(blobs: BlobStore) -> BlobRef:
    writer = blobs.new_plain(owner="o", purpose="p")
    writer.reserve(len(CONTENT))
    writer.write_at(0, [memoryview(CONTENT)])
    return writer.finish(len(CONTENT))
