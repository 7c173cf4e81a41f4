"""What a document costs in the S3 store, for the page of `make bench-cluster`: requests, and what their latency adds.

Both gateways, of one replica each, reach the store through a relay that counts requests, and holds each back as long as
a store in another place would. Documents are sent one after the other.
"""

import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from postgres_server import PostgresServer
from s3_relay import S3Relay
from s3_server import S3Server
from sieve import demo
from stories.replicated import cluster, send, state

BUCKET: Final = "costs"
SIZES: Final = (10_000, 1_000_000, 20_000_000)
TIMES: Final = 8
"""Documents of each size, at each latency, after one that does not count."""
LATER_MS: Final = (0, 50, 250)
PUTS: Final = ("PUT", "POST")
GETS: Final = ("GET", "HEAD")
PRICE_PUT: Final = 5.0
PRICE_GET: Final = 0.4
"""Dollars for a million requests, as Amazon S3 Standard lists them for us-east-1. Removing is free there."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Documents of `size` bytes, with `later_ms` more for each request. `requests`: of one document, by gateway and
    method. `accepted_ms`, `delivered_ms`: medians since the upload began."""

    size: int
    later_ms: int
    requests: Mapping[tuple[str, str], float]
    accepted_ms: float
    delivered_ms: float


async def measure(folder: Path, database: PostgresServer, store: S3Server) -> list[Cost]:
    """Each size at each latency."""
    folder.mkdir()
    store.make_bucket(BUCKET)
    found = []
    async with AsyncExitStack() as stack:
        relay = stack.enter_context(S3Relay(store.endpoint))
        them = await stack.enter_async_context(cluster(folder, database, relay, replicas=1, bucket=BUCKET))
        author = await stack.enter_async_context(them.at_alpha(0))
        for size in SIZES:
            for later_ms in LATER_MS:
                relay.hold = partial(_wait, later_ms / 1e3)
                await _sent(author, size)
                relay.requests.clear()
                times = [await _sent(author, size) for _ in range(TIMES)]
                requests = Counter(filter(None, map(_kind, list(relay.requests))))
                accepted, delivered = (statistics.median(each) for each in zip(*times, strict=True))
                of_one = {kind: count / TIMES for kind, count in requests.items()}
                found.append(Cost(size, later_ms, of_one, accepted, delivered))
    return found


def _wait(seconds: float, _request: str) -> None:
    time.sleep(seconds)  # what is measured: a store that answers so much later


async def _sent(author: httpx.AsyncClient, size: int) -> tuple[float, float]:
    """Milliseconds until a document, half of it classified, was accepted, and until it was delivered."""
    half = b"0123456789" * (size // 20)
    began = time.monotonic()
    transfer = await send(author, b"<$S>" + half + b"<$E>" + half, "cost.txt")
    accepted = time.monotonic()
    async with author.stream("GET", f"/transfers/{transfer}/events") as events:
        async for _ in events.aiter_lines():
            pass
    delivered = time.monotonic()
    if (found := await state(author, transfer)) != "delivered":
        raise RuntimeError(f"a transfer is {found}")
    return (accepted - began) * 1e3, (delivered - began) * 1e3


def _kind(request: str) -> tuple[str, str] | None:
    """The gateway and the method; None if the request is about no document, such as a check of the store."""
    method, path = request.split()[:2]
    gateway, _, below = path.removeprefix(f"/{BUCKET}/").partition("/")
    return (gateway, method) if gateway in demo.NAMES and not below.startswith(("check", "unknown")) else None


def section(costs: Sequence[Cost]) -> Iterator[str]:
    """Its part of the page."""
    yield f"""
## What a document costs in the S3 store

Documents, half of each classified, go one after the other from one gateway to another, of one replica each. Both reach
the S3 server through a relay that counts requests and holds each back. Medians of {TIMES}: until the author's gateway
has accepted a document (201 to its upload, and 202), and until its author hears that it is delivered, both since the
upload began. Dollars are those of the requests for a million documents, at {PRICE_PUT:g} $ for a million that store and
{PRICE_GET:g} $ for a million that read (Amazon S3 Standard, us-east-1). Space comes on top: each gateway keeps the
document's bytes.
"""
    times = " | ".join(map(_latency, LATER_MS))
    yield f"| document | sender stores, reads | receiver stores, reads | requests for a million | {times} |"
    yield "|---|--:|--:|--:|" + "--:|" * len(LATER_MS)
    for size in SIZES:
        of_size = [each for each in costs if each.size == size]
        requests = of_size[0].requests
        counts = {name: (_sum(requests, name, PUTS), _sum(requests, name, GETS)) for name in demo.NAMES}
        dollars = sum(puts * PRICE_PUT + gets * PRICE_GET for puts, gets in counts.values())
        shown = " | ".join(f"{puts:.1f}, {gets:.1f}" for puts, gets in counts.values())
        times = " | ".join(f"{each.accepted_ms:.0f} / {each.delivered_ms:.0f} ms" for each in of_size)
        yield f"| {size / 1e6:g} MB | {shown} | {dollars:.0f} $ | {times} |"


def _latency(later_ms: int) -> str:
    what = f"{later_ms} ms more for each request" if later_ms else "as it is"
    return f"accepted / delivered, {what}"


def _sum(requests: Mapping[tuple[str, str], float], gateway: str, methods: Sequence[str]) -> float:
    return sum(count for (name, method), count in requests.items() if name == gateway and method in methods)
