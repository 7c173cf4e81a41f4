"""Bodies on the secure listener that come a byte at a time."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import secure_bodies
from sieve.gateway.inbound.secure_bodies import MIN_PROGRESS


def body_of(pieces: list[bytes], *, every_s: float = 0.0, endless: bool = False) -> Request:
    """A request whose body comes in these pieces, the last of them again and again if it is `endless`."""
    waiting = list(pieces)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(every_s)
        piece = waiting.pop(0) if len(waiting) > 1 or not endless else waiting[0]
        return {"type": "http.request", "body": piece, "more_body": endless or bool(waiting)}

    return Request({"type": "http", "headers": []}, receive)


async def test_a_body_that_drips_is_refused() -> None:
    with pytest.raises(PeerRefused, match=r"^only \d+ bytes arrived for"):
        async for _ in secure_bodies.pieces(body_of([b"x" * 10_000, b"x"], every_s=0.001, endless=True), 0.1):
            pass


async def test_so_is_one_that_stops() -> None:
    with pytest.raises(PeerRefused, match="^nothing more arrived for"):
        async for _ in secure_bodies.pieces(body_of([b""], every_s=0.001, endless=True), 0.05):
            pass


async def test_a_slow_one_that_makes_progress_is_not() -> None:
    pieces = [b"x" * MIN_PROGRESS] * 40
    came = [piece async for piece in secure_bodies.pieces(body_of(pieces, every_s=0.01), 0.2)]
    assert came == pieces


async def test_only_what_the_gateway_waits_for_counts() -> None:
    """A receiver whose disk is slow cuts nobody."""
    came = 0
    async for piece in secure_bodies.pieces(body_of([b"x"] * 20), 0.05):
        await asyncio.sleep(0.01)  # the slow disk: longer in all than the patience with the peer
        came += len(piece)
    assert came == 20
