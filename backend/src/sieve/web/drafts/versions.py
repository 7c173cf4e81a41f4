"""Versions of a draft: to look at, and to bring back. Their content is that of documents: `web.documents`."""

from fastapi import Response

from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.drafts.revision import Changed, note_revision
from sieve.web.drafts.schemas import DraftShown, VersionShown, VersionsShown
from sieve.web.services import Given

router = api_router("/drafts/{draft_id}/versions", tag="drafts")


@router.get("")
async def versions(draft_id: str, author: Author, services: Given, response: Response) -> VersionsShown:
    """The versions of a draft of mine. Kept are the latest and each that was sent; of the others the last of each
    minute for an hour, the last of each hour for a day, and the last of each day for 30 days.
    """
    whole, found, size = await services.drafts.versions(author.id, draft_id)
    note_revision(response, whole.draft.revision)
    shown = [VersionShown.of(version) for version in found]
    return VersionsShown(revision=whole.draft.revision, versions=shown, stored_bytes=size)


@router.post("/{revision}/restore")
async def restore(
    draft_id: str, revision: int, author: Author, services: Given, response: Response, changed: Changed
) -> DraftShown:
    """Brings back the content of a version of a draft of mine. This is a save like any other: the draft keeps its name,
    and the version that is replaced is kept.
    """
    restored = await services.drafts.restore(author.id, draft_id, changed, revision)
    note_revision(response, restored.draft.revision)
    return DraftShown.of(restored)


@router.delete("", status_code=204)
async def delete_earlier(draft_id: str, author: Author, services: Given) -> None:
    """Deletes all versions of a draft of mine but the latest and those that were sent."""
    await services.drafts.delete_earlier(author.id, draft_id)
