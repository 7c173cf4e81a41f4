"""One stream of all changes for the signed-in person, so that a page does not have to poll."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent

from sieve.gateway.telemetry.announcements import Watcher
from sieve.web.access import Person, StillSignedIn
from sieve.web.api_router import api_router
from sieve.web.events.stream import event_maker, events
from sieve.web.services import Given

router = api_router("/events", tag="events")


async def _watching(person: Person, services: Given) -> AsyncIterator[Watcher]:
    with services.announcements.watching(person.id) as watcher:
        yield watcher


Watching = Annotated[Watcher, Depends(_watching)]
"""Receives the person's changes until the response ends."""


@router.get("", response_class=EventSourceResponse)
async def mine(services: Given, watcher: Watching, signed_in: StillSignedIn) -> AsyncIterator[ServerSentEvent]:
    """My changes, as server-sent events, until the sign-in ends.

    hello comes first: everything known may be out of date. transfer: one of mine is new or has changed; the data is
    that of GET /transfers/{id}/events. inbox: an entry arrived, was deleted or was read. draft: one of mine was created
    or saved, or, if revision is null, deleted. timings: there are new timings; only for admins. ping: at regular
    intervals.
    """
    async for event in events(
        watcher, signed_in, event_maker(services.database, services.progress), ping_s=services.ping_s
    ):
        yield event
