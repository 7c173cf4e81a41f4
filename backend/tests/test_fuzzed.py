"""Nothing but the documented errors come of any bytes: what the fuzzer found once, and a few changes of each sample."""

import asyncio
from pathlib import Path
from random import Random

import pytest

import fuzzing_peers as peers
from fuzzing import TARGETS, mutated, seeds, simply
from sieve.gateway.outbound.outcomes import Delivered
from sieve.gateway.outbound.secure_streams import MAX_LINE

FOUND = sorted((Path(__file__).parent / "fuzzed").glob("*/*"))
ONCE = 25


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_stays_mended(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_changed_samples_come_to_a_sentence(target: str) -> None:
    random = Random(target)
    begun = sorted(seeds(target), key=len)[:10]
    for sample in begun:
        TARGETS[target](sample)
    for _ in range(ONCE):
        TARGETS[target](mutated(target, random.choice(begun), 1 << 16, random, simply(random)))


@pytest.mark.parametrize("length", [MAX_LINE, MAX_LINE + 1, MAX_LINE + 6000])
def test_a_line_is_as_long_as_it_may_be_however_it_is_split(length: int) -> None:
    TARGETS["answers"](b'0{"is":"verified"}'.ljust(length + 1) + b"\n\0{}")


def test_the_samples_of_answers_deliver() -> None:
    """Else the target would see no more than refusals."""
    for load, sample in zip(peers.LOADS, (peers.answers_seeds()[0], peers.answers_seeds()[5]), strict=True):
        lines, _, said = sample[1:].partition(b"\0")
        outcomes, *_ = asyncio.run(peers.heard(load, [lines], said))
        assert [type(outcome) for outcome in outcomes.values()] == [Delivered] * len(load.manifests)
