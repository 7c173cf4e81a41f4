"""The secure sub-streams of an attempt as they come in, each over a separate connection.

Invariant: only the latest request for a sub-stream counts. A sub-stream that runs too far ahead of the others is not
read on, because its bytes are held in memory until their segment is complete.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from sieve.channel.errors import RemoteProtocolError
from sieve.channel.receiver import Command, Receiver, SecureBytes
from sieve.channel.refusals import RefusalKind
from sieve.gateway.errors import PeerRefused
from sieve.gateway.telemetry.timing_marks import TimingMarks, secure_channel

# Of one sub-stream at a time, where there are several: what it can bring out of order in between is bounded.
STEP = 64 * 1024
# Sealed segments that are held beside the two that each sub-stream can have begun where it is contiguous, and the last
# one of each further document, which only its end makes whole.
SPARE_SEGMENTS = 2


@dataclass(slots=True)
class SecureIntake:
    """`check` raises PeerRefused once the attempt is over; `do` carries commands out; `held` says how many sealed
    segments are held.
    """

    core: Receiver
    timing_marks: TimingMarks
    check: Callable[[], None]
    do: Callable[[Sequence[Command]], None]
    held: Callable[[], int]
    _taken_up: list[int] = field(init=False)
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._taken_up = [0] * len(self.core.secure_held)

    async def sub_stream(self, number: int, start: int, pieces: AsyncIterator[bytes]) -> None:
        """A sub-stream behind the first one, from `start` of it to its end.

        Raises:
            RemoteProtocolError: there is no such sub-stream, or it is not here up to `start`, or longer or shorter.
            PeerRefused: the attempt is over, or the sub-stream was taken up by a later request.
        """
        self.check()
        known = self.core.secure_from(number, start)
        self._taken_up[number] += 1
        mine = self._taken_up[number]
        async for piece in pieces:
            fresh, known = piece[known:], max(0, known - len(piece))
            if fresh:
                await self._take(number, fresh, mine)
        self.check()
        if not self.core.is_whole(number):
            raise RemoteProtocolError("a secure sub-stream ended before it was whole")
        self.timing_marks.move("last-byte", secure_channel(number))

    async def take(self, number: int, data: bytes) -> None:
        """The next bytes of a sub-stream.

        Raises:
            RemoteProtocolError: more than was announced.
            PeerRefused: see `sub_stream`.
        """
        await self._take(number, data, self._taken_up[number])

    async def _take(self, number: int, data: bytes, mine: int) -> None:
        """The same for the request that was the `mine`th to take the sub-stream up. While it waited for its bytes
        another may have: what `sub_stream` left out of that one's would then be written twice.
        """
        self.check()
        channel = secure_channel(number)
        if self.timing_marks.first("first-byte", channel) is None:
            self.timing_marks.at("first-byte", channel)
        if len(self._taken_up) == 1:  # it comes in order, and nothing is held for long
            self.do(self.core.handle(SecureBytes(data)))
            return
        for at in range(0, len(data), STEP):
            await self._room_for(number)
            self.check()
            if self._taken_up[number] != mine:
                raise PeerRefused(
                    "this sub-stream came on over another connection", permanent=False, kind=RefusalKind.CONFLICT
                )
            self.do(self.core.handle(SecureBytes(data[at : at + STEP], number)))
            self.wake()

    def wake(self) -> None:
        """Wakes requests that wait for room: bytes came, or the attempt is over."""
        self._moved.set()
        self._moved = asyncio.Event()

    async def _room_for(self, number: int) -> None:
        """Returns once this sub-stream may go on. The one furthest behind always may: the others wait for it."""
        most = 2 * len(self._taken_up) + SPARE_SEGMENTS + len(self.core.load.manifests) - 1
        while self.held() >= most and not self.core.is_hindmost(number):
            self.check()
            await self._moved.wait()
