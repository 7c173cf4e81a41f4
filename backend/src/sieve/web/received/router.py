"""Documents that peers delivered to this gateway, for its admins."""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query

from sieve.store.queries import received_list, timing_records
from sieve.store.queries.received_list import Order, ReceivedFilter, Sort
from sieve.web.access import Admin
from sieve.web.api_router import api_router
from sieve.web.paging import AskedPage, Page
from sieve.web.received.schemas import IncompleteShown, ReceivedCounted, ReceivedShown
from sieve.web.services import Given
from sieve.web.times import kept

router = api_router("/received", tag="received")


def _filter(
    peer: Annotated[str | None, Query(max_length=63)] = None,
    recipient: Annotated[str | None, Query(max_length=200, description="Their login.")] = None,
    search: Annotated[
        str | None, Query(max_length=200, description="Part of the document's or the sender's name.")
    ] = None,
    since: Annotated[
        datetime | None, Query(description="Received then or later; in UTC unless it has an offset.")
    ] = None,
    transfer: Annotated[
        str | None, Query(max_length=64, description="The id of the transfer that delivered it.")
    ] = None,
) -> ReceivedFilter:
    return ReceivedFilter(peer, recipient, search, None if since is None else kept(since), transfer)


def _order(
    sort: Annotated[Sort, Query(description="time: when it was received.")] = "time",
    descending: Annotated[bool, Query(description="The latest, the largest or Z first.")] = True,
) -> Order:
    return Order(sort, descending)


Wanted = Annotated[ReceivedFilter, Depends(_filter)]


@router.get("")
async def listed(
    admin: Admin, services: Given, wanted: Wanted, order: Annotated[Order, Depends(_order)], asked: AskedPage
) -> Page[ReceivedShown]:
    """All received documents, latest first."""
    async with services.database.browse() as session:
        found = await received_list.page(session, wanted, order, after=asked.after, limit=asked.limit)
        holders = await received_list.holders(session, [row.id for row in found.rows])
        records = await timing_records.of_received(session, [(row.peer_id, row.transfer_id) for row in found.rows])
    return asked.page_from(
        found,
        lambda row: ReceivedShown.of(row, holders.get(row.id, ()), records.get((row.peer_id, row.transfer_id))),
        lambda row: received_list.place(row, order),
    )


@router.get("/counts")
async def counts(admin: Admin, services: Given, wanted: Wanted) -> ReceivedCounted:
    """How many documents GET /received lists, and their size."""
    async with services.database.browse() as session:
        found = await received_list.count(session, wanted)
    return ReceivedCounted(documents=found.rows, bytes=found.bytes, more=found.more)


@router.get("/incomplete")
async def incomplete(admin: Admin, services: Given) -> list[IncompleteShown]:
    """Documents of which only a part arrived, the latest first. They have no name: the sender's gateway repeats it
    with the rest.
    """
    found = []
    for incoming in services.partials.all():
        peer = services.peers.by_id(incoming.peer_id)
        if peer is not None:
            found.append(IncompleteShown.of(incoming, peer.name))
    return found
