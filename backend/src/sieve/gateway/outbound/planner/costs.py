"""The costs of sending to one peer: eleven numbers that predict the response time of any plan, learned from measured
responses.

The model, for c classified and p plain bytes over N secure and M plain channels, k documents in one attempt:

    secure-only:  fixed + (a c + b p) share(N) + channel (N - 1) + document (k - 1)
    sieve:        fixed + max(S, Q) + overlap min(S, Q) + channel (N + M - 2) + document (k - 1)
                  where S = s c share(N), Q = q p share(M)

Both streams of `sieve` leave at once: overlap is 0 if they do not slow each other down (two links), 1 if one processor
does all. By Amdahl's law n channels take share(n) = serial + (1 - serial) / n of the time of one. The sieve's own time
is no cost of a peer, and known before.

Learning is a Kalman filter (`kalman`). The first numbers are so unsure that a few transfers replace them.

Invariant: every prediction is positive, finite, and grows with either stream. One transfer that took too long moves the
costs by no more than three standard deviations; only if more like it follow, they are believed.
"""

import math
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from sieve.channel.attempt import Mode
from sieve.gateway.outbound.planner.kalman import Matrix, Vector, corrected, drifted, inner, times

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

# The first numbers: milliseconds, milliseconds for each MB, and shares, with their standard deviations. They are rough
# figures of two gateways on one small machine.
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
# A further standard deviation that several numbers share: a slow machine or link is slow in all of these.
_TOGETHER: Final = (
    (frozenset((FIXED_SIEVE, FIXED_SECURE)), 300.0),
    (frozenset((CLASSIFIED_SIEVE, PLAIN_SIEVE, CLASSIFIED_SECURE, PLAIN_SECURE)), 1000.0),
)
# The least that a number can be, as a part of the first one. The fixed costs differ little among today's machines, and
# a few small transfers would leave next to nothing of that of the mode that they did not use.
_LEAST: Final = {FIXED_SIEVE: 0.2, FIXED_SECURE: 0.2}
_BOUNDS: Final = tuple(
    (first * _LEAST.get(index, 0.001), 1.0 if index in _SHARES else math.inf) for index, (first, _) in _FIRST.items()
)


def _first_covariance(i: int, j: int) -> float:
    together = sum(common**2 for group, common in _TOGETHER if {i, j} <= group)
    return together + (_FIRST[i][1] ** 2 if i == j else 0.0)


_FIRST_MEANS: Final = tuple(mean for mean, _ in _FIRST.values())
_FIRST_COVARIANCE: Final = tuple(tuple(_first_covariance(i, j) for j in range(NUMBERS)) for i in range(NUMBERS))

_SCATTER: Final = 0.15
"""What a single response is off by, as a part of it."""
# By what part each number may change from one transfer to the next; the second after three outliers in a few transfers,
# which are not stalls: the peer has changed.
_DRIFT, _CHANGED = 0.01, 0.5
_DOUBT_KEPT, _DOUBT_MOST = 0.8, 2.0


@dataclass(frozen=True, slots=True)
class Work:
    """What to send: the bytes of all documents of an attempt."""

    classified: int
    plain: int
    documents: int = 1

    def __post_init__(self) -> None:
        if self.classified < 0 or self.plain < 0 or self.documents < 1:
            raise ValueError("work is of at least one document, and no stream is shorter than nothing")

    @property
    def size(self) -> int:
        return self.classified + self.plain


@dataclass(frozen=True, slots=True)
class Way:
    """How it could be sent. In secure-only the plain channels are not used and count as one."""

    mode: Mode
    secure_channels: int = 1
    plain_channels: int = 1

    @property
    def further_channels(self) -> int:
        """Beyond the first one of each kind."""
        return self.secure_channels - 1 + (self.plain_channels - 1 if self.mode == "sieve" else 0)


def _share(serial: float, channels: int) -> float:
    """The part of one channel's time for that many channels."""
    return serial + (1 - serial) / channels


def _response_ms(numbers: Vector, work: Work, way: Way) -> float:
    classified, plain = work.classified / 1e6, work.plain / 1e6
    secure_share = _share(numbers[SERIAL_SECURE], way.secure_channels)
    if way.mode == "secure-only":
        carried = (numbers[CLASSIFIED_SECURE] * classified + numbers[PLAIN_SECURE] * plain) * secure_share
        ms = numbers[FIXED_SECURE] + carried
    else:
        secure_ms = numbers[CLASSIFIED_SIEVE] * classified * secure_share
        plain_ms = numbers[PLAIN_SIEVE] * plain * _share(numbers[SERIAL_PLAIN], way.plain_channels)
        ms = numbers[FIXED_SIEVE] + max(secure_ms, plain_ms) + numbers[OVERLAP] * min(secure_ms, plain_ms)
    return ms + numbers[CHANNEL] * way.further_channels + numbers[DOCUMENT] * (work.documents - 1)


