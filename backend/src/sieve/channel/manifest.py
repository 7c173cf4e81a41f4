"""The manifest: what an author sent, fixed when they send it. It travels on the secure channel alone.

Digests: each byte is hashed once, by BLAKE3 over its stream. The classified stream's digest and the document's are
keyed with the manifest's salt, so that nobody can test guesses of the secret with a receipt that shows them. The
document's digest follows from the spans and the two stream digests; it needs no further pass over the bytes.

A file may bring its redacted edition, a separate file for people who are not cleared, and its author's marks. Both show
where something is classified, so they travel as the tail of the document's classified stream: first the edition, then
the marks. A manifest with marks is of version 3, one with an edition alone of version 2, any other of version 1, byte
for byte."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from blake3 import blake3

from sieve.channel import canonical
from sieve.channel.errors import BadManifest, MalformedOpening
from sieve.channel.safe_names import clean_line, clean_name
from sieve.core.document import MAX_SPANS, Spans
from sieve.core.errors import SpanError

VERSION = 1
"""Of the manifest of a document without a redacted edition."""
WITH_EDITION = 2
"""Of one with it."""
WITH_MARKS = 3
"""Of one with the author's marks, and perhaps a redacted edition."""
VERSIONS: Final = (VERSION, WITH_EDITION, WITH_MARKS)
MAX_RECIPIENTS = 100
# In UTF-8. It keeps the fullest manifest, each byte of it escaped, within the bounds of an opening and of a receipt.
MAX_RECIPIENT_BYTES = 200
MAX_NAME = 1000
MAX_MEDIA_TYPE = 200
MAX_SENDER = 300
MAX_SIZE = 2**62
MAX_TIME_NS = 2**63 - 1
MAX_MARKS = 64 * 1024 * 1024
"""Bytes of an author's marks as they travel."""
TRANSFER_ID_SIZE = 16
SALT_SIZE = 32
DIGEST_SIZE = 32


def keyed_classified_digest(salt: bytes, stream_digest: bytes) -> bytes:
    """The classified digest as it may be shown: the stream's BLAKE3 digest, keyed with the salt."""
    return blake3(b"sieve classified stream v1\0" + stream_digest, key=salt).digest()


class RedactedEdition(NamedTuple):
    """The redacted edition of a file: how many bytes it has, and their BLAKE3 digest. Every recipient may know both."""

    size: int
    digest: bytes


class SentMarks(NamedTuple):
    """The author's marks in a file: how many bytes they have as they travel, and their BLAKE3 digest."""

    size: int
    digest: bytes


