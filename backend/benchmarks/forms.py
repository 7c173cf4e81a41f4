"""The forms of the benchmark: which cases it takes, how often, and how its time is shared out.

A block is what is measured in turns: an experiment at one site. Each block has its part of the time; what one leaves
goes to those after it. No form goes on beyond `ends_after_s`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.cases import Case
from benchmarks.intervals import figure
from benchmarks.sites import Site, site_of

# In the order in which they are measured: the targets first, and blocks of one site together.
WEIGHTS = {
    "channels": 5.0,
    "cold": 2.0,
    "many": 4.0,
    "batches": 4.0,
    "3des": 4.0,
    "suites": 0.6,
    "protected": 1.5,
    "wireless": 4.0,
}


@dataclass(frozen=True, slots=True)
class Block:
    """An experiment's cases at one site."""

    experiment: str
    site: Site
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A point ends at `transfers`, or from `least` on once its 95 % interval is within `within` of its mean, or when
    its block's time is over; `warm_up` transfers of each go before and do not count."""

    name: str
    sizes_mb: frozenset[int]
    proportions: frozenset[float]
    channels: frozenset[int]
    transfers: int
    ends_after_s: float
    rates: tuple[float, ...]
    rate_s: float
    core_rounds: int
    large_mb: int
    uploads: int
    least: int = 10
    within: float = 0.02
    warm_up: int = 1

    def takes(self, case: Case) -> bool:
        """Whether a case is measured in this form."""
        return (
            case.is_measured
            and case.x_mb in self.sizes_mb
            and case.p in self.proportions
            and max(case.secure, case.plain) in self.channels
        )

    def is_done(self, taken: Sequence[float]) -> bool:
        """Whether a point with these times needs no more."""
        if len(taken) < self.least:
            return False
        return len(taken) >= self.transfers or figure(taken).relative <= self.within

    def blocks(self, cases: Iterable[Case]) -> list[Block]:
        """What is measured, in order."""
        found: dict[tuple[str, Site], list[Case]] = {}
        for case in cases:
            if self.takes(case):
                found.setdefault((case.experiment, site_of(case)), []).append(case)
        order = list(WEIGHTS)
        blocks = [Block(experiment, site, tuple(taken)) for (experiment, site), taken in found.items()]
        return sorted(blocks, key=lambda block: order.index(block.experiment))


def share(blocks: Sequence[Block], left_s: float) -> float:
    """How much of the time that is left the first of these blocks has."""
    return left_s * WEIGHTS[blocks[0].experiment] / sum(WEIGHTS[block.experiment] for block in blocks)


SHORT = Form(
    "short",
    sizes_mb=frozenset({1, 10}),
    proportions=frozenset({0.1, 0.5, 0.9}),
    channels=frozenset({1, 2, 3}),
    transfers=60,
    ends_after_s=330.0,
    rates=(40.0, 80.0, 160.0, 320.0),
    rate_s=3.0,
    core_rounds=20,
    large_mb=1000,
    uploads=3,
)
FULL = Form(
    "full",
    sizes_mb=frozenset({1, 3, 5, 7, 10}),
    proportions=frozenset({0.1, 0.25, 0.5, 0.75, 0.9, 1.0}),
    channels=frozenset({1, 2, 3, 5}),
    transfers=500,
    ends_after_s=58 * 60.0,
    rates=(20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 300.0, 400.0, 600.0),
    rate_s=10.0,
    core_rounds=200,
    large_mb=1000,
    uploads=5,
    warm_up=2,
)
