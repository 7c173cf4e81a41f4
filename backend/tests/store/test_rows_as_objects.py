"""Objects made of rows: what a session would have loaded, and nothing that is ever written."""

from typing import Any

import pytest
from sqlalchemy import inspect
from sqlalchemy.exc import InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Base
from sieve.store.queries import attempt_outcomes, documents, peers
from store_rows import a_document, a_peer, a_transfer, a_user, sealed_ref


def values_of(row: Base | None) -> dict[str, Any] | None:
    return None if row is None else {each.key: getattr(row, each.key) for each in inspect(type(row)).column_attrs}


async def test_documents_are_those_that_a_session_loads(session: AsyncSession) -> None:
    anna = await a_user(session)
    bare, whole = await a_document(session, anna), await a_document(session, anna)
    await documents.add_redacted(session, whole.id, sealed_ref(), 3)
    found = await documents.all_owned(session, [bare.id, whole.id, "none"], anna.id)
    assert found.keys() == {bare.id, whole.id}
    for one in (bare, whole):
        session.expunge_all()
        loaded = await documents.owned(session, one.id, anna.id)
        alone = (await documents.all_owned(session, [one.id], anna.id))[one.id]
        for made in (alone, found[one.id]):
            assert values_of(made) == values_of(loaded)
            for blob in ("plain_blob", "sealed_blob", "marks_blob", "redacted_blob"):
                assert values_of(getattr(made, blob)) == values_of(getattr(loaded, blob))


async def test_only_the_owner_finds_a_document_that_is_neither_deleted_nor_locked(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")
    kept, of_bob = await a_document(session, anna), await a_document(session, bob)
    gone, locked = await a_document(session, anna), await a_document(session, anna)
    gone.deleted_at_ns, locked.locked = 1, True
    await session.flush()
    asked = [kept.id, of_bob.id, gone.id, locked.id]
    # One id and several have a statement each.
    for find in (documents.all_owned, documents.to_send):
        assert {*await find(session, asked, anna.id)} == {kept.id}
        assert [len(await find(session, [one], anna.id)) for one in asked] == [1, 0, 0, 0]


async def test_a_peer_comes_with_its_breaker(session: AsyncSession) -> None:
    peer = await a_peer(session)
    assert (await peers.by_id(session, peer.id)).breaker is None
    await attempt_outcomes.breaker_failed(session, peer.id, now_ns=1, after=1, open_ns=5)
    found = await peers.by_id(session, peer.id)
    assert values_of(found) == values_of(peer)
    assert values_of(found.breaker) == values_of(await attempt_outcomes.breaker(session, peer.id))


async def test_a_forgotten_relation_fails(session: AsyncSession) -> None:
    anna = await a_user(session)
    transfer = await a_transfer(session, await a_document(session, anna), anna, await a_peer(session))
    assert transfer.recipients
    with pytest.raises(InvalidRequestError, match="raise"):
        _ = transfer.document


async def test_a_change_is_not_written(session: AsyncSession) -> None:
    anna = await a_user(session)
    made = await a_document(session, anna)
    (await documents.all_owned(session, [made.id], anna.id))[made.id].name = "another.txt"
    await session.flush()
    await session.refresh(made)
    assert made.name == "memo.txt"
