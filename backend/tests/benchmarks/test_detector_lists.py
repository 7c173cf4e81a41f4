"""Each detector finds nearly all values of its list in `benchmarks/detector_lists`, and hardly anything else."""

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import detectors
from sieve.marking.detectors.registry import NAMES, Detector

PAGE = Path(__file__).parents[3] / "docs/benchmarks/detectors.md"


@pytest.mark.parametrize("folder", [detectors.LISTS, detectors.HELD_OUT], ids=lambda folder: folder.name)
@pytest.mark.parametrize("name", NAMES)
def test_precision_and_recall_are_at_least_95_percent(name: str, folder: Path) -> None:
    score = detectors.total(name, Detector(name).find, folder=folder)
    assert score.values >= 14
    assert min(score.recall, score.precision) >= 0.95, "python -m benchmarks.detectors --missed lists them"


def test_the_page_has_these_figures() -> None:
    page = PAGE.read_text("utf-8")
    ours = page.partition("## Held-out lists")[0]
    for name in NAMES:
        score = detectors.total(name, Detector(name).find)
        near = sum(not line.values for line in detectors.lines(name))
        [row] = re.findall(rf"^\| `{name}` \|.*", ours, re.MULTILINE)
        assert row.startswith(f"| `{name}` | {score.values} | {near} |")
        assert f" {score.recall:.3f} | {score.precision:.3f} |" in row
    rows = re.findall(r"^\| ([a-z]{2}) \| (\d+) \|", page, re.MULTILINE)
    counted = Counter(line.language for name in NAMES for line in detectors.lines(name) for _ in line.values)
    assert {language: int(values) for language, values in rows} == counted


def test_a_hit_that_covers_another_word_is_no_value() -> None:
    line = detectors.Line("en", "Call 555-0123 now", ((5, 13),))
    assert detectors.score(line, [(4, 14)]) == detectors.Score(1, 1, 0)
    assert detectors.score(line, [(0, 13)]) == detectors.Score(1, 0, 1)
    assert detectors.score(line, []) == detectors.Score(1, 0, 0)
