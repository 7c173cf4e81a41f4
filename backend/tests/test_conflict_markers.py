"""No file has what Git writes into one that two changes conflict in."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "backend/src",
    "backend/tests",
    "backend/benchmarks",
    "deploy",
    "docs",
    "e2e/offices",
    "e2e/stories",
    "frontend/src",
)
MARKER = re.compile(rb"^(?:<{7} |>{7} |={7}$)", re.MULTILINE)


def test_no_file_has_conflict_markers() -> None:
    assert MARKER.search(b"a\n<<<<<<< HEAD\nb") and MARKER.search(b"a\n=======\nb")
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*")] + [*ROOT.glob("*")]
    # What Python compiled of this file has them, too.
    read = {str(file): file.read_bytes() for file in files if file.is_file() and file.suffix != ".pyc"}
    assert len(read) > 1_000
    assert [name for name, content in read.items() if MARKER.search(content)] == []
