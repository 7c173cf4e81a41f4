"""`sieve check`: findings in words or as JSON, and exit statuses for scripts."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sieve import marks_file
from sieve.cli.app import main
from sieve.core.units import Mark
from sieve.formats.reading import read


def findings(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    return found


def test_a_marked_text_is_checked_by_its_tags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memo.txt"
    file.write_text("é 😀 <$S>Ida Halvorsen<$E> came; so did ida  HALVORSEN.")
    assert main(["check", "--json", str(file)]) == 3
    (finding,) = findings(capsys)
    assert {**finding, "sentence": ""} == {
        "kind": "phrase",
        "address": "text",
        "start": 31,
        "end": 45,
        "sentence": "",
        "group": "idahalvorsen",
    }
    assert main(["check", "--json", "--unmarked", str(file)]) == 0
    assert findings(capsys) == []


def test_a_text_without_a_leak_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memo.txt"
    file.write_text("<$S>Ida Halvorsen<$E> came.")
    assert main(["check", "--json", str(file)]) == 0
    assert findings(capsys) == []


def test_findings_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memo.txt"
    file.write_text("<$S>Ida Halvorsen<$E> met Ida Halvorsen.")
    assert main(["check", str(file)]) == 3
    out, error = capsys.readouterr()
    assert "“Ida Halvorsen”" in out and out.count("\n") == 1
    assert error == "1 finding\n"
    file.write_text("<$S>Ida Halvorsen<$E> met nobody.")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr() == ("", "no findings\n")


def test_a_file_is_checked_by_its_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, marks = tmp_path / "anna-berg.csv", tmp_path / "marks.json"
    data = b"name,note\nAnna Berg,ask anna berg\nOle Moe,-\n"
    file.write_bytes(data)
    chosen = [Mark("row/1/name")]
    marks.write_bytes(marks_file.dump("csv", data, chosen, read(file.name, data).spans(chosen)))
    assert main(["check", "--json", str(file), "--marks", str(marks)]) == 3
    assert [(f["kind"], f["address"]) for f in findings(capsys)] == [("name", "name"), ("phrase", "row/1/note")]


def test_a_column_that_is_not_there_or_out_of_place_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, file, marks = tmp_path / "p.toml", tmp_path / "pay.csv", tmp_path / "marks.json"
    policy.write_text('name = "p"\n[[rules]]\nkind = "columns"\ncolumns = ["salary"]\n')
    for data, said, found in (
        (b"Pay list\nname,salary\n", "called “salary”", [("policy", ""), ("table", "row/1")]),
        (b"name,salary\nAnna 100\n", "1 row may have values", [("table", "row/1")]),
        (b"name,salary\nAnna,1,000\n", "1 row may have values", [("table", "row/1")]),
        (b"name,salary\nAnna,100\n", "", []),
    ):
        file.write_bytes(data)
        assert main(["mark", str(file), "--policy", str(policy), "--out", str(marks)]) == 0
        assert said in capsys.readouterr().err
        assert main(["check", "--json", str(file), "--marks", str(marks), "--policy", str(policy)]) == (
            3 if found else 0
        )
        assert [(f["kind"], f["address"]) for f in findings(capsys)] == found


def test_standard_input_has_no_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<$S>secret<$E> Secret")))
    assert main(["check", "--json", "-"]) == 3
    assert [finding["start"] for finding in findings(capsys)] == [7]


def test_what_a_policy_would_mark_is_shown_unless_it_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, policy = tmp_path / "memo.txt", tmp_path / "people.toml"
    policy.write_text(
        'name = "people"\n[[rules]]\nkind = "keywords"\nkeywords = ["Ole Moe", "Kari"]\nreason = "staff"\n'
    )
    file.write_text("<$S>Kari<$E> and Ole Moe")
    assert main(["check", "--json", str(file), "--policy", str(policy)]) == 3
    (finding,) = findings(capsys)
    assert (finding["kind"], finding["start"], finding["end"]) == ("policy", 9, 16)
    assert "people" in finding["group"] and "staff" in finding["sentence"]


@pytest.mark.parametrize("text", ["<$S>never closed", "closed <$E>"])
def test_bad_markup_is_bad_input(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memo.txt"
    file.write_text(text)
    assert main(["check", "--json", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"sieve: {file}: line 1, column ")


def test_marks_of_another_file_or_place_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, marks = tmp_path / "memo.txt", tmp_path / "marks.json"
    file.write_bytes(b"secret")
    marks.write_bytes(marks_file.dump("text", b"secret", [Mark("text", 3, 9)], read("memo.txt", b"secret").spans([])))
    assert main(["check", "--json", str(file), "--marks", str(marks)]) == 2
    file.write_bytes(b"changed")
    assert main(["check", "--json", str(file), "--marks", str(marks)]) == 2
    assert main(["check", "--json", str(tmp_path / "nothing.txt")]) == 2
    place, other, gone = capsys.readouterr().err.splitlines()
    assert place.startswith(f"sieve: {marks}: text: ") and other.startswith(f"sieve: {marks}: the marks file was made")
    assert gone.startswith("sieve: cannot read ")


def test_what_was_sent_plain_before_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now, before, other = (tmp_path / name for name in ("now.txt", "before.txt", "other.txt"))
    now.write_text("<$S>Ida Halvorsen<$E> met <$S>Ole Moe<$E>.")
    before.write_text("ida halvorsen met <$S>Ole Moe<$E>.")
    other.write_text("Nobody met anybody.")
    assert main(["check", "--json", str(now), "--sent", str(other), "--sent", str(before)]) == 3
    assert [(found["kind"], found["start"], found["end"]) for found in findings(capsys)] == [("sent", 0, 13)]
    other.write_text("<$S>never closed")
    assert main(["check", "--json", str(now), "--sent", str(other)]) == 2
    assert "--sent needs a marked text" in capsys.readouterr().err


def test_suggestions_are_printed_and_are_no_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memo.txt"
    file.write_text("<$S>The ship Aurora<$E> came at noon, and nobody saw when the ship left.")
    assert main(["check", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == "text: suggestion: “the ship” may refer to the marked “The ship Aurora”\n"
    assert said.err == "no findings, 1 suggestion\n"
