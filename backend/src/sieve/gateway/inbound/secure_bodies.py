"""Bodies of requests on the secure channel: as they come or as a whole, never slower than this gateway waits."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import Request

from sieve.channel.errors import RemoteProtocolError
from sieve.gateway.errors import PeerRefused

MIN_PROGRESS = 1024
"""The least bytes of a body within `stall_s`. Secure lines may be slow, so this is far below any real rate."""


async def pieces(request: Request, patience_s: float) -> AsyncGenerator[bytes, None]:
    """The body as it comes. A peer that vanished without a word would keep its connection forever; so would one that
    sends a byte now and then.

    Raises:
        PeerRefused: less than `MIN_PROGRESS` bytes came while this gateway waited for `patience_s`.
        ClientDisconnect: the connection ended before the body did.
    """
    now = asyncio.get_running_loop().time
    left_s, arrived = patience_s, 0
    async with aclosing(request.stream()) as stream:
        while True:
            began = now()
            try:
                async with asyncio.timeout(left_s):
                    piece = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                few = f"only {arrived} bytes" if arrived else "nothing more"
                raise PeerRefused(f"{few} arrived for {patience_s:.0f} s", permanent=False) from None
            left_s, arrived = left_s - (now() - began), arrived + len(piece)
            if arrived >= MIN_PROGRESS:
                left_s, arrived = patience_s, 0
            if piece:
                yield piece


async def whole(request: Request, most: int, patience_s: float) -> bytes:
    """A whole body of at most `most` bytes.

    Raises:
        RemoteProtocolError: it is longer.
        PeerRefused: it is slower than `patience_s`.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(patience_s), aclosing(pieces(request, patience_s)) as arriving:
            async for piece in arriving:
                body += piece
                if len(body) > most:
                    raise RemoteProtocolError(f"the body is longer than the {most} bytes that it may have")
    except TimeoutError:
        raise PeerRefused(f"the body was not whole within {patience_s:.0f} s", permanent=False) from None
    return bytes(body)
