"""Master keys: made once, kept from others, and bound to what they wrap for."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from sieve.store.errors import MasterKeyError
from sieve.store.master_keys import SIV, MasterKeys, key_id

ONE, TWO = b"\1" * 32, b"\2" * 32


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=100))
def test_what_is_wrapped_unwraps_under_the_same_words_alone(data_key: bytes, aad: bytes) -> None:
    keys = MasterKeys([ONE])
    by, wrapped = keys.wrap(data_key, aad)
    assert keys.unwrap(by, wrapped, aad) == data_key
    with pytest.raises(MasterKeyError, match="does not open"):
        keys.unwrap(by, wrapped, aad + b"!")
    with pytest.raises(MasterKeyError, match="does not open"):
        keys.unwrap(by, bytes([wrapped[0] ^ 1]) + wrapped[1:], aad)
    with pytest.raises(MasterKeyError, match="does not open"):
        keys.unwrap(by, b"short", aad)


def test_a_new_key_wraps_while_the_old_one_still_unwraps() -> None:
    by, wrapped = MasterKeys([ONE]).wrap(b"k" * 32, b"")
    both = MasterKeys([TWO, ONE])
    assert both.unwrap(by, wrapped, b"") == b"k" * 32
    assert both.wrap(b"k" * 32, b"")[0] == key_id(TWO) != by
    with pytest.raises(MasterKeyError, match=f"master key {by} is needed and not here"):
        MasterKeys([TWO]).unwrap(by, wrapped, b"")


@given(
    st.binary(min_size=32, max_size=33), st.binary(max_size=100), st.binary(min_size=12, max_size=12).filter(SIV.__ne__)
)
def test_wraps_of_earlier_versions_open_and_are_wrapped_without_a_nonce(
    data_key: bytes, aad: bytes, nonce: bytes
) -> None:
    keys = MasterKeys([ONE])
    earlier = nonce + AESGCM(ONE).encrypt(nonce, data_key, aad)
    assert keys.unwrap(keys.current, earlier, aad) == data_key
    assert not keys.is_current(keys.current, earlier)
    by, wrapped = keys.rewrap(keys.current, earlier, aad)
    assert keys.is_current(by, wrapped) and len(wrapped) == len(earlier)
    # Nothing random is in it, so nothing can repeat: another key or place gives another wrap.
    assert keys.wrap(data_key, aad) == (by, wrapped)
    assert keys.wrap(data_key[:-1] + bytes([data_key[-1] ^ 1]), aad)[1] != wrapped != keys.wrap(data_key, aad + b"!")[1]


def test_no_key_shows_in_its_id_or_repr() -> None:
    keys = MasterKeys([ONE])
    assert keys.current == key_id(ONE)
    assert len(keys.current) == 16
    assert repr(keys) == f"MasterKeys({keys.current})"
    assert ONE.hex()[:8] not in repr(keys)


def test_the_first_run_makes_a_private_key_and_the_next_one_finds_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "master.key"
    made = MasterKeys.load_or_create(path, ())
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["master.key"]
    assert MasterKeys.load_or_create(path, ()).current == made.current
    assert MasterKeys.load_or_create(tmp_path / "other.key", ()).current != made.current


def test_a_key_that_somebody_else_made_first_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "master.key"
    fsync = os.fsync

    def rival_comes_first(fd: int) -> None:
        monkeypatch.setattr(os, "fsync", fsync)
        MasterKeys.load_or_create(path, ())
        fsync(fd)

    monkeypatch.setattr(os, "fsync", rival_comes_first)
    ours = MasterKeys.load_or_create(path, ())
    assert ours.current == MasterKeys.load_or_create(path, ()).current
    assert [entry.name for entry in tmp_path.iterdir()] == ["master.key"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "master.key"
    MasterKeys.load_or_create(path, ())
    path.chmod(mode)
    with pytest.raises(MasterKeyError) as caught:
        MasterKeys.load_or_create(path, ())
    assert str(caught.value) == (
        f"the master key file {path} can be used by others (mode {mode:04o}); run: chmod 600 {path}"
    )


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n", b"00" * 31, b"zz" * 32, b"\xff\xfe"])
def test_a_damaged_key_file_is_reported_and_never_repeated_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "master.key"
    path.touch(mode=0o600)
    path.write_bytes(content)
    with pytest.raises(MasterKeyError) as caught:
        MasterKeys.load_or_create(path, ())
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "0000" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_key_file_that_is_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MasterKeyError, match=r"cannot use the master key file .*: Is a directory; set"):
        MasterKeys.load_or_create(tmp_path, ())


def test_comments_and_blank_lines_in_a_key_file_do_not_count() -> None:
    keys = MasterKeys.from_text(f"# made today\n\n{TWO.hex()}\n  {ONE.hex()}  \n")
    assert keys.current == key_id(TWO)
    assert keys.unwrap(*MasterKeys([ONE]).wrap(b"k" * 32, b"a"), b"a") == b"k" * 32
