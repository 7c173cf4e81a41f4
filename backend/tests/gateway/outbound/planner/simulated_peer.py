"""Peers whose true costs are known: what the planner should find out."""

import math
import random
from collections.abc import Callable, Mapping
from typing import TypeAlias

from sieve.gateway.outbound.planner.costs import Way, Work

Truth: TypeAlias = Callable[[Work, Way], float]

MEGABYTES = (0.01, 1, 3, 5, 7, 10)
PROPORTIONS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def truth(sieve: tuple[float, float, float, float], secure: tuple[float, float, float], factor: float = 1.0) -> Truth:
    """Milliseconds of a way. `sieve`: fixed, each classified MB, each plain MB, overlap; `secure`: without overlap."""

    def response_ms(work: Work, way: Way) -> float:
        classified, plain = work.classified / 1e6, work.plain / 1e6
        if way.mode == "secure-only":
            fixed, by_classified, by_plain = secure
            return factor * (fixed + by_classified * classified + by_plain * plain)
        fixed, by_classified, by_plain, overlap = sieve
        both = by_classified * classified, by_plain * plain
        return factor * (fixed + max(both) + overlap * min(both))

    return response_ms


PEERS: Mapping[str, Truth] = {
    "as believed first": truth((3, 2, 1, 0.5), (2.5, 2, 1.8)),
    "a faster machine": truth((1.5, 1.4, 0.5, 0.9), (1.2, 1.2, 1.1)),
    "a machine thirty times slower": truth((90, 60, 30, 0.5), (75, 60, 54)),
    "10 Mbit/s secure beside 100 plain": truth((4, 800, 80, 0), (3, 800, 800)),
    "one link of 100 Mbit/s": truth((3, 80, 80, 1), (3, 80, 80)),
    "the thesis's 3DES": truth((10, 270, 27, 0.3), (8, 280, 280)),
    "no gain at all": truth((6, 2.2, 2.2, 1), (3, 2, 1.9)),
    "a plain channel that crawls": truth((6, 2, 40, 0), (3, 2, 2)),
}


def work(megabytes: float, proportion: float) -> Work:
    """A document of systems.md."""
    size = round(megabytes * 1e6)
    classified = round(size * proportion)
    return Work(classified, size - classified)


def scattered(draw: random.Random, noise: float, outliers: float) -> float:
    """What a measured response is off by; now and then something stalls."""
    return math.exp(draw.gauss(0, noise)) * (8.0 if draw.random() < outliers else 1.0)
