"""What the replicas of this gateway tell each other, and the jobs that only one of them does.

Replicas share a database and a store of blobs (ADR 63). What is stored there needs no message. Messages are hints: they
say at once what a replica would otherwise read later, and one that is lost costs time, nothing else.

    Replicas.tell("peers")  ──▶  the other replicas: handlers["peers"]()

A gateway without replicas leads, and tells nobody.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

log = logging.getLogger(__name__)

MOST_BYTES: Final = 7000
"""Of a message. PostgreSQL takes 8,000 bytes."""
MOST_WAITING: Final = 10_000
"""Messages that wait to be sent. With one more, `MISSED` replaces them."""
MISSED: Final = "missed"
FINISH_S: Final = 1.0

Job: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


@dataclass(slots=True)
class Replicas:
    """`handlers`: what to do with each kind of message. `on_missed`: called after messages may be missing. None of them
    may wait or raise."""

    is_shared: bool = False
    handlers: dict[str, Callable[..., None]] = field(default_factory=dict)
    on_missed: list[Callable[[], None]] = field(default_factory=list)
    is_leader: bool = False
    _led: asyncio.Event = field(default_factory=asyncio.Event)
    _not_led: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: dict[str, str] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _all_told: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, kind: str, *details: Any, about: str = "") -> None:
        """Sends a message soon. It replaces a waiting one of the same kind `about` the same; equal ones travel once."""
        if not self.is_shared:
            return
        message = json.dumps([kind, *details], separators=(",", ":"))
        if len(message) > MOST_BYTES:  # in ASCII
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            kind, message = MISSED, json.dumps([MISSED])
        self._waiting[f"{kind} {about}" if about else message] = message
        self._all_told.clear()
        self._news.set()

    async def finish(self) -> None:
        """Returns once every message was sent, or after `FINISH_S`."""
        if self.is_shared:
            with suppress(TimeoutError):
                async with asyncio.timeout(FINISH_S):
                    await self._all_told.wait()

    # --- store.database.Meeting ------------------------------------------------------------------------------------

    def joined(self) -> None:
        """Messages may be missing: this replica was not connected."""
        for each in self.on_missed:
            each()

    def heard(self, message: str) -> None:
        """Handles a message. A newer version may send kinds that this one does not know."""
        try:
            kind, *details = json.loads(message)
            if kind == MISSED:
                self.joined()
            elif (handler := self.handlers.get(kind)) is not None:
                handler(*details)
        except Exception as error:  # one message must not end the connection
            log.warning("a message of another replica could not be used: %s", type(error).__name__)

    def leads(self, leads: bool) -> None:
        """This replica leads from now on, or does not."""
        self.is_leader = leads
        (self._led if leads else self._not_led).set()
        (self._not_led if leads else self._led).clear()

    async def messages(self, timeout_s: float) -> Sequence[str]:
        """The messages to send, once there are some, or none after that time. Those of the last call were sent."""
        if not self._waiting:
            self._all_told.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        self._news.clear()
        waiting, self._waiting = self._waiting, {}
        return [*waiting.values()]

    # --- jobs ------------------------------------------------------------------------------------------------------

    async def while_leading(self, job: Job) -> None:
        """Runs `job`, which never ends by itself, whenever this replica leads. Runs until cancelled."""
        while True:
            await self._led.wait()
            working = asyncio.create_task(job())
            over = asyncio.create_task(self._not_led.wait())
            try:
                await asyncio.wait([working, over], return_when=asyncio.FIRST_COMPLETED)
            finally:
                over.cancel()
                ended = working.done()
                working.cancel()
                await asyncio.gather(working, over, return_exceptions=True)
            if ended:
                working.result()
                return
