"""`separate`, `integrate` and `redact` with a marks file: any format, but only the file that it was made for."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from any_files import GOOD, SECRET
from pdf_files import by_reportlab
from sieve import marks_file
from sieve.cli.app import main
from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.reading import read

FILES = {
    "memo.txt": ("At <$S>noon é\r\n".encode(), [Mark("text", 7, 11)], b"noon"),
    "pay.csv": (b"name,pay\nAnn,717\n", [Mark("column/pay")], b"717"),
    "pay.tsv": (b"name\tpay\nAnn\t717\n", [Mark("row/1/pay", 0, 3)], b"717"),
    "pay.jsonl": (b'{"name": "Ann", "pay": 717}\n', [Mark("row/1/pay")], b"717"),
    "data.bin": (b"\xff\x00secret\xfe", [Mark("bytes/2-8")], b"secret"),
}


def office_files() -> Iterator[tuple[str, bytes, Mark, bytes]]:
    word, page = io.BytesIO(), io.BytesIO()
    letter = docx.Document()
    letter.add_paragraph("At noon exactly")
    letter.save(word)
    canvas = Canvas(page, pageCompression=0)
    canvas.drawString(100, 100, "noon")
    canvas.save()
    yield "letter.docx", word.getvalue(), Mark("word/document.xml/p1", 3, 7), b"noon"
    yield "page.pdf", page.getvalue(), Mark("page/1"), b"noon"


def test_documents_of_other_programs_come_back_too(tmp_path: Path) -> None:
    for name, data, mark, secret in office_files():
        file, marks, parts, again = (tmp_path / f"{name}{ending}" for ending in ("", ".json", ".parts", ".again"))
        file.write_bytes(data)
        marks.write_bytes(marks_file.dump("", data, [mark], read(name, data).spans([mark])))
        assert main(["separate", str(file), "--marks", str(marks), "--out", str(parts)]) == 0
        assert main(["integrate", str(parts), "--out", str(again)]) == 0
        assert again.read_bytes() == data
        assert secret not in (parts / "plain.bin").read_bytes()
        assert main(["redact", str(file), "--marks", str(marks), "--out", str(again)]) == 0
        assert not any(secret in unit.text.encode() for unit in read(name, again.read_bytes()).units())


@pytest.mark.parametrize("name", GOOD)
def test_files_of_every_format_are_marked_checked_and_redacted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, data = GOOD[name]
    file, policy, marks, out = (tmp_path / one for one in (name, "codes.toml", "marks.json", "out"))
    file.write_bytes(data)
    policy.write_text(f'name = "codes"\n[[rules]]\nkind = "keywords"\nkeywords = ["{SECRET}"]\n')
    assert main(["mark", str(file), "--policy", str(policy), "--out", str(marks)]) == 0
    assert f"{name}: {kind}, " in capsys.readouterr().err
    is_said = any(SECRET in unit.text for unit in read(name, data).units())
    assert is_said == any(one["rule"] for one in json.loads(marks.read_bytes())["marks"])
    status = main(["check", "--json", str(file), "--marks", str(marks), "--policy", str(policy)])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert status == (3 if found else 0) and {one["kind"] for one in found} <= {"hidden"}
    redacted = main(["redact", str(file), "--marks", str(marks), "--out", str(out)])
    if kind == "bytes":
        assert redacted == 2 and "have no redacted edition" in capsys.readouterr().err
        return
    assert redacted == 0
    assert not any(SECRET in unit.text for unit in read(name, out.read_bytes()).units())


def test_a_redacted_edition_that_cannot_be_vouched_for_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was given is right; it is we who cannot do it."""
    data = by_reportlab(["the secret word", "the secret word again"])
    file, marks, out = (tmp_path / name for name in ("a.pdf", "marks.json", "out.pdf"))
    file.write_bytes(data)
    mark = Mark("page/1", 4, 10)
    marks.write_bytes(marks_file.dump("", data, [mark], read(file.name, data).spans([mark])))
    assert main(["redact", str(file), "--marks", str(marks), "--out", str(out)]) == 1
    assert "page/2" in capsys.readouterr().err
    assert not out.exists()


