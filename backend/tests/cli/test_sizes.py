"""The command line writes sizes as the web interface does: the same cases as in `frontend/src/lib/sizes.test.ts`."""

import re
from pathlib import Path

import pytest

from sieve.cli.table import size

CASES = Path(__file__).parents[3] / "frontend" / "src" / "lib" / "sizes.test.ts"
_CASE = re.compile(r'^  \[([0-9_]+), "(.+)"\],$', re.MULTILINE)


@pytest.mark.parametrize(("count", "text"), _CASE.findall(CASES.read_text("utf-8")))
def test_a_size_is_written_as_in_the_interface(count: str, text: str) -> None:
    assert size(int(count)) == text


def test_the_interface_has_cases() -> None:
    assert len(_CASE.findall(CASES.read_text("utf-8"))) > 10
