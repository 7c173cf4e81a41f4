"""A draft as its author sees it."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sieve.gateway.reading.file import format_of
from sieve.store.queries.drafts import WholeDraft
from sieve.store.queries.versions import Version
from sieve.web.bulk import Changed, TagChange
from sieve.web.documents.intake import MAX_NAME
from sieve.web.file_views.schemas import FileFormat, MarkShown
from sieve.web.inbox.schemas import ReplyToShown
from sieve.web.schemas import RequestBody, SaidShown, Shown, shown_said, sizes
from sieve.web.times import shown_if


class LastTransferShown(Shown):
    """The latest transfer of the draft. `revision`: the save that was sent. `reason`: its latest message for people;
    `said`: the same with its code, if it has one."""

    id: str
    peer: str
    state: str
    revision: int
    created_at: datetime
    delivered_at: datetime | None
    reason: str | None
    said: SaidShown | None


class DraftShown(Shown):
    """A draft at its latest save. `document_id`: that save's id, for sending; sizes in bytes. `marks`: how many
    there are, if it came as a file.

    `tags`: its author's own. `is_template`: its author starts new documents from it. `deleted_at`: since when it is in
    the trash; null if it is not. `forwarded_from`: from whom I received it, if I forward it: "Anna at
    alpha". `reply_to`: to whom it goes, if it is a reply.
    """

    id: str
    document_id: str
    revision: int
    name: str
    media_type: str
    format: FileFormat
    marks: int | None
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    tags: list[str]
    is_template: bool
    created_at: datetime
    changed_at: datetime
    deleted_at: datetime | None
    forwarded_from: str | None
    last_transfer: LastTransferShown | None
    reply_to: ReplyToShown | None

    @classmethod
    def of(cls, whole: WholeDraft) -> "DraftShown":
        draft, save, last = whole.draft, whole.save, whole.last_transfer
        return cls.from_attributes(
            draft,
            document_id=save.id,
            name=save.name,
            media_type=save.media_type,
            format=format_of(save),
            marks=save.marks,
            tags=list(whole.tags),
            deleted_at=shown_if(draft.trashed_at_ns),
            last_transfer=LastTransferShown.from_attributes(last, said=shown_said(last.reason)) if last else None,
            reply_to=None if draft.reply_to is None else ReplyToShown.model_validate_json(draft.reply_to),
            **sizes(save),
        )


class SentShown(Shown):
    """A transfer of a version."""

    id: str
    peer: str
    state: str
    created_at: datetime


class VersionShown(Shown):
    """A version of a draft: a save that is kept. `document_id`: the document with its content. `sent`: its transfers,
    latest first. Sizes in bytes. `marks`: how many there are, if it came as a file."""

    revision: int
    document_id: str
    name: str
    format: FileFormat
    marks: int | None
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    created_at: datetime
    sent: list[SentShown]

    @classmethod
    def of(cls, version: Version) -> "VersionShown":
        return cls.from_attributes(
            version.save,
            document_id=version.save.id,
            format=format_of(version.save),
            sent=[SentShown.from_attributes(each) for each in version.sent],
            **sizes(version.save),
        )


class VersionsShown(BaseModel):
    """The versions of a draft, latest first. `revision`: of the latest. `stored_bytes`: what all of them take on the
    gateway's disk."""

    revision: int
    versions: list[VersionShown]
    stored_bytes: int


class DraftRenamed(RequestBody):
    """The new name, cleaned like that of an upload."""

    name: Annotated[str, Field(max_length=MAX_NAME)]


class MarksGiven(RequestBody):
    """All marks of a draft."""

    marks: list[MarkShown]


class DraftsCounted(BaseModel):
    """How many drafts a list has, and their size together, in bytes."""

    drafts: int
    bytes: int


class DraftsChange(TagChange):
    """A change of several drafts of mine. Drafts that are not there are skipped. `tag`: for `tag` and `untag`."""

    change: Literal["delete", "restore", "delete forever", "tag", "untag", "template", "not template"]


class DraftsChanged(Changed):
    """The drafts that were changed. `under_way`: how many were not deleted, because they are being sent."""

    under_way: int


class DraftCopied(RequestBody):
    """The name of the copy, cleaned like that of an upload."""

    name: Annotated[str, Field(max_length=MAX_NAME)]
