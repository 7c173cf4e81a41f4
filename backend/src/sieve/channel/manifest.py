"""The manifest: what an author sent, fixed when they send it. It travels on the secure channel alone.

Digests: each byte is hashed once, by BLAKE3 over its stream. The classified stream's digest and the document's are
keyed with the manifest's salt, so that a receipt that shows them is no oracle for guessing the secret. The document's
digest follows from the spans and the two stream digests; it needs no further pass over the bytes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blake3 import blake3

from sieve.channel import canonical
from sieve.channel.errors import MalformedOpening
from sieve.channel.names import clean_name
from sieve.core.document import Spans

VERSION = 1
MAX_SPANS = 1_000_000
MAX_RECIPIENTS = 100
SPAN_BYTES = 16
SALT_SIZE = 32
DIGEST_SIZE = 32


def keyed_classified_digest(salt: bytes, stream_digest: bytes) -> bytes:
    """The classified digest as it may be shown: the stream's BLAKE3 digest, keyed with the salt."""
    return blake3(b"sieve classified stream v1\0" + stream_digest, key=salt).digest()


@dataclass(frozen=True)
class Manifest:
    """Immutable. `classified_digest` is keyed, see `keyed_classified_digest`; `plain_digest` is not, being public."""

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

    def __post_init__(self) -> None:
        self.spans.check_within(self.size)
        if len(self.spans) > MAX_SPANS:
            raise ValueError(f"{len(self.spans)} spans are more than the {MAX_SPANS} that a document may have")

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

    @cached_property
    def document_digest(self) -> bytes:
        """BLAKE3 keyed with the salt, over size, spans and both stream digests."""
        return blake3(
            b"sieve document v1\0"
            + self.size.to_bytes(8, "big")
            + blake3(self.spans.to_bytes()).digest()
            + self.classified_digest
            + self.plain_digest,
            key=self.salt,
        ).digest()

    @cached_property
    def head(self) -> dict[str, Any]:
        """The manifest as JSON values, its spans by count and digest: they follow in binary."""
        return {
            "v": VERSION,
            "transfer_id": self.transfer_id,
            "salt": self.salt.hex(),
            "name": self.name,
            "media_type": self.media_type,
            "size": self.size,
            "spans": len(self.spans),
            "spans_digest": blake3(self.spans.to_bytes()).hexdigest(),
            "classified_digest": self.classified_digest.hex(),
            "plain_digest": self.plain_digest.hex(),
            "recipients": list(self.recipients),
            "sender": self.sender,
            "deadline_at_ns": self.deadline_at_ns,
        }

    @cached_property
    def digest(self) -> str:
        """Hexadecimal BLAKE3 of the canonical head. The salt in it makes it say nothing to who has not the manifest."""
        return blake3(canonical.dumps(self.head)).hexdigest()

    @classmethod
    def from_head(cls, head: dict[str, Any], spans: Spans) -> "Manifest":
        """The manifest that `head` and `spans` say.

        Raises:
            MalformedOpening: a field is missing, of another type, or out of bounds.
        """
        take = Fields(head, "manifest")
        if take.integer("v", 1, 2**31) != VERSION:
            raise MalformedOpening(f"the manifest is of version {head['v']}; this gateway speaks version {VERSION}")
        recipients = head.get("recipients")
        if not (
            isinstance(recipients, list)
            and 1 <= len(recipients) <= MAX_RECIPIENTS
            and all(isinstance(r, str) and 0 < len(r) <= 200 for r in recipients)
        ):
            raise MalformedOpening(f"the manifest must name 1 to {MAX_RECIPIENTS} recipients")
        if blake3(spans.to_bytes()).hexdigest() != take.text("spans_digest", 64):
            raise MalformedOpening("the manifest's spans do not fit their digest")
        try:
            manifest = cls(
                transfer_id=take.hexadecimal("transfer_id", 16).hex(),
                salt=take.hexadecimal("salt", SALT_SIZE),
                name=take.text("name", 1000),
                media_type=take.text("media_type", 200),
                size=take.integer("size", 0, 2**62),
                spans=spans,
                classified_digest=take.hexadecimal("classified_digest", DIGEST_SIZE),
                plain_digest=take.hexadecimal("plain_digest", DIGEST_SIZE),
                recipients=tuple(recipients),
                sender=take.text("sender", 300),
                deadline_at_ns=take.integer("deadline_at_ns", 0, 2**63 - 1),
            )
        except MalformedOpening:
            raise
        except Exception as error:  # SpanError or ValueError: the peer's spans do not fit the peer's size
            raise MalformedOpening("the manifest's spans do not lie within its size") from error
        if manifest.head != head:
            raise MalformedOpening("the manifest has fields that this version does not know")
        return manifest

    @property
    def safe_name(self) -> str:
        """The document's name, fit to be shown and stored by who did not choose it."""
        return clean_name(self.name)


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
