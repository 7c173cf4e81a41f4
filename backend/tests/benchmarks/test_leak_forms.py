"""The lists of `benchmarks/leak_lists`, and how a line of them is scored."""

import pytest
from benchmarks.leak_forms import Line, Score

from benchmarks import leak_forms

_RECALL = {
    **{"amount": 0.7, "date": 0.9, "file-name": 0.95, "inflection": 0.85, "initials": 0.9, "measure": 0.9},
    **{"nickname": 0.7, "reference": 0.95, "spelled-number": 0.8, "spelled-number-more": 0.9, "transliteration": 0.85},
}
"""At least; docs/benchmarks/leak-guard.md has the figures."""


@pytest.mark.parametrize("kind", leak_forms.KINDS)
def test_forms_are_found_and_near_misses_are_not(kind: str) -> None:
    score = leak_forms.total(kind)
    assert score.recall >= _RECALL[kind], "python -m benchmarks.leak_forms --missed lists them"
    assert score.false + score.false_suggestions <= 1


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
