"""Open queueing models of a gateway: mean response at an arrival rate, and the rate at which the gateway saturates.

One server is the model of the security-sieve paper, R = D / (1 - lambda D). Several servers are M/M/c, for a gateway
that works on several transfers at a time. Both assume Poisson arrivals and exponential service times. The service
demand D is a server's time for one transfer without any queue.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sieve.core.sentence import Sentence
from sieve.lab.demand import Demand
from sieve.lab.errors import LabError
from sieve.lab.not_enough_data import NotEnoughData

MOST_SERVERS: Final = 16
"""The transfers that a gateway sends at a time (`gateway/outbound/worker_settings.py`)."""
LEAST_POINTS: Final = 3
"""One server has one parameter, several have two; a further point shows the error."""
LEAST_SPREAD: Final = 1.5
"""The highest measured rate, as a multiple of the lowest one: rates that are all alike do not show a curve."""
BETTER_BY: Final = 0.05
"""More servers are chosen only if they make the error smaller by this part."""
_GRID, _ROUNDS = 256, 3
_NEARLY: Final = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """What was measured at one arrival rate. `transfers`: the weight of the point."""

    arrival_rate_per_s: float
    mean_response_ms: float
    transfers: int = 1

    def __post_init__(self) -> None:
        _positive("an arrival rate", self.arrival_rate_per_s, "per second")
        _positive("a mean response", self.mean_response_ms, "ms")
        _at_least_one("the transfers of a point", self.transfers)


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A queue for `servers` equal servers that need `demand_ms` for a transfer."""

    servers: int
    demand_ms: float

    def __post_init__(self) -> None:
        _at_least_one("the servers of a model", self.servers)
        _positive("a service demand", self.demand_ms, "ms")

    @property
    def saturation_per_s(self) -> float:
        """The arrival rate at which the queue grows without end."""
        return 1e3 * self.servers / self.demand_ms

    def utilization(self, arrival_rate_per_s: float) -> float:
        """The part of the servers' time that is used; 1 and more if the gateway is saturated."""
        return arrival_rate_per_s / self.saturation_per_s

    def response_ms(self, arrival_rate_per_s: float) -> float | None:
        """The mean response; None if the gateway is saturated at this rate."""
        if not 0 <= arrival_rate_per_s < math.inf:
            raise LabError(f"an arrival rate must be 0 or more per second, not {arrival_rate_per_s}")
        if arrival_rate_per_s >= self.saturation_per_s:
            return None
        return float(_response_ms(self.servers, self.demand_ms, arrival_rate_per_s))

    def curve(self, points: int = 60, up_to: float = 0.98) -> tuple[tuple[float, float], ...]:
        """Pairs of arrival rate (per second) and mean response (ms) from an idle gateway to `up_to` of saturation."""
        _at_least_one("the steps of a curve", points - 1)
        if not 0 < up_to < 1:
            raise LabError(f"a curve ends below saturation: `up_to` must be between 0 and 1, not {up_to}")
        # Denser towards saturation, where the curve bends.
        shares = (up_to * math.sin(math.pi / 2 * step / (points - 1)) for step in range(points))
        rates = (share * self.saturation_per_s for share in shares)
        return tuple((rate, float(_response_ms(self.servers, self.demand_ms, rate))) for rate in rates)


@dataclass(frozen=True, slots=True)
class Fit:
    """A model fitted to measured points. `relative_rms`: the root of the mean square of (model / measured - 1), each
    point weighted by its transfers. `measured_to`: the highest measured rate as a part of the saturation rate; a low
    one means that saturation is far outside of what was measured.
    """

    model: OpenModel
    relative_rms: float
    points: int
    measured_to: float


@dataclass(frozen=True, slots=True)
class Fits:
    """Both models fitted to the same points."""

    one_server: Fit
    several_servers: Fit

    @property
    def better(self) -> Fit:
        """Several servers if they fit clearly better, else one."""
        return self.several_servers if self.several_servers.model.servers > 1 else self.one_server


