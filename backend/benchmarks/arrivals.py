"""Throughput: small documents sent at rising rates, open loop, from due to receipted.

A latency runs from the time when the document was due, whether or not the client could send it then.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, takewhile
from typing import Any

from benchmarks.cases import case
from benchmarks.gateways import Gateways, NotTaken, asked, path
from sieve.cli.lab import open_loop
from sieve.cli.lab.open_loop import Due, transfer_ids
from sieve.demo import documents

DOCUMENT_BYTES, P = 10_000, 0.5
DOCUMENTS = 32
KEPT_UP = 0.95
"""A rate is kept up if at least this share of it is delivered."""
LEAST_RATE = 10.0
"""Documents a second. The lowest rate that is tried."""
BATCH = 16
"""Documents in one batch."""


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one rate. Latencies run from due to receipted, by this machine's clock."""

    offered_per_s: float
    delivered_per_s: float
    latency_ms: list[float]
    not_accepted: int

    @property
    def kept_up(self) -> bool:
        return not self.not_accepted and self.delivered_per_s >= KEPT_UP * self.offered_per_s

    def to_json(self) -> dict[str, Any]:
        return {
            "offered_per_s": self.offered_per_s,
            "delivered_per_s": round(self.delivered_per_s, 2),
            "kept_up": self.kept_up,
            "not_accepted": self.not_accepted,
            "latency_ms": [round(value, 3) for value in self.latency_ms],
        }


def upload(gateways: Gateways) -> list[str]:
    """The documents that are sent again and again."""
    text = documents.marked(DOCUMENT_BYTES, P)
    return [gateways.upload(text, f"small-{number}.txt") for number in range(DOCUMENTS)]


def climb(rates: Sequence[float], keeps_up: Callable[[float], bool]) -> None:
    """Tries rising rates until one is not kept up; if not even the first is, falling ones until one is."""
    if keeps_up(rates[0]):
        for rate in rates[1:]:
            if not keeps_up(rate):
                return
    else:
        rate = rates[0] / 2
        while rate >= LEAST_RATE and not keeps_up(rate):
            rate /= 2


def at_rate(
    gateways: Gateways, document_ids: list[str], mode: str, batch: int, rate_per_s: float, for_s: float
) -> Step:
    """Sends for `for_s` seconds at exponential intervals, then waits until no transfer is in progress. `batch`:
    documents in one request; `rate_per_s` counts documents.

    Raises:
        NotTaken: no request was accepted.
    """
    bodies = _requests(gateways, document_ids, mode, batch)
    sent = asyncio.run(open_loop.send(gateways.alpha.listeners["web"], due(bodies, rate_per_s / batch, for_s)))
    accepted = {
        transfer_id: sent.began_s + each.at_s
        for each, answer in zip(sent.due, sent.answers, strict=True)
        if answer is not None
        for transfer_id in transfer_ids(answer)
    }
    if not accepted and sent.refusal:
        raise NotTaken(sent.refusal)
    not_accepted = sum(answer is None for answer in sent.answers) * batch
    delivered_at = {each: done.at_s for each, done in open_loop.delivered(gateways.author, accepted).items()}
    if not delivered_at:
        return Step(rate_per_s, 0.0, [], not_accepted)
    # From the first due to the last delivered; but a window cut short by chance would flatter a slow rate.
    lasted_s = max(max(delivered_at.values()) - min(accepted.values()), for_s)
    # The drawn rate, not the nominal one: the draw of few arrivals is off by some per cent.
    offered = (len(accepted) + not_accepted) / for_s
    # Two clocks of one machine, read to the microsecond: their difference may be just below 0.
    latencies = [max(0.0, end - accepted[transfer_id]) * 1e3 for transfer_id, end in delivered_at.items()]
    return Step(offered, len(delivered_at) / lasted_s, latencies, not_accepted)


def due(requests: Sequence[bytes], rate_per_s: float, for_s: float) -> list[Due]:
    """The same Poisson arrivals each time, as many as come in `for_s` seconds; the requests in turn."""
    draw = random.Random(1)
    arrived_s = accumulate(draw.expovariate(rate_per_s) for _ in count())
    return [
        Due(at_s, requests[number % len(requests)])
        for number, at_s in enumerate(takewhile(lambda at_s: at_s < for_s, arrived_s))
    ]


def _requests(gateways: Gateways, document_ids: list[str], mode: str, batch: int) -> list[bytes]:
    """One for each document, or for each `batch` of them."""
    of = case("throughput", 1, P, mode)
    return [
        open_loop.request(gateways.alpha.listeners["web"], gateways.author_token, path(each), asked(of, each))
        for start in range(0, len(document_ids), batch)
        for each in [document_ids[start : start + batch]]
    ]
