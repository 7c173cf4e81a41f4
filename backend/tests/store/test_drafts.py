"""Drafts in the store: what a revision is, what goes with the next one, and what a sent save leaves behind."""

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Blob, Document, Draft, User, new_id
from sieve.store.queries import blobs, documents, draft_list, drafts, outbox
from sieve.store.queries.draft_list import DraftFilter
from store_rows import a_peer, a_transfer, a_user, plain_ref, sealed_ref


async def a_draft(session: AsyncSession, owner: User, now_ns: int = 1) -> Draft:
    draft = await drafts.add(session, draft_id=new_id(), owner_id=owner.id, now_ns=now_ns)
    await a_save(session, draft, now_ns)
    return draft


async def a_save(session: AsyncSession, draft: Draft, now_ns: int = 1) -> Document:
    return await documents.add(
        session,
        document_id=new_id(),
        owner_id=draft.owner_id,
        origin="authored",
        name="memo.txt",
        media_type="text/plain",
        size=20,
        classified_size=10,
        plain_digest="00" * 32,
        plain_blob=plain_ref(),
        sealed_blob=sealed_ref(),
        sieve_ns=5,
        now_ns=now_ns,
        draft_id=draft.id,
        revision=draft.revision,
    )


async def test_a_draft_advances_from_its_revision_and_from_no_other(session: AsyncSession) -> None:
    draft = await a_draft(session, await a_user(session))
    assert not await drafts.advance(session, draft.id, 2, 5)
    assert await drafts.advance(session, draft.id, 1, 6)
    assert not await drafts.advance(session, draft.id, 1, 7)
    assert not await drafts.advance(session, new_id(), 1, 7)
    assert (draft.revision, draft.changed_at_ns, draft.created_at_ns) == (2, 6, 1)


async def test_a_superseded_save_goes_with_its_blobs_unless_it_was_sent(session: AsyncSession) -> None:
    anna = await a_user(session)
    draft = await a_draft(session, anna)
    found = await drafts.owned(session, draft.id, anna.id)
    assert found is not None
    transfer = await a_transfer(session, found.save, anna, await a_peer(session))
    for revision in (1, 2):
        await drafts.advance(session, draft.id, revision, 5)
        await a_save(session, draft, 5)
    gone = await drafts.drop_superseded(session, draft.id, 3, since_ns=0, before_ns=9)
    assert {ref.kind for ref in gone} == {"plain", "sealed"}
    assert [await session.get(Blob, ref.id) for ref in gone] == [None, None]
    latest = await drafts.owned(session, draft.id, anna.id)
    assert latest is not None and latest.last_transfer is not None
    assert (latest.save.revision, latest.last_transfer.revision) == (3, 1)
    assert await blobs.ids(session) == {
        found.save.plain_blob_id,
        found.save.sealed_blob_id,
        latest.save.plain_blob_id,
        latest.save.sealed_blob_id,
        transfer.manifest_blob_id,
    }


async def test_blobs_that_two_saves_share_go_with_the_last(session: AsyncSession) -> None:
    anna = await a_user(session)
    draft = await a_draft(session, anna)
    found = await drafts.owned(session, draft.id, anna.id)
    assert found is not None
    await drafts.advance(session, draft.id, 1, 5)
    assert await documents.add_redacted(session, found.save.id, sealed_ref(), 4)
    again = await drafts.save_again(session, found.save, revision=2, name="other.txt", now_ns=5)
    assert again.redacted_blob_id is not None and again.redacted_size == 10
    assert await drafts.drop_superseded(session, draft.id, 2, since_ns=0, before_ns=9) == []
    gone = await drafts.delete_draft(session, draft.id, 6)
    assert {ref.id for ref in gone or ()} == {again.plain_blob_id, again.sealed_blob_id, again.redacted_blob_id}


async def test_of_a_deleted_draft_the_sent_saves_rows_stay(session: AsyncSession) -> None:
    anna = await a_user(session)
    draft, unsent = await a_draft(session, anna), await a_draft(session, anna)
    found = await drafts.owned(session, draft.id, anna.id)
    assert found is not None
    transfer = await a_transfer(session, found.save, anna, await a_peer(session))
    assert await drafts.delete_draft(session, draft.id, 5) is None
    await outbox.cancel(session, transfer.id, 6)
    gone = await drafts.delete_draft(session, draft.id, 7)
    files = {found.save.plain_blob_id, found.save.sealed_blob_id, transfer.manifest_blob_id}
    assert {ref.id for ref in gone or ()} == files
    assert (draft.deleted_at_ns, found.save.deleted_at_ns) == (7, 7)
    assert await drafts.delete_draft(session, unsent.id, 8)
    session.expunge_all()
    assert await drafts.by_id(session, unsent.id) is None
    assert await draft_list.page(session, DraftFilter(anna.id), after=None, limit=10) == []
    assert await blobs.ids(session) == set()


async def test_each_has_its_own_youngest_transfer(session: AsyncSession) -> None:
    anna, peer = await a_user(session), await a_peer(session)
    made = [await a_draft(session, anna, now_ns=now) for now in (1, 2, 3)]
    last = {}
    for draft in made[:2]:
        found = await drafts.owned(session, draft.id, anna.id)
        assert found is not None
        for now_ns in (5, 9, 7):
            transfer = await a_transfer(session, found.save, anna, peer, now_ns=now_ns)
            if now_ns == 9:
                last[draft.id] = transfer.id
    page = await draft_list.page(session, DraftFilter(anna.id), after=None, limit=10)
    assert [whole.draft for whole in page] == made[::-1]
    assert {whole.draft.id: whole.last_transfer.id for whole in page if whole.last_transfer} == last
    assert await draft_list.page(session, DraftFilter((await a_user(session, "bob")).id), after=None, limit=10) == []
