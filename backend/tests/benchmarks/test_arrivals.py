"""Arrivals against a server that is made up: what counts as accepted, and when it was due."""

import asyncio
import json
import time
from types import SimpleNamespace
from typing import cast

import pytest
from benchmarks.arrivals import _send, climb
from benchmarks.gateways import Gateways

REQUEST = b"POST / HTTP/1.1\r\n\r\n"
RATE, FOR_S = 400.0, 0.1


async def test_a_broken_connection_is_one_that_was_not_accepted_and_the_others_go_on() -> None:
    asked = 0
    answering = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        answering.append(asyncio.current_task())
        while await reader.read(len(REQUEST)):
            asked += 1
            if asked % 3 == 0:
                break
            body = json.dumps({"id": str(asked)}).encode()
            writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        gateways = cast(Gateways, SimpleNamespace(alpha=SimpleNamespace(listeners={"web": f"{host}:{port}"})))
        began = time.time()
        accepted, not_accepted, said = await _send(gateways, [REQUEST], RATE, FOR_S)
        await asyncio.gather(*(task for task in answering if task is not None))
    assert (len(accepted), not_accepted) == (asked - asked // 3, asked // 3)
    assert said
    # By the clock of the day, and as drawn, however late they were sent.
    assert all(0 <= due_at - began <= FOR_S + 1 for due_at in accepted.values())


@pytest.mark.parametrize(
    ("most", "tried"),
    [
        (1000.0, [80.0, 160.0, 320.0]),
        (200.0, [80.0, 160.0, 320.0]),
        (25.0, [80.0, 40.0, 20.0]),
        (0.0, [80.0, 40.0, 20.0, 10.0]),
    ],
)
def test_rates_rise_to_the_first_that_is_too_much_or_fall_to_one_that_is_not(most: float, tried: list[float]) -> None:
    rates: list[float] = []

    def keeps_up(rate: float) -> bool:
        rates.append(rate)
        return rate <= most

    climb((80.0, 160.0, 320.0), keeps_up)
    assert rates == tried
