"""Chooses mode and channels by their predicted times, and gives the reason.

Invariant: a mode that the author named is used. Otherwise the planner takes the mode that it predicts to be fastest,
and keeps its last mode if that is within two per cent. It never tries a mode on a document to measure it. Splits are
always `range`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from sieve.channel.attempt import Mode
from sieve.gateway.outbound.planner.costs import Costs, Way, Work

RequestedMode: TypeAlias = Literal["auto", "sieve", "secure-only"]
BreakEven: TypeAlias = float | Literal["always", "never"]
"""The highest proportion of classified bytes at which sieve is predicted to be faster."""
Reason: TypeAlias = Literal["faster", "requested", "all-classified", "plain-failed", "as-estimated", "measuring"]
"""Why a mode was chosen: it is predicted to be faster; its author named it; everything is classified, so the plain
channel has nothing to carry; the plain channel failed, so nothing goes there; the estimate before sending was
secure-only, so nothing goes over the plain channel although it became faster. `measuring`: only in transfers of
versions that tried a mode to measure it."""

KEEP_WITHIN: Final = 0.02
"""The last mode is kept unless the other one is faster by this part."""
CHANNELS_GAIN: Final = 0.05
"""Further channels must save this part of the time: they cost the peer, too."""
JOIN_GAIN: Final = 0.05
"""A document joins an attempt if that saves this part of its own time."""
_COUNTS: Final = (1, 2, 3, 5, 8)
"""The numbers of channels that are considered."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the author requested, and what the peer allows. `None`: the planner chooses, from 1 to what the peer allows.

    `off_plain`: nothing goes over the plain channel, whatever the author requested, because it failed before
    (`plain_failed`), or because the estimate that the author saw was secure-only.
    """

    mode: RequestedMode = "auto"
    secure_channels: int | None = 1
    plain_channels: int | None = 1
    most_secure: int = 1
    most_plain: int = 1
    off_plain: bool = False
    plain_failed: bool = False

    def ways(self, mode: Mode) -> Sequence[Way]:
        """The permitted ways in this mode, the one with the fewest channels first."""
        secure = [self.secure_channels] if self.secure_channels else [n for n in _COUNTS if n <= self.most_secure]
        plain = [self.plain_channels] if self.plain_channels else [n for n in _COUNTS if n <= self.most_plain]
        return [Way(mode, n, m) for n in secure or [1] for m in ((plain or [1]) if mode == "sieve" else [1])]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Why a mode was chosen, and how long sending should take: the response in this mode and in the other one, without
    opening channels. `break_even`: the highest proportion of classified bytes at which sieve is faster for a document
    of this size. `measured`: whether anything sent to this peer was measured; without that, this is a rough guess.
    `expected_ms`: how long the author waits, from accepting the transfer to its receipt, with the transfers that are
    ahead of it and the opening of channels; None if an estimate would not be reliable (`forecasts`).
    """

    reason: Reason
    predicted_ms: float
    other_ms: float
    break_even: BreakEven
    measured: bool
    expected_ms: float | None = None

    def rounded(self) -> "Estimate":
        """The same to a thousandth, as people and the database get it."""
        edge = self.break_even
        return replace(
            self,
            predicted_ms=round(self.predicted_ms, 3),
            other_ms=round(self.other_ms, 3),
            break_even=round(edge, 3) if isinstance(edge, float) else edge,
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do, and why. `spread`: the standard deviation of the logarithm of the predicted response."""

    way: Way
    estimate: Estimate
    spread: float


def choose(
    costs: Costs, work: Work, wish: Wish, last: Mode | None = None, *, sieve_ms: float = 0.0, warm: bool = True
) -> Choice:
    """How to send `work`. `last`: the last mode to this peer. `sieve_ms`: the time that separating it took, which is
    part of sieve's response.

    `warm`: whether channels are open; if not, the comparison includes the time to open them.
    """
    offer = _Offer(costs, work, sieve_ms, warm)
    best = {mode: offer.best(wish.ways(mode)) for mode in ("sieve", "secure-only")}
    sieve, secure = best["sieve"], best["secure-only"]
    fastest = sieve if offer.ms(sieve) <= offer.ms(secure) else secure
    reason: Reason = "faster"
    if wish.mode == "secure-only" or (wish.mode == "sieve" and not wish.off_plain):
        way, reason = best[wish.mode], "requested"
    elif work.classified and not work.plain:
        way, reason = secure, "all-classified"
    elif wish.off_plain:
        way = secure
        if wish.plain_failed:
            reason = "plain-failed"
        elif fastest is not secure:
            reason = "as-estimated"
    else:
        way = (
            best[last]
            if last is not None and offer.ms(best[last]) <= offer.ms(fastest) * (1 + KEEP_WITHIN)
            else fastest
        )
    other = secure if way.mode == "sieve" else sieve
    edge, measured = offer.break_even(sieve, secure), costs.seen > 0
    estimate = Estimate(reason, offer.response_ms(way), offer.response_ms(other), edge, measured)
    return Choice(way, estimate, costs.spread(work, way))


def together(costs: Costs, waiting: Sequence[Work], mode: Mode, *, most_documents: int, most_bytes: int) -> int:
    """How many of the waiting documents, from the first on, should go in one attempt: at least 1."""
    if not waiting:
        raise ValueError("nothing is waiting")
    saved_ms = costs.saved_ms(mode)
    count = total = 0
    for work in waiting[:most_documents]:
        joins = saved_ms >= JOIN_GAIN * costs.predict_ms(replace(work, documents=1), Way(mode))
        if count and (not joins or total + work.size > most_bytes):
            break
        count, total = count + 1, total + work.size
        if not joins:
            break
    return count


@dataclass(frozen=True, slots=True)
class _Offer:
    """One work, and how long each way would take."""

    costs: Costs
    work: Work
    sieve_ms: float
    warm: bool

    def response_ms(self, way: Way, work: Work | None = None) -> float:
        sieving = self.sieve_ms if way.mode == "sieve" else 0.0
        return self.costs.predict_ms(work or self.work, way) + sieving

    def ms(self, way: Way, work: Work | None = None) -> float:
        """The time to compare: of opening the channels and of the response."""
        return self.response_ms(way, work) + (0.0 if self.warm else self.costs.setup_ms(way))

    def best(self, ways: Sequence[Way]) -> Way:
        """The fastest way; with further channels only if they save enough."""
        first = ways[0]
        fastest = min(ways, key=self.ms)
        return fastest if self.ms(fastest) < self.ms(first) * (1 - CHANNELS_GAIN) else first

    def break_even(self, sieve: Way, secure: Way) -> BreakEven:
        """For a document of this size."""

        size = self.work.size

        def lead_ms(classified: int) -> float:
            work = replace(self.work, classified=classified, plain=size - classified)
            return self.ms(secure, work) - self.ms(sieve, work)

        if lead_ms(size) >= 0:
            return "always"
        # Sieve's lead grows in a straight line until both channels take the same time, and then shrinks in one.
        level = self.costs.level(sieve) * size
        for low, high in ((math.ceil(level), size), (0, math.floor(level))):
            first, last = lead_ms(low), lead_ms(high)
            if last >= 0:
                return high / size
            if first >= 0:
                return (low + math.floor((high - low) * first / (first - last))) / size
        return "never"