def _gradient(numbers: Vector, work: Work, way: Way) -> list[float]:
    """By how much the response time grows with each of the numbers."""
    classified, plain = work.classified / 1e6, work.plain / 1e6
    secure_share = _share(numbers[SERIAL_SECURE], way.secure_channels)
    grows = [0.0] * NUMBERS
    grows[CHANNEL] = way.further_channels
    grows[DOCUMENT] = work.documents - 1
    if way.mode == "secure-only":
        one_channel = numbers[CLASSIFIED_SECURE] * classified + numbers[PLAIN_SECURE] * plain
        grows[FIXED_SECURE] = 1.0
        grows[CLASSIFIED_SECURE] = classified * secure_share
        grows[PLAIN_SECURE] = plain * secure_share
        grows[SERIAL_SECURE] = one_channel * (1 - 1 / way.secure_channels)
        return grows
    plain_share = _share(numbers[SERIAL_PLAIN], way.plain_channels)
    secure_ms, plain_ms = numbers[CLASSIFIED_SIEVE] * classified, numbers[PLAIN_SIEVE] * plain
    secure_is_longer = secure_ms * secure_share >= plain_ms * plain_share
    secure_weight, plain_weight = (1.0, numbers[OVERLAP]) if secure_is_longer else (numbers[OVERLAP], 1.0)
    grows[FIXED_SIEVE] = 1.0
    grows[CLASSIFIED_SIEVE] = secure_weight * classified * secure_share
    grows[PLAIN_SIEVE] = plain_weight * plain * plain_share
    grows[SERIAL_SECURE] = secure_weight * secure_ms * (1 - 1 / way.secure_channels)
    grows[SERIAL_PLAIN] = plain_weight * plain_ms * (1 - 1 / way.plain_channels)
    grows[OVERLAP] = min(secure_ms * secure_share, plain_ms * plain_share)
    return grows


@dataclass(frozen=True, slots=True)
class Costs:
    """What is believed of a peer: the numbers, their covariance, and after how many transfers.

    `secure_setup_ms`, `plain_setup_ms`: the time until a new connection of that kind can be used. `doubt`: how many
    outliers there were recently. `v`: of the form in which the database has them.
    """

    means: Vector = _FIRST_MEANS
    covariance: Matrix = _FIRST_COVARIANCE
    seen: int = 0
    secure_setup_ms: float = 8.0
    plain_setup_ms: float = 0.6
    doubt: float = 0.0
    v: Literal[1] = 1

    @property
    def is_sound(self) -> bool:
        """Whether there are as many numbers as the model has, all finite, and those positive that must be."""
        sizes = {len(self.means), len(self.covariance), *map(len, self.covariance)}
        positive = (*self.means, self.secure_setup_ms, self.plain_setup_ms)
        numbers = (*positive, self.doubt, *(each for row in self.covariance for each in row))
        return sizes == {NUMBERS} and min(positive) > 0 and all(map(math.isfinite, numbers))

    def predict_ms(self, work: Work, way: Way) -> float:
        """The response time, without the sieve's own time, over open channels."""
        return _response_ms(self.means, work, way)

    def level(self, way: Way) -> float:
        """The proportion of classified bytes at which both channels of a way of mode sieve take the same time."""
        secure_ms = self.means[CLASSIFIED_SIEVE] * _share(self.means[SERIAL_SECURE], way.secure_channels)
        plain_ms = self.means[PLAIN_SIEVE] * _share(self.means[SERIAL_PLAIN], way.plain_channels)
        return plain_ms / (secure_ms + plain_ms)

    def spread(self, work: Work, way: Way) -> float:
        """The standard deviation of the logarithm of a response time: of the numbers, and of a single response."""
        ms = self.predict_ms(work, way)
        grows = [each / ms for each in _gradient(self.means, work, way)]
        return math.sqrt(max(0.0, inner(grows, times(self.covariance, grows))) + _SCATTER**2)

    def setup_ms(self, way: Way) -> float:
        """The time to open a way's channels. The first ones of both kinds are opened at once."""
        first = self.secure_setup_ms if way.mode == "secure-only" else max(self.secure_setup_ms, self.plain_setup_ms)
        return first + self.means[CHANNEL] * way.further_channels

    def saved_ms(self, mode: Mode) -> float:
        """The time that a document saves if it goes together with another one."""
        return self.means[FIXED_SIEVE if mode == "sieve" else FIXED_SECURE] - self.means[DOCUMENT]

    def learn(self, work: Work, way: Way, response_ms: float) -> Self:
        """The costs after a transfer with this response, without the sieve's own time."""
        if not (math.isfinite(response_ms) and response_ms > 0):
            return self
        means, covariance, outlier = corrected(
            self.means,
            self.covariance,
            lambda numbers: (_response_ms(numbers, work, way), _gradient(numbers, work, way)),
            response_ms,
            scatter=_SCATTER,
            bounds=_BOUNDS,
            iterations=4 if way.mode == "sieve" else 1,
        )
        doubt = self.doubt * _DOUBT_KEPT + outlier
        changed = doubt >= _DOUBT_MOST
        return replace(
            self,
            means=means,
            covariance=drifted(covariance, means, _CHANGED if changed else _DRIFT, _FIRST_COVARIANCE),
            seen=self.seen + 1,
            doubt=0.0 if changed else doubt,
        )

    def learn_setup(self, *, secure_ms: float | None = None, plain_ms: float | None = None) -> Self:
        """The costs after connections took so long to open."""
        return replace(
            self,
            secure_setup_ms=_nearer(self.secure_setup_ms, secure_ms),
            plain_setup_ms=_nearer(self.plain_setup_ms, plain_ms),
        )


def _nearer(believed_ms: float, measured_ms: float | None) -> float:
    """A fifth of the way to what was measured, by factors of at most two: it may have been a stall."""
    if measured_ms is None or not (math.isfinite(measured_ms) and measured_ms > 0):
        return believed_ms
    return believed_ms * math.pow(min(max(measured_ms / believed_ms, 0.5), 2.0), 0.2)
