"""A draft as its author sees it."""

from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from sieve.formats.registry import FORMATS
from sieve.gateway.reading.file import format_of
from sieve.store.queries.drafts import LastTransfer, WholeDraft
from sieve.web.documents.intake import MAX_NAME
from sieve.web.times import shown, shown_if

DraftFormat: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "enum": [*FORMATS]})]


class LastTransferShown(BaseModel):
    """The youngest transfer of the draft. `revision`: which save was sent. `reason`: the last sentence about it."""

    id: str
    peer: str
    state: str
    revision: int
    created_at: datetime
    delivered_at: datetime | None
    reason: str | None

    @classmethod
    def of(cls, last: LastTransfer) -> "LastTransferShown":
        return cls(
            id=last.id,
            peer=last.peer,
            state=last.state,
            revision=last.revision,
            created_at=shown(last.created_at_ns),
            delivered_at=shown_if(last.delivered_at_ns),
            reason=last.reason,
        )


class DraftShown(BaseModel):
    """A draft at one save of it. `document_id`: that save, as sending names it; sizes in bytes. `plain_digest`:
    hexadecimal BLAKE3 of what travels in the clear. `marks`: how many there are, if it came as a file."""

    id: str
    document_id: str
    revision: int
    name: str
    media_type: str
    format: DraftFormat
    marks: int | None
    document_bytes: int
    classified_bytes: int
    plain_bytes: int
    plain_digest: str
    created_at: datetime
    changed_at: datetime
    last_transfer: LastTransferShown | None

    @classmethod
    def of(cls, whole: WholeDraft) -> "DraftShown":
        draft, save, last = whole.draft, whole.save, whole.last_transfer
        return cls(
            id=draft.id,
            document_id=save.id,
            revision=draft.revision,
            name=save.name,
            media_type=save.media_type,
            format=format_of(save),
            marks=save.marks,
            document_bytes=save.size,
            classified_bytes=save.classified_size,
            plain_bytes=save.size - save.classified_size,
            plain_digest=save.plain_digest,
            created_at=shown(draft.created_at_ns),
            changed_at=shown(draft.changed_at_ns),
            last_transfer=LastTransferShown.of(last) if last else None,
        )


class DraftRenamed(BaseModel):
    """Kept as a name that an upload brings."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(max_length=MAX_NAME)]
