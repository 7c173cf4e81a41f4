"""`--json` of the commands that write a file, and of those on the gateway's own machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from sieve.cli.app import main

CONTENT = b"name,pay\nAnn,717\n"


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command in a folder of its own, with --json; returns what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIEVE_DATA_DIR", str(tmp_path / "data"))

    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out)

    return run


def test_programs_learn_what_was_written(said: Any) -> None:
    Path("pay.csv").write_bytes(CONTENT)
    Path("pay.toml").write_text('name = "pay"\n[[rules]]\nkind = "columns"\ncolumns = ["pay"]\n')
    found = said("mark", "pay.csv", "--policy", "pay.toml", "--out", "marks.json")
    [(_, count)] = found.pop("rules").items()
    assert (found.pop("warnings"), found.pop("classified"), count) == ([], [], 1)
    # The comma before a value is classified with it.
    sizes = {"bytes": len(CONTENT), "classified_bytes": 4}
    assert found == {"file": "marks.json", "format": "csv", "marks": 1, **sizes}
    separated = said("separate", "pay.csv", "--marks", "marks.json", "--out", "parts")
    assert separated == {"folder": "parts", "plain_bytes": len(CONTENT) - 4, **sizes}
    assert said("integrate", "parts", "--out", "again.csv") == {"file": "again.csv", "bytes": len(CONTENT)}
    redacted = said("redact", "pay.csv", "--marks", "marks.json", "--out", "redacted.csv")
    assert redacted == {"file": "redacted.csv", "format": "csv", "bytes": Path("redacted.csv").stat().st_size}


@pytest.mark.parametrize(
    "command",
    [
        ("mark", "pay.csv"),
        ("integrate", "parts", "--out", "-"),
        ("redact", "pay.csv", "--marks", "marks.json", "--out", "-"),
        ("audit", "export"),
        ("people", "export"),
        ("receipt", "memo.md", "--out", "-"),
    ],
)
def test_a_document_and_json_never_share_standard_output(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--json"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, "name a file with --out" in shown.err) == ("", True)


def test_programs_can_make_the_first_admin(said: Any) -> None:
    made = said("admin", "create", "ada")
    assert made["login"] == "ada" and made["token"].startswith("sieve_")
    assert "/welcome#" in made["link"]
    link = said("admin", "link", "ada")
    assert link["login"] == "ada" and link["link"] != made["link"]
    kept = said("admin", "create", "bo", "--another", "--out-token", "token")
    assert kept["token_file"] == "token" and "token" not in kept
    assert Path("token").read_text().startswith("sieve_")
