"""A transfer's progress as it happens. The row is authoritative; the bus only says when to read it and how many bytes.

Invariant: each event checks again whether the watcher may see the transfer, so that a revoked token or a removed role
ends the stream.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

from sieve.gateway.telemetry.progress import Progress, ProgressBus
from sieve.store.models import Transfer
from sieve.web.transfers.waiting import waiting

FINAL = frozenset({"delivered", "failed", "cancelled"})
PACE_S = 0.1
"""Seconds between two events, at least: people read them, and each costs a database query."""


async def progress_of(
    transfer_id: str,
    bus: ProgressBus,
    look: Callable[[], Awaitable[Transfer | None]],
    pace_s: float = PACE_S,
) -> AsyncIterator[Progress]:
    """The transfer's state, then each change; ends after a final state.

    `look` gives the row, or None once the watcher may not see it, which ends the stream.
    """
    row = await look()
    if row is None:
        return
    latest = bus.latest(transfer_id)
    if latest is None or row.state in FINAL:
        yield from_row(row)
        if row.state in FINAL:
            return
    async with aclosing(cast("AsyncGenerator[Progress]", bus.watch(transfer_id))) as changes:
        async for progress in changes:
            row = await look()
            if row is None:
                return
            if row.state in FINAL:
                yield from_row(row)
                return
            yield from_row(row) if progress.state == "queued" else progress
            await asyncio.sleep(pace_s)


def from_row(row: Transfer) -> Progress:
    """A transfer's state from its row, which is loaded with its peer and that peer's breaker."""
    waits = waiting(row)
    return Progress(
        transfer_id=row.id,
        state=row.state,
        verified=row.verified_at_ns is not None or row.state == "delivered",
        reason=waits.reason,
        next_try_at_ns=waits.next_try_at_ns,
    )
