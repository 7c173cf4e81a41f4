"""`sieve backup` and `sieve restore`: what they say, and their exit status."""

from pathlib import Path

import pytest

from kept_data import KeptData
from sieve import load_config
from sieve.cli.app import main
from sieve.cli.backup import places_of


@pytest.fixture
def data(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> KeptData:
    data = KeptData(tmp_path / "data", migrated)
    monkeypatch.setenv("SIEVE_NAME", "alpha")
    for name, value in data.environment.items():
        monkeypatch.setenv(name, value)
    return data


def test_a_backup_is_made_checked_and_restored(
    data: KeptData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = data.add(b"content")
    saved = str(tmp_path / "backup")
    assert main(["backup", saved]) == 0
    told = capsys.readouterr().out
    assert "backed up: alpha as of 2" in told and "2 files of documents" in told
    assert f"cannot be opened without it: keep a copy of {tmp_path}" in told
    assert main(["backup", saved, "--verify"]) == 0
    assert "complete: alpha as of 2" in capsys.readouterr().out

    new = KeptData(tmp_path / "new")
    monkeypatch.setenv("SIEVE_DATA_DIR", str(new.folder))
    assert main(["restore", saved]) == 0
    told = capsys.readouterr().out
    assert f"holds the master key that the backup needs ({data.keys.current})" in told
    assert "the backup has nothing from after 2" in told
    assert new.read() == {kept.id: b"content"}


def test_a_database_that_is_named_from_here_is_found_from_elsewhere(
    data: KeptData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restore that is finished later must not depend on where it is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIEVE_DATABASE_URL", "sqlite+aiosqlite:///here.db")
    assert places_of(load_config.load()).database == tmp_path / "here.db"


def test_a_master_key_that_does_not_fit_is_reported(
    data: KeptData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data.add(b"content")
    assert main(["backup", str(tmp_path / "backup")]) == 0
    monkeypatch.setenv("SIEVE_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.setenv("SIEVE_MASTER_KEY_FILE", str(tmp_path / "absent.key"))
    capsys.readouterr()
    assert main(["restore", str(tmp_path / "backup")]) == 0
    assert f"before you start the gateway: the master key {data.keys.current} is missing" in capsys.readouterr().out
    # One that a restore made would look as if it were right.
    assert not (tmp_path / "absent.key").exists()


def test_the_exit_status_says_whose_fault_it_is(
    data: KeptData, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(status: int, *arguments: str) -> str:
        assert main(list(arguments)) == status
        [line] = capsys.readouterr().err.splitlines()
        return line

    kept = data.add(b"content")
    saved = tmp_path / "backup"
    assert "is not empty" in fails(2, "backup", str(data.folder))
    assert "no finished backup" in fails(2, "restore", str(data.folder))
    assert "no finished backup" in fails(2, "backup", str(data.folder), "--verify")
    assert "--verify makes no backup" in fails(2, "backup", str(saved), "--verify", "--master-key", "x")
    assert main(["backup", str(saved)]) == 0
    capsys.readouterr()
    assert "--replace moves it aside" in fails(1, "restore", str(saved))
    (saved / "sieve.db").write_bytes(b"")
    assert "is damaged: sieve.db missing or changed" in fails(1, "backup", str(saved), "--verify")
    data.path(kept.plain).unlink()
    line = fails(1, "backup", str(tmp_path / "second"))
    assert "the backup is made, but files of documents are missing" in line and kept.plain.id in line


def test_no_admin_is_made_in_what_is_half_restored(data: KeptData, capsys: pytest.CaptureFixture[str]) -> None:
    (data.folder / "restoring.json").write_text("{}")
    assert main(["admin", "create", "another", "--another"]) == 1
    assert "was cut off; run sieve restore again" in capsys.readouterr().err
