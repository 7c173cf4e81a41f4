"""`make demo` as whoever tries the product runs it: last line JSON, exit 0 if everything fits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sieve.core import markup
from stories.documents import report


@pytest.mark.parametrize("options", [(), ("--mode", "secure-only")])
def test_the_demo_sends_any_marked_text(tmp_path: Path, options: tuple[str, ...]) -> None:
    made = report(210_000, spans=55)
    file = tmp_path / "a report of ours.txt"
    file.write_bytes(made.marked)
    done = _demo("--file", str(file), "--", *options)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout.splitlines()[-1])
    document = markup.parse(made.marked)
    assert result["mode"] == (options[1] if options else "sieve")
    assert result["document_bytes"] == document.size
    assert result["classified_bytes"] == document.classified_size
    assert result["plain_bytes"] == document.size - document.classified_size
    assert result["identical"] is True
    assert result["receipt_verified"] is True
    assert set(result["listeners"]) == {"alpha", "bravo"}
    assert all(set(where) == {"web", "secure", "plain"} for where in result["listeners"].values())
    assert set(result["timings"]) == {
        "sieve", "split", "establishment", "data_transfer", "combine", "integrate", "response", "total", "stored",
    }  # fmt: skip
    assert result["timings"]["data_transfer"] > 0


def test_a_file_that_is_not_marked_text_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(b"one\ntwo <$E> three")
    done = _demo("--file", str(file))
    assert done.returncode != 0
    [line] = done.stderr.decode().splitlines()
    assert "line 2, column 5" in line


def _demo(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "sieve.demo", "once", *arguments], capture_output=True, check=False, timeout=120
    )
