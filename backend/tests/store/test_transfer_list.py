"""Transfers, sorted and counted. The plans of their pages: `test_list_plans`."""

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import User
from sieve.store.queries import name_search, sorting, transfer_list
from sieve.store.queries.sorting import After, SizeUpToMost
from sieve.store.queries.transfer_list import Order, TransferFilter
from store_rows import a_document, a_peer, a_transfer, a_user

SENT = (("Österreich.md", "bravo", 30, "delivered"), ("alpha.txt", "Charlie", 10, "failed"))
MORE = (("Beta.txt", "bravo", 20, "queued"), ("alpha.txt", "bravo", 40, "cancelled"))


async def anna_who_sent(session: AsyncSession) -> User:
    anna, bob = await a_user(session), await a_user(session, "bob")
    peers = {name: await a_peer(session, name) for name in ("bravo", "Charlie")}
    for at_ns, (name, peer, size, state) in enumerate(SENT + MORE, start=1):
        document = await a_document(session, anna, name)
        document.size = size
        transfer = await a_transfer(session, document, anna, peers[peer], now_ns=at_ns)
        transfer.state = state
    await a_transfer(session, await a_document(session, bob), bob, peers["bravo"], now_ns=9)
    await session.flush()
    return anna


async def sizes(session: AsyncSession, which: TransferFilter, order: Order) -> list[int]:
    """Of all documents, page by page, one on each."""
    found: list[int] = []
    after: After | None = None
    while page := (await transfer_list.page(session, which, order, after=after, limit=1)).rows:
        found.append(page[0].document.size)
        after = transfer_list.place(page[0], order)
    return found


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order(), [40, 20, 10, 30]),
        (Order("time", descending=False), [30, 10, 20, 40]),
        (Order("size"), [40, 30, 20, 10]),
        (Order("state", descending=False), [10, 20, 30, 40]),
    ],
)
async def test_pages_in_each_order_neither_repeat_nor_hide_a_transfer(
    session: AsyncSession, order: Order, expected: list[int]
) -> None:
    anna = await anna_who_sent(session)
    assert await sizes(session, TransferFilter(anna.id), order) == expected


async def test_names_and_peers_are_sorted_in_any_case(session: AsyncSession) -> None:
    anna = await anna_who_sent(session)
    by_name = await sizes(session, TransferFilter(anna.id), Order("name", descending=False))
    assert (set(by_name[:2]), by_name[2:]) == ({10, 40}, [20, 30])
    by_peer = await sizes(session, TransferFilter(anna.id), Order("peer"))
    assert (by_peer[0], set(by_peer[1:])) == (10, {20, 30, 40})


async def test_what_a_list_has_is_counted_with_its_bytes(session: AsyncSession) -> None:
    anna = await anna_who_sent(session)
    assert await transfer_list.count(session, TransferFilter(anna.id)) == SizeUpToMost(4, 100)
    assert await transfer_list.count(session, TransferFilter(anna.id, peer="bravo", search="ALPHA")) == SizeUpToMost(
        1, 40
    )
    assert len((await transfer_list.ids(session, TransferFilter(anna.id, state="failed"), limit=9)).rows) == 1
    assert len((await transfer_list.ids(session, TransferFilter(None), limit=9)).rows) == 5


async def test_a_long_list_is_counted_up_to_a_number(session: AsyncSession, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = await anna_who_sent(session)
    for most, expected in ((4, SizeUpToMost(4, 100)), (3, sorting.MORE)):
        monkeypatch.setattr(sorting, "MOST_COUNTED", most)
        assert await transfer_list.count(session, TransferFilter(anna.id)) == expected
        assert await transfer_list.count(session, TransferFilter(anna.id, state="failed")) == SizeUpToMost(1, 10)


async def test_of_a_word_that_many_names_have_the_first_rows_are_counted(
    session: AsyncSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await anna_who_sent(session)
    monkeypatch.setattr(name_search, "MOST", 1)
    monkeypatch.setattr(name_search, "READ_AT_ONCE", 4)
    alpha = await transfer_list.count(session, TransferFilter(None, search="alpha"))
    assert alpha.more and alpha.bytes is None and 1 <= alpha.rows <= 2
    assert await transfer_list.count(session, TransferFilter(None, search="beta")) == SizeUpToMost(1, 20)
