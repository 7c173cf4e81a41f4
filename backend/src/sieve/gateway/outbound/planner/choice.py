"""What to do, from what it is believed to cost: mode and channels, with the reason.

The law: a mode that was asked for is what is done. Left to choose, the planner takes what it predicts to be fastest,
keeps to its last mode within a few per cent, and now and then tries what may be as fast, to know it: what that is
predicted to cost is paid from an allowance of half a per cent of what is sent. Splits are always `range`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self, TypeAlias, get_args

from sieve.channel.attempt import Mode
from sieve.gateway.outbound.planner.costs import DOCUMENT, FIXED_SECURE, FIXED_SIEVE, Costs, Way, Work

Asked: TypeAlias = Literal["auto", "sieve", "secure-only"]
BreakEven: TypeAlias = float | Literal["always", "never"]
"""The highest P at which the sieve is predicted to pay."""
Reason: TypeAlias = Literal["faster", "requested", "plain-failed", "measuring"]
"""Why a mode was chosen: it is predicted to be faster; its author named it; the plain channel failed, so nothing goes
there; or to measure how long it takes."""
ASKED: Final[tuple[Asked, ...]] = get_args(Asked)

KEEP_WITHIN: Final = 0.02
"""A mode that is not as much faster is no reason to leave the last one."""
CHANNELS_GAIN: Final = 0.05
"""Further channels that do not save as much are not opened: they cost the peer, too."""
TRY_WITHIN: Final = -0.1
"""What would be a tenth faster, if two standard deviations go its way, is worth a try."""
ALLOWANCE: Final = 0.005
"""Of each transfer's time, for trying."""
MOST_ALLOWANCE: Final = 0.5
MOST_DEAR: Final = 20.0
LEAST_PRICE, MOST_PRICE = 0.02, 0.25
"""Of one try. At least: so at most every fourth transfer is one. At most: of what hardly anything is known, much may be
predicted; once tried it is known."""
MOST_EXTRA_MS: Final = 1000.0
"""Longer than so nobody is made to wait for our learning."""
JOIN_GAIN: Final = 0.05
_COUNTS: Final = (1, 2, 3, 5, 8)
_FLAT_MS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for, and what can be had. `None`: the planner's choice, of 1 to as many as the peer allows.

    `off_plain`: the plain channel failed before, and nothing goes there, whatever was asked for.
    """

    mode: Asked = "auto"
    secure_channels: int | None = 1
    plain_channels: int | None = 1
    most_secure: int = 1
    most_plain: int = 1
    off_plain: bool = False

    def ways(self, mode: Mode) -> Sequence[Way]:
        """Every way that may be gone in this mode, the one with the fewest channels first."""
        secure = [self.secure_channels] if self.secure_channels else [n for n in _COUNTS if n <= self.most_secure]
        plain = [self.plain_channels] if self.plain_channels else [n for n in _COUNTS if n <= self.most_plain]
        return [Way(mode, n, m) for n in secure or [1] for m in ((plain or [1]) if mode == "sieve" else [1])]


@dataclass(frozen=True, slots=True)
class Habit:
    """What the planner keeps of a peer between transfers, beside the costs."""

    mode: Mode | None = None
    allowance: float = MOST_ALLOWANCE / 2
    dear: float = 0.0
    """The same for what `allowance` can never pay: however sure the planner is, it may be wrong."""

    def to_json(self) -> dict[str, Any]:
        return {"mode": self.mode, "allowance": self.allowance, "dear": self.dear}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Self:
        """What was kept; a fresh one if it is nonsense."""
        mode, allowance, dear = said.get("mode"), said.get("allowance"), said.get("dear")
        if mode not in (None, "sieve", "secure-only") or type(allowance) is not float or type(dear) is not float:
            return cls()
        return cls(mode, _within(allowance, MOST_ALLOWANCE), _within(dear, MOST_DEAR))


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
    """What to do, and why. `habit`: what to keep if it is done."""

    way: Way
    estimate: Estimate
    habit: Habit


def choose(
    costs: Costs, work: Work, wish: Wish, habit: Habit | None = None, *, sieve_ms: float = 0.0, warm: bool = True
) -> Choice:
    """What to do with `work`. `sieve_ms`: what separating it took; it counts in sieve's response, as in every figure.

    `warm`: whether channels are open; if not, what opening them takes is part of what is compared.
    """
    habit = habit or Habit()
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
        habit = Habit(
            way.mode, _within(habit.allowance + ALLOWANCE, MOST_ALLOWANCE), _within(habit.dear + ALLOWANCE, MOST_DEAR)
        )
        tried, habit = offer.tried(way, best["secure-only" if way.mode == "sieve" else "sieve"], wish, habit)
        way, reason = (tried, "measuring") if tried else (way, "faster")
    other = secure if way.mode == "sieve" else sieve
    edge, measured = offer.break_even(sieve, secure), costs.seen > 0
    return Choice(way, Estimate(reason, offer.response_ms(way), offer.response_ms(other), edge, measured), habit)


def together(costs: Costs, waiting: Sequence[Work], mode: Mode, *, most_documents: int, most_bytes: int) -> int:
    """How many of those that wait, the first one first, should go in one exchange: at least 1.

    One joins if that saves a twentieth of what it takes by itself: small documents do, large ones go alone.
    """
    if not waiting:
        raise ValueError("nothing is waiting")
    saved_ms = costs.number(FIXED_SIEVE if mode == "sieve" else FIXED_SECURE) - costs.number(DOCUMENT)
    count = total = 0
    for work in waiting[:most_documents]:
        worth = saved_ms >= JOIN_GAIN * costs.predict_ms(replace(work, documents=1), Way(mode))
        if count and (not worth or total + work.size > most_bytes):
            break
        count, total = count + 1, total + work.size
        if not worth:
            break
    return count


def _within(value: float, most: float) -> float:
    return min(max(value, 0.0), most)


@dataclass(frozen=True, slots=True)
class _Offer:
    """One work, and what each way would take."""

    costs: Costs
    work: Work
    sieve_ms: float
    warm: bool

    def response_ms(self, way: Way, work: Work | None = None) -> float:
        sieving = self.sieve_ms if way.mode == "sieve" else 0.0
        return self.costs.predict_ms(work or self.work, way) + sieving

    def ms(self, way: Way, work: Work | None = None) -> float:
        """What is compared: the response, and before it what it takes to open channels."""
        return self.response_ms(way, work) + (0.0 if self.warm else self.costs.setup_ms(way))

    def best(self, ways: Sequence[Way]) -> Way:
        """The fastest; with further channels only if they save enough."""
        first = ways[0]
        fastest = min(ways, key=self.ms)
        return fastest if self.ms(fastest) < self.ms(first) * (1 - CHANNELS_GAIN) else first

    def excess(self, way: Way, best: Way) -> float:
        """How much longer a way takes than another, as a part of that."""
        return self.ms(way) / max(self.ms(best), _FLAT_MS) - 1

    def tried(self, best: Way, other: Way, wish: Wish, habit: Habit) -> tuple[Way | None, Habit]:
        """What is done to learn, instead of the best; None if nothing is. And what is left for trying."""
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
        """For a document as large as this one."""

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
