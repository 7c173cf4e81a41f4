"""`make pdf-readers` installs what is missing in CI only, and never ends well there without it."""

import os
import subprocess
from dataclasses import replace

import pytest
from scripts.producers import QPDF

from scripts import pdf_readers


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What apt-get was asked for, in CI, as root, with qpdf missing. It installs nothing."""
    asked: list[tuple[str, ...]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(tuple(command[2:]))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setenv("CI", "1")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pdf_readers, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(pdf_readers, "PROGRAMS", (replace(QPDF, command="no-such-command"),))
    monkeypatch.setattr(subprocess, "run", run)
    return asked


def test_what_cannot_be_installed_though_a_mirror_answers_is_an_error(
    asked: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert pdf_readers.main() == 1
    assert asked[0] == ("update", *pdf_readers.STRICT)
    assert asked[-1][-1] == "qpdf"
    assert "qpdf could not be installed" in capsys.readouterr().err


@pytest.mark.parametrize("lacking", ["CI", "root", "apt-get", "mirror"])
def test_elsewhere_it_says_what_no_test_asks(
    lacking: str, asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if lacking == "CI":
        monkeypatch.delenv("CI")
    elif lacking == "root":
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
    elif lacking == "apt-get":
        monkeypatch.setattr(pdf_readers, "which", lambda name: None)
    else:
        monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 100))
    assert pdf_readers.main() == 0
    assert asked == []
    assert "no test reads redacted PDFs with qpdf" in capsys.readouterr().err


def test_nothing_is_said_if_all_are_there(
    asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pdf_readers, "PROGRAMS", (replace(QPDF, command="sh"),))
    assert pdf_readers.main() == 0
    assert asked == []
    assert capsys.readouterr().err == ""
