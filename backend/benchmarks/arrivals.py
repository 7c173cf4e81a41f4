"""Throughput: small documents sent at rising rates, open loop, from due to receipted.

The law: the next one is due when its time has come, whether or not the ones before were answered, and its latency runs
from then; so a gateway that falls behind shows it as waiting, and cannot slow the load down to what suits it: neither
by not accepting, nor by keeping all of the client's connections busy. The client is a few lines over raw
sockets, because it shares the machine with what it measures.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from benchmarks.cases import case
from benchmarks.gateways import PASSING, Gateways, NotTaken, asked, ids, path, refusal
from sieve.demo import documents

DOCUMENT_BYTES, P = 10_000, 0.5
DOCUMENTS = 32
CONNECTIONS = 32
KEPT_UP = 0.95
"""A rate is kept up if so much of it is delivered."""
LEAST_RATE = 10.0
"""Documents a second: what does not keep up with less is not measured any lower."""
LOOK_S = 0.2
DRAIN_S = 60.0
PAGE = 200
BATCH = 16
"""Documents in one batch."""


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one rate. Latencies run from due to receipted, by this machine's clock."""

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
    delivered_at = {row["id"]: datetime.fromisoformat(row["delivered_at"]).timestamp() for row in rows}
    if not rows:
        return Step(rate_per_s, 0.0, [], not_accepted)
    # From the first due to the last delivered; but a window cut short by chance would flatter a slow rate.
    lasted_s = max(max(delivered_at.values()) - min(accepted.values()), for_s)
    # As often as was drawn, not as often as was meant: the draw of few arrivals is off by some per cent.
    offered = (len(accepted) + not_accepted) / for_s
    # Two clocks of one machine, read to the microsecond: a latency is not below nothing by that.
    latencies = [max(0.0, end - accepted[transfer_id]) * 1e3 for transfer_id, end in delivered_at.items()]
    return Step(offered, len(rows) / lasted_s, latencies, not_accepted)


async def _send(
    gateways: Gateways, requests: list[bytes], rate_per_s: float, for_s: float
) -> tuple[dict[str, float], int, str]:
    """When each of what was accepted was due, by its id; how many requests were not, and what was said to one."""
    draw = random.Random(1)
    host, port = gateways.alpha.listeners["web"].rsplit(":", 1)
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection(host, int(port)))
    accepted: dict[str, float] = {}
    not_accepted, said = 0, ""

    async def one(request: bytes, due_at: float) -> None:
        nonlocal not_accepted, said
        reader, writer = await free.get()
        try:
            if writer.is_closing():
                reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(lengths[0].split(b":")[1]) if lengths else 0)
            if head.split(b" ", 2)[1] == b"202":
                accepted.update(dict.fromkeys(ids(json.loads(body)), due_at))
            else:
                not_accepted += 1
                said = refusal(httpx.Response(int(head.split(b" ", 2)[1]), content=body))
        except (OSError, EOFError, ValueError) as broken:  # the next one has a connection of its own
            not_accepted += 1
            said = str(broken) or type(broken).__name__
            writer.close()
        finally:
            free.put_nowait((reader, writer))

    clock = time.time() - time.monotonic()
    began = time.monotonic()
    due = 0.0
    async with asyncio.TaskGroup() as sending:
        number = 0
        while (due := due + draw.expovariate(rate_per_s)) < for_s:
            await asyncio.sleep(max(0.0, began + due - time.monotonic()))
            sending.create_task(one(requests[number % len(requests)], clock + began + due))
            number += 1
    while not free.empty():
        _, writer = free.get_nowait()
        writer.close()
        with suppress(OSError):  # it is over, whatever the other end thinks of it
            await writer.wait_closed()
    return accepted, not_accepted, said


def _requests(gateways: Gateways, document_ids: list[str], mode: str, batch: int) -> list[bytes]:
    """One for each document, or for each `batch` of them."""
    of = case("throughput", 1, P, mode)
    return [
        _request(gateways, path(each), json.dumps(asked(of, each)).encode())
        for start in range(0, len(document_ids), batch)
        for each in [document_ids[start : start + batch]]
    ]


def _request(gateways: Gateways, where: str, body: bytes) -> bytes:
    head = (
        f"POST /api/v1{where} HTTP/1.1\r\n"
        f"Host: {gateways.alpha.listeners['web']}\r\n"
        f"Authorization: Bearer {gateways.author_token}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _delivered(gateways: Gateways, accepted: Collection[str]) -> list[dict[str, Any]]:
    """The rows of those that were delivered, once none is under way."""
    until = time.monotonic() + DRAIN_S
    while time.monotonic() < until and any(
        _listed(gateways, {"state": state, "limit": "1"})["items"] for state in ("queued", "sending")
    ):
        time.sleep(LOOK_S)  # each look takes processor time from what is measured
    found: list[dict[str, Any]] = []
    seen = 0
    after: str | None = None
    while seen < len(accepted):
        asked = {"limit": str(PAGE)} | ({"after": after} if after else {})
        page = _listed(gateways, asked)
        ours = [row for row in page["items"] if row["id"] in accepted]
        seen += len(ours)
        found += [row for row in ours if row["state"] == "delivered"]
        after = page["next"]
        if after is None:
            break
    return found


def _listed(gateways: Gateways, asked: Mapping[str, str]) -> dict[str, Any]:
    """A page of transfers; one that the gateway does not give just now is asked for again."""
    until = time.monotonic() + DRAIN_S
    while (answer := gateways.author.get("/transfers", params=dict(asked))).status_code in PASSING:
        if time.monotonic() > until:
            break
        time.sleep(LOOK_S)  # the gateway is busy, and said so: asking at once would keep it so
    return dict(answer.raise_for_status().json())
