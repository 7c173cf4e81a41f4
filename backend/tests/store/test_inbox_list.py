"""The inbox as a list: what a filter finds, in every order, page by page; and its trash."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import InboxEntry, User, new_id
from sieve.store.queries import inbox, inbox_list
from sieve.store.queries.inbox_list import Counts, EntryFilter, Order, Sort, place
from store.test_inbox import delivery
from store_rows import a_peer, a_user, sealed_ref

DOCUMENTS = [
    # name, sender, size, classified size
    ("beta.txt", "Östen", 500, 450),
    ("Alpha.txt", "anna", 100, 0),
    ("gamma 100%.txt", "Bruno", 300, 290),
    ("delta.txt", "anna", 200, 10),
    ("épsilon.txt", "carla", 400, 100),
]


async def bobs(session: AsyncSession) -> User:
    peer, bob = await a_peer(session), await a_user(session, "bob")
    await a_user(session, "carol")
    for index, (name, sender, size, classified) in enumerate(DOCUMENTS):
        one = delivery(new_id(), name=name, sender_name=sender, size=size, classified_size=classified)
        await inbox.deliver(session, peer.id, [one], 100 + index)
    await inbox.deliver(session, peer.id, [delivery(new_id(), recipients=["carol"])], 200)
    return bob


async def names(session: AsyncSession, which: EntryFilter, order: Order = inbox_list.LATEST_FIRST) -> Sequence[str]:
    """Of all pages; two entries on each."""
    found: list[InboxEntry] = []
    while True:
        last = place(found[-1], order) if found else None
        page = (await inbox_list.page(session, which, order, after=last, limit=2)).rows
        if not page:
            break
        found += page
    assert [entry.id for entry in found] == [*(await inbox_list.ids(session, which, order, limit=100)).rows]
    assert len(found) == (await inbox_list.count(session, which)).entries
    return [entry.received.document.name.partition(".")[0] for entry in found]


@pytest.mark.parametrize(
    ("sort", "plain_sizes", "expected"),
    [
        ("time", False, ["beta", "Alpha", "gamma 100%", "delta", "épsilon"]),
        ("name", False, ["Alpha", "beta", "delta", "gamma 100%", "épsilon"]),
        ("size", False, ["Alpha", "delta", "gamma 100%", "épsilon", "beta"]),
        ("size", True, ["gamma 100%", "beta", "Alpha", "delta", "épsilon"]),
    ],
)
async def test_pages_in_every_order(
    session: AsyncSession, sort: Sort, plain_sizes: bool, expected: Sequence[str]
) -> None:
    which = EntryFilter((await bobs(session)).id)
    assert await names(session, which, Order(sort, False, plain_sizes)) == expected
    assert await names(session, which, Order(sort, True, plain_sizes)) == expected[::-1]


async def test_without_clearance_a_file_has_the_size_of_its_redacted_edition(session: AsyncSession) -> None:
    peer, bob = await a_peer(session), await a_user(session, "bob")
    file = delivery(
        new_id(), name="file.docx", size=100, classified_size=100, redacted_blob=replace(sealed_ref(), size=60)
    )
    for one in (file, delivery(new_id(), name="small.txt", size=100, classified_size=50)):
        await inbox.deliver(session, peer.id, [one], 100)
    assert await names(session, EntryFilter(bob.id), Order("size", True, True)) == ["file", "small"]


async def test_equal_senders_neither_repeat_nor_hide_one_another(session: AsyncSession) -> None:
    which = EntryFilter((await bobs(session)).id)
    for descending in (True, False):
        found = await names(session, which, Order("sender", descending))
        assert sorted(found) == sorted(name.partition(".")[0] for name, *_ in DOCUMENTS)
    assert set(found[:2]) == {"Alpha", "delta"}


async def test_a_search_covers_names_senders_and_gateways_in_any_case(session: AsyncSession) -> None:
    bob = await bobs(session)
    assert await names(session, EntryFilter(bob.id, "ALPHA")) == ["Alpha"]
    assert await names(session, EntryFilter(bob.id, "öSTEN")) == ["beta"]
    assert len(await names(session, EntryFilter(bob.id, "Bravo"))) == 5
    assert await names(session, EntryFilter(bob.id, "100%")) == ["gamma 100%"]
    assert await names(session, EntryFilter(bob.id, "%"), Order("name")) == ["gamma 100%"]


async def test_reading_and_unreading_change_only_ones_own(session: AsyncSession) -> None:
    bob = await bobs(session)
    everything = (await inbox_list.ids(session, EntryFilter(bob.id), limit=100)).rows
    assert len(await inbox.set_read(session, bob.id, everything[:2], 7)) == 2
    assert len(await inbox.set_read(session, bob.id, everything[:3], 8)) == 1, "the first time counts"
    assert await inbox_list.count(session, EntryFilter(bob.id)) == Counts(5, 2)
    assert await names(session, EntryFilter(bob.id, unread=True)) == ["Alpha", "beta"]
    assert len(await inbox.set_read(session, bob.id, everything, None)) == 3
    assert await inbox_list.count(session, EntryFilter(bob.id)) == Counts(5, 5)
    other = await a_user(session, "dora")
    assert len(await inbox.set_read(session, other.id, everything, 9)) == 0
    assert len(await inbox.move_to_trash(session, other.id, everything, 9)) == 0


async def test_the_trash_is_in_order_of_deletion_and_gives_back(session: AsyncSession) -> None:
    bob = await bobs(session)
    shown, trash = EntryFilter(bob.id), EntryFilter(bob.id, in_trash=True)
    newest, *_, oldest = (await inbox_list.ids(session, shown, limit=100)).rows
    assert len(await inbox.move_to_trash(session, bob.id, [newest], 300)) == 1
    assert len(await inbox.move_to_trash(session, bob.id, [newest, oldest], 301)) == 1
    assert await names(session, trash) == ["beta", "épsilon"]
    assert await names(session, shown) == ["delta", "gamma 100%", "Alpha"]
    assert await inbox.find(session, bob.id, newest) == []
    assert [entry.id for entry in await inbox.trashed_by(session, 300, limit=9)] == [newest]
    assert len(await inbox.restore(session, bob.id, [newest, oldest])) == 2
    assert await names(session, trash) == []
    assert len(await names(session, shown)) == 5
