"""What authors work on: a draft is saved as often as its author likes, and each save is a document, ready to be sent.

The law: who saves names the revision that was changed, and of two who name the same one exactly one is heard. The other
leaves neither row nor file. What a save supersedes goes in the same transaction, unless a transfer refers to it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.names import clean_name
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.ingest import Place, Placing
from sieve.gateway.errors import Conflict, NotFound, SavedMeanwhile
from sieve.gateway.telemetry.announcements import Announcements
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.models import Document, Draft, new_id
from sieve.store.queries import drafts as queries
from sieve.store.queries.drafts import WholeDraft

Taking: TypeAlias = Callable[[Placing], Awaitable[Document]]
"""Takes a document in, as one of `Ingest`'s ways does, at the place that it is told in its transaction."""


@dataclass(frozen=True, slots=True)
class Drafts:
    """Everybody's drafts. Who may ask is the caller's to check; other people's are not there."""

    database: Database
    blobs: BlobStore
    announcements: Announcements

    async def owned(self, owner_id: str, draft_id: str) -> WholeDraft:
        """That person's own draft.

        Raises:
            NotFound: there is none of that id.
        """
        async with self.database.read() as session:
            return await _owned(session, owner_id, draft_id)

    async def at_revision(self, owner_id: str, draft_id: str, revision: int) -> WholeDraft:
        """That person's own draft, if it is at that revision; a first look before a long body is read.

        Raises:
            NotFound: there is none of that id.
            SavedMeanwhile: it is at another one.
        """
        async with self.database.read() as session:
            return await _at_revision(session, owner_id, draft_id, revision)

    async def create(self, owner_id: str, take: Taking) -> WholeDraft:
        """A new draft, whose first save `take` brings. Raises what that does."""
        made: list[Draft] = []

        async def placing(session: AsyncSession) -> Place:
            made.append(await queries.add(session, draft_id=new_id(), owner_id=owner_id, now_ns=now_ns()))
            return Place(made[0].id, 1)

        save = await take(placing)
        self.announcements.draft_changed(owner_id, made[0].id)
        return WholeDraft(made[0], save)

    async def save(self, owner_id: str, draft_id: str, revision: int, take: Taking) -> WholeDraft:
        """The draft with one more save, which `take` brings; `revision` is what it changes.

        Raises:
            NotFound: there is no such draft of this person.
            SavedMeanwhile: it is at another revision. Besides, what `take` raises.
        """
        before: list[WholeDraft] = []
        superseded: list[BlobRef] = []

        async def placing(session: AsyncSession) -> Place:
            before.append(await self._advance(session, owner_id, draft_id, revision))
            superseded.extend(await queries.drop_superseded(session, draft_id, revision + 1))
            return Place(draft_id, revision + 1)

        save = await take(placing)
        await self._changed(owner_id, draft_id, superseded)
        return WholeDraft(before[0].draft, save, before[0].last_transfer)

    async def rename(self, owner_id: str, draft_id: str, revision: int, name: str) -> WholeDraft:
        """The draft with one more save that has another name; `revision` is what it changes.

        Raises:
            NotFound, SavedMeanwhile: as `save` does.
        """
        async with self.database.write() as session:
            before = await self._advance(session, owner_id, draft_id, revision)
            save = await queries.save_again(session, before.save, name=clean_name(name), now_ns=now_ns())
            superseded = await queries.drop_superseded(session, draft_id, revision + 1)
        await self._changed(owner_id, draft_id, superseded)
        return WholeDraft(before.draft, save, before.last_transfer)

    async def delete(self, owner_id: str, draft_id: str) -> None:
        """Removes a draft and its bytes; what was delivered stays delivered.

        Raises:
            NotFound: there is no such draft of this person.
            Conflict: a transfer of it is not over.
        """
        async with self.database.write() as session:
            await _owned(session, owner_id, draft_id)
            gone = await queries.delete_draft(session, draft_id, now_ns())
            if gone is None:
                raise Conflict("a transfer of this draft is not over; wait for it or cancel it")
        await self._changed(owner_id, draft_id, gone)

    async def close(self, owner_id: str, draft_id: str) -> None:
        """Removes a draft; what of it was sent stays, as a document of that person.

        Raises:
            NotFound: there is no such draft of this person.
            Conflict: several of its saves were sent.
        """
        async with self.database.write() as session:
            await _owned(session, owner_id, draft_id)
            gone = await queries.close_draft(session, draft_id)
            if gone is None:
                raise Conflict("several saves of this draft were sent; keep it, or delete it with all of them")
        await self._changed(owner_id, draft_id, gone)

    async def _advance(self, session: AsyncSession, owner_id: str, draft_id: str, revision: int) -> WholeDraft:
        before = await _at_revision(session, owner_id, draft_id, revision)
        if not await queries.advance(session, draft_id, revision, now_ns()):
            raise SavedMeanwhile((await _owned(session, owner_id, draft_id)).draft.revision)
        return before

    async def _changed(self, owner_id: str, draft_id: str, gone: Sequence[BlobRef]) -> None:
        """Tells of what is committed, then clears away."""
        self.announcements.draft_changed(owner_id, draft_id)
        await asyncio.to_thread(self.blobs.delete_all, gone)


async def _owned(session: AsyncSession, owner_id: str, draft_id: str) -> WholeDraft:
    found = await queries.owned(session, draft_id, owner_id)
    if found is None:
        raise NotFound("there is no such draft of yours")
    return found


async def _at_revision(session: AsyncSession, owner_id: str, draft_id: str, revision: int) -> WholeDraft:
    found = await _owned(session, owner_id, draft_id)
    if found.draft.revision != revision:
        raise SavedMeanwhile(found.draft.revision)
    return found
