"""The opening: manifest and attempt at the head of the secure request, right before the first classified bytes.

    6 bytes  b"SIEVE1"
    4 bytes  length of the head, big-endian
    n bytes  canonical JSON {"attempt": …, "manifest": …}
    16 bytes for each span: start and end, big-endian
then the first secure sub-stream: the classified stream, or its part of it; and where the plan uses no plain channel the
plain stream follows in it. No round trip only opens.
"""

import json
from dataclasses import dataclass

from sieve.channel import canonical, sub_streams
from sieve.channel.attempt import Attempt
from sieve.channel.errors import LocalProtocolError, MalformedOpening
from sieve.channel.manifest import Manifest
from sieve.core.document import MAX_SPANS, SPAN_BYTES, Spans
from sieve.core.errors import SieveError

MAGIC = b"SIEVE1"
MAX_HEAD = 64 * 1024
_PREFIX = len(MAGIC) + 4


@dataclass(frozen=True, slots=True)
class Opening:
    """What a secure request begins with."""

    manifest: Manifest
    attempt: Attempt

    def to_bytes(self) -> bytes:
        """The opening as it stands on the wire."""
        head = canonical.dumps({"manifest": self.manifest.head, "attempt": self.attempt.head})
        return MAGIC + len(head).to_bytes(4, "big") + head + self.manifest.spans.to_bytes()

    @property
    def body_size(self) -> int:
        """Bytes that follow the opening in the same request."""
        return sub_streams.of_secure(self.manifest, self.attempt.plan)[0].size


class OpeningReader:
    """Reads an opening from pieces of any bounds, holding at most the head and the spans that it announces."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: dict[str, object] | None = None
        self._needed = _PREFIX
        self._head_end = 0
        self._done = False

    def feed(self, piece: bytes) -> tuple[Opening, bytes] | None:
        """The opening and the bytes after it as soon as it is whole; None until then.

        Raises:
            MalformedOpening: these bytes begin no opening.
        """
        if self._done:
            raise LocalProtocolError("an opening is read once; what follows it is the streams'")
        self._buffer += piece
        while len(self._buffer) >= self._needed:
            if self._head_end == 0:
                if self._buffer[: len(MAGIC)] != MAGIC:
                    raise MalformedOpening("the request does not begin with an opening")
                length = int.from_bytes(self._buffer[len(MAGIC) : _PREFIX], "big")
                if not 0 < length <= MAX_HEAD:
                    raise MalformedOpening(f"the opening's head must have 1 to {MAX_HEAD} bytes")
                self._head_end = self._needed = _PREFIX + length
            elif self._head is None:
                self._head = self._parse_head()
                self._needed += self._spans_size(self._head)
            else:
                return self._finish(self._head)
        return None

    def _parse_head(self) -> dict[str, object]:
        raw = bytes(self._buffer[_PREFIX : self._head_end])
        try:
            head = json.loads(raw)
            # Other JSON can mean two things: a key may come twice, a text may hold half a surrogate pair.
            canonical_too = canonical.dumps(head) == raw
        except (ValueError, RecursionError) as error:
            raise MalformedOpening("the opening's head is not canonical JSON") from error
        if not canonical_too:
            raise MalformedOpening("the opening's head is not canonical JSON")
        if not (isinstance(head, dict) and set(head) == {"manifest", "attempt"}):
            raise MalformedOpening("the opening's head must hold a manifest and an attempt")
        if not all(isinstance(part, dict) for part in head.values()):
            raise MalformedOpening("manifest and attempt must be JSON objects")
        return head

    def _spans_size(self, head: dict[str, object]) -> int:
        manifest = head["manifest"]
        count = manifest.get("spans") if isinstance(manifest, dict) else None
        if not (isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MAX_SPANS):
            raise MalformedOpening(f"the manifest must have 0 to {MAX_SPANS} spans")
        return count * SPAN_BYTES

    def _finish(self, head: dict[str, object]) -> tuple[Opening, bytes]:
        with memoryview(self._buffer) as view:  # a million spans are 16 MB: copied once, and let go of
            raw, rest = bytes(view[self._head_end : self._needed]), bytes(view[self._needed :])
        self._buffer, self._done = bytearray(), True
        try:
            spans = Spans.from_bytes(raw)
        except SieveError as error:
            raise MalformedOpening("the manifest's spans are not in order") from error
        manifest, attempt = head["manifest"], head["attempt"]
        assert isinstance(manifest, dict) and isinstance(attempt, dict)  # noqa: S101 -- _parse_head saw to it
        opening = Opening(Manifest.from_head(manifest, spans), Attempt.from_head(attempt))
        if opening.manifest.transfer_id != opening.attempt.transfer_id:
            raise MalformedOpening("manifest and attempt name different transfers")
        try:
            opening.attempt.plan.check_spans(len(spans))
        except ValueError as error:
            raise MalformedOpening(f"the attempt's plan cannot be taken: {error}") from error
        return opening, rest
