"""The leak check on the texts of `leak_cases.json`."""

import json
import re
from pathlib import Path

import pytest

from sieve.core import markup
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import PHRASE_KINDS
from sieve.marking.marked_text import marked_text

CASES = json.loads((Path(__file__).parents[2] / "samples" / "leak_cases.json").read_bytes())


def looked_at(case: str) -> tuple[list[str], list[str]]:
    """What is quoted and not found, and what is found and not quoted."""
    document = markup.parse(re.sub("[«»]", "", case).encode())
    unit, marks = marked_text(document.content, document.spans)
    quoted: list[tuple[int, int]] = []
    start = at = 0
    for character in re.sub(r"<\$[SE]>", "", case):
        if character == "«":
            start = at
        elif character == "»":
            quoted.append((start, at))
        else:
            at += 1
    found = [(finding.start or 0, finding.end or 0) for finding in check([unit], marks) if finding.kind in PHRASE_KINDS]
    missed = [unit.text[a:z] for a, z in quoted if not any(start < z and a < end for start, end in found)]
    return missed, [unit.text[a:z] for a, z in found if not any(a < end and start < z for start, end in quoted)]


@pytest.mark.parametrize("case", CASES["found"], ids=lambda case: case["about"])
def test_what_is_quoted_is_found(case: dict[str, str]) -> None:
    assert looked_at(case["text"]) == ([], [])


@pytest.mark.parametrize("case", CASES["left"], ids=lambda case: case["about"])
def test_what_is_mostly_something_else_is_left(case: dict[str, str]) -> None:
    missed, found = looked_at(case["text"])
    assert missed and not found
