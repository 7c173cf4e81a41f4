"""What sending to one peer costs: eleven numbers, from which the response time of any plan follows, and how they are
learnt from each transfer's measured response.

The model, for c classified and p plain bytes over N secure and M plain channels, k documents in one exchange:

    secure-only:  fixed + (a c + b p) / speed-up(N) + channel (N - 1) + document (k - 1)
    sieve:        fixed + max(S, Q) + overlap min(S, Q) + channel (N + M - 2) + document (k - 1)
                  where S = s c / speed-up(N), Q = q p / speed-up(M)

Both streams of `sieve` leave at once: overlap is 0 if they do not hinder each other (two links), 1 if one processor
does all. Speed-up is Amdahl's, with a serial share. What the sieve itself takes is no cost of a peer, and known before.

Learning is least squares with forgetting, as a Kalman filter: what is believed first is vague, so that the first few
transfers decide; each measured response counts by its relative error and teaches about every number according to how
unsure that is; and every number is free to drift. (The overlap makes it an extended, iterated one.)

The law: every prediction is positive, finite, and grows with either stream. One transfer that took oddly long moves the
costs by no more than three standard deviations; only if more like it follow is it the new truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from sieve.channel.attempt import Mode

(
    FIXED_SIEVE,
    CLASSIFIED_SIEVE,
    PLAIN_SIEVE,
    OVERLAP,
    FIXED_SECURE,
    CLASSIFIED_SECURE,
    PLAIN_SECURE,
    CHANNEL,
    SERIAL_SECURE,
    SERIAL_PLAIN,
    DOCUMENT,
) = range(11)

_SHARES: Final = frozenset((OVERLAP, SERIAL_SECURE, SERIAL_PLAIN))
_MB: Final = 1e6
_TINY: Final = 1e-12

# What is believed first, in milliseconds, milliseconds for each MB, and shares: rough figures of two gateways on one
# small machine, which a few transfers replace; and how unsure they are, each number by itself.
_FIRST: Final = {
    FIXED_SIEVE: (3.0, 10.0),
    CLASSIFIED_SIEVE: (2.0, 100.0),
    PLAIN_SIEVE: (1.0, 1000.0),
    OVERLAP: (0.5, 0.35),
    FIXED_SECURE: (2.5, 10.0),
    CLASSIFIED_SECURE: (2.0, 100.0),
    PLAIN_SECURE: (1.8, 100.0),
    CHANNEL: (0.5, 2.0),
    SERIAL_SECURE: (0.95, 0.1),
    SERIAL_PLAIN: (0.95, 0.1),
    DOCUMENT: (1.0, 2.0),
}
NUMBERS: Final = len(_FIRST)
# And together: one machine or link is slower in all of these.
_TOGETHER: Final = (
    (frozenset((FIXED_SIEVE, FIXED_SECURE)), 300.0),
    (frozenset((CLASSIFIED_SIEVE, PLAIN_SIEVE, CLASSIFIED_SECURE, PLAIN_SECURE)), 1000.0),
)
# Between which each stays: nothing is for nothing. What any transfer takes is much alike on machines of today, and a
# few small ones would leave next to nothing of it for the mode that they did not go by.
_LEAST: Final = {FIXED_SIEVE: 0.2, FIXED_SECURE: 0.2}
_BOUNDS: Final = tuple(
    (first * _LEAST.get(index, 0.001), 1.0 if index in _SHARES else math.inf) for index, (first, _) in _FIRST.items()
)

_SCATTER: Final = 0.15
"""What a single response is off by, as a part of it."""
_OUTLIER: Final = 3.0
_ITERATIONS: Final = 4
# From one transfer to the next, as parts of each number; the second when it is doubted that the numbers still hold.
_DRIFT, _DOUBTED = 0.01, 0.5
# Three outliers within a few transfers are no stalls.
_DOUBT_KEPT, _DOUBT_MOST = 0.8, 2.0


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be sent. Bytes of all documents of an exchange together."""

    classified: int
    plain: int
    documents: int = 1

    def __post_init__(self) -> None:
        if self.classified < 0 or self.plain < 0 or self.documents < 1:
            raise ValueError("work is of at least one document, and no stream is shorter than nothing")

    @property
    def size(self) -> int:
        return self.classified + self.plain

    @property
    def proportion(self) -> float:
        """P: how much of it is classified; of an empty document, all."""
        return self.classified / self.size if self.size else 1.0


@dataclass(frozen=True, slots=True)
class Way:
    """How it could be sent. In secure-only the plain channels are not used and count as one."""

    mode: Mode
    secure_channels: int = 1
    plain_channels: int = 1


