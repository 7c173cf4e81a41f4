"""The plain channels of an attempt: a *lane* for each plain sub-stream, which is one connection that stays open.

Invariant: lanes carry chunks of the plain stream, cut by the plan, and nothing else; each chunk is one write. Answers
are ignored, and a round ends in time whatever they are. A lane begins with the chunks of its own sub-stream. When it
has none left, it takes those of other lanes.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from sieve.channel.attempt import Attempt
from sieve.channel.chunk_sizes import Chunks
from sieve.channel.seals import seal
from sieve.gateway.peering.links import Link
from sieve.gateway.telemetry.timing_marks import PLAIN, TimingMarks, plain_channel
from sieve.gateway.telemetry.traces import channel_trace

# After this time in a round no further chunk begins. So many chunks cannot hide a channel that swallows them.
ROUND_S = 5.0
# A lane that lost so many chunks in a row is down, not lossy: it sends no more in this round.
LOST_IN_A_ROW = 2
# Chunks of all lanes in progress: while one waits for its answer, the next is in the socket and one is being sealed.
WINDOW = 4
# Of one lane: with fewer it would be idle between chunks.
LANE_WINDOW = 2


@dataclass(slots=True)
class Lanes:
    """`read` returns a chunk's bytes by its number. Calls `leaving` with each chunk before it is
    sent, and `sent` with each that got an answer. A connection may
    take `connect_s` seconds, a round `round_s`. `sending`: a round is under way."""

    link: Link
    attempt: Attempt
    chunks: Chunks
    timing_marks: TimingMarks
    read: Callable[[int], bytes]
    leaving: Callable[[int], None]
    sent: Callable[[int], None]
    connect_s: float
    round_s: float
    stopped: bool = False
    sending: bool = False
    _waiting: list[deque[int]] = field(default_factory=list)
    _lost_in_a_row: list[int] = field(default_factory=list)

    async def round(self, numbers: Sequence[int]) -> None:
        """Sends each of these chunks at most once, for `round_s` at most. Those in progress then are cut."""
        lanes = len(self.chunks.sub_streams)
        self._waiting = [deque() for _ in range(lanes)]
        self._lost_in_a_row = [0] * lanes
        for number in numbers:
            self._waiting[self.chunks.place(number).sub_stream].append(number)
        ends = asyncio.get_running_loop().time() + ROUND_S
        window = min(len(numbers), max(WINDOW // lanes, LANE_WINDOW))
        self.sending = True
        # In this order all lanes have a chunk before any has two.
        senders = [asyncio.create_task(self._send(lane, ends)) for _ in range(window) for lane in range(lanes)]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.round_s):
                    await asyncio.gather(*senders)
            if not self.stopped:
                self.timing_marks.move("answered", PLAIN)
        finally:
            self.sending = False
            for task in senders:
                task.cancel()

    async def _send(self, lane: int, ends: float) -> None:
        loop = asyncio.get_running_loop()
        while (number := self._next(lane)) is not None:
            if await self._put(lane, number):
                self._lost_in_a_row[lane] = 0
                self.sent(number)
            else:
                self._lost_in_a_row[lane] += 1
            if self.stopped or self._lost_in_a_row[lane] >= LOST_IN_A_ROW or loop.time() >= ends:
                return

    def _next(self, lane: int) -> int | None:
        """The lane's next chunk; else the last one of the lane with most chunks left."""
        if self._waiting[lane]:
            return self._waiting[lane].popleft()
        neighbour = max(self._waiting, key=len)
        return neighbour.pop() if neighbour else None

    async def _put(self, lane: int, number: int) -> bool:
        """Whether the chunk was sent and got an answer."""
        place, chunk = self.chunks.place(number), self.read(number)
        marked = channel_trace(self.timing_marks, plain_channel(lane))

        async def trace(name: str, info: dict[str, Any]) -> None:
            if name == "http11.send_request_headers.started":
                self.leaving(number)
            await marked(name, info)

        try:
            await self.link.put_plain(
                f"/{self.attempt.handle}/{place.sub_stream}/{place.index}",
                chunk,
                seal(self.attempt.plain_key, place.sub_stream, place.index, chunk),
                trace,
                connect_s=self.connect_s,
                lane=f"{self.attempt.handle} {lane}",
            )
        except httpx.TransportError:
            return False
        return True
