"""The opening: manifests and attempt at the head of the secure request, right before the first classified bytes.

    6 bytes  b"SIEVE1"
    4 bytes  length of the head, big-endian
    n bytes  canonical JSON {"attempt": …, "manifest": …}
    16 bytes for each span: start and end, big-endian
Then comes the first secure sub-stream: the classified stream or a part of it, followed by the plain stream if the plan
uses no plain channel, and by padding. So an attempt needs no extra round trip to open.

A batch begins with b"SIEVEB", and its head is {"attempt": …, "documents": [{"manifest": …, "number": …}, …]}; the
spans of all its documents follow, in order.

A document may have a cover: "cover" beside its "manifest".
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sieve.channel import attempt_split, canonical
from sieve.channel.attempt import Attempt
from sieve.channel.cover import Cover
from sieve.channel.errors import BadManifest, LocalProtocolError, MalformedOpening
from sieve.channel.load import Load
from sieve.channel.manifest import TRANSFER_ID_SIZE, Fields, Manifest
from sieve.channel.padding import Padded, paddings
from sieve.core.document import MAX_SPANS, SPAN_BYTES, SpansReader
from sieve.core.errors import SieveError

MAGIC, BATCH_MAGIC = b"SIEVE1", b"SIEVEB"
MAX_HEAD, MAX_BATCH_HEAD = 128 * 1024, 1024 * 1024
"""The fullest manifest has less than 64 KiB, and so has the fullest cover."""
MAX_NUMBER = 2**31
_PREFIX = len(MAGIC) + 4


@dataclass(frozen=True)
class Opening:
    """What a secure request begins with."""

    load: Load
    attempt: Attempt

    def to_bytes(self) -> bytes:
        """The opening as sent on the wire. Raises BadManifest, see `head`."""
        return b"".join(self.pieces())

    @property
    def size(self) -> int:
        """Bytes of the opening. Raises BadManifest, see `head`."""
        return len(self.head) + SPAN_BYTES * self.load.spans

    def pieces(self) -> Iterator[bytes]:
        """The opening in pieces: a million spans at once would block the event loop. Raises BadManifest, see `head`."""
        slices = (piece for manifest in self.load.manifests for piece in manifest.spans.slices())
        yield self.head + next(slices, b"")
        yield from slices

    @cached_property
    def head(self) -> bytes:
        """The opening without its spans.

        Raises:
            BadManifest: a batch's manifests are too long for one attempt; each fits into a separate one.
        """
        manifests, attempt = self.load.manifests, self.attempt
        if self.load.is_batch:
            documents = [
                {"number": number, "manifest": manifest.head, **self._cover(document)}
                for document, (number, manifest) in enumerate(zip(attempt.numbers, manifests, strict=True))
            ]
            magic, head = BATCH_MAGIC, canonical.dumps({"attempt": attempt.head, "documents": documents})
            if len(head) > MAX_BATCH_HEAD:
                raise BadManifest("the documents' manifests are too long to travel together; send each alone")
        else:
            [manifest], [number] = manifests, attempt.numbers
            whose = {"transfer_id": manifest.transfer_id, "number": number}
            said = {"manifest": manifest.head, "attempt": {**whose, **attempt.head}, **self._cover(0)}
            magic, head = MAGIC, canonical.dumps(said)
        return b"".join([magic, len(head).to_bytes(4, "big"), head])

    def _cover(self, document: int) -> dict[str, Any]:
        cover = self.load.cover(document)
        return {} if cover is None else {"cover": cover.head}

    @cached_property
    def secure(self) -> tuple[Padded, ...]:
        """The secure sub-streams, with their padding. Raises BadManifest, see `head`."""
        parts = attempt_split.of_secure(self.load, self.attempt.plan)
        if not self.attempt.padded:
            return tuple(Padded(part) for part in parts)
        padding = paddings(parts, self.load, self.attempt.plan, self.size)
        return tuple(Padded(*each) for each in zip(parts, padding, strict=True))

    @property
    def body_size(self) -> int:
        """Bytes that follow the opening in the same request. Raises BadManifest, see `head`."""
        return self.secure[0].size


@dataclass(frozen=True, slots=True)
class _Document:
    """One of a head's documents, before its spans are there."""

    number: int
    manifest: dict[str, Any]
    spans: int
    cover: Cover | None

    @classmethod
    def of(cls, number: Any, said: dict[str, Any]) -> "_Document":
        """`said`: what names the manifest and, if there is one, the cover."""
        manifest = said["manifest"]
        spans = manifest.get("spans")
        if not (isinstance(spans, int) and not isinstance(spans, bool) and 0 <= spans <= MAX_SPANS):
            raise MalformedOpening(f"the manifest must have 0 to {MAX_SPANS} spans")
        cover = Cover.from_head(said["cover"]) if "cover" in said else None
        return cls(Fields({"number": number}, "attempt").integer("number", 1, MAX_NUMBER), manifest, spans, cover)