@dataclass(frozen=True)
class Manifest:
    """Immutable. `classified_digest` is keyed, see `keyed_classified_digest`; `plain_digest` is not, being public.

    `size` and both digests are the document's alone: the redacted edition and the marks have their own.
    """

    transfer_id: str
    salt: bytes
    name: str
    media_type: str
    size: int
    spans: Spans
    classified_digest: bytes
    plain_digest: bytes
    recipients: tuple[str, ...]
    sender: str
    deadline_at_ns: int
    redacted: RedactedEdition | None = None
    marks: SentMarks | None = None

    def __post_init__(self) -> None:
        """Raises BadManifest for what no peer would accept, SpanError for spans that reach past the size."""
        if len(self.spans) > MAX_SPANS:
            raise BadManifest(f"{len(self.spans)} spans are more than the {MAX_SPANS} that a document may have")
        self.spans.check_within(self.size)
        for what, text, longest in (
            ("name", self.name, MAX_NAME),
            ("media type", self.media_type, MAX_MEDIA_TYPE),
            ("sender", self.sender, MAX_SENDER),
        ):
            if len(text) > longest or not _is_unicode(text):
                raise BadManifest(f"the {what} must be Unicode text of at most {longest} characters")
        # It may end up in a header of an answer.
        if not (self.media_type.isascii() and self.media_type.isprintable()):
            raise BadManifest("the media type must be printable ASCII")
        if not 1 <= len(self.recipients) <= MAX_RECIPIENTS or not all(map(_can_be_login, self.recipients)):
            raise BadManifest(
                f"name 1 to {MAX_RECIPIENTS} recipients, each with 1 to {MAX_RECIPIENT_BYTES} bytes of readable text"
            )
        if len(set(self.recipients)) != len(self.recipients):
            raise BadManifest("a recipient is named twice")
        fixed = (self.salt, SALT_SIZE), (self.classified_digest, DIGEST_SIZE), (self.plain_digest, DIGEST_SIZE)
        if any(len(value) != size for value, size in fixed):
            raise BadManifest(f"salt and digests have {DIGEST_SIZE} bytes")
        if not (0 <= self.size <= MAX_SIZE and 0 <= self.deadline_at_ns <= MAX_TIME_NS):
            raise BadManifest("size or deadline is out of bounds")
        if self.redacted is not None and not (
            1 <= self.redacted.size <= MAX_SIZE - self.size and len(self.redacted.digest) == DIGEST_SIZE
        ):
            raise BadManifest("the redacted edition's size or digest is out of bounds")
        if self.marks is not None and not (
            1 <= self.marks.size <= min(MAX_MARKS, MAX_SIZE - self.size - (self.redacted.size if self.redacted else 0))
            and len(self.marks.digest) == DIGEST_SIZE
        ):
            raise BadManifest("the marks' size or digest is out of bounds")

    def __repr__(self) -> str:
        return f"Manifest({self.transfer_id})"

    @property
    def classified_size(self) -> int:
        """Bytes of the classified stream."""
        return self.spans.classified_size

    @property
    def plain_size(self) -> int:
        """Bytes of the plain stream."""
        return self.size - self.classified_size

    @property
    def carried_classified_size(self) -> int:
        """Bytes of the classified stream as it travels: the document's, and what accompanies it."""
        return self.classified_size + sum(each.size for each in self.accompanying)

    @property
    def accompanying(self) -> Sequence[RedactedEdition | SentMarks]:
        """What travels behind the classified stream, in this order."""
        return [each for each in (self.redacted, self.marks) if each is not None]

    @property
    def carried_size(self) -> int:
        """All bytes that travel, and need room where they arrive."""
        return self.carried_classified_size + self.plain_size

    def without_marks(self) -> "Manifest":
        """The same document, for a peer that takes no marks."""
        return replace(self, marks=None)

    def without_edition(self) -> "Manifest":
        """The same document, for a peer that takes neither marks nor a redacted edition."""
        return replace(self, redacted=None, marks=None)

    @cached_property
    def spans_digest(self) -> str:
        """Hexadecimal BLAKE3 of the spans in binary. It confirms guesses of where they are, so never show it."""
        return self.spans.digest.hex()

    @cached_property
    def document_digest(self) -> bytes:
        """BLAKE3 keyed with the salt, over size, spans and both stream digests."""
        return blake3(
            b"sieve document v1\0"
            + self.size.to_bytes(8, "big")
            + bytes.fromhex(self.spans_digest)
            + self.classified_digest
            + self.plain_digest,
            key=self.salt,
        ).digest()

    @cached_property
    def head(self) -> dict[str, Any]:
        """The manifest as JSON values, its spans by count and digest: they follow in binary."""
        named = {"redacted": self.redacted, "marks": self.marks}
        more = {name: {"size": it.size, "digest": it.digest.hex()} for name, it in named.items() if it is not None}
        return {
            "v": WITH_MARKS if self.marks is not None else VERSION if self.redacted is None else WITH_EDITION,
            "transfer_id": self.transfer_id,
            "salt": self.salt.hex(),
            "name": self.name,
            "media_type": self.media_type,
            "size": self.size,
            "spans": len(self.spans),
            "spans_digest": self.spans_digest,
            "classified_digest": self.classified_digest.hex(),
            "plain_digest": self.plain_digest.hex(),
            "recipients": list(self.recipients),
            "sender": self.sender,
            "deadline_at_ns": self.deadline_at_ns,
            **more,
        }

    @cached_property
    def digest(self) -> str:
        """Hexadecimal BLAKE3 of the canonical head. Its salt makes it useless to people without the manifest."""
        return blake3(canonical.dumps(self.head)).hexdigest()

    @classmethod
    def from_head(cls, head: dict[str, Any], spans: Spans) -> "Manifest":
        """The manifest in `head` and `spans`.

        Raises:
            MalformedOpening: a field is missing, of another type, or out of bounds.
        """
        take = Fields(head, "manifest")
        version = take.integer("v", 1, 2**31)
        if version not in VERSIONS:
            known = ", ".join(map(str, VERSIONS))
            raise MalformedOpening(f"the manifest is of version {version}; this gateway takes versions {known}")
        recipients = head.get("recipients")
        if not (isinstance(recipients, list) and all(isinstance(name, str) for name in recipients)):
            raise MalformedOpening("the manifest's recipients must be a list of texts")
        take.integer("spans", 0, MAX_SPANS)
        try:
            manifest = cls(
                transfer_id=take.hexadecimal("transfer_id", TRANSFER_ID_SIZE).hex(),
                salt=take.hexadecimal("salt", SALT_SIZE),
                name=take.text("name", MAX_NAME),
                media_type=take.text("media_type", MAX_MEDIA_TYPE),
                size=take.integer("size", 0, MAX_SIZE),
                spans=spans,
                classified_digest=take.hexadecimal("classified_digest", DIGEST_SIZE),
                plain_digest=take.hexadecimal("plain_digest", DIGEST_SIZE),
                recipients=tuple(recipients),
                sender=take.text("sender", MAX_SENDER),
                deadline_at_ns=take.integer("deadline_at_ns", 0, MAX_TIME_NS),
                redacted=RedactedEdition(*_accompanying(head, "redacted", "redacted edition"))
                if version == WITH_EDITION or (version == WITH_MARKS and "redacted" in head)
                else None,
                marks=SentMarks(*_accompanying(head, "marks", "marks")) if version == WITH_MARKS else None,
            )
        except SpanError as error:  # its sentence names the span, which the log of the refusing gateway must not
            raise MalformedOpening("the manifest's spans do not lie within its size") from error
        except BadManifest as error:
            raise MalformedOpening(f"the manifest cannot be taken: {error}") from error
        if manifest.spans_digest != take.text("spans_digest", 2 * DIGEST_SIZE):
            raise MalformedOpening("the manifest's spans do not fit their digest")
        if manifest.head != head:
            raise MalformedOpening("the manifest has fields that this version does not know")
        return manifest

    @property
    def safe_name(self) -> str:
        """The document's name, safe to show and to store."""
        return clean_name(self.name)

    @property
    def safe_sender(self) -> str:
        """The sender's name, safe to show to people who trust the gateway and not the name."""
        return clean_line(self.sender)