@pytest.fixture(params=FILES)
def given(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path, bytes]:
    data, marks, secret = FILES[request.param]
    file, marks_path = tmp_path / request.param, tmp_path / "marks.json"
    reading = read(file.name, data)
    file.write_bytes(data)
    marks_path.write_bytes(marks_file.dump(reading.name, data, marks, reading.spans(marks)))
    return file, marks_path, secret


def test_the_very_file_comes_back(given: tuple[Path, Path, bytes], tmp_path: Path) -> None:
    file, marks, secret = given
    parts, again = tmp_path / "parts", tmp_path / "again"
    assert main(["separate", str(file), "--marks", str(marks), "--out", str(parts)]) == 0
    assert secret in (parts / "secure.bin").read_bytes()
    assert secret not in (parts / "plain.bin").read_bytes()
    assert main(["integrate", str(parts), "--out", str(again)]) == 0
    assert again.read_bytes() == file.read_bytes()


def test_the_redacted_edition_has_markers(given: tuple[Path, Path, bytes], tmp_path: Path) -> None:
    file, marks, secret = given
    out = tmp_path / "redacted"
    status = main(["redact", str(file), "--marks", str(marks), "--out", str(out)])
    if file.name == "data.bin":
        assert status == 2 and not out.exists()
        return
    assert status == 0 and out.stat().st_mode & 0o777 == 0o600
    assert MARKER.encode() in out.read_bytes() and secret not in out.read_bytes()


def test_marks_of_another_file_are_refused(
    given: tuple[Path, Path, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, marks, _ = given
    file.write_bytes(file.read_bytes()[::-1])
    for command in ("separate", "redact"):
        assert main([command, str(file), "--marks", str(marks), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("made for another file") == 2
    assert not (tmp_path / "out").exists()


def test_a_mark_that_does_not_fit_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, marks = tmp_path / "pay.csv", tmp_path / "marks.json"
    data = FILES["pay.csv"][0]
    file.write_bytes(data)
    marks.write_bytes(marks_file.dump("csv", data, [Mark("row/9/pay")], read("pay.csv", data).spans([])))
    assert main(["separate", str(file), "--marks", str(marks), "--out", str(tmp_path / "out")]) == 2
    assert (
        capsys.readouterr().err
        == f"sieve: {marks}: row/9/pay: the table has no such row; correct or remove this mark\n"
    )


def test_standard_streams(
    given: tuple[Path, Path, bytes], monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file, marks, secret = given
    if file.name != "memo.txt":
        return  # without its name, a table is a text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    assert main(["redact", "-", "--marks", str(marks), "--out", "-"]) == 0
    assert capsysbinary.readouterr().out == file.read_bytes().replace(secret, MARKER.encode())


def test_a_damaged_line_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, marks = tmp_path / "log.jsonl", tmp_path / "marks.json"
    file.write_bytes(b'{"a": 1}\n[]\n')
    marks.write_bytes(marks_file.dump("jsonl", file.read_bytes(), [], read("x.txt", b"").spans([])))
    assert json.loads(marks.read_bytes())["ranges"] == []
    assert main(["separate", str(file), "--marks", str(marks), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"sieve: {file}: line 2 is not a JSON object")


def test_a_file_that_is_no_text_is_reported_for_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "photo.png"
    file.write_bytes(b"\x89PNG")
    assert main(["separate", str(file), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"sieve: {file}: line 1, column 1: not UTF-8") and "--marks" in error


@pytest.mark.parametrize("command", [("separate", "--out", "parts"), ("check",), ("plan", "--peer", "bravo")])
@pytest.mark.parametrize("shown", ["memo.txt", "standard input"])
def test_a_marked_text_that_is_wrong_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    shown: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = b"at\n<$S>noon"
    Path("memo.txt").write_bytes(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    file = shown if shown == "memo.txt" else "-"
    assert main([command[0], file, *command[1:]]) == 2
    sentence = "line 2, column 1: <$S> opens a span that never ends; remove it or add a <$E> after it"
    assert capsys.readouterr() == ("", f"sieve: {shown}: {sentence}\n")
    assert not Path("parts").exists()
