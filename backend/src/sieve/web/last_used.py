"""Records when tokens and sessions were last used.

Invariant: no request waits for this, or fails because of it. A background task writes all pending times together, each
token or session at most once a minute. A time that cannot be written is dropped: the next use records a new one.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sieve.store.database import Database
from sieve.store.models import Session, Token
from sieve.store.queries import sessions, tokens

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
STOP_S: Final = 1.0
"""How long the gateway waits at its end for a running write."""


class _Used(NamedTuple):
    kind: type[Token | Session]
    id: str


@dataclass(slots=True)
class LastUsed:
    """`monotonic` gives seconds."""

    database: Database
    monotonic: Callable[[], float] = time.monotonic
    _tried: dict[_Used, float] = field(default_factory=dict)
    _waiting: dict[_Used, int] = field(default_factory=dict)
    _writing: asyncio.Task[None] | None = None

    def note(self, row: Token | Session, now_ns: int) -> None:
        """Records a use now; written soon, unless a use of the last minute is in the row or was tried."""
        if now_ns - (row.last_used_at_ns or 0) <= EVERY_S * 1e9:
            return
        now, used = self.monotonic(), _Used(type(row), row.id)
        self._tried = {each: at for each, at in self._tried.items() if now - at < EVERY_S}
        if used in self._tried:
            return
        self._tried[used], self._waiting[used] = now, now_ns
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, {}
            try:
                async with self.database.write() as session:
                    for used, at_ns in waiting.items():
                        note_used = tokens.note_used if used.kind is Token else sessions.note_used
                        await note_used(session, used.id, at_ns)
                for used in waiting:
                    self._tried.pop(used, None)
            except Exception as error:  # the database may be busy, full or read-only
                log.info("when %d tokens or sessions were used cannot be recorded right now: %s", len(waiting), error)

    async def written(self) -> None:
        """Returns once every recorded use is written, or has failed."""
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def close(self) -> None:
        """Does the same, for `STOP_S` at most."""
        if self._writing is not None:
            await asyncio.wait([self._writing], timeout=STOP_S)
            self._writing.cancel()
