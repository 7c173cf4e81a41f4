"""A client that sends each request when it is due, whether or not the ones before were answered.

So a gateway that falls behind shows it as waiting, and cannot slow down the load. The client is a few lines over raw
sockets, because it shares the machine with the gateways that it measures.
"""

import asyncio
import json
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import httpx

CONNECTIONS: Final = 32
PASSING: Final = (409, 429, 503)
"""Statuses of a gateway that will accept the same request a moment later."""
DRAIN_S: Final = 60.0
_LOOK_S = 0.2
_PAGE = 200


class Delivered(NamedTuple):
    """When a transfer was delivered, in seconds since the epoch, and how many documents its attempt carried."""

    at_s: float
    together: int


class Due(NamedTuple):
    """A request, and the seconds from the start at which it is due."""

    at_s: float
    request: bytes


@dataclass(frozen=True, slots=True)
class Sent:
    """`answers`: the JSON of each due request that was accepted; None for the others. `began_s`: the start, in seconds
    since the epoch. `refusal`: why one of the others was not accepted.
    """

    due: Sequence[Due]
    began_s: float
    answers: Sequence[dict[str, Any] | None]
    refusal: str = ""


def request(host: str, token: str, path: str, body: Mapping[str, Any]) -> bytes:
    """A POST to the web API, as bytes."""
    content = json.dumps(body).encode()
    head = (
        f"POST /api/v1{path} HTTP/1.1\r\n"
        f"Host: {host}\r\n"
        f"Authorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


async def send(address: str, due: Sequence[Due]) -> Sent:
    """Sends every request to the listener at `address`, and waits for the answers. `due`: in order."""
    host, port = address.rsplit(":", 1)
    free: asyncio.LifoQueue[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None] = asyncio.LifoQueue()
    for _ in range(CONNECTIONS):
        free.put_nowait(None)
    answers: list[dict[str, Any] | None] = [None] * len(due)
    refused = ""

    async def one(number: int) -> None:
        nonlocal refused
        connection = await free.get()
        try:
            if connection is None or is_over(*connection):
                if connection is not None:
                    connection[1].close()
                connection = None
                connection = await asyncio.open_connection(host, int(port))
            reader, writer = connection
            writer.write(due[number].request)
            head = await reader.readuntil(b"\r\n\r\n")
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(lengths[0].split(b":")[1]) if lengths else 0)
            if head.split(b" ", 2)[1] == b"202":
                answers[number] = json.loads(body)
            else:
                refused = refusal(httpx.Response(int(head.split(b" ", 2)[1]), content=body))
        except (OSError, EOFError, ValueError) as broken:  # the next request opens a connection
            refused = str(broken) or type(broken).__name__
            if connection is not None:
                connection[1].close()
        finally:
            free.put_nowait(connection)

    clock = time.time() - time.monotonic()
    began = time.monotonic()
    async with asyncio.TaskGroup() as sending:
        for number, each in enumerate(due):
            await asyncio.sleep(max(0.0, began + each.at_s - time.monotonic()))
            sending.create_task(one(number))
    while not free.empty():
        if (connection := free.get_nowait()) is not None:
            connection[1].close()
            with suppress(OSError):  # the other end may have closed it first
                await connection[1].wait_closed()
    return Sent(due, clock + began, answers, refused)


def is_over(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether a connection is closed. A gateway closes one that is idle for some seconds."""
    return reader.at_eof() or writer.is_closing()


def refusal(answer: httpx.Response) -> str:
    """The sentence in a refusal."""
    try:
        problem = answer.json()
    except ValueError:
        return f"status {answer.status_code}"
    return f"status {answer.status_code}: {problem.get('detail') or problem.get('title')}"


def transfer_ids(answer: Mapping[str, Any]) -> list[str]:
    """The ids of the accepted transfers: of one, or of a batch in the order of its documents."""
    return [answer["id"]] if "id" in answer else [transfer["id"] for transfer in answer["transfers"]]


def delivered(author: httpx.Client, ids: Collection[str]) -> dict[str, Delivered]:
    """Those of these transfers that were delivered, as soon as none is in progress."""
    until = time.monotonic() + DRAIN_S
    while time.monotonic() < until and any(
        _listed(author, {"state": state, "limit": "1"})["items"] for state in ("queued", "sending")
    ):
        time.sleep(_LOOK_S)  # each look takes processor time from the gateways
    found: dict[str, Delivered] = {}
    seen = 0
    after: str | None = None
    while seen < len(ids):
        page = _listed(author, {"limit": str(_PAGE)} | ({"after": after} if after else {}))
        ours = [row for row in page["items"] if row["id"] in ids]
        seen += len(ours)
        found |= {
            row["id"]: Delivered(
                datetime.fromisoformat(row["delivered_at"]).timestamp(), (row["plan"] or {}).get("batch") or 1
            )
            for row in ours
            if row["state"] == "delivered"
        }
        after = page["next"]
        if after is None:
            break
    return found


def _listed(author: httpx.Client, params: Mapping[str, str]) -> dict[str, Any]:
    """A page of transfers; a gateway that is busy is asked again."""
    until = time.monotonic() + DRAIN_S
    while (answer := author.get("/transfers", params=dict(params))).status_code in PASSING:
        if time.monotonic() > until:
            break
        time.sleep(_LOOK_S)  # to ask at once would keep the gateway busy
    return dict(answer.raise_for_status().json())
