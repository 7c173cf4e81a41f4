"""The plain channels of an attempt: a *lane* for each plain sub-stream, which is one kept-open connection.

Invariant: they get chunks of the plain stream, cut by the plan, and nothing else; each chunk is one write. What comes
back is ignored, and a round ends in time whatever is answered. A lane begins with the chunks of its own
sub-stream; when it has none left, or its neighbour is cut, it takes its neighbours'.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from sieve.channel.attempt import Attempt
from sieve.channel.chunks import Chunks
from sieve.channel.seals import seal
from sieve.gateway.peering.links import Link
from sieve.gateway.telemetry.timing_marks import TimingMarks, plain_channel
from sieve.gateway.telemetry.traces import channel_trace

# After so long in a round no further chunk begins: a channel that swallows chunks is found out however many there are.
ROUND_S = 5.0
# Chunks that a lane lost one after the other before it is given up for this round: it is down, not lossy.
LOST_IN_A_ROW = 2
# Chunks of all lanes that are under way at a time: while one is judged the next is in the socket, one being sealed.
WINDOW = 4
# Of one lane: with fewer it would be idle between two chunks.
LANE_WINDOW = 2


@dataclass(slots=True)
class Lanes:
    """`read` gives a chunk's bytes by its number; `sent` is called with each one that was answered. A connection
    may take `connect_s` seconds, a round `round_s`."""

    link: Link
    attempt: Attempt
    chunks: Chunks
    marks: TimingMarks
    read: Callable[[int], bytes]
    sent: Callable[[int], None]
    connect_s: float
    round_s: float
    stopped: bool = False
    _waiting: list[deque[int]] = field(default_factory=list)
    _lost_in_a_row: list[int] = field(default_factory=list)

    async def round(self, numbers: Sequence[int]) -> None:
        """One go at these chunks, for `round_s` at most: each is sent at most once. What is under way then is cut."""
        lanes = len(self.chunks.sub_streams)
        self._waiting = [deque() for _ in range(lanes)]
        self._lost_in_a_row = [0] * lanes
        for number in numbers:
            self._waiting[self.chunks.place(number).sub_stream].append(number)
        ends = asyncio.get_running_loop().time() + ROUND_S
        window = min(len(numbers), max(WINDOW // lanes, LANE_WINDOW))
        # Lane by lane: all lanes are under way before any has two chunks.
        senders = [asyncio.create_task(self._send(lane, ends)) for _ in range(window) for lane in range(lanes)]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.round_s):
                    await asyncio.gather(*senders)
        finally:
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
        """The lane's next chunk; else the last one of the lane with most left to do."""
        if self._waiting[lane]:
            return self._waiting[lane].popleft()
        neighbour = max(self._waiting, key=len)
        return neighbour.pop() if neighbour else None

    async def _put(self, lane: int, number: int) -> bool:
        """Whether the chunk was sent, and answered."""
        place, chunk = self.chunks.place(number), self.read(number)
        try:
            await self.link.put_plain(
                f"/{self.attempt.handle}/{place.sub_stream}/{place.index}",
                chunk,
                seal(self.attempt.plain_key, place.sub_stream, place.index, [chunk]),
                channel_trace(self.marks, plain_channel(lane)),
                connect_s=self.connect_s,
                lane=f"{self.attempt.handle} {lane}",
            )
        except httpx.TransportError:
            return False
        return True
