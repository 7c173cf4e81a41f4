"""The forms of the benchmark: which cases it takes, how often, and how its time is shared out.

A block is what is measured in turns: an experiment on one deployment. Each block has its part of the time; what one
leaves goes to those after it. No form goes on beyond `ends_after_s`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.cases import CBC, Case
from benchmarks.deployments import Deployment, deployment_of
from benchmarks.intervals import figure
from benchmarks.thesis.readings import LEAST

# How much time one case has, in proportion: about what a transfer of it takes, waiting included, and more where targets
# are judged. In the order in which they are measured: the targets first, and blocks of one deployment together.
WEIGHTS = {
    "channels": 1.3,
    "cold": 1.3,
    "many": 1.3,
    "batches": 1.5,
    "3des": 2.5,
    "suites": 1.3,
    "protected": 14.0,
    "wireless": 4.5,
}
OPENING_S = 8.0
"""What a deployment takes before anything is measured: starting two gateways, uploading documents, stopping them."""


@dataclass(frozen=True, slots=True)
class Block:
    """An experiment's cases on one deployment."""

    experiment: str
    deployment: Deployment
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A point ends at `transfers`, or from `least` on once its 95 % interval is within `within` of its mean, or when
    its block's time is over, but not before it has `rounds`; `warm_up` transfers of each go before and do not count.
    Of the time for points, the first of `parts` is for all of them; before each further one, the run looks which claims
    are decided, and the part is for the points of the others. `rates`, `batch_rates`: documents offered in a second,
    each for `rate_s`. `large_s`: how long the large document may take in each mode. `leaves_out`: cases that are not
    taken although their size, proportion and channels are. `uploads` of each document: a point's interval also holds
    what these few leave unknown of the sieve's time, which more transfers do not narrow."""

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
    batch_rates: tuple[float, ...]
    large_s: float
    leaves_out: Callable[[Case], bool] = lambda _case: False
    parts: tuple[float, ...] = (1.0,)
    # Documents come 16 at once: in less time the last ones weigh too much.
    batch_rate_s: float = 10.0
    least: int = 10
    within: float = 0.02
    warm_up: int = 1
    rounds: int = 1

    def takes(self, case: Case) -> bool:
        """Whether a case is measured in this form."""
        return (
            case.is_measured
            and case.x_mb in self.sizes_mb
            and case.p in self.proportions
            and max(case.secure, case.plain) in self.channels
            and not self.leaves_out(case)
        )

    def is_done(self, taken: Sequence[float]) -> bool:
        """Whether a point with these times needs no more."""
        if len(taken) < self.least:
            return False
        return len(taken) >= self.transfers or figure(taken).relative <= self.within

    def blocks(self, cases: Iterable[Case]) -> list[Block]:
        """What is measured, in order."""
        found: dict[tuple[str, Deployment], list[Case]] = {}
        for case in cases:
            if self.takes(case):
                found.setdefault((case.experiment, deployment_of(case)), []).append(case)
        order = list(WEIGHTS)
        blocks = [Block(experiment, deployment, tuple(taken)) for (experiment, deployment), taken in found.items()]
        return sorted(blocks, key=lambda block: order.index(block.experiment))


def share(blocks: Sequence[Block], left_s: float) -> float:
    """The first block's part of the time that is left. The deployments after its own are not open yet."""
    to_open = len({block.deployment for block in blocks} - {blocks[0].deployment})
    part = _weight(blocks[0]) / sum(_weight(block) for block in blocks)
    return max(0.0, left_s - to_open * OPENING_S) * part


def _weight(block: Block) -> float:
    return WEIGHTS[block.experiment] * len(block.cases)


def only_in_full(case: Case) -> bool:
    """What the short form leaves out, so that what it takes has more than a transfer or two: a claim that needs these
    points says at how many of them it was asked."""
    match case.experiment:
        case "many":
            return (case.x_mb == 1 and case.p != 0.5) or (case.split == "range" and case.secure > 2)
        case "batches":
            return case.secure > 2 or (case.files == "EFS" and case.split not in (None, "range"))
        case "3des":
            return case.secure > 2 or (not case.warm and case.p > 0.5)
        case "suites":  # each further suite is a deployment of its own
            return case.cipher != CBC or case.p > 0.5
        case "protected":  # 8 s each over 10 Mbit/s
            return case.mode == "secure-only"
        case "wireless":
            return case.x_mb > 1 or case.p > 0.5
        case _:
            return False


SHORT = Form(
    "short",
    sizes_mb=frozenset({1, 10}),
    proportions=frozenset({0.1, 0.5, 0.9}),
    channels=frozenset({1, 2, 3}),
    transfers=60,
    ends_after_s=335.0,
    rates=(60.0, 90.0, 110.0, 140.0, 180.0, 240.0, 320.0),
    rate_s=2.5,
    core_rounds=12,
    large_mb=1000,
    uploads=5,
    batch_rates=(300.0, 420.0, 600.0, 900.0, 1500.0),
    large_s=30.0,
    leaves_out=only_in_full,
    least=5,
)
FULL = Form(
    "full",
    sizes_mb=frozenset({1, 3, 5, 7, 10}),
    proportions=frozenset({0.1, 0.25, 0.5, 0.75, 0.9, 1.0}),
    channels=frozenset({1, 2, 3, 5}),
    transfers=500,
    ends_after_s=45 * 60.0,
    rates=(80.0, 100.0, 125.0, 150.0, 200.0, 250.0, 300.0, 400.0, 600.0),
    rate_s=10.0,
    core_rounds=200,
    large_mb=1000,
    uploads=10,
    batch_rates=(100.0, 200.0, 300.0, 420.0, 500.0, 600.0, 800.0, 1000.0, 1500.0, 2000.0),
    large_s=120.0,
    parts=(0.5, 0.25, 0.25),
    within=0.01,
    rounds=LEAST,
)
