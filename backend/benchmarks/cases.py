"""What is measured: the points of the experiments, and how long a form of the benchmark goes on.

A new experiment is a new list of cases; a field that a case does not use is None, and stays None down to latest.json.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

SIZES_MB = (1, 3, 5, 7, 10)
PROPORTIONS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
MODES = ("sieve", "secure-only")


@dataclass(frozen=True, slots=True)
class Case:
    """One point. `secure`, `plain`: channels of each kind. `link`: its rate limit. `warm`: over kept-open channels."""

    experiment: str
    x_mb: int
    p: float
    mode: str
    secure: int = 1
    plain: int = 1
    cipher: str | None = None
    split: str | None = None
    batch: int | None = None
    documents: int | None = None
    link: str | None = None
    ap_ms_per_mb: float | None = None
    warm: bool = True

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Case":
        return cls(**found)

    def __str__(self) -> str:
        return f"{self.x_mb}MB-{self.p * 100:.0f} {self.mode}"


def channels(sizes: Iterable[int], proportions: Iterable[float]) -> list[Case]:
    """One secure and at most one plain channel: every document in both modes."""
    proportions = tuple(proportions)
    return [
        Case("channels", x_mb=x, p=p, mode=mode, plain=0 if mode == "secure-only" else 1)
        for x in sizes
        for p in proportions
        for mode in MODES
    ]


@dataclass(frozen=True, slots=True)
class Form:
    """How much is measured. A point ends at `transfers`, or from `least` on once its interval is within `within` of
    its mean, or when the run's `seconds` for points are over; `warm_up` transfers of each go before and do not count.
    """

    name: str
    points: tuple[Case, ...]
    transfers: int
    seconds: float
    rates: tuple[float, ...]
    rate_s: float
    core_rounds: int
    large_mb: int | None = None
    least: int = 10
    within: float = 0.02
    warm_up: int = 3


SHORT = Form(
    "short",
    tuple(channels((1, 10), (0.1, 0.5, 0.9))),
    transfers=60,
    seconds=170.0,
    rates=(20.0, 40.0, 80.0, 160.0, 320.0),
    rate_s=4.0,
    core_rounds=30,
)
FULL = Form(
    "full",
    tuple(channels(SIZES_MB, PROPORTIONS)),
    transfers=500,
    seconds=4 * 3600.0,
    rates=(10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 300.0, 400.0, 600.0),
    rate_s=15.0,
    core_rounds=200,
    large_mb=1000,
)
