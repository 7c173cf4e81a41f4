"""A person's drafts, filtered, sorted, counted and tagged."""

from typing import NamedTuple

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import User, new_id
from sieve.store.queries import documents, draft_list, drafts, tags
from sieve.store.queries.draft_list import DraftFilter, Order
from sieve.store.queries.sorting import After
from store_rows import a_peer, a_transfer, a_user, plain_ref, sealed_ref


class Made(NamedTuple):
    name: str
    size: int
    state: str | None


DRAFTS = (
    Made("Österreich.md", 30, "delivered"),
    Made("alpha.txt", 10, None),
    Made("Beta 100%.txt", 20, "failed"),
    Made("alpha.txt", 40, "queued"),
)


async def anna_with_drafts(session: AsyncSession) -> User:
    anna, peer = await a_user(session), await a_peer(session)
    for at_ns, made in enumerate(DRAFTS, start=1):
        draft = await drafts.add(session, draft_id=new_id(), owner_id=anna.id, now_ns=at_ns)
        save = await documents.add(
            session,
            document_id=new_id(),
            owner_id=anna.id,
            origin="authored",
            name=made.name,
            media_type="text/plain",
            size=made.size,
            classified_size=0,
            plain_digest="00" * 32,
            plain_blob=plain_ref(),
            sealed_blob=sealed_ref(),
            sieve_ns=5,
            now_ns=at_ns,
            draft_id=draft.id,
            revision=1,
        )
        if made.state is not None:
            transfer = await a_transfer(session, save, anna, peer, now_ns=at_ns)
            transfer.state = made.state
    await session.flush()
    return anna


async def sizes(session: AsyncSession, which: DraftFilter, order: Order = draft_list.LATEST_FIRST) -> list[int]:
    """Of all drafts, page by page, one on each."""
    found: list[int] = []
    after: After | None = None
    while True:
        page = await draft_list.page(session, which, order, after=after, limit=1)
        if not page:
            return found
        found.append(page[0].save.size)
        after = draft_list.place(page[0], order)


async def ids(session: AsyncSession, anna: User) -> list[str]:
    return list(await draft_list.ids(session, DraftFilter(anna.id), limit=10))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order(), [40, 20, 10, 30]),
        (Order("time", descending=False), [30, 10, 20, 40]),
        (Order("size"), [40, 30, 20, 10]),
        (Order("size", descending=False), [10, 20, 30, 40]),
        (Order("state", descending=False), [10, 20, 40, 30]),
    ],
)
async def test_pages_in_each_order_neither_repeat_nor_hide_a_draft(
    session: AsyncSession, order: Order, expected: list[int]
) -> None:
    anna = await anna_with_drafts(session)
    assert await sizes(session, DraftFilter(anna.id), order) == expected


async def test_names_are_sorted_in_any_case(session: AsyncSession) -> None:
    anna = await anna_with_drafts(session)
    first, second, *rest = await sizes(session, DraftFilter(anna.id), Order("name", descending=False))
    assert ({first, second}, rest) == ({10, 40}, [20, 30])


async def test_what_a_list_has_is_counted_with_its_bytes(session: AsyncSession) -> None:
    anna = await anna_with_drafts(session)
    assert await draft_list.count(session, DraftFilter(anna.id)) == (4, 100)
    assert await draft_list.count(session, DraftFilter(anna.id, search="100%")) == (1, 20)
    assert await draft_list.count(session, DraftFilter(anna.id, in_trash=True)) == (0, 0)


@pytest.mark.parametrize("sort", ["time", "name", "size", "state"])
async def test_a_list_continues_if_the_last_row_of_a_page_was_deleted_forever(
    session: AsyncSession, sort: draft_list.Sort
) -> None:
    which, order = DraftFilter((await anna_with_drafts(session)).id), Order(sort)
    everything = await draft_list.page(session, which, order, after=None, limit=10)
    [at] = [number for number, whole in enumerate(everything) if whole.last_transfer is None]
    last = everything[at]
    assert await drafts.delete_draft(session, last.draft.id, 9) is not None
    rest = await draft_list.page(session, which, order, after=draft_list.place(last, order), limit=10)
    assert [whole.draft.id for whole in rest] == [whole.draft.id for whole in everything[at + 1 :]]


async def test_several_are_deleted_and_restored_except_those_being_sent(session: AsyncSession) -> None:
    anna, bob = await anna_with_drafts(session), await a_user(session, "bob")
    everything = await ids(session, anna)
    assert await drafts.move_all_to_trash(session, bob.id, everything, 9) == []
    deleted = await drafts.move_all_to_trash(session, anna.id, everything, 9)
    assert set(deleted) == set(everything[1:]), "the latest is queued"
    assert await ids(session, anna) == everything[:1]
    assert await drafts.restore_all(session, bob.id, everything) == []
    assert set(await drafts.restore_all(session, anna.id, everything)) == set(deleted)
    assert await ids(session, anna) == everything


async def test_drafts_are_found_by_their_tags(session: AsyncSession) -> None:
    anna, bob = await anna_with_drafts(session), await a_user(session, "bob")
    latest, *_, oldest = await ids(session, anna)
    assert set(await tags.add(session, tags.DRAFTS, anna.id, [latest, oldest], "Budget")) == {latest, oldest}
    assert await tags.add(session, tags.DRAFTS, anna.id, [latest], "Budget") == []
    assert await tags.add(session, tags.DRAFTS, anna.id, [latest], "Alps") == [latest]
    assert await tags.add(session, tags.DRAFTS, bob.id, [latest], "Mine") == []
    assert await tags.used(session, tags.DRAFTS, anna.id) == [("Alps", 1), ("Budget", 2)]
    assert await sizes(session, DraftFilter(anna.id, tag="Budget")) == [40, 30]
    [first, *_] = await draft_list.page(session, DraftFilter(anna.id), after=None, limit=1)
    assert list(first.tags) == ["Alps", "Budget"]
    assert await tags.remove(session, tags.DRAFTS, bob.id, [latest], "Alps") == []
    assert await tags.remove(session, tags.DRAFTS, anna.id, [latest], "Alps") == [latest]
    assert await drafts.delete_draft(session, oldest, 9) is not None
    assert await tags.used(session, tags.DRAFTS, anna.id) == [("Budget", 1)]


async def test_templates_are_a_list_of_their_own(session: AsyncSession) -> None:
    anna, bob = await anna_with_drafts(session), await a_user(session, "bob")
    latest, *_ = await ids(session, anna)
    assert await drafts.set_template(session, bob.id, [latest], is_template=True) == []
    assert await drafts.set_template(session, anna.id, [latest], is_template=True) == [latest]
    assert await drafts.set_template(session, anna.id, [latest], is_template=True) == []
    assert await sizes(session, DraftFilter(anna.id, templates=True)) == [40]
