"""Each detector finds nearly all values of its list in `benchmarks/detector_lists`, and hardly anything else."""

from pathlib import Path

import pytest

from benchmarks import detectors
from sieve.marking.detectors.registry import NAMES, Detector


@pytest.mark.parametrize("folder", [detectors.LISTS, detectors.HELD_OUT], ids=lambda folder: folder.name)
@pytest.mark.parametrize("name", NAMES)
def test_precision_and_recall_are_at_least_95_percent(name: str, folder: Path) -> None:
    score = detectors.total(name, Detector(name).find, folder=folder)
    assert score.values >= 14
    assert min(score.recall, score.precision) >= 0.95, "python -m benchmarks.detectors --missed lists them"


def test_a_hit_that_covers_another_word_is_no_value() -> None:
    line = detectors.Line("en", "Call 555-0123 now", ((5, 13),))
    assert detectors.score(line, [(4, 14)]) == detectors.Score(1, 1, 0)
    assert detectors.score(line, [(0, 13)]) == detectors.Score(1, 0, 1)
    assert detectors.score(line, []) == detectors.Score(1, 0, 0)
