"""The service demand of a transfer as a linear function of its bytes, channels and documents, fitted by least squares.

    D = fixed + secure MB (a + b / N) + plain MB (c + d / M) + further channels e + further documents f

for each mode by itself, over N secure and M plain channels; further documents are those of a batch beyond the first
one. In secure-only every byte is a secure one. A term is left out if no measured transfer has it. No coefficient is
below 0. Errors are relative: 1 ms of 5 weighs as much as 200 ms of a second. Where times scatter, such a fit is too
low, because the transfers that happened to be fast weigh most. So all coefficients are then scaled until the modelled
times of the measured transfers add up to the measured ones.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from sieve.channel.attempt import Mode
from sieve.core.sentence import Sentence
from sieve.lab.errors import LabError
from sieve.lab.intervals import t95
from sieve.lab.not_enough_data import NotEnoughData

LEAST_TRANSFERS: Final = 10
LEAST_FURTHER_ROWS: Final = 3
"""Rows beyond the number of coefficients that they determine; these show the error."""
WIDEST: Final = 0.5
"""A demand is not given if its 95 % interval is wider than this part of it, to either side."""
BEYOND: Final = 2.0
"""A document this many times as large as the largest measured one, or as small as the smallest, is an extrapolation."""
_MB: Final = 1e6
_SAME: Final = 1e-6

Term = str
"""The name of a term of D; `FIXED` to `DOCUMENTS`."""
FIXED: Final = "fixed"
SECURE, SECURE_SHARED = "secure MB", "secure MB / N"
PLAIN, PLAIN_SHARED = "plain MB", "plain MB / M"
CHANNELS: Final = "further channels"
DOCUMENTS: Final = "further documents"


@dataclass(frozen=True, slots=True)
class Work:
    """`batch` documents of `size_bytes` each that are sent together, and how. In secure-only the plain channels are not
    used.
    """

    mode: Mode
    size_bytes: float
    classified_share: float
    secure_channels: int = 1
    plain_channels: int = 1
    batch: int = 1

    def __post_init__(self) -> None:
        if self.mode not in ("sieve", "secure-only"):
            raise LabError(f"a mode is sieve or secure-only, not {self.mode}")
        if not 0 <= self.size_bytes < math.inf:
            raise LabError(f"the size of a document must be 0 bytes or more, not {self.size_bytes}")
        if not 0 <= self.classified_share <= 1:
            raise LabError(f"the classified share of a document must be from 0 to 1, not {self.classified_share}")
        if self.batch < 1:
            raise LabError(f"a batch has at least 1 document, not {self.batch}")
        if min(self.secure_channels, self.plain_channels if self.mode == "sieve" else 1) < 1:
            raise LabError("a transfer has at least 1 channel of each kind that its mode uses")

    @property
    def terms(self) -> Mapping[Term, float]:
        """What each coefficient is multiplied by."""
        sieve = self.mode == "sieve"
        mb = self.size_bytes * self.batch / _MB
        secure = mb * (self.classified_share if sieve else 1.0)
        plain_channels = self.plain_channels if sieve else 1
        return {
            FIXED: 1.0,
            SECURE: secure,
            SECURE_SHARED: secure / self.secure_channels,
            PLAIN: mb - secure,
            PLAIN_SHARED: (mb - secure) / plain_channels,
            CHANNELS: float(self.secure_channels + plain_channels - 2),
            DOCUMENTS: self.batch - 1.0,
        }


@dataclass(frozen=True, slots=True)
class MeasuredService:
    """How long the gateway worked on `work`: the mean of `transfers` like it."""

    work: Work
    service_ms: float
    transfers: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.service_ms < math.inf:
            raise LabError(f"a service time must be more than 0 ms, not {self.service_ms}")
        if self.transfers < 1:
            raise LabError(f"a measured row is of at least 1 transfer, not {self.transfers}")


@dataclass(frozen=True, slots=True)
class Demand:
    """`ci95_ms`: half the width of the 95 % interval. `extrapolated`: no measured document was nearly as large, or as
    small.
    """

    ms: float
    ci95_ms: float
    extrapolated: bool


@dataclass(frozen=True, slots=True)
class DemandModel:
    """The fitted D of one mode. `coefficients_ms`: of each term; only some of their sums may be determined, which
    `demand` and the properties check. `relative_rms`: the root of the mean square of (model / measured - 1).
    """

    mode: Mode
    coefficients_ms: Mapping[Term, float]
    relative_rms: float
    rows: int
    transfers: int
    smallest_bytes: float
    largest_bytes: float
    _inverse: Sequence[Sequence[float]]
    """The pseudo-inverse of the normal equations."""
    _row_space: Sequence[Sequence[float]]
    """The projection on what the measured rows determine."""
    _lengths: Sequence[float]
    """Terms are divided by these, so that their sizes are alike."""
    _variance: float
    _scale_spread: float
    """The relative variance of the sum of the measured times, as a multiple of `_variance`."""
    _degrees: int

    def demand(self, work: Work) -> Demand | NotEnoughData:
        """D of `work`, or why the measurements do not determine it."""
        if work.mode != self.mode:
            raise LabError(f"this model is of {self.mode} transfers, not of {work.mode}")
        terms = work.terms
        unmeasured = [
            term
            for term in _separate(terms)
            if terms[term] and term not in self.coefficients_ms and _counts(term, work)
        ]
        if unmeasured:
            return NotEnoughData(
                Sentence(
                    "demand-none-has",
                    "no measured transfer {way} has {what}",
                    way=WAY[self.mode],
                    what=_NAMES[unmeasured[0]],
                )
            )
        found = self._estimate({term: terms[term] for term in self.coefficients_ms})
        if found is None:
            return NotEnoughData(
                Sentence(
                    "demand-too-alike",
                    "the measured transfers {way} are too much alike to say anything about this one",
                    way=WAY[self.mode],
                )
            )
        ms, ci95_ms = found
        if ms <= 0 or ci95_ms > WIDEST * ms:
            return NotEnoughData(
                Sentence(
                    "demand-scatter",
                    "the measured transfers {way} scatter too much to say anything about this one",
                    way=WAY[self.mode],
                )
            )
        smallest, largest = self.smallest_bytes / BEYOND, self.largest_bytes * BEYOND
        return Demand(ms, ci95_ms, extrapolated=not smallest <= work.size_bytes <= largest)

    @property
    def fixed_ms(self) -> float | None:
        """For any transfer; None if not determined by itself."""
        return self._coefficient(FIXED)

    @property
    def secure_ms_per_mb(self) -> float | None:
        """For 10^6 bytes over one secure channel."""
        return self._coefficient(SECURE, SECURE_SHARED)

    @property
    def plain_ms_per_mb(self) -> float | None:
        """For 10^6 bytes over one plain channel."""
        return self._coefficient(PLAIN, PLAIN_SHARED)

    @property
    def document_ms(self) -> float | None:
        """For each further document of a batch, without its bytes."""
        return self._coefficient(DOCUMENTS)

    def _coefficient(self, *terms: Term) -> float | None:
        if terms[0] not in self.coefficients_ms:
            return None
        found = self._estimate({term: float(term in terms) for term in self.coefficients_ms})
        return None if found is None else found[0]

    def _estimate(self, terms: Mapping[Term, float]) -> tuple[float, float] | None:
        """A sum of coefficients times `terms`, and half the width of its interval; None if it is not determined."""
        scaled = [terms[term] / length for term, length in zip(self.coefficients_ms, self._lengths, strict=True)]
        determined = [sum(a * b for a, b in zip(row, scaled, strict=True)) for row in self._row_space]
        if math.dist(scaled, determined) > _SAME * math.hypot(*scaled):
            return None
        spread = sum(
            a * sum(b * c for b, c in zip(row, scaled, strict=True))
            for a, row in zip(scaled, self._inverse, strict=True)
        )
        ms = sum(terms[term] * each for term, each in self.coefficients_ms.items())
        # What the fit has too high, the scaling takes away: their errors do not add up.
        variance = self._variance * max(0.0, spread, ms**2 * self._scale_spread)
        return ms, t95(self._degrees) * math.sqrt(variance)


WAY: Final[Mapping[Mode, Sentence]] = {
    "sieve": Sentence("way-sieve", "over both channels"),
    "secure-only": Sentence("way-secure-only", "over the secure channel only"),
}
_NAMES: Final = {
    SECURE: Sentence("has-classified", "classified content"),
    SECURE_SHARED: Sentence("has-secure-channels", "several secure channels"),
    PLAIN: Sentence("has-plain", "plain content"),
    PLAIN_SHARED: Sentence("has-plain-channels", "several plain channels"),
    CHANNELS: Sentence("has-channels", "several channels"),
    DOCUMENTS: Sentence("has-documents", "several documents together"),
}


def fit_demand(rows: Sequence[MeasuredService], mode: Mode) -> DemandModel | NotEnoughData:
    """Fits D of one mode to its measured rows; rows of the other mode are ignored."""
    # Imported here, because a gateway and most commands never fit anything.
    import numpy as np

    rows = [row for row in rows if row.work.mode == mode]
    transfers = sum(row.transfers for row in rows)
    if transfers < LEAST_TRANSFERS:
        return NotEnoughData(
            Sentence(
                "demand-too-few",
                "at least {least} measured transfers {way} are needed; there are {transfers}",
                least=LEAST_TRANSFERS,
                way=WAY[mode],
                transfers=transfers,
            )
        )
    measured = [row.work.terms for row in rows]
    terms = [term for term in measured[0] if _is_measured(term, measured)]
    weights = np.array([math.sqrt(row.transfers) for row in rows])
    services = np.array([row.service_ms for row in rows])
    matrix = np.array([[each[term] for term in terms] for each in measured]) * (weights / services)[:, None]
    lengths = np.linalg.norm(matrix, axis=0)
    matrix /= lengths
    _, singular, space = np.linalg.svd(matrix, full_matrices=False)
    rank = int((singular > singular[0] * _SAME).sum())
    degrees = len(rows) - rank
    if degrees < LEAST_FURTHER_ROWS:
        return NotEnoughData(
            Sentence(
                "demand-too-few-rows",
                "too few rows of transfers {way} were measured ({rows}) to fit the coefficients ({rank}) and an error",
                rows=len(rows),
                way=WAY[mode],
                rank=rank,
            )
        )
    space, singular = space[:rank], singular[:rank]
    triangle = np.linalg.qr(np.column_stack((matrix, weights)))[1]
    square, ones = triangle[:, :-1], triangle[:, -1]
    best, error = np.zeros(len(terms)), math.inf
    # A coefficient below 0 is set to 0, and the others are fitted again. At most seven: all choices are tried.
    for chosen in _choices(len(terms)):
        found = np.linalg.lstsq(square[:, chosen], ones, rcond=_SAME)[0]
        left = float(np.linalg.norm(square[:, chosen] @ found - ones))
        if (found >= -1e-12).all() and left < error * (1 - 1e-9):
            best, error = np.zeros(len(terms)), left
            best[list(chosen)] = found
    relative_model = matrix @ best / weights
    times = weights**2 * services
    scale = float(times.sum() / (times * relative_model).sum())
    best, error, relative = best * scale, error * scale, relative_model * scale - 1
    sizes = [row.work.size_bytes for row in rows]
    return DemandModel(
        mode=mode,
        coefficients_ms={term: float(each) for term, each in zip(terms, best / lengths, strict=True)},
        relative_rms=math.sqrt(float((weights**2 * relative**2).sum()) / transfers),
        rows=len(rows),
        transfers=transfers,
        smallest_bytes=min(sizes),
        largest_bytes=max(sizes),
        _inverse=((space.T / singular**2) @ space).tolist(),
        _row_space=(space.T @ space).tolist(),
        _lengths=lengths.tolist(),
        _variance=error**2 / degrees,
        _scale_spread=float((times * services).sum() / times.sum() ** 2),
        _degrees=degrees,
    )


def _is_measured(term: Term, measured: Sequence[Mapping[Term, float]]) -> bool:
    """Whether some row has the term; bytes shared by several channels are no term if there is always one channel."""
    whole = {SECURE_SHARED: SECURE, PLAIN_SHARED: PLAIN}.get(term)
    return any(each[term] and (whole is None or each[term] != each[whole]) for each in measured)


def _counts(term: Term, work: Work) -> bool:
    """Whether a term that was not measured differs from a measured one for this work."""
    return {SECURE_SHARED: work.secure_channels > 1, PLAIN_SHARED: work.plain_channels > 1}.get(term, True)


def _separate(terms: Mapping[Term, float]) -> Iterator[Term]:
    yield from (term for term in terms if term != FIXED)


def _choices(count: int) -> Iterator[list[int]]:
    for size in range(count, 0, -1):
        yield from (list(chosen) for chosen in combinations(range(count), size))
