"""The secure channels of an attempt: the opening followed by the first sub-stream, a connection for each further
sub-stream, and requests about the attempt.

The peer may not know the attempt yet, because its opening is still in transit: then the request is repeated.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import httpx

from sieve.channel.attempt import Attempt
from sieve.channel.opening import Opening
from sieve.channel.padding import Padded
from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.outbound.stored_load import StoredLoad
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.tls import NOT_NEGOTIATED, Negotiated, negotiated
from sieve.gateway.stored_document import blocks
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks, secure_channel
from sieve.gateway.telemetry.traces import channel_trace

OPENING_POLL_S = 0.05
# Of an answer: the bytes of a line, the lines, and further lines beside one for each document.
MAX_LINE = 128 * 1024
MAX_LINES = 10_000
SPARE_LINES = 8


@dataclass(slots=True)
class SecureStreams:
    """Calls `leaving` with the sub-stream and the end of the bytes that are sent next, and `sent` with the sub-stream,
    the start and the number of bytes sent. `tls`: what the connection of the opening uses; nothing until the peer
    answers.
    """

    link: Link
    attempt: Attempt
    opening: Opening
    sub_streams: Sequence[Padded]
    stored: StoredLoad
    timing_marks: TimingMarks
    leaving: Callable[[int, int], None]
    sent: Callable[[int, int, int], None]
    tls: Negotiated = NOT_NEGOTIATED

    async def send(self) -> AsyncGenerator[dict[str, Any], None]:
        """Sends the opening and the first sub-stream; yields the lines of the answer as they arrive.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
            ValueError: a line is not a JSON object.
        """
        documents = len(self.opening.load.manifests)
        async with self.link.stream(
            "POST",
            "/v1/batches" if self.opening.load.is_batch else "/v1/transfers",
            self._opening_body(),
            self.opening.size + self.sub_streams[0].size,
            channel_trace(self.timing_marks, SECURE),
        ) as response:
            self.tls = negotiated(response.extensions["network_stream"].get_extra_info("ssl_object"))
            async for line in _lines(response, (documents + SPARE_LINES) * MAX_LINE):
                answer = json.loads(line)
                if not isinstance(answer, dict):
                    raise ValueError("an answer is a JSON object")
                yield answer

    async def send_on(self, sub_stream: int, start: int) -> None:
        """Sends a further sub-stream from `start` to its end.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        path = f"/v1/attempts/{self.attempt.handle}/secure/{sub_stream}?from={start}"
        length = self.sub_streams[sub_stream].size - start
        trace = channel_trace(self.timing_marks, secure_channel(sub_stream))
        while True:
            try:
                async with self.link.stream("PUT", path, self._body(sub_stream, start), length, trace) as response:
                    async for _ in response.aiter_raw():
                        pass
                return
            except PeerRefused as refused:
                if refused.kind is not RefusalKind.UNKNOWN_ATTEMPT:
                    raise
            await asyncio.sleep(OPENING_POLL_S)

    async def ask(self, method: str, path: str, content: bytes | None = None) -> dict[str, Any]:
        """Makes a request about the attempt. If the peer no longer knows it, the answer to `send` ends this.

        Raises:
            PeerUnreachable, PeerRefused, WrongPeer: see `peer_errors`.
        """
        while True:
            try:
                return await self.link.ask(method, f"/v1/attempts/{self.attempt.handle}{path}", content=content)
            except PeerRefused as refused:
                if refused.kind is not RefusalKind.UNKNOWN_ATTEMPT:
                    raise
            await asyncio.sleep(OPENING_POLL_S)

    async def _opening_body(self) -> AsyncIterator[bytes]:
        """The opening and the first sub-stream."""
        pieces = chain(self.opening.pieces(), self.stored.secure(0, 0))
        async for piece in self._sent_in_blocks(0, -self.opening.size, pieces):
            yield piece

    async def _body(self, sub_stream: int, start: int) -> AsyncIterator[bytes]:
        async for piece in self._sent_in_blocks(sub_stream, start, self.stored.secure(sub_stream, start)):
            yield piece

    async def _sent_in_blocks(self, sub_stream: int, at: int, pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
        """The bytes of a sub-stream from `at` on; what is before 0 is the opening. TLS writes each piece in records of
        its own, whose lengths anybody sees, so they must not begin and end where something of the document does.
        """
        for piece in blocks(pieces):
            start, at = max(0, at), at + len(piece)
            self.leaving(sub_stream, max(0, at))
            yield piece
            self.sent(sub_stream, start, max(0, at - start))


async def _lines(response: httpx.Response, most: int) -> AsyncIterator[bytes]:
    """The answer's lines as they come.

    Raises:
        PeerRefused: one is longer than `MAX_LINE`, they have more than `most` bytes, or are more than `MAX_LINES`.
    """
    lines = size = 0
    rest = bytearray()
    async for piece in response.aiter_raw():
        rest += piece
        whole: list[bytes] = []
        if b"\n" in piece:  # else nothing is copied: pieces may be tiny
            *whole, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
        # Line by line: which ones are heard must not depend on how the network split them.
        for line in whole:
            lines, size = lines + 1, size + len(line) + 1
            if size > most or lines > MAX_LINES or len(line) > MAX_LINE:
                raise PeerRefused("the peer's answer is too long", permanent=False)
            yield line
        if size + len(rest) > most or len(rest) > MAX_LINE:
            raise PeerRefused("the peer's answer is too long", permanent=False)