@dataclass(frozen=True, slots=True)
class _Head:
    """The contents of a head, for a single transfer or a batch."""

    attempt: dict[str, Any]
    documents: list[_Document]

    @classmethod
    def of_single(cls, head: dict[str, Any]) -> "_Head":
        if set(head) - {"cover"} != {"manifest", "attempt"}:
            raise MalformedOpening("the opening's head must hold a manifest and an attempt")
        manifest, attempt = head["manifest"], head["attempt"]
        if not (isinstance(manifest, dict) and isinstance(attempt, dict)):
            raise MalformedOpening("manifest and attempt must be JSON objects")
        named = Fields(attempt, "attempt").hexadecimal("transfer_id", TRANSFER_ID_SIZE).hex()
        if named != manifest.get("transfer_id"):
            raise MalformedOpening("manifest and attempt name different transfers")
        others = {name: value for name, value in attempt.items() if name not in ("transfer_id", "number")}
        return cls(others, [_Document.of(attempt.get("number"), head)])

    @classmethod
    def of_batch(cls, head: dict[str, Any], most: int) -> "_Head":
        if set(head) != {"documents", "attempt"}:
            raise MalformedOpening("a batch's head must hold documents and an attempt")
        attempt, said = head["attempt"], head["documents"]
        if not (isinstance(attempt, dict) and isinstance(said, list) and 2 <= len(said) <= most):
            raise MalformedOpening(f"a batch has an attempt and 2 to {most} documents")
        documents = []
        for document in said:
            if not (isinstance(document, dict) and set(document) - {"cover"} == {"number", "manifest"}):
                raise MalformedOpening("each document of a batch has a number and a manifest")
            if not isinstance(document["manifest"], dict):
                raise MalformedOpening("each manifest must be a JSON object")
            documents.append(_Document.of(document["number"], document))
        if sum(document.spans for document in documents) > MAX_SPANS:
            raise MalformedOpening(f"the documents of a batch have at most {MAX_SPANS} spans together")
        return cls(attempt, documents)


class OpeningReader:
    """Reads an opening from pieces of any bounds. It holds the head and the spans that it announces, 16 bytes each, and
    checks spans as they come: no piece takes longer than its own bytes do."""

    def __init__(self, most: int = 1) -> None:
        """`most` documents: of one it reads a single transfer's opening, of more a batch's."""
        self._most = most
        self._magic, self._max_head = (MAGIC, MAX_HEAD) if most == 1 else (BATCH_MAGIC, MAX_BATCH_HEAD)
        self._buffer = bytearray()
        self._needed = _PREFIX
        self._head: _Head | None = None
        self._manifests: list[Manifest] = []
        self._spans = SpansReader()
        self._spans_left = 0
        self._done = False

    @property
    def announced(self) -> int:
        """Bytes of spans that the head announces; 0 until it is there."""
        return SPAN_BYTES * sum(document.spans for document in self._head.documents) if self._head is not None else 0

    def feed(self, piece: bytes) -> tuple[Opening, bytes] | None:
        """The opening and the bytes after it as soon as it is whole; None until then.

        Raises:
            MalformedOpening: these bytes begin no opening.
        """
        if self._done:
            raise LocalProtocolError("an opening is read once; what follows it is the streams'")
        if self._head is None:
            self._buffer += piece
            self._head = self._read_head()
            if self._head is None:
                return None
            self._spans_left = SPAN_BYTES * self._head.documents[0].spans
            piece, self._buffer = bytes(self._buffer[self._needed :]), bytearray()
        rest = self._read_spans(self._head, memoryview(piece))
        if len(self._manifests) < len(self._head.documents):
            return None
        self._done = True
        return self._opening(self._head), bytes(rest)

    def _read_head(self) -> _Head | None:
        if self._needed == _PREFIX and len(self._buffer) >= _PREFIX:
            if self._buffer[: len(self._magic)] != self._magic:
                raise MalformedOpening("the request does not begin with an opening")
            length = int.from_bytes(self._buffer[len(self._magic) : _PREFIX], "big")
            if not 0 < length <= self._max_head:
                raise MalformedOpening(f"the opening's head must have 1 to {self._max_head} bytes")
            self._needed = _PREFIX + length
        # A head is never empty: from here on `_needed` is more than the prefix.
        return self._parse_head() if _PREFIX < self._needed <= len(self._buffer) else None

    def _parse_head(self) -> _Head:
        raw = bytes(self._buffer[_PREFIX : self._needed])
        try:
            head = json.loads(raw)
            # Other JSON can mean two things: a key may occur twice, a text may contain half a surrogate pair.
            canonical_too = canonical.dumps(head) == raw
        except (ValueError, RecursionError) as error:
            raise MalformedOpening("the opening's head is not canonical JSON") from error
        if not canonical_too:
            raise MalformedOpening("the opening's head is not canonical JSON")
        if not isinstance(head, dict):
            raise MalformedOpening("the opening's head must be a JSON object")
        return _Head.of_single(head) if self._most == 1 else _Head.of_batch(head, self._most)

    def _read_spans(self, head: _Head, piece: memoryview) -> memoryview:
        """Takes the spans of one document after the other; what is behind the last one."""
        while len(self._manifests) < len(head.documents):
            part, piece = piece[: self._spans_left], piece[self._spans_left :]
            self._spans_left -= len(part)
            try:
                self._spans.feed(part)
                if self._spans_left:
                    break
                spans, self._spans = self._spans.finish(), SpansReader()
            except SieveError as error:
                raise MalformedOpening("the manifest's spans are not in order") from error
            at = len(self._manifests)
            self._manifests.append(Manifest.from_head(head.documents[at].manifest, spans))
            if at + 1 < len(head.documents):
                self._spans_left = SPAN_BYTES * head.documents[at + 1].spans
        return piece

    def _opening(self, head: _Head) -> Opening:
        attempt = Attempt.from_head(head.attempt, tuple(document.number for document in head.documents))
        try:
            covers = tuple(document.cover for document in head.documents)
            load = Load(tuple(self._manifests), attempt.held, covers if any(covers) else ())
            attempt.plan.check_documents(len(self._manifests))
            attempt.plan.check_spans(load.spans)
        except (BadManifest, ValueError) as error:
            raise MalformedOpening(f"the attempt cannot be taken: {error}") from error
        return Opening(load, attempt)
