"""Whether the gateway can store data: it tries, by writing to the database and to the blob folder or the bucket."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import text

from sieve.store.blobs import BlobStore
from sieve.store.database import Database
from sieve.store.errors import BlobsUnreachable, DatabaseBusy, StorageFull, StoreError

LOOK_S: Final = 2.0
"""Seconds between two trials, regardless of the number of requests. Each costs a commit and a file."""
PATIENCE_S: Final = 3.0
"""Seconds that each may take. A store of blobs that needs more for two requests is no better than one that is away."""
SLOW_S: Final = 0.5
"""Seconds after which a store of blobs is slow: a person who sends waits for two requests or more. A small object takes
Amazon's store 0.1 to 0.2 s."""

# Every database has this row. Writing the same value is a commit like any other.
_WRITE: Final = text("UPDATE alembic_version SET version_num = version_num")

_HELD: Final = "the database is not writable: another process holds its lock, or its disk does not answer"


@dataclass(slots=True)
class Readiness:
    """`monotonic` gives seconds."""

    database: Database
    blobs: BlobStore
    monotonic: Callable[[], float] = time.monotonic
    full: str | None = None
    """Why no document could be taken in at the last look, although the gateway works: it has too many in progress."""
    slow: str | None = None
    """Why documents took long to store at the last look, although the gateway works."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _looked: float | None = None
    _writing: "asyncio.Task[float] | None" = None
    _problems: tuple[str, ...] = ()

    async def problems(self) -> tuple[str, ...]:
        """A sentence for each failure; empty if the gateway can work."""
        async with self._turn:
            if self._looked is None or self.monotonic() - self._looked >= LOOK_S:
                found = await asyncio.gather(self._of_database(), self._of_blobs())
                self._problems = tuple(each for each in found if each is not None)
                self._looked = self.monotonic()
            return self._problems

    async def _of_database(self) -> str | None:
        try:
            async with asyncio.timeout(PATIENCE_S), self.database.write() as session:
                await session.execute(_WRITE)
        except DatabaseBusy as error:
            if self.database.folder is None:
                return f"the database is not writable: {error}"
            return _HELD
        except TimeoutError:
            return _HELD
        except StorageFull as error:
            return f"no room: {error}"
        except StoreError as error:
            return f"the database is not writable: {error}"
        return None

    async def _of_blobs(self) -> str | None:
        # The next look waits for a trial that takes long, too: each trial has a thread, of which there are few.
        if self._writing is None:
            self._writing = asyncio.create_task(asyncio.to_thread(self._write_blob))
        done, _ = await asyncio.wait([self._writing], timeout=PATIENCE_S)
        if not done:
            if self.blobs.is_remote:
                return f"the S3 store of the blobs cannot be used right now: it has not answered for {PATIENCE_S:g} s"
            return f"the blob folder is not writable: its disk has not answered for {PATIENCE_S:g} s"
        writing, self._writing, self.slow = self._writing, None, None
        try:
            took_s = await writing
        except StorageFull as error:
            return f"no room: {error}"
        except BlobsUnreachable as error:
            return str(error)
        except StoreError as error:
            return f"blobs are not writable: {error}"
        except OSError as error:
            return f"the blob folder is not writable: {error.strerror}"
        if took_s > PATIENCE_S:
            # The look that began it did not wait so long. If this one found no problem, the gateway would be ready at
            # every second look.
            return self._slower_than(PATIENCE_S)
        if took_s > SLOW_S:
            self.slow = self._slower_than(SLOW_S)
        return None

    def _slower_than(self, most_s: float) -> str:
        slow = "S3 store of the blobs" if self.blobs.is_remote else "disk of the blob folder"
        return f"the {slow} answers slowly (more than {most_s:g} s)"

    def _write_blob(self) -> float:
        """Seconds that it took."""
        began = self.monotonic()
        self.blobs.try_to_write()
        self.full = self.blobs.full()
        return self.monotonic() - began
