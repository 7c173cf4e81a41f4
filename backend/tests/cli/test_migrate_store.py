"""`sieve migrate-store`: what the file may hold, and what the command says."""

from pathlib import Path

import pytest

from kept_data import KeptData
from sieve.cli import main


@pytest.fixture
def data(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> KeptData:
    data = KeptData(tmp_path / "data", migrated)
    for name, value in data.environment.items():
        monkeypatch.setenv(name, value)
    return data


def place(folder: Path, text: str) -> str:
    file = folder / "place.toml"
    file.write_text(text)
    return str(file)


def test_it_says_what_moved_and_which_settings_to_change(
    data: KeptData, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data.add(b"one")
    monkeypatch.setenv("SIEVE_BLOBS", str(data.places.blobs))  # the file wins over the environment
    file = place(tmp_path, f'database_url = "sqlite+aiosqlite:///{tmp_path}/new.db"\nblobs = "{tmp_path}/new"\n')
    assert main(["migrate-store", "--to", file]) == 0
    out = capsys.readouterr().out
    assert out.startswith("copied and compared 2 files of documents (")
    assert f"now set SIEVE_DATABASE_URL, SIEVE_BLOBS as in {file}, and start the gateway" in out
    assert len(list((tmp_path / "new").glob("??/*"))) == 2
    assert main(["migrate-store", "--to", file]) == 1
    assert "sieve migrate-store moved what the database" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('name = "bravo"', "name in {file} is not part of a place; it may have database_url, blobs, s3_endpoint,"),
        ('blobs = "s3://X"', "blobs in {file}: not the address of a bucket; write s3://bucket or s3://bucket/prefix"),
        ('s3_endpoint = "http://127.0.0.1:9"', "blobs in {file}: with SIEVE_S3_ENDPOINT it must be a bucket"),
        ("blobs", "--to: {file} is not TOML"),
        ("", "database_url and blobs are what this gateway uses already; name another place"),
    ],
)
def test_a_place_that_cannot_be_used_is_refused(
    data: KeptData, tmp_path: Path, text: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data.add(b"one")
    file = place(tmp_path, text)
    assert main(["migrate-store", "--to", file]) != 0
    assert line.format(file=file) in capsys.readouterr().err
