"""What a row says of a blob: enough to find it, and, with the master key, to open it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

BlobKind: TypeAlias = Literal["plain", "sealed"]


@dataclass(frozen=True, slots=True)
class BlobRef:
    """`size`: bytes of clear text. `key_id` and `wrapped_key` belong to sealed blobs alone, and so does `content`: what
    a small one's file would hold, kept in the row in place of a file.

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

    def __post_init__(self) -> None:
        if (self.kind == "sealed") != (self.key_id is not None and self.wrapped_key is not None):
            raise ValueError("a sealed blob has a key, a plain one has none")
        if self.kind == "plain" and self.content is not None:
            raise ValueError("a plain blob is a file")
        if self.size < 0:
            raise ValueError("a size cannot be negative")