@dataclass(frozen=True, slots=True)
class Costs:
    """What is believed of a peer: the numbers, how unsure they are (covariance), and of how many transfers.

    `secure_setup_ms`, `plain_setup_ms`: until a new connection of that kind can be used. `doubt`: outliers of late.
    """

    means: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    seen: int = 0
    secure_setup_ms: float = 8.0
    plain_setup_ms: float = 0.6
    doubt: float = 0.0

    @classmethod
    def at_first(cls) -> Self:
        """What is believed of a peer to which nothing was sent yet."""
        return cls(tuple(mean for mean, _ in _FIRST.values()), _PRIOR)

    # --- predicting ------------------------------------------------------------------------------------------------

    def number(self, index: int) -> float:
        """One of the numbers, in milliseconds, milliseconds for each MB, or as a share."""
        return self.means[index]

    def predict_ms(self, work: Work, way: Way) -> float:
        """The response time, without the sieve's own time and over channels that are open."""
        return self._predicted(work, way)[0]

    def unsure(self, work: Work, way: Way, other: Way) -> float:
        """The standard deviation of the logarithm of how the two ways' response times compare."""
        (one, slope), (two, other_slope) = self._predicted(work, way), self._predicted(work, other)
        differ = [a / one - b / two for a, b in zip(slope, other_slope, strict=True)]
        return math.sqrt(max(0.0, _inner(differ, _times(self.covariance, differ))))

    def setup_ms(self, way: Way) -> float:
        """Until the channels of a way are there, if none is open: they are set up at the same time."""
        further = self.number(CHANNEL) * (_channels(way) - _channels(Way(way.mode)))
        first = self.secure_setup_ms if way.mode == "secure-only" else max(self.secure_setup_ms, self.plain_setup_ms)
        return first + further

    def _predicted(self, work: Work, way: Way) -> tuple[float, list[float]]:
        """Milliseconds, and by how many they grow with each of the numbers."""
        value, slope = self.means, [0.0] * NUMBERS
        secure_part, secure_bend = _amdahl(value[SERIAL_SECURE], way.secure_channels)
        classified, plain = work.classified / _MB, work.plain / _MB
        if way.mode == "secure-only":
            slope[FIXED_SECURE] = 1.0
            slope[CLASSIFIED_SECURE] = classified * secure_part
            slope[PLAIN_SECURE] = plain * secure_part
            alone = value[CLASSIFIED_SECURE] * classified + value[PLAIN_SECURE] * plain
            slope[SERIAL_SECURE] = alone * secure_bend
            ms = value[FIXED_SECURE] + alone * secure_part
        else:
            plain_part, plain_bend = _amdahl(value[SERIAL_PLAIN], way.plain_channels)
            secure, other = value[CLASSIFIED_SIEVE] * classified, value[PLAIN_SIEVE] * plain
            longer_is_secure = secure * secure_part >= other * plain_part
            by_secure, by_plain = (1.0, value[OVERLAP]) if longer_is_secure else (value[OVERLAP], 1.0)
            slope[FIXED_SIEVE] = 1.0
            slope[CLASSIFIED_SIEVE] = by_secure * classified * secure_part
            slope[PLAIN_SIEVE] = by_plain * plain * plain_part
            slope[SERIAL_SECURE] = by_secure * secure * secure_bend
            slope[SERIAL_PLAIN] = by_plain * other * plain_bend
            slope[OVERLAP] = min(secure * secure_part, other * plain_part)
            ms = value[FIXED_SIEVE] + by_secure * secure * secure_part + by_plain * other * plain_part
        slope[CHANNEL] = float(_channels(way) - _channels(Way(way.mode)))
        slope[DOCUMENT] = float(work.documents - 1)
        return ms + value[CHANNEL] * slope[CHANNEL] + value[DOCUMENT] * slope[DOCUMENT], slope

    # --- learning --------------------------------------------------------------------------------------------------

    def learn(self, work: Work, way: Way, response_ms: float) -> "Costs":
        """What is believed after a transfer whose response, without the sieve's own time, took so long."""
        if not (math.isfinite(response_ms) and response_ms > 0):
            return self
        believed = self
        for _ in range(_ITERATIONS if way.mode == "sieve" else 1):
            predicted, slope = believed._predicted(work, way)
            unsure = _times(self.covariance, slope)
            own = max(0.0, _inner(slope, unsure))
            moved = [one - two for one, two in zip(believed.means, self.means, strict=True)]
            surprise = response_ms - predicted + _inner(slope, moved)
            scatter = _SCATTER**2 * response_ms * predicted
            most = _OUTLIER * math.sqrt(own + scatter)
            surprised = abs(surprise) > most
            if surprise > most:
                # Huber, on one side: a stall makes a response longer, and nothing makes one shorter than it can be.
                scatter *= surprise / most
                surprise = most
            spread = own + scatter
            means = [mean + each / spread * surprise for mean, each in zip(self.means, unsure, strict=True)]
            believed = replace(self, means=_kept_positive(means, self.covariance))
        covariance = [
            [self.covariance[i][j] - unsure[i] * unsure[j] / spread for j in range(NUMBERS)] for i in range(NUMBERS)
        ]
        doubt = self.doubt * _DOUBT_KEPT + surprised
        doubted = doubt >= _DOUBT_MOST
        return replace(
            believed,
            covariance=_walked(covariance, believed.means, _DOUBTED if doubted else _DRIFT),
            seen=self.seen + 1,
            doubt=0.0 if doubted else doubt,
        )

    def learn_setup(self, *, secure_ms: float | None = None, plain_ms: float | None = None) -> "Costs":
        """What is believed after connections were set up, in so many milliseconds."""
        return replace(
            self,
            secure_setup_ms=_nearer(self.secure_setup_ms, secure_ms),
            plain_setup_ms=_nearer(self.plain_setup_ms, plain_ms),
        )

    # --- keeping ---------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "v": 1,
            "means": list(self.means),
            "covariance": [list(row) for row in self.covariance],
            "seen": self.seen,
            "secure_setup_ms": self.secure_setup_ms,
            "plain_setup_ms": self.plain_setup_ms,
            "doubt": self.doubt,
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Costs":
        """What was kept; what is believed at first if it is of another version, or nonsense."""
        try:
            found = cls(
                tuple(float(mean) for mean in said["means"]),
                tuple(tuple(float(each) for each in row) for row in said["covariance"]),
                int(said["seen"]),
                float(said["secure_setup_ms"]),
                float(said["plain_setup_ms"]),
                float(said["doubt"]),
            )
        except (KeyError, TypeError, ValueError):
            return cls.at_first()
        numbers = [*found.means, *(each for row in found.covariance for each in row), found.secure_setup_ms]
        sizes = {len(found.means), len(found.covariance), *(len(row) for row in found.covariance)}
        numbers += [found.plain_setup_ms, found.doubt]
        positive = min((*found.means, found.secure_setup_ms, found.plain_setup_ms), default=0.0) > 0
        fits = said.get("v") == 1 and sizes == {NUMBERS} and positive and all(map(math.isfinite, numbers))
        return found if fits else cls.at_first()


