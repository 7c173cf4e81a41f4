"""Drafts: each save of a draft is a document that can be sent.

Invariant: a save names the revision that it changes, and of two saves of the same revision exactly one succeeds. The
other one leaves neither row nor file. A save removes those of the same minute before it in the same transaction, unless
a transfer refers to them; `versions` says how long the others are kept.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.channel.safe_names import clean_name
from sieve.core.sentence import Sentence
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.draft_labels import DraftLabels
from sieve.gateway.documents.ingest import StagedDocument
from sieve.gateway.documents.versions import MINUTE_NS, minute_start_ns
from sieve.gateway.errors import Conflict, NotFound, SavedMeanwhile
from sieve.gateway.reading.file import File
from sieve.gateway.telemetry.announcements import Announcements
from sieve.marking.labels import Label
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.models import Document, Draft, new_id
from sieve.store.queries import drafts as queries
from sieve.store.queries import versions as version_queries
from sieve.store.queries.drafts import WholeDraft
from sieve.store.queries.versions import Version

MOST_LISTED: Final = 1000
"""Versions in a list. Fewer than 200 that were not sent are kept."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Drafts:
    """Drafts. The caller checks that the person is an author; drafts of others are not found."""

    database: Database
    blobs: BlobStore
    announcements: Announcements
    labels: DraftLabels

    async def owned(self, owner_id: str, draft_id: str) -> WholeDraft:
        """A draft of this person.

        Raises:
            NotFound: this person has no such draft.
        """
        async with self.database.read() as session:
            return await _owned(session, owner_id, draft_id)

    async def with_latest(
        self,
        owner_id: str,
        draft_id: str,
        use: Callable[[Document], Awaitable[T]],
        superseded: tuple[type[Exception], ...] = (BlobDamaged,),
    ) -> tuple[WholeDraft, T]:
        """The draft, and the result of `use` for its latest save. Tries again if the save is superseded meanwhile.

        `superseded`: errors of `use` that mean that, if there is a newer save by then.

        Raises:
            NotFound: this person has no such draft. Also raises the errors of `use`.
        """
        while True:
            whole = await self.owned(owner_id, draft_id)
            try:
                return whole, await use(whole.save)
            except superseded:
                # If there is a newer save, the files were deleted after we read the row.
                if (await self.owned(owner_id, draft_id)).save.id == whole.save.id:
                    raise

    async def at_revision(self, owner_id: str, draft_id: str, revision: int) -> WholeDraft:
        """A draft of this person, if it is at `revision`: an early check before a long body is read.

        Raises:
            NotFound: this person has no such draft.
            SavedMeanwhile: it is at another revision.
        """
        async with self.database.read() as session:
            return await _at_revision(session, owner_id, draft_id, revision)

    async def create(
        self,
        owner_id: str,
        staged: StagedDocument,
        name: str,
        *,
        labels_of: str | None = None,
        forwarded_from: str | None = None,
        reply_to: str | None = None,
        record: Callable[[AsyncSession], Awaitable[None]] | None = None,
    ) -> WholeDraft:
        """Commits `staged` as the first save of a new draft. `labels_of`: the draft whose labels it gets.
        `forwarded_from`, `reply_to`: see `Draft`. `record`: writes to the audit log in the same transaction.
        """
        origin = {"forwarded_from": forwarded_from, "reply_to": reply_to}
        async with self.database.write() as session:
            draft = await queries.add(session, draft_id=new_id(), owner_id=owner_id, now_ns=now_ns(), **origin)
            if labels_of is not None:
                await self.labels.copy(session, labels_of, draft.id)
            save = await staged.add(session, owner_id=owner_id, name=name, draft_id=draft.id, revision=draft.revision)
            if record is not None:
                await record(session)
        self.announcements.draft_changed(owner_id, draft.id)
        return WholeDraft(draft, save)

    async def save(
        self,
        owner_id: str,
        draft_id: str,
        revision: int,
        staged: StagedDocument,
        name: str,
        least_banner: Label | None = None,
    ) -> WholeDraft:
        """Commits `staged` as the next save of the draft. `revision`: the one that it changes. `least_banner`: the
        banner stays at least this high.

        Raises:
            NotFound: this person has no such draft.
            SavedMeanwhile: it is at another revision.
        """
        async with self.database.write() as session:
            before = await self._advance(session, owner_id, draft_id, revision)
            superseded = await _drop_superseded(session, before.draft, revision + 1)
            if least_banner is not None:
                await self.labels.keep_banner(session, draft_id, least_banner)
            save = await staged.add(session, owner_id=owner_id, name=name, draft_id=draft_id, revision=revision + 1)
        await self._changed(owner_id, draft_id, superseded)
        return WholeDraft(before.draft, save, before.last_transfer)

    async def rename(self, owner_id: str, draft_id: str, revision: int, name: str) -> WholeDraft:
        """Adds a save with another name and the same content. `revision`: the one that it changes.

        Raises:
            NotFound, SavedMeanwhile: as `save` does.
        """
        async with self.database.write() as session:
            before = await self._advance(session, owner_id, draft_id, revision)
            save = await queries.save_again(
                session, before.save, revision=revision + 1, name=clean_name(name), now_ns=now_ns()
            )
            superseded = await _drop_superseded(session, before.draft, revision + 1)
        await self._changed(owner_id, draft_id, superseded)
        return WholeDraft(before.draft, save, before.last_transfer)

    async def versions(self, owner_id: str, draft_id: str) -> tuple[WholeDraft, Sequence[Version], int]:
        """A draft, its versions with the latest first, and what they take on the disk, in bytes.

        Raises:
            NotFound: this person has no such draft.
        """
        async with self.database.read() as session:
            whole = await _owned(session, owner_id, draft_id)
            found = await version_queries.of_draft(session, draft_id, limit=MOST_LISTED)
            return whole, found, await version_queries.stored_bytes(session, draft_id)

    async def restore(self, owner_id: str, draft_id: str, revision: int, version: int) -> WholeDraft:
        """Adds a save with the content of the earlier save `version`. The name stays, and so does the save that it
        replaces. `revision`: the one that it changes.

        Raises:
            NotFound: this person has no such draft, or that version is not kept any more.
            SavedMeanwhile: it is at another revision.
        """
        before = await self.at_revision(owner_id, draft_id, revision)
        async with self.database.read() as session:
            wanted = await _version(session, draft_id, version)
        marks = await asyncio.to_thread(File.of(self.blobs, wanted).kept_marks)
        # Fewer marks do not lower the banner. The labels of a text follow its spans.
        least_banner = None if wanted.format is None else await self.labels.banner_to_keep(before.save, marks or b"[]")
        async with self.database.write() as session:
            before = await self._advance(session, owner_id, draft_id, revision)
            wanted = await _version(session, draft_id, version)
            save = await queries.save_again(
                session, wanted, revision=revision + 1, name=before.save.name, now_ns=now_ns()
            )
            await version_queries.keep_before_restore(session, before.save.id)
            if least_banner is not None:
                await self.labels.keep_banner(session, draft_id, least_banner)
        await self._changed(owner_id, draft_id, [])
        return WholeDraft(before.draft, save, before.last_transfer)

    async def delete_earlier(self, owner_id: str, draft_id: str) -> None:
        """Deletes all versions of a draft but the latest and those that were sent.

        Raises:
            NotFound: this person has no such draft.
        """
        async with self.database.write() as session:
            whole = await _owned(session, owner_id, draft_id)
            earlier = [save.id for save in await version_queries.superseded(session, whole.draft)]
            gone = await version_queries.drop(session, draft_id, earlier)
        await self._changed(owner_id, draft_id, gone)

    async def delete(self, owner_id: str, draft_id: str) -> None:
        """Moves a draft to its author's trash. Its bytes stay sealed, until retention removes them.

        Raises:
            NotFound: this person has no such draft, or it is in the trash.
            Conflict: a transfer of it is still open.
        """
        async with self.database.write() as session:
            await _owned(session, owner_id, draft_id)
            if not await queries.move_to_trash(session, draft_id, now_ns()):
                raise _under_way()
        self.announcements.draft_changed(owner_id, draft_id)

    async def undelete(self, owner_id: str, draft_id: str) -> None:
        """Moves a draft out of the trash.

        Raises:
            NotFound: there is no such draft in this person's trash.
        """
        async with self.database.write() as session:
            await _owned(session, owner_id, draft_id, in_trash=True)
            await queries.restore(session, draft_id)
        self.announcements.draft_changed(owner_id, draft_id)

    async def remove(self, owner_id: str, draft_id: str) -> None:
        """Deletes a draft and its bytes for good, in the trash or not; deliveries are not undone.

        Raises:
            NotFound: this person has no such draft.
            Conflict: a transfer of it is still open.
        """
        async with self.database.write() as session:
            await _owned(session, owner_id, draft_id, in_trash=None)
            gone = await queries.delete_draft(session, draft_id, now_ns())
            if gone is None:
                raise _under_way()
        await self._changed(owner_id, draft_id, gone)

    async def close(self, owner_id: str, draft_id: str) -> None:
        """Deletes a draft, but keeps the save that was sent as a document of that person.

        Raises:
            NotFound: this person has no such draft.
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
        """Announces a committed change, then deletes the files that it superseded."""
        self.announcements.draft_changed(owner_id, draft_id)
        await asyncio.to_thread(self.blobs.delete_all, gone)


async def _drop_superseded(session: AsyncSession, draft: Draft, revision: int) -> Sequence[BlobRef]:
    since_ns = minute_start_ns(draft.created_at_ns, now_ns())
    # Only this minute: if the clock was set back, earlier saves are later by the clock.
    return await queries.drop_superseded(session, draft.id, revision, since_ns=since_ns, before_ns=since_ns + MINUTE_NS)


async def _version(session: AsyncSession, draft_id: str, revision: int) -> Document:
    found = await version_queries.at(session, draft_id, revision)
    if found is None:
        raise NotFound(
            Sentence("version-not-kept", "version {version} of this document is not kept any more", version=revision)
        )
    return found


def _under_way() -> Conflict:
    return Conflict("a transfer of this draft is not over; wait for it or cancel it")


async def _owned(session: AsyncSession, owner_id: str, draft_id: str, *, in_trash: bool | None = False) -> WholeDraft:
    found = await queries.owned(session, draft_id, owner_id, in_trash=in_trash)
    if found is None:
        raise NotFound(Sentence("no-such-draft", "you have no such draft"))
    return found


async def _at_revision(session: AsyncSession, owner_id: str, draft_id: str, revision: int) -> WholeDraft:
    found = await _owned(session, owner_id, draft_id)
    if found.draft.revision != revision:
        raise SavedMeanwhile(found.draft.revision)
    return found
