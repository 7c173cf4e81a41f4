"""The events of one open stream: changes as they are announced, and pings.

Invariant: before each event, the stream looks up its person again and reads the rows. So the end of a session ends the
stream, and the loss of a role ends the events of that role.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from fastapi.sse import ServerSentEvent

from sieve.gateway.telemetry.announcements import Change, Watcher
from sieve.gateway.telemetry.progress import ProgressBus
from sieve.store.database import Database
from sieve.store.models import Draft, User
from sieve.store.queries import outbox
from sieve.web.transfers.events import FINAL, from_row
from sieve.web.transfers.schemas import ProgressShown

PACE_S: Final = 0.1
"""Seconds between two events of transfers, at least: people read them, and each costs a database query."""

EventMaker = Callable[[User, Change], Awaitable[ServerSentEvent | None]]
"""The event of a change for this person; None if it is not for them."""


async def events(
    watcher: Watcher,
    signed_in: Callable[[], Awaitable[User | None]],
    make_event: EventMaker,
    *,
    ping_s: float,
    pace_s: float = PACE_S,
) -> AsyncIterator[ServerSentEvent]:
    """All changes of the watcher, as events, and a ping each `ping_s`, until the sign-in ends or the watcher is
    closed."""
    now = asyncio.get_running_loop().time
    next_transfer, next_ping = now(), now() + ping_s
    while not watcher.closed:
        if now() >= next_ping:
            next_ping = now() + ping_s
            if await signed_in() is None:
                return
            yield ServerSentEvent(event="ping", data={})
            continue
        early = now() < next_transfer
        change = watcher.take(but="transfer" if early else None)
        if change is None:
            await watcher.wait(min(next_ping, next_transfer) if early and watcher.waits else next_ping)
            continue
        person = await signed_in()
        if person is None:
            return
        event = await make_event(person, change)
        if change.kind == "transfer":
            next_transfer = now() + pace_s
        if event is not None:
            yield event


def event_maker(database: Database, progress: ProgressBus) -> EventMaker:
    """Makes events from the rows, and from the progress bus for transfers that are being sent."""

    async def make_event(person: User, change: Change) -> ServerSentEvent | None:
        match change.kind:
            case "everything":
                return ServerSentEvent(event="hello", data={})
            case "inbox" if person.is_recipient:
                return ServerSentEvent(event="inbox", data={})
            case "timings" if person.is_admin:
                return ServerSentEvent(event="timings", data={})
            case "transfer" if person.is_author:
                return await of_transfer(person, change.id)
            case "draft" if person.is_author:
                return await of_draft(person, change.id)
        return None

    async def of_transfer(person: User, transfer_id: str) -> ServerSentEvent | None:
        async with database.read() as session:
            row = await outbox.with_peer(session, transfer_id)
        if row is None or row.author_id != person.id or row.document.locked:
            return None
        latest = progress.latest(transfer_id)
        moves = latest is not None and latest.state == "sending" and row.state not in FINAL
        shown = latest if latest is not None and moves else from_row(row)
        return ServerSentEvent(event="transfer", data=ProgressShown.of(shown))

    async def of_draft(person: User, draft_id: str) -> ServerSentEvent | None:
        async with database.read() as session:
            row = await session.get(Draft, draft_id)
        if row is not None and row.owner_id != person.id:
            return None
        is_there = row is not None and row.deleted_at_ns is None and row.trashed_at_ns is None
        revision = row.revision if row is not None and is_there else None
        return ServerSentEvent(event="draft", data={"id": draft_id, "revision": revision})

    return make_event