def _channels(way: Way) -> int:
    return way.secure_channels + (way.plain_channels if way.mode == "sieve" else 0)


def _amdahl(serial: float, channels: int) -> tuple[float, float]:
    """What each of `channels` takes of the time that one alone takes; and how that grows with the serial share."""
    return serial + (1 - serial) / channels, 1 - 1 / channels


def _kept_positive(means: list[float], covariance: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The numbers, each back within its bounds; the others follow, as far as they hang together."""
    for index, (low, high) in enumerate(_BOUNDS):
        bounded = min(max(means[index], low), high)
        if bounded != means[index]:
            step = (bounded - means[index]) / max(covariance[index][index], _TINY)
            means = [mean + step * covariance[index][i] for i, mean in enumerate(means)]
    return tuple(min(max(mean, low), high) for mean, (low, high) in zip(means, _BOUNDS, strict=True))


def _nearer(believed_ms: float, measured_ms: float | None) -> float:
    """A fifth of the way, by factors of at most two: a stall is not how long it takes."""
    if measured_ms is None or not (math.isfinite(measured_ms) and measured_ms > 0):
        return believed_ms
    return believed_ms * math.pow(min(max(measured_ms / believed_ms, 0.5), 2.0), 0.2)


def _believed_first(i: int, j: int) -> float:
    """The covariance of two numbers, before anything was measured."""
    together = sum(common**2 for group, common in _TOGETHER if {i, j} <= group)
    return together + (_FIRST[i][1] ** 2 if i == j else 0.0)


_PRIOR: Final = tuple(tuple(_believed_first(i, j) for j in range(NUMBERS)) for i in range(NUMBERS))


def _walked(covariance: list[list[float]], means: Sequence[float], part: float) -> tuple[tuple[float, ...], ...]:
    """One transfer later: every number may have moved by such a part of it; but nothing is less sure than at first."""
    for index, mean in enumerate(means):
        covariance[index][index] += (part * mean) ** 2
    scale = [math.sqrt(min(1.0, _PRIOR[i][i] / max(covariance[i][i], _TINY))) for i in range(NUMBERS)]
    return tuple(tuple(covariance[i][j] * scale[i] * scale[j] for j in range(NUMBERS)) for i in range(NUMBERS))


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [_inner(row, vector) for row in matrix]


def _inner(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
