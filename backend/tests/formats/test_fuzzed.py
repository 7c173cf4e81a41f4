"""Nothing but a sentence comes of any bytes: what the fuzzer found once, and a few changes of each sample."""

from pathlib import Path
from random import Random

import pytest

from fuzzing import TARGETS, mutated, seeds, simply

FOUND = sorted((Path(__file__).parent / "fuzzed").glob("*/*"))
ONCE = 25


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_stays_mended(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_changed_samples_come_to_a_sentence(target: str) -> None:
    random = Random(target)
    begun = sorted(seeds(target), key=len)[:10]
    for _ in range(ONCE):
        TARGETS[target](mutated(target, random.choice(begun), 1 << 16, random, simply(random)))
