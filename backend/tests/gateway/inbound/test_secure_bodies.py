"""Bodies on the secure listener that come a byte at a time."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import secure_bodies
from sieve.gateway.inbound.secure_bodies import MIN_PROGRESS


class Time:
    """The event loop's clock, set forward by hand."""

    def __init__(self, now_s: float) -> None:
        self.now_s = now_s


@pytest.fixture
async def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    loop = asyncio.get_running_loop()
    time = Time(loop.time())
    monkeypatch.setattr(loop, "time", lambda: time.now_s)
    return time


def body_of(pieces: list[bytes], time: Time, *, every_s: float = 0.0, endless: bool = False) -> Request:
    """A request whose body comes in these pieces, the last of them again and again if it is `endless`."""
    waiting = list(pieces)

    async def receive() -> dict[str, Any]:
        time.now_s += every_s
        await asyncio.sleep(0)
        piece = waiting.pop(0) if len(waiting) > 1 or not endless else waiting[0]
        return {"type": "http.request", "body": piece, "more_body": endless or bool(waiting)}

    return Request({"type": "http", "headers": []}, receive)


async def test_a_body_that_drips_is_refused(time: Time) -> None:
    with pytest.raises(PeerRefused, match=r"^only \d+ bytes arrived for"):
        async for _ in secure_bodies.pieces(body_of([b"x" * 10_000, b"x"], time, every_s=1, endless=True), 10):
            pass


async def test_so_is_one_that_stops(time: Time) -> None:
    with pytest.raises(PeerRefused, match="^nothing more arrived for"):
        async for _ in secure_bodies.pieces(body_of([b""], time, every_s=1, endless=True), 10):
            pass


async def test_a_slow_one_that_makes_progress_is_not(time: Time) -> None:
    pieces = [b"x" * MIN_PROGRESS] * 40
    came = [piece async for piece in secure_bodies.pieces(body_of(pieces, time, every_s=9), 10)]
    assert came == pieces


async def test_only_what_the_gateway_waits_for_counts(time: Time) -> None:
    """A receiver whose disk is slow cuts nobody."""
    came = 0
    async for piece in secure_bodies.pieces(body_of([b"x"] * 20, time), 10):
        time.now_s += 9  # the slow disk: longer in all than the patience with the peer
        came += len(piece)
    assert came == 20
