"""docs/threat-model.md: each claim names a test, and what it names is there."""

import re
from collections.abc import Iterator
from pathlib import Path

BACKEND = Path(__file__).parents[1]
TEXT = (BACKEND.parent / "docs" / "threat-model.md").read_text()
_NAMED = re.compile(r"`(tests/[\w./]+|(?:test_|fuzzing_)\w+(?:\.py)?)`")
DEFINED = frozenset(
    name
    for path in (BACKEND / "tests").rglob("test_*.py")
    for name in re.findall(r"^ *(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE)
)


def _claims() -> Iterator[str]:
    """The rows of the tables, without their heads."""
    lines = TEXT.splitlines()
    for number, line in enumerate(lines):
        is_head = number + 1 < len(lines) and lines[number + 1].startswith("|---")
        if line.startswith("| ") and not is_head:
            yield line


def _is_there(name: str) -> bool:
    if name.startswith("tests/"):
        return (BACKEND / name).exists()
    if name.endswith(".py"):
        return any((BACKEND / "tests").rglob(name))
    return name in DEFINED


def test_the_tables_are_found() -> None:
    assert len([*_claims()]) > 80


def test_each_claim_names_a_test() -> None:
    # "The same" is the test of the row above.
    assert [claim for claim in _claims() if not _NAMED.search(claim) and not re.search(r"\| the same\b", claim)] == []


def test_every_named_test_is_there() -> None:
    named = {*_NAMED.findall(TEXT)}
    assert len(named) > 100
    assert sorted(name for name in named if not _is_there(name)) == []
