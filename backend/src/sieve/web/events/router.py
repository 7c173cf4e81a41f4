"""One stream of everything that changes for who is signed in, so that a page need not ask again and again."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent

from sieve.gateway.telemetry.announcements import Watcher
from sieve.web.deps import Person, StillSignedIn
from sieve.web.events.stream import events, looking
from sieve.web.services import Given

router = APIRouter(prefix="/events", tags=["events"])


async def _watching(person: Person, services: Given) -> AsyncIterator[Watcher]:
    with services.announcements.watching(person.id) as watcher:
        yield watcher


Watching = Annotated[Watcher, Depends(_watching)]
"""Hears what changes for who asks, until the answer is over."""


@router.get("", response_class=EventSourceResponse)
async def mine(services: Given, watcher: Watching, signed_in: StillSignedIn) -> AsyncIterator[ServerSentEvent]:
    """What changes for me, as server-sent events, until the sign-in ends.

    hello comes first: everything known may be out of date. transfer: one of mine is new, or stands otherwise; as much
    as GET /transfers/{id}/events tells. inbox: something came, went or was read. draft: one of mine was made or saved,
    or, if revision is null, deleted. ping: now and then.
    """
    async for event in events(
        watcher, signed_in, looking(services.database, services.progress), ping_s=services.ping_s
    ):
        yield event
