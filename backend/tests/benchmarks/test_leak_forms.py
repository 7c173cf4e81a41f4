"""The lists of `benchmarks/leak_lists`, and how a line of them is scored."""

import pytest
from benchmarks.leak_forms import Line, Score

from benchmarks import leak_forms


@pytest.mark.parametrize("kind", leak_forms.KINDS)
def test_lists_have_values_and_near_misses(kind: str) -> None:
    lines = list(leak_forms.lines(kind))
    assert sum(bool(line.values) for line in lines) >= 15
    assert sum(not line.values for line in lines) >= 15


def test_a_value_is_found_if_findings_cover_it() -> None:
    assert leak_forms.score(Line("part", "en", "Ida Halvorsen", (), "Halvorsen left.", ((0, 9),))) == Score(1, 1)
    assert leak_forms.score(Line("part", "en", "Ida Halvorsen", (), "Halvorsen left.", ((0, 14),))) == Score(1, 0)


def test_a_finding_in_a_near_miss_is_false() -> None:
    assert leak_forms.score(Line("part", "en", "Ida Halvorsen", (), "Halvorsen left.", ())) == Score(near=1, false=1)