def fit(points: Sequence[MeasuredPoint], most_servers: int = MOST_SERVERS) -> Fits | NotEnoughData:
    """Fits D by least squares of relative errors, for one server and for the best number of servers.

    `most_servers`: the transfers that the gateway works on at a time. Several servers are the smallest number whose
    error is within a twentieth of the smallest error.
    """
    _at_least_one("the most servers of a model", most_servers)
    rates = sorted({point.arrival_rate_per_s for point in points})
    if len(rates) < LEAST_POINTS:
        return NotEnoughData(
            Sentence(
                "curve-too-few-rates",
                "a curve needs at least {least} different arrival rates; measured: {measured}",
                least=LEAST_POINTS,
                measured=len(rates),
            )
        )
    if rates[-1] < LEAST_SPREAD * rates[0]:
        return NotEnoughData(
            Sentence(
                "curve-rates-alike",
                "the measured arrival rates are too much alike ({lowest} to {highest} per second) to show how the "
                "response grows",
                lowest=f"{rates[0]:.3g}",
                highest=f"{rates[-1]:.3g}",
            )
        )
    fits = [_fitted(points, servers) for servers in range(1, most_servers + 1)]
    least = min(each.relative_rms for each in fits)
    several = next(each for each in fits if each.relative_rms * (1 - BETTER_BY) <= least)
    return Fits(fits[0], several)


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a gateway does at an arrival rate. `response_ms`: from a document's arrival until it is delivered; None if
    the gateway is saturated. `saturation_per_s` counts documents. `demand`: for one batch.
    """

    demand: Demand
    saturation_per_s: float
    utilization: float
    response_ms: float | None


def capacity(demand: Demand, batch: int, arrival_rate_per_s: float, servers: int = 1) -> Capacity:
    """The answer for `arrival_rate_per_s` documents that arrive `batch` at a time, each batch with that demand. They
    wait for no others: the gateway sends together what waits. `servers`: from `fit`, or 1 for the paper's model."""
    _at_least_one("the documents of a batch", batch)
    model = OpenModel(servers, demand.ms)
    batches_per_s = arrival_rate_per_s / batch
    return Capacity(
        demand,
        saturation_per_s=model.saturation_per_s * batch,
        utilization=model.utilization(batches_per_s),
        response_ms=model.response_ms(batches_per_s),
    )


def _response_ms(servers: int, demand_ms: Any, arrival_rate_per_s: Any) -> Any:
    """M/M/c below saturation, for numbers or numpy arrays."""
    busy = arrival_rate_per_s * demand_ms / 1e3
    # Erlang B by its recursion, then Erlang C: the share of arrivals that find every server busy.
    blocked = 1.0
    for server in range(1, servers + 1):
        blocked = busy * blocked / (server + busy * blocked)
    waiting = blocked / (1 - busy / servers * (1 - blocked))
    return demand_ms + waiting * demand_ms / (servers - busy)


def _fitted(points: Sequence[MeasuredPoint], servers: int) -> Fit:
    # Imported here, because a gateway and most commands never fit anything.
    import numpy as np

    rates = np.array([point.arrival_rate_per_s for point in points])
    responses = np.array([point.mean_response_ms for point in points])
    weights = np.array([point.transfers for point in points]) / sum(point.transfers for point in points)
    # The response grows with D. So the best D is between the smallest and the largest D that fits one point exactly,
    # and D is less than R and, for any number of servers, at least as large as with one.
    low = float(np.min(responses / (1 + rates * responses / 1e3)))
    high = min(float(np.max(responses)), 1e3 * servers / float(np.max(rates)) * _NEARLY)
    low, error, demand = min(low, high), math.inf, high
    for _ in range(_ROUNDS):
        demands = np.linspace(low, high, _GRID)
        relative = _response_ms(servers, demands[:, None], rates[None, :]) / responses - 1
        errors = np.sqrt((relative**2 * weights).sum(axis=1))
        best = int(np.argmin(errors))
        demand, error = float(demands[best]), float(errors[best])
        low, high = float(demands[max(0, best - 1)]), float(demands[min(_GRID - 1, best + 1)])
    model = OpenModel(servers, demand)
    return Fit(model, error, len(points), float(np.max(rates)) / model.saturation_per_s)


def _positive(name: str, value: float, unit: str) -> None:
    if not 0 < value < math.inf:
        raise LabError(f"{name} must be more than 0 {unit}, not {value}")


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise LabError(f"{name} must be at least 1, not {value}")
