"""Limits on the requests in progress of one source and of one person, and on the time that a body may take.

Invariant: a body that does not arrive in time is cut with 408, and nobody's unfinished requests keep others out: a
source and a person each have a share. Only time in which the gateway waits for the client counts, so a slow disk of
ours cuts nobody.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from sieve.core.sentence import Sentence
from sieve.web.errors import TooManyRequests

WINDOW_S: Final = 30.0
MIN_RATE: Final = 1024
"""Bytes per second that an upload brings, averaged over `WINDOW_S`: less than the worst mobile connection."""
MAX_BODIES: Final = 32
"""Unfinished bodies of one source, or of one person."""


@dataclass(frozen=True, slots=True)
class Pace:
    """At least `size` bytes arrive within `within_s` seconds of waiting, and then again; or the body ends. `size` None:
    the body ends within `within_s`.
    """

    within_s: float
    size: int | None = None


UPLOAD: Final = Pace(WINDOW_S, int(WINDOW_S * MIN_RATE))


class Body:
    """A request's body as it arrives: `receive` in place of the server's. `is_whole`: nothing of it is due any more."""

    def __init__(self, receive: Receive, pace: Pace, on_whole: Callable[["Body"], None]) -> None:
        self._receive, self._pace, self._on_whole = receive, pace, on_whole
        self._left_s, self._arrived = pace.within_s, 0
        self._waiting: asyncio.Timeout | None = None
        self.is_whole = False

    async def receive(self) -> Message:
        """The next message.

        Raises:
            HTTPException: 408, the body is too slow.
        """
        if self.is_whole:
            return await self._receive()
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with asyncio.timeout(self._left_s) as self._waiting:
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "the request body did not arrive in time; send it again") from None
        finally:
            self._waiting = None
        self._left_s -= now() - began
        self._arrived += len(message.get("body", b""))
        if not message.get("more_body", False):
            self.is_whole = True
            self._on_whole(self)
        elif self._pace.size is not None and self._arrived >= self._pace.size:
            self._left_s, self._arrived = self._pace.within_s, 0
        return message

    def cut(self) -> None:
        """Ends the body's time."""
        self._left_s = 0.0
        # A timeout that has just expired cannot be rescheduled.
        if self._waiting is not None and not self._waiting.expired():
            self._waiting.reschedule(asyncio.get_running_loop().time())


@dataclass(slots=True)
class RequestLimits:
    """The limits of a web listener with that many connections. `small`: the pace of bodies other than uploads."""

    connections: int
    small: Pace
    upload: Pace
    requests: Counter[str] = field(default_factory=Counter)
    _bodies: dict[str, list[Body]] = field(default_factory=dict)

    @property
    def requests_of_source(self) -> int:
        """How many requests of a source may be in progress, including open event streams."""
        return self.connections // 2

    @property
    def requests_of_person(self) -> int:
        """How many requests of a person may be in progress."""
        return self.connections // 4

    @property
    def bodies(self) -> int:
        """How many bodies of a source, or of a person, may be unfinished."""
        return min(MAX_BODIES, self.connections // 8)

    def begin(self, source: str) -> "CountedRequest":
        """A request of that source begins; `CountedRequest.end` it.

        Raises:
            TooManyRequests: the source has too many requests in progress.
        """
        counted = CountedRequest(self)
        counted.count(f"source {source}", self.requests_of_source)
        return counted


@dataclass(slots=True)
class CountedRequest:
    """A request in progress: counts it for its source and its person."""

    _limits: RequestLimits
    _counted: list[str] = field(default_factory=list)
    _key: str = ""
    _body: Body | None = None

    def by(self, person_id: str) -> None:
        """The request is this person's. Counts once.

        Raises:
            TooManyRequests: the person has too many requests in progress.
        """
        key = f"person {person_id}"
        if key not in self._counted:
            self.count(key, self._limits.requests_of_person)

    def body_of_person(self, person_id: str, receive: Receive, pace: Pace) -> Body:
        """A body whose sender is signed in.

        Raises:
            TooManyRequests: too many bodies of this person are unfinished; none of them is cut for a new one.
        """
        self._key = f"person {person_id}"
        if len(self._limits._bodies.get(self._key, ())) >= self._limits.bodies:
            raise TooManyRequests(
                Sentence(
                    "too-many-uploads", "too many of your uploads are in progress; try again when one has finished"
                )
            )
        return self._begin(receive, pace)

    def body_of_source(self, source: str, receive: Receive, pace: Pace) -> Body:
        """A body from a client that is not signed in. If the source has too many, the oldest is cut, so that people
        of a network can sign in although another client there sends incomplete bodies.
        """
        self._key = f"source {source}"
        bodies = self._limits._bodies.get(self._key, [])
        if len(bodies) >= self._limits.bodies:
            bodies.pop(0).cut()
        return self._begin(receive, pace)

    def _begin(self, receive: Receive, pace: Pace) -> Body:
        self._body = Body(receive, pace, self._whole)
        self._limits._bodies.setdefault(self._key, []).append(self._body)
        return self._body

    def _whole(self, body: Body) -> None:
        bodies = self._limits._bodies.get(self._key, [])
        if body in bodies:
            bodies.remove(body)
        if not bodies:
            self._limits._bodies.pop(self._key, None)

    def end(self) -> None:
        """The request is answered, or failed."""
        if self._body is not None:
            self._whole(self._body)
        for key in self._counted:
            self._limits.requests[key] -= 1
            if not self._limits.requests[key]:
                del self._limits.requests[key]
        self._counted.clear()

    def count(self, key: str, most: int) -> None:
        """Counts the request for `key`.

        Raises:
            TooManyRequests: `most` are under way.
        """
        if self._limits.requests[key] >= most:
            raise TooManyRequests(
                Sentence(
                    "too-many-requests", "too many of your requests are in progress; try again when one has finished"
                )
            )
        self._limits.requests[key] += 1
        self._counted.append(key)
