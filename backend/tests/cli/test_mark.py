import json
import sys
import zipfile
from email.message import EmailMessage
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pikepdf
import pytest

from office_files import docx_of
from pdf_files import by_reportlab
from sieve.cli.app import main
from sieve.marks_file import load

POLICY = (
    'name = "names"\n[[rules]]\nkind = "keywords"\nkeywords_file = "names.txt"\nreason = "a name"\nlabel = "SECRET"\n'
)
TEXT = "Dear Änna,\nwe met Orion\nand ORION."


def zip_of(name: str, compression: int) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", compression) as archive:
        archive.writestr(name, TEXT)
    return written.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "names.txt").write_text("Orion\n")
    (tmp_path / "letter.txt").write_text(TEXT)
    return tmp_path


def mark(folder: Path, *more: str, policy: str = "policy.toml") -> int:
    return main(["mark", str(folder / "letter.txt"), "--policy", str(folder / policy), *more])


def test_marks_name_their_rule_and_come_to_ranges(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "marks.json"
    assert mark(folder, "--out", str(out)) == 0
    file = json.loads(out.read_bytes())
    places = [place for place in range(len(TEXT)) if TEXT[place:].casefold().startswith("orion")]
    assert file["marks"] == [
        {"address": "text", "start": at, "end": at + 5, "label": "SECRET", "rule": "names/1#1", "reason": "a name"}
        for at in places
    ]
    assert [TEXT.encode()[start:end].decode() for start, end in file["ranges"]] == ["Orion", "ORION"]
    assert out.stat().st_mode & 0o777 == 0o600
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "letter.txt: text, 2 marks, 10 of 35 bytes classified" in captured.err
    assert "names/1#1          2  keywords: a name" in captured.err
    assert "Orion" not in captured.err


def test_what_is_marked_is_separated(folder: Path) -> None:
    out = folder / "marks.json"
    assert mark(folder, "--out", str(out)) == 0
    assert main(["separate", str(folder / "letter.txt"), "--marks", str(out), "--out", str(folder / "apart")]) == 0
    assert (folder / "apart" / "plain.bin").read_text() == "Dear Änna,\nwe met \nand ."
    assert main(["integrate", str(folder / "apart"), "--out", str(folder / "back.txt")]) == 0
    assert (folder / "back.txt").read_text() == TEXT


def test_without_a_hit_it_ends_well(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "letter.txt").write_text("nothing")
    assert mark(folder) == 0
    assert load(capsysbinary.readouterr().out, b"nothing") == []


def test_without_a_policy_it_writes_a_file_to_be_filled_in(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["mark", str(folder / "letter.txt")]) == 0
    captured = capsysbinary.readouterr()
    assert load(captured.out, TEXT.encode()) == []
    assert b"no policy: add marks" in captured.err


def test_it_reads_standard_input(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(TEXT.encode())))
    assert main(["mark", "-", "--policy", str(folder / "policy.toml")]) == 0
    assert len(load(capsysbinary.readouterr().out, TEXT.encode())) == 2


def test_several_policies_are_applied_together(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "other.toml").write_text('name = "other"\n[[rules]]\nkind = "regex"\npattern = "\\\\w+,"\n')
    assert mark(folder, "--policy", str(folder / "other.toml")) == 0
    rules = [mark.rule for mark in load(capsysbinary.readouterr().out, TEXT.encode())]
    assert rules == ["other/1#1", "names/1#1", "names/1#1"]