def _accompanying(head: dict[str, Any], field: str, what: str) -> tuple[int, bytes]:
    """Size and digest of what travels behind the classified stream."""
    said = head.get(field)
    if not isinstance(said, dict):
        raise MalformedOpening(f"a manifest of this version must name its {what}")
    take = Fields(said, f"manifest's {what}")
    return take.integer("size", 1, MAX_SIZE), take.hexadecimal("digest", DIGEST_SIZE)


def _is_unicode(text: str) -> bool:
    """Whether `text` has a UTF-8 form: JSON can smuggle in half a surrogate pair, which has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _can_be_login(name: str) -> bool:
    return name.isprintable() and _is_unicode(name) and 1 <= len(name.encode()) <= MAX_RECIPIENT_BYTES


class Fields:
    """Reads typed fields of a peer's JSON object; every complaint names the field."""

    def __init__(self, values: dict[str, Any], what: str) -> None:
        self._values, self._what = values, what

    def text(self, key: str, longest: int) -> str:
        value = self._values.get(key)
        if not (isinstance(value, str) and len(value) <= longest):
            raise MalformedOpening(f"the {self._what}'s {key} must be text of at most {longest} characters")
        return value

    def integer(self, key: str, least: int, most: int) -> int:
        value = self._values.get(key)
        if not (isinstance(value, int) and not isinstance(value, bool) and least <= value <= most):
            raise MalformedOpening(f"the {self._what}'s {key} must be an integer from {least} to {most}")
        return value

    def hexadecimal(self, key: str, size: int) -> bytes:
        value = self.text(key, 2 * size)
        try:
            raw = bytes.fromhex(value)
        except ValueError:
            raw = b""
        if len(raw) != size or raw.hex() != value:
            raise MalformedOpening(f"the {self._what}'s {key} must be {2 * size} lower-case hexadecimal digits")
        return raw
