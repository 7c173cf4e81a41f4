"""What a row says of a blob: enough to find it, and, with the master key, to open it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sieve.store.master_keys import key_aad

BlobKind: TypeAlias = Literal["plain", "sealed"]


@dataclass(frozen=True, slots=True)
class BlobRef:
    """`size`: bytes of clear text. A sealed blob has a key, `key_id` and `wrapped_key`, and may have `content`: what a
    small one's file would hold, kept in the row in place of a file. A plain blob has `tags` of its segments and the key
    that they were made with; one from before there were tags has neither.

    `owner` (an id) and `purpose` are bound to the wrapped key: a key moved to another row opens nothing.
    """

    id: str
    kind: BlobKind
    owner: str
    purpose: str
    size: int
    key_id: str | None = None
    wrapped_key: bytes | None = field(default=None, repr=False)
    content: bytes | None = field(default=None, repr=False)
    tags: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        has_key = self.key_id is not None and self.wrapped_key is not None
        if has_key != (self.kind == "sealed" or self.tags is not None):
            raise ValueError("a sealed blob has a key, and a plain one if it has tags")
        if self.kind == "plain" and self.content is not None:
            raise ValueError("a plain blob is a file")
        if self.kind == "sealed" and self.tags is not None:
            raise ValueError("a sealed blob needs no tags")
        if self.size < 0:
            raise ValueError("a size cannot be negative")


def wrap_aad(kind: str, blob_id: str, owner: str, purpose: str, size: int) -> bytes:
    """What the wrapped key of a blob is bound to. A plain one's includes the size: a row that names fewer segments must
    not cut the document. A sealed blob shows by itself that it was cut.
    """
    if kind == "sealed":
        return key_aad("sieve blob key v1", blob_id, owner, purpose)
    return key_aad("sieve tag key v1", blob_id, owner, purpose, str(size))
