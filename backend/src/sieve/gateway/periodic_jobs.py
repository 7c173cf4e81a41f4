"""Jobs that a gateway repeats as long as it runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


async def repeat(job: Callable[[], Awaitable[object]], pace_s: float, task: str) -> None:
    """Runs `job` every `pace_s` seconds, until cancelled. `task`: what it does, for the log: "send notifications"."""
    while True:
        try:
            await job()
        except Exception as error:
            # The next round tries again. The database may be busy or its disk fail; an error here would stop the
            # gateway.
            log.warning("cannot %s now: %s", task, error)
        await asyncio.sleep(pace_s)
