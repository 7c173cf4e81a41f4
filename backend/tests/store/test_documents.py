"""Documents: seen by their owner, deleted when nothing needs them, and their files with them."""

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import blobs, documents, outbox
from store_rows import a_document, a_peer, a_transfer, a_user, sealed_ref


async def test_an_owner_sees_their_own_the_latest_first(session: AsyncSession) -> None:
    anna, bob = await a_user(session), await a_user(session, "bob")
    made = [await a_document(session, anna, now_ns=now) for now in (1, 3, 2)]
    assert await documents.of_owner(session, anna.id) == [made[1], made[2], made[0]]
    assert await documents.of_owner(session, anna.id, limit=1) == [made[1]]
    assert await documents.of_owner(session, bob.id) == []
    assert await documents.owned(session, made[0].id, bob.id) is None


async def test_a_document_brings_its_blobs(session: AsyncSession) -> None:
    made = await a_document(session, await a_user(session))
    session.expunge_all()
    for found in (
        await documents.by_id(session, made.id),
        await documents.owned(session, made.id, made.owner_id or ""),
    ):
        assert found is not None
        assert (found.plain_blob.ref.kind, found.sealed_blob.ref.kind) == ("plain", "sealed")
        assert await blobs.ref(session, found.sealed_blob_id) == found.sealed_blob.ref


async def test_a_document_is_deleted_once_nothing_sends_it(session: AsyncSession) -> None:
    anna = await a_user(session)
    made = await a_document(session, anna)
    kept = await a_document(session, anna)
    transfer = await a_transfer(session, made, anna, await a_peer(session))
    assert await documents.delete(session, made.id, 5) is None
    assert await documents.owned(session, made.id, anna.id) is made
    await outbox.cancel(session, transfer.id, 6)
    files = await documents.delete(session, made.id, 7)
    assert files is not None
    assert [ref.id for ref in files] == [made.plain_blob_id, made.sealed_blob_id, transfer.manifest_blob_id]
    assert await documents.delete(session, made.id, 8) == []
    assert made.deleted_at_ns == 7
    assert await documents.owned(session, made.id, anna.id) is None
    assert await documents.of_owner(session, anna.id) == [kept]
    assert (await documents.by_id(session, made.id)).name == "memo.txt"
    assert await blobs.ids(session) == {kept.plain_blob_id, kept.sealed_blob_id}


async def test_a_redacted_edition_is_added_once_and_goes_with_its_document(session: AsyncSession) -> None:
    made = await a_document(session, await a_user(session))
    edition, another = sealed_ref(), sealed_ref()
    assert await documents.add_redacted(session, made.id, edition, 3)
    assert not await documents.add_redacted(session, made.id, another, 4)
    assert (made.redacted_blob_id, made.redacted_size) == (edition.id, 10)
    named = {made.plain_blob_id, made.sealed_blob_id, edition.id}
    assert await blobs.ids(session) == named
    assert {ref.id for ref in await documents.delete(session, made.id, 5) or ()} == named
    assert not await documents.add_redacted(session, made.id, another, 6)