def test_a_table_is_marked_by_column_and_row(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    table = b"name,salary,department\nAnna,100,HR\nBert,200,IT\n"
    (folder / "pay.csv").write_bytes(table)
    rules = (
        '[[rules]]\nkind = "columns"\ncolumns = ["Salary"]\n[[rules]]\nkind = "rows"\nwhere = \'department = "HR"\'\n'
    )
    (folder / "policy.toml").write_text(f'name = "pay"\n{rules}')
    assert main(["mark", str(folder / "pay.csv"), "--policy", str(folder / "policy.toml")]) == 0
    found = load(capsysbinary.readouterr().out, table)
    assert [(mark.address, mark.rule) for mark in found] == [("column/salary", "pay/1#1"), ("row/1", "pay/1#2")]


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"policy.toml": b"name = "}, "policy.toml: policy: it is not well-formed TOML"),
        ({"policy.toml": b"\xff"}, "policy.toml is not UTF-8"),
        ({"names.txt": b"\xff"}, "names.txt is not UTF-8"),
        ({"names.txt": b""}, "rule 1 of the policy: it has no keyword"),
        ({"policy.toml": POLICY.replace("names.txt", "absent.txt").encode()}, "absent.txt"),
        ({"policy.toml": POLICY.replace("names.txt", r"a\u0000b").encode()}, "not a file name"),
        ({"policy.toml": POLICY.replace("names.txt", "..").encode()}, "cannot read"),
    ],
)
def test_a_policy_that_cannot_be_used_is_bad_input(
    folder: Path, files: dict[str, bytes], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    assert mark(folder) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert complaint in captured.err
    assert captured.err.count("\n") == 1


def test_two_policies_of_one_name_are_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mark(folder, "--policy", str(folder / "policy.toml")) == 2
    assert "same name and version" in capsys.readouterr().err


def test_a_damaged_file_is_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "letter.docx").write_bytes(b"PK\x03\x04 no zip")
    assert main(["mark", str(folder / "letter.docx"), "--policy", str(folder / "policy.toml")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"sieve: {folder / 'letter.docx'}: this is no archive")
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pdf"])
def test_an_empty_file_says_that_it_is(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / name).write_bytes(b"")
    assert main(["mark", str(folder / name)]) == 2
    assert "is empty" in capsys.readouterr().err


@pytest.mark.parametrize(("ending", "says"), [("txt", True), ("csv", False)])
def test_that_a_file_has_no_columns_is_said(
    folder: Path, ending: str, says: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    file, policy = folder / f"pay.{ending}", folder / "pay.toml"
    file.write_text("name,salary\nAnna,100\n")
    policy.write_text('name = "pay"\n[[rules]]\nkind = "columns"\ncolumns = ["salary"]\n')
    assert main(["mark", str(file), "--policy", str(policy)]) == 0
    assert ("only .csv, .tsv, .jsonl, .xlsx and .ods have columns" in capsys.readouterr().err) is says


def test_a_file_that_is_not_there_is_bad_input(folder: Path) -> None:
    assert main(["mark", str(folder / "absent"), "--policy", str(folder / "policy.toml")]) == 2
    assert mark(folder, policy="absent.toml") == 2


def test_what_no_policy_can_look_through_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "read as bytes: the policy cannot find text in it"
    assert mark(folder) == 0
    assert sentence not in capsys.readouterr().err
    (folder / "letter.txt").write_bytes(TEXT.encode("latin-1"))
    assert mark(folder) == 0
    assert sentence in capsys.readouterr().err


def test_what_keeps_most_of_a_word_file_from_travelling_plain_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = " ".join(map(str, range(2_000)))
    (folder / "a.docx").write_bytes(docx_of(f"<w:p><w:r><w:t>Orion {words}</w:t></w:r></w:p>"))
    assert main(["mark", str(folder / "a.docx"), "--policy", str(folder / "policy.toml")]) == 0
    says = [line for line in capsys.readouterr().err.splitlines() if " bytes classified: " in line]
    assert says[0].endswith(" bytes classified: Parts with a mark (word/document.xml)")


def test_pages_about_which_readers_disagree_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pikepdf.open(BytesIO(by_reportlab(["we met Orion", "green hills"]))) as pdf:
        pdf.pages[1].obj.Contents = pdf.make_stream(b"BT /F1 12 Tf 50 700 Td (green")
        pdf.save(folder / "letter.pdf", static_id=True)
    assert main(["mark", str(folder / "letter.pdf"), "--policy", str(folder / "policy.toml")]) == 0
    said = capsys.readouterr().err
    assert "readers disagree about 1 page, classified with any mark: page/2/unseen" in said


def test_files_that_cannot_be_read_are_counted_in_an_archive_and_in_a_mail(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(folder / "letters.zip", "w") as archive:
        archive.writestr("letter.txt", TEXT)
        for number in range(6):
            archive.writestr(f"{number}.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000))
    mail = EmailMessage()
    mail.set_content(TEXT)
    mail.add_attachment(b"\xd0\xcf\x11\xe0" + bytes(2_000), "application", "msword", filename="a.doc")
    (folder / "mail.eml").write_bytes(bytes(mail))
    said = []
    for name in ("letters.zip", "mail.eml"):
        assert main(["mark", str(folder / name), "--policy", str(folder / "policy.toml")]) == 0
        said += [line for line in capsys.readouterr().err.splitlines() if "cannot be read" in line]
    assert said == [
        "  the policy cannot find anything in 6 files that cannot be read: file/2, file/3, file/4, file/5, file/6, …",
        "  the policy cannot find anything in 1 file that cannot be read: attachment/1",
    ]


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)


@pytest.mark.parametrize(
    ("name", "data", "advice"),
    [
        ("a.doc", OLD, "save it as .docx, .xlsx or .pptx"),
        ("a.msg", OLD + "__substg1.0_".encode("utf-16-le"), "save it as .eml"),
        ("a.odp", zip_of("content.xml", zipfile.ZIP_DEFLATED), "such as .pptx for a presentation"),
        ("a.zip", zip_of("a.txt", zipfile.ZIP_LZMA), "compressed in an unusual way; save it again"),
        ("a.bin", bytes(range(256)), "if it is a text, save it as UTF-8"),
    ],
)
def test_advice_about_what_is_read_as_bytes_fits_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes, advice: str
) -> None:
    (folder / name).write_bytes(data)
    assert main(["mark", str(folder / name), "--policy", str(folder / "policy.toml")]) == 0
    assert "read as bytes: the policy cannot find text in it; " in (said := capsys.readouterr().err)
    assert advice in said


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_marks_of_a_converted_text_fit_it_in_the_other_commands(folder: Path, encoding: str) -> None:
    (folder / "letter.txt").write_bytes(TEXT.encode(encoding))
    file, marks, convert = str(folder / "letter.txt"), str(folder / "marks.json"), ["--encoding", encoding]
    assert mark(folder, "--out", marks, *convert) == 0
    assert main(["separate", file, "--marks", marks, "--out", str(folder / "two"), *convert]) == 0
    assert main(["integrate", str(folder / "two"), "--content", "--out", str(folder / "whole.txt")]) == 0
    assert (folder / "whole.txt").read_text("utf-8") == TEXT
    assert main(["redact", file, "--marks", marks, "--out", str(folder / "redacted.txt"), *convert]) == 0
    assert "orion" not in (folder / "redacted.txt").read_text("utf-8").casefold()
    assert main(["separate", file, "--out", str(folder / "three"), *convert]) == 2
    assert main(["check", file, "--marks", marks, *convert]) == 0
    assert main(["check", file, "--unmarked", "--policy", str(folder / "policy.toml"), *convert]) == 3
    assert main(["check", file, *convert]) == 2


def test_a_table_in_another_encoding_can_be_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "people.csv").write_bytes("name,town\nOrion,Köln\n".encode("latin-1"))
    command = ["mark", str(folder / "people.csv"), "--policy", str(folder / "policy.toml")]
    assert main(command) == 2
    assert "convert it with --encoding latin-1" in capsys.readouterr().err
    assert main([*command, "--encoding", "latin-1"]) == 0
