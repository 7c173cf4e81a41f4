"""The models of the rows of a file, in the form in which `sieve lab queueing` prints them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sieve.channel.attempt import Mode
from sieve.lab.demand import DemandModel, MeasuredService, Work, fit_demand
from sieve.lab.not_enough_data import NotEnoughData
from sieve.lab.queueing import MOST_SERVERS, Fit, Fits, MeasuredPoint, capacity, fit

ModelName = Literal["single-server", "several-servers"]


@dataclass(frozen=True, slots=True)
class ModelShown:
    """A fitted model. `error_percent`: the relative RMS of its errors. `measured_to_percent`: the highest measured rate
    as a part of the saturation rate.
    """

    name: ModelName
    servers: int
    demand_ms: float
    saturation_per_s: float
    error_percent: float
    measured_to_percent: float

    @classmethod
    def of(cls, name: ModelName, found: Fit) -> "ModelShown":
        model = found.model
        measured_to = 100 * found.measured_to
        return cls(name, model.servers, model.demand_ms, model.saturation_per_s, 100 * found.relative_rms, measured_to)


@dataclass(frozen=True, slots=True)
class DemandShown:
    """The service demand of a mode by what is sent; None for a part that the measurements do not determine."""

    fixed_ms: float | None
    secure_ms_per_mb: float | None
    plain_ms_per_mb: float | None
    document_ms: float | None
    error_percent: float
    rows: int
    transfers: int


@dataclass(frozen=True, slots=True)
class ModeCapacity:
    """What is known of one mode. `measured`: rate per second, mean response in ms, transfers. `curve`: rate per second
    and response in ms, by the chosen model. `models` and `demand` are empty if `reason` or `demand_reason` says why.
    """

    mode: Mode
    measured: Sequence[tuple[float, float, int]]
    models: Sequence[ModelShown]
    chosen: ModelName | None
    curve: Sequence[tuple[float, float]]
    reason: str | None
    demand: DemandShown | None
    demand_reason: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about a load. `response_ms`: of a document of a batch that arrives at once; None if the
    gateway is saturated, or if `enough` is false, for which `reason` says what was not measured.
    """

    mode: Mode
    enough: bool
    reason: str | None
    response_ms: float | None = None
    demand_ms: float | None = None
    demand_ci95_ms: float | None = None
    saturation_per_s: float | None = None
    utilization: float | None = None
    servers: int | None = None
    extrapolated: bool = False


class ModeModels:
    """The models of one mode, fitted once for any number of questions."""

    def __init__(self, mode: Mode, points: Sequence[MeasuredPoint], services: Iterable[MeasuredService]) -> None:
        """`services` of the other mode are ignored."""
        self._mode, self._points = mode, points
        self._fits: Fits | NotEnoughData = fit(points, MOST_SERVERS)
        self._demands: DemandModel | NotEnoughData = fit_demand(list(services), mode)

    def shown(self) -> ModeCapacity:
        """All that is known."""
        fits, demands = self._fits, self._demands
        both = (
            ()
            if isinstance(fits, NotEnoughData)
            else (
                ModelShown.of("single-server", fits.one_server),
                ModelShown.of("several-servers", fits.several_servers),
            )
        )
        better = None if isinstance(fits, NotEnoughData) else fits.better.model
        return ModeCapacity(
            mode=self._mode,
            measured=[(each.arrival_rate_per_s, each.mean_response_ms, each.transfers) for each in self._points],
            models=both,
            chosen=None if better is None else "single-server" if better.servers == 1 else "several-servers",
            curve=() if better is None else better.curve(),
            reason=fits.reason if isinstance(fits, NotEnoughData) else None,
            demand=None if isinstance(demands, NotEnoughData) else _demand(demands),
            demand_reason=demands.reason if isinstance(demands, NotEnoughData) else None,
        )

    def answer(self, work: Work, arrival_rate_per_s: float) -> Answer:
        """What happens at `arrival_rate_per_s` documents like `work`."""
        servers = 1 if isinstance(self._fits, NotEnoughData) else self._fits.better.model.servers
        if isinstance(self._demands, NotEnoughData):
            return Answer(self._mode, False, self._demands.reason)
        demand = self._demands.demand(work)
        if isinstance(demand, NotEnoughData):
            return Answer(self._mode, False, demand.reason)
        found = capacity(demand, work.batch, arrival_rate_per_s, servers)
        return Answer(
            self._mode,
            enough=True,
            reason=None,
            response_ms=found.response_ms,
            demand_ms=found.demand.ms,
            demand_ci95_ms=found.demand.ci95_ms,
            saturation_per_s=found.saturation_per_s,
            utilization=found.utilization,
            servers=servers,
            extrapolated=found.demand.extrapolated,
        )


def _demand(model: DemandModel) -> DemandShown:
    return DemandShown(
        model.fixed_ms,
        model.secure_ms_per_mb,
        model.plain_ms_per_mb,
        model.document_ms,
        100 * model.relative_rms,
        model.rows,
        model.transfers,
    )
