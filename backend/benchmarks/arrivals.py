"""Throughput: small documents sent at rising rates, open loop, from accepted to receipted.

The law: the next one is sent when its time has come, whether or not the ones before were answered; so a gateway that
falls behind shows it as waiting, and cannot slow the load down to what suits it. The client is a few lines over raw
sockets, because it shares the machine with what it measures.
"""

import asyncio
import json
import random
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from benchmarks import documents
from benchmarks.cases import case
from benchmarks.gateways import Gateways, NotTaken, asked, ids, refusal

DOCUMENT_BYTES, P = 10_000, 0.5
DOCUMENTS = 16
CONNECTIONS = 32
KEPT_UP = 0.95
"""A rate is kept up if so much of it is delivered."""
LOOK_S = 0.2
DRAIN_S = 60.0
PAGE = 200
BATCH = 8
"""Documents in one batch, and so many times faster are the rates at which they are offered."""


def batch_rates(rates: tuple[float, ...]) -> tuple[float, ...]:
    """The rates, in documents a second, at which batches are tried."""
    return tuple(BATCH * rate for rate in rates)


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one rate. Latencies run from accepted to receipted, by the sender's clock."""

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


def at_rate(
    gateways: Gateways, document_ids: list[str], mode: str, batch: int, rate_per_s: float, for_s: float
) -> Step:
    """Sends for `for_s` seconds, with exponential times between, then waits until all are over. `batch`: documents in
    one request; `rate_per_s` counts documents.

    Raises:
        NotTaken: not one was accepted.
    """
    requests = _requests(gateways, document_ids, mode, batch)
    accepted, not_accepted, said = asyncio.run(_send(gateways, requests, rate_per_s / batch, for_s))
    if not accepted and said:
        raise NotTaken(said)
    not_accepted *= batch
    rows = _delivered(gateways, accepted)
    created = [datetime.fromisoformat(row["created_at"]) for row in rows]
    delivered = [datetime.fromisoformat(row["delivered_at"]) for row in rows]
    if not rows:
        return Step(rate_per_s, 0.0, [], not_accepted)
    # From the first accepted to the last delivered; but a window cut short by chance would flatter a slow rate.
    lasted_s = max((max(delivered) - min(created)).total_seconds(), for_s)
    # As often as was drawn, not as often as was meant: the draw of few arrivals is off by some per cent.
    offered = (len(accepted) + not_accepted) / for_s
    latencies = [(end - start).total_seconds() * 1e3 for start, end in zip(created, delivered, strict=True)]
    return Step(offered, len(rows) / lasted_s, latencies, not_accepted)


async def _send(
    gateways: Gateways, requests: list[bytes], rate_per_s: float, for_s: float
) -> tuple[set[str], int, str]:
    """Ids of what was accepted, how many requests were not, and what was said to one of those."""
    draw = random.Random(1)
    host, port = gateways.alpha.listeners["web"].rsplit(":", 1)
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection(host, int(port)))
    accepted: set[str] = set()
    not_accepted, said = 0, ""

    async def one(request: bytes) -> None:
        nonlocal not_accepted, said
        reader, writer = await free.get()
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
            )
            body = await reader.readexactly(length)
            if head.split(b" ", 2)[1] == b"202":
                accepted.update(ids(json.loads(body)))
            else:
                not_accepted += 1
                said = refusal(httpx.Response(int(head.split(b" ", 2)[1]), content=body))
        finally:
            free.put_nowait((reader, writer))

    began = time.monotonic()
    due = 0.0
    async with asyncio.TaskGroup() as sending:
        number = 0
        while (due := due + draw.expovariate(rate_per_s)) < for_s:
            await asyncio.sleep(max(0.0, began + due - time.monotonic()))
            sending.create_task(one(requests[number % len(requests)]))
            number += 1
    while not free.empty():
        _, writer = free.get_nowait()
        writer.close()
    return accepted, not_accepted, said


def _requests(gateways: Gateways, document_ids: list[str], mode: str, batch: int) -> list[bytes]:
    """One for each document, or for each `batch` of them."""
    of = case("throughput", 1, P, mode)
    return [
        _request(gateways, json.dumps(asked(of, document_ids[start : start + batch])).encode())
        for start in range(0, len(document_ids), batch)
    ]


def _request(gateways: Gateways, body: bytes) -> bytes:
    head = (
        "POST /api/v1/transfers HTTP/1.1\r\n"
        f"Host: {gateways.alpha.listeners['web']}\r\n"
        f"Authorization: Bearer {gateways.author_token}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _delivered(gateways: Gateways, accepted: set[str]) -> list[dict[str, Any]]:
    """The rows of those that were delivered, once none is under way."""
    until = time.monotonic() + DRAIN_S
    while time.monotonic() < until and any(
        gateways.author.get("/transfers", params={"state": state, "limit": 1}).json()["items"]
        for state in ("queued", "sending")
    ):
        time.sleep(LOOK_S)
    found: list[dict[str, Any]] = []
    seen = 0
    after: str | None = None
    while seen < len(accepted):
        asked = {"limit": str(PAGE)} | ({"after": after} if after else {})
        page = gateways.author.get("/transfers", params=asked).json()
        ours = [row for row in page["items"] if row["id"] in accepted]
        seen += len(ours)
        found += [row for row in ours if row["state"] == "delivered"]
        after = page["next"]
        if after is None:
            break
    return found
