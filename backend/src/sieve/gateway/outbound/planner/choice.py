"""Chooses mode and channels by their predicted times, and gives the reason.

Invariant: a mode that the author named is used. Otherwise the planner takes the mode that it predicts to be fastest,
and keeps its last mode if that is within two per cent. To measure other modes, it sometimes tries one, and pays its
predicted extra time from an allowance of half a per cent of the time of all transfers. Splits are always `range`.
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
Reason: TypeAlias = Literal["faster", "requested", "plain-failed", "measuring"]
"""Why a mode was chosen: it is predicted to be faster; its author named it; the plain channel failed, so nothing goes
there; or to measure how long it takes."""

KEEP_WITHIN: Final = 0.02
"""The last mode is kept unless the other one is faster by this part."""
CHANNELS_GAIN: Final = 0.05
"""Further channels must save this part of the time: they cost the peer, too."""
TRY_WITHIN: Final = -0.1
"""A way is tried if it would be a tenth faster with an error of two standard deviations in its favour."""
ALLOWANCE: Final = 0.005
"""The part of each transfer's time that is added to the allowance for tries."""
MOST_ALLOWANCE: Final = 0.5
MOST_DEAR: Final = 20.0
LEAST_PRICE, MOST_PRICE = 0.02, 0.25
"""What one try takes from the allowance. The least makes at most every fourth transfer a try. The most permits a try of
a way whose prediction is only a guess, and too long; after the try it is known."""
MOST_EXTRA_MS: Final = 1000.0
"""No author waits longer than this for a try."""
JOIN_GAIN: Final = 0.05
"""A document joins an attempt if that saves this part of its own time."""
_COUNTS: Final = (1, 2, 3, 5, 8)
"""The numbers of channels that are considered."""
_FLAT_MS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Wish:
    """What the author requested, and what the peer allows. `None`: the planner chooses, from 1 to what the peer allows.

    `off_plain`: the plain channel failed before, so nothing goes there, whatever the author requested.
    """

    mode: RequestedMode = "auto"
    secure_channels: int | None = 1
    plain_channels: int | None = 1
    most_secure: int = 1
    most_plain: int = 1
    off_plain: bool = False

    def ways(self, mode: Mode) -> Sequence[Way]:
        """The permitted ways in this mode, the one with the fewest channels first."""
        secure = [self.secure_channels] if self.secure_channels else [n for n in _COUNTS if n <= self.most_secure]
        plain = [self.plain_channels] if self.plain_channels else [n for n in _COUNTS if n <= self.most_plain]
        return [Way(mode, n, m) for n in secure or [1] for m in ((plain or [1]) if mode == "sieve" else [1])]


@dataclass(frozen=True, slots=True)
class Habit:
    """The last mode to a peer, and what may be spent on measuring, as parts of a transfer's time.

    `dear` is a second allowance for what the first can never pay: however sure the planner is, it may be wrong.
    """

    mode: Mode | None = None
    allowance: float = MOST_ALLOWANCE / 2
    dear: float = 0.0

    @property
    def is_sound(self) -> bool:
        """Whether the allowances are within their bounds."""
        return 0 <= self.allowance <= MOST_ALLOWANCE and 0 <= self.dear <= MOST_DEAR

    def allowed_more(self, mode: Mode) -> "Habit":
        """After a transfer that was left to the planner, and is best sent in this mode."""
        return Habit(mode, min(self.allowance + ALLOWANCE, MOST_ALLOWANCE), min(self.dear + ALLOWANCE, MOST_DEAR))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Why a mode was chosen, and how long sending should take: the response in this mode and in the other one, without
    opening channels. `break_even`: the highest proportion of classified bytes at which sieve is faster for a document
    of this size. `measured`: whether a transfer to this peer was measured; without one, this is a rough guess.
    """

    reason: Reason
    predicted_ms: float
    other_ms: float
    break_even: BreakEven
    measured: bool

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
    """What to do, and why. `habit`: to keep if this is done."""

    way: Way
    estimate: Estimate
    habit: Habit


def choose(costs: Costs, work: Work, wish: Wish, habit: Habit, *, sieve_ms: float = 0.0, warm: bool = True) -> Choice:
    """How to send `work`. `sieve_ms`: the time that separating it took, which is part of sieve's response.

    `warm`: whether channels are open; if not, the comparison includes the time to open them.
    """
    offer = _Offer(costs, work, sieve_ms, warm)
    best = {mode: offer.best(wish.ways(mode)) for mode in ("sieve", "secure-only")}
    sieve, secure = best["sieve"], best["secure-only"]
    reason: Reason
    if wish.off_plain:
        way, reason = secure, "requested" if wish.mode == "secure-only" else "plain-failed"
    elif wish.mode != "auto":
        way, reason = best[wish.mode], "requested"
    else:
        way = sieve if offer.ms(sieve) <= offer.ms(secure) else secure
        if habit.mode is not None and offer.ms(best[habit.mode]) <= offer.ms(way) * (1 + KEEP_WITHIN):
            way = best[habit.mode]
        habit = habit.allowed_more(way.mode)
        tried, habit = offer.tried(way, best["secure-only" if way.mode == "sieve" else "sieve"], wish, habit)
        way, reason = (tried, "measuring") if tried else (way, "faster")
    other = secure if way.mode == "sieve" else sieve
    edge, measured = offer.break_even(sieve, secure), costs.seen > 0
    return Choice(way, Estimate(reason, offer.response_ms(way), offer.response_ms(other), edge, measured), habit)


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

    def excess(self, way: Way, best: Way) -> float:
        """How much longer a way takes than the best one, as a part of that."""
        return self.ms(way) / max(self.ms(best), _FLAT_MS) - 1

    def tried(self, best: Way, other: Way, wish: Wish, habit: Habit) -> tuple[Way | None, Habit]:
        """The way to try instead of the best one, or None; and the habit after that."""
        excess = self.excess(other, best)
        if MOST_PRICE < excess <= habit.dear and self._affordable(other, best):
            return other, replace(habit, dear=habit.dear - excess)
        if habit.allowance < LEAST_PRICE:
            return None, habit
        hopes = [
            ((1 + self.excess(way, best)) * math.exp(-2 * self.costs.unsure(self.work, way, best)) - 1, way)
            for way in (*wish.ways("sieve"), *wish.ways("secure-only"))
            if way != best and self._affordable(way, best) and self._price(way, best) <= habit.allowance
        ]
        hope, way = min(hopes, key=lambda each: each[0], default=(math.inf, best))
        if hope > TRY_WITHIN:
            return None, habit
        return way, replace(habit, allowance=habit.allowance - self._price(way, best))

    def _price(self, way: Way, best: Way) -> float:
        return min(max(self.excess(way, best), LEAST_PRICE), MOST_PRICE)

    def _affordable(self, way: Way, best: Way) -> bool:
        return self.ms(way) - self.ms(best) <= MOST_EXTRA_MS

    def break_even(self, sieve: Way, secure: Way) -> BreakEven:
        """For a document of this size."""

        def pays(proportion: float) -> bool:
            classified = round(self.work.size * proportion)
            work = replace(self.work, classified=classified, plain=self.work.size - classified)
            return self.ms(sieve, work) <= self.ms(secure, work)

        if pays(1.0):
            return "always"
        low = next((step / 50 for step in range(49, -1, -1) if pays(step / 50)), None)
        if low is None:
            return "never"
        high = low + 1 / 50
        while high - low > 0.001:
            middle = (low + high) / 2
            low, high = (middle, high) if pays(middle) else (low, middle)
        return low
