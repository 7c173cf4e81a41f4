"""What was separated into a folder comes back byte for byte, or is refused with a sentence."""

import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from sieve.cli import main
from sieve.cli.errors import BadInput, Failed
from sieve.cli.files import write_target
from sieve.cli.separated_folder import MANIFEST_NAME, PLAIN_NAME, SECURE_NAME, read, write
from sieve.core.errors import MarkupError

MARKED = "\ufeffAt <$S>noon 😀<$E><$S><$E>\r\nby the <$$S> gate\0".encode()
CONTENT = "\ufeffAt noon 😀\r\nby the <$S> gate\0".encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memo.txt").write_bytes(MARKED)
    write(str(tmp_path / "memo.txt"), tmp_path / "out")
    return tmp_path / "out"


def test_the_streams_lie_apart_and_come_back(folder: Path) -> None:
    assert (folder / SECURE_NAME).read_bytes() == "noon 😀".encode()
    assert b"noon" not in (folder / PLAIN_NAME).read_bytes()
    assert read(folder) == MARKED
    assert read(folder, content=True) == CONTENT


def test_everything_is_for_its_owner_alone(folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert {path.name for path in folder.iterdir()} == {SECURE_NAME, PLAIN_NAME, MANIFEST_NAME}


@pytest.mark.parametrize("data", [MARKED, b"<$E> stray", b"not \xff UTF-8", b""])
def test_an_unmarked_file_is_taken_as_it_is(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    document = write(str(tmp_path / "file"), tmp_path / "out", unmarked=True)
    assert document.classified_size == 0
    assert read(tmp_path / "out") == read(tmp_path / "out", content=True) == data


def test_nothing_is_written_for_a_malformed_text(tmp_path: Path) -> None:
    (tmp_path / "memo.txt").write_bytes(b"one\n<$E>")
    with pytest.raises(MarkupError, match="line 2, column 1"):
        write(str(tmp_path / "memo.txt"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_standard_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, printed = io.BytesIO(MARKED), io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
    write("-", tmp_path / "out")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed))
    write_target("-", read(tmp_path / "out"))
    assert printed.getvalue() == MARKED


@pytest.mark.parametrize("name", [SECURE_NAME, PLAIN_NAME])
def test_a_changed_or_missing_stream_is_refused(folder: Path, name: str) -> None:
    stream = (folder / name).read_bytes()
    for changed in (stream[:-1], stream + b"x", bytes([stream[0] ^ 1]) + stream[1:]):
        (folder / name).write_bytes(changed)
        with pytest.raises(BadInput, match=f"{name} does not match manifest.json"):
            read(folder)
    (folder / name).unlink()
    with pytest.raises(BadInput, match=f"cannot read .*{name}: No such file or directory"):
        read(folder)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("version", 2, "has version 2; this program reads version 1"),
        ("given", "perhaps", "is not the manifest"),
        ("size", -1, "is not the manifest"),
        ("size", True, "is not the manifest"),
        ("size", 3, "does not match its streams: span 1 of 2 reaches past the end"),
        ("spans", [[3, 1]], "is not the manifest"),
        ("spans", None, "is not the manifest"),
        ("spans", [], "does not match its streams: the secure stream has 9 bytes, not the 0"),
        ("spans", [[6, 13], [13, 15]], "does not match its streams: span 1 ends inside a character"),
        ("secure", None, "does not match manifest.json"),
    ],
)
def test_a_changed_manifest_is_refused(folder: Path, field: str, value: object, sentence: str) -> None:
    manifest = json.loads((folder / MANIFEST_NAME).read_bytes())
    (folder / MANIFEST_NAME).write_text(json.dumps(manifest | {field: value}))
    with pytest.raises(BadInput, match=sentence):
        read(folder)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"version": 1}'])
def test_what_is_no_manifest_is_refused(folder: Path, raw: bytes) -> None:
    (folder / MANIFEST_NAME).write_bytes(raw)
    with pytest.raises(BadInput, match="is not the manifest of a separated document"):
        read(folder)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read .*/absent.txt: No such file or directory"):
        write(str(tmp_path / "absent.txt"), tmp_path / "out")


def test_a_file_is_replaced_whole_and_becomes_private(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"before")
    target.chmod(0o644)
    write_target(target, b"after")
    assert target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_followed_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")
    (tmp_path / "link").symlink_to("file")
    write_target(tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"after"

    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_target(tmp_path / "pipe", b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_what_cannot_be_written_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(Failed, match=r"cannot write .*/absent/file: No such file or directory"):
        write_target(tmp_path / "absent" / "file", b"")
    with pytest.raises(Failed, match=r"cannot make the folder .*/memo.txt: File exists"):
        write(str(tmp_path / "memo.txt"), tmp_path / "memo.txt")


def test_the_commands_separate_and_integrate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, folder, out = tmp_path / "memo.md", tmp_path / "separated", tmp_path / "out"
    document.write_bytes(MARKED)
    assert main(["separate", str(document), "--out", str(folder)]) == 0
    assert (folder / "secure.bin").read_bytes() == "noon 😀".encode()
    assert main(["integrate", str(folder), "--out", str(out)]) == 0
    assert out.read_bytes() == MARKED
    assert main(["integrate", str(folder), "--out", str(out), "--content"]) == 0
    assert out.read_bytes() == CONTENT
    document.write_bytes(b"<$E>")
    assert main(["separate", str(document), "--out", str(tmp_path / "not")]) == 2
    assert not (tmp_path / "not").exists()
    assert main(["integrate", str(tmp_path), "--out", str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
