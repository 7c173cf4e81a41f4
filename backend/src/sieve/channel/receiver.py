"""The receiver's side of one attempt: events in, commands out. The plain channel's chunks are judged in `ledger`.

Invariant: the receiver answers *verified* when every byte of both streams has arrived, with a valid seal or over TLS.
It sends the *receipt* only once the digests match and document, receipt and inbox entry are committed. Until then no
user sees anything of the document. The documents of a batch share the attempt and nothing else: each ends with a
receipt or a failure, and bytes of a dropped document are discarded while the others continue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from sieve.channel.attempt import Attempt
from sieve.channel.attempt_split import PlainSplit
from sieve.channel.errors import LocalProtocolError, RemoteProtocolError
from sieve.channel.load import Layout, Load
from sieve.channel.manifest import keyed_classified_digest
from sieve.channel.opening import Opening
from sieve.channel.refusals import RefusalKind
from sieve.channel.seals import Bytes
from sieve.core.split.sub_stream import Range
from sieve.core.utc import utc

# --- may this document begin? ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Known:
    """What this gateway already knows of a transfer of this peer."""

    delivered_manifest_digest: str | None = None
    stored_receipt: str | None = None
    open_attempt: int | None = None
    open_manifest_digest: str | None = None
    handle_in_use: bool = False
    open_transfers: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What this gateway accepts from one peer: bytes of a document, transfers at a time, channels of one transfer."""

    max_document_size: int
    max_open_transfers: int
    max_secure_channels: int = 8
    max_plain_channels: int = 8


@dataclass(frozen=True, slots=True)
class Proceed:
    """Begin; `supersedes` says whether an older attempt must be dropped first."""

    supersedes: bool


@dataclass(frozen=True, slots=True)
class RepeatReceipt:
    """Delivered before: answer with the stored receipt, byte for byte."""

    receipt: str


@dataclass(frozen=True, slots=True)
class Decline:
    """No, and whether trying again can help."""

    kind: RefusalKind
    reason: str
    permanent: bool


def admit(
    opening: Opening, known: Known, limits: Limits, now_ns: int, document: int = 0
) -> Proceed | RepeatReceipt | Decline:
    """Whether that document of an opening may begin, given what is known about it. Idempotent by transfer id, whatever
    the attempt."""
    manifest, number, plan = opening.load.manifests[document], opening.attempt.numbers[document], opening.attempt.plan
    for digest in (known.delivered_manifest_digest, known.open_manifest_digest):
        if digest is not None and digest != manifest.digest:
            return Decline(
                RefusalKind.CONFLICT, "this transfer id is already in use for another manifest", permanent=True
            )
    if known.stored_receipt is not None:
        return RepeatReceipt(known.stored_receipt)
    if manifest.deadline_at_ns <= now_ns:
        # Either clock may be wrong. The sender retries until its own clock agrees.
        reason = f"the transfer's deadline has passed by this gateway's clock, which reads {utc(now_ns)}"
        return Decline(RefusalKind.EXPIRED, reason, permanent=False)
    if known.open_attempt is not None and number <= known.open_attempt:
        return Decline(RefusalKind.STALE, "a newer attempt at this transfer is under way", permanent=False)
    if known.handle_in_use:
        return Decline(RefusalKind.CONFLICT, "the attempt's handle is in use; draw a new one", permanent=False)
    if manifest.carried_size > limits.max_document_size:
        return Decline(
            RefusalKind.TOO_LARGE,
            f"the document has {manifest.carried_size} bytes; this gateway takes at most {limits.max_document_size}",
            permanent=True,
        )
    for kind, asked, most in (
        ("secure", plan.secure_channels, limits.max_secure_channels),
        ("plain", plan.plain_channels if plan.uses_plain_channel else 0, limits.max_plain_channels),
    ):
        if asked > most:
            return Decline(
                RefusalKind.TOO_MANY_CHANNELS,
                f"the transfer has {asked} {kind} channels; this gateway takes at most {most}",
                permanent=True,
            )
    if known.open_attempt is None and known.open_transfers >= limits.max_open_transfers:
        return Decline(RefusalKind.BUSY, "too many transfers of this gateway are under way here", permanent=False)
    return Proceed(supersedes=known.open_attempt is not None)


# --- one attempt -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SecureBytes:
    """The next bytes of a secure sub-stream or of its padding; of the first one, behind the opening, unless another is
    named."""

    data: bytes = field(repr=False)
    sub_stream: int = 0


@dataclass(frozen=True, slots=True)
class SecureEnded:
    """The body of the opening's request is over; it may lack padding."""


@dataclass(frozen=True, slots=True)
class PlainHeld:
    """The plain ledger holds these chunks."""

    held: frozenset[int]


@dataclass(frozen=True, slots=True)
class PlainFenced:
    """The plain ledger is closed for good and held these chunks; the rest is ours to receive."""

    held: frozenset[int]


@dataclass(frozen=True, slots=True)
class SecureChunk:
    """A chunk of the plain stream came over the secure channel; only after PlainFenced."""

    index: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class StreamsRead:
    """Both stored streams of a document were read in order: their BLAKE3 digests (32 bytes), and those of what
    accompanies it, in the order of `Manifest.accompanying`."""

    classified_digest: bytes = field(repr=False)
    plain_digest: bytes
    document: int = 0
    accompanying: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class Committed:
    """Document, receipt and inbox entries became visible in one transaction."""

    receipt: str
    document: int = 0


@dataclass(frozen=True, slots=True)
class Dropped:
    """That document ends here without a receipt: from now on, bytes of it are discarded."""

    document: int


Event: TypeAlias = SecureBytes | SecureEnded | PlainHeld | PlainFenced | SecureChunk | StreamsRead | Committed | Dropped


@dataclass(frozen=True, slots=True)
class WriteClassified:
    """Write into a document's classified stream at its final offset; what accompanies it lies behind its end."""

    offset: int
    data: Bytes = field(repr=False)
    document: int = 0


@dataclass(frozen=True, slots=True)
class WritePlain:
    """Write into a document's plain stream at its final offset."""

    offset: int
    data: Bytes = field(repr=False)
    document: int = 0


@dataclass(frozen=True, slots=True)
class AnswerVerified:
    """Tell the sender that every document that was not dropped is verified."""


@dataclass(frozen=True, slots=True)
class ReadStreams:
    """Read both stored streams of these documents in order, hash them and make them durable; then say StreamsRead of
    each."""

    documents: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Commit:
    """Sign the document's receipt and commit it with document and inbox entries; then say Committed."""

    document: int = 0


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """Send the sender the document's receipt."""

    receipt: str
    document: int = 0


@dataclass(frozen=True, slots=True)
class Discard:
    """The document failed, or with None the attempt: drop what was stored of it, and refuse it to the sender."""

    reason: str
    document: int | None = None
    kind: RefusalKind = RefusalKind.FAILED


Command: TypeAlias = WriteClassified | WritePlain | AnswerVerified | ReadStreams | Commit | AnswerReceipt | Discard


class _Stage(Enum):
    """The progress of a document; it only moves forward."""

    RECEIVING = auto()
    VERIFIED = auto()
    COMMITTING = auto()
    OVER = auto()


class Receiver:
    """One attempt's state."""

    def __init__(self, load: Load, attempt: Attempt) -> None:
        self.load, self.attempt = load, attempt
        self.plain_split = PlainSplit.of(load, attempt.plan, attempt.max_chunk)
        self.chunks = self.plain_split.chunks()
        self._secure = Opening(load, attempt).secure
        self._secure_layout = load.secure(attempt.plan)
        self._secure_held = [0] * len(self._secure)
        self._held: set[int] = set()
        self._fenced = False
        self._secure_ended = False
        self._verified = False
        self._stages = [_Stage.RECEIVING] * len(load.manifests)

    @property
    def held(self) -> frozenset[int]:
        """The plain chunks that are held; only the secure channel may report them."""
        return frozenset(self._held)

    @property
    def secure_held(self) -> tuple[int, ...]:
        """How many bytes of each secure sub-stream are here, from its beginning on; padding counts."""
        return tuple(self._secure_held)

    def is_whole(self, sub_stream: int) -> bool:
        """Whether all of a secure sub-stream is here."""
        return self._secure_held[sub_stream] == self._secure[sub_stream].size

    @property
    def lacks_only_padding(self) -> bool:
        """Whether the first secure sub-stream is here, except for its padding: an attempt must not fail for padding."""
        return self._secure_held[0] >= self._secure[0].carried.size

    def is_hindmost(self, sub_stream: int) -> bool:
        """Whether no secure sub-stream that is not whole waits for a byte nearer to the stream's beginning.

        A caller that limits chunks out of order may let all other sub-streams wait: this one fills the gap.
        """
        return self._next_at(sub_stream) <= min(map(self._next_at, range(len(self._secure))))

    def _next_at(self, sub_stream: int) -> int:
        held = self._secure_held[sub_stream]
        return next((start for start, _ in self._secure[sub_stream].ranges(held, held + 1)), self.load.size)

    @property
    def verified(self) -> bool:
        """Whether every byte is there."""
        return self._verified

    @property
    def over(self) -> bool:
        """Whether each document has its end."""
        return all(stage is _Stage.OVER for stage in self._stages)

    def handle(self, event: Event) -> Sequence[Command]:
        """The commands that follow from `event`.

        Raises:
            RemoteProtocolError: the peer sent what the opening did not announce.
            LocalProtocolError: the event comes before the command that it answers: nothing is committed unread.
        """
        if self.over:
            return []
        match event:
            case SecureBytes(data, sub_stream):
                return self._secure_bytes(data, sub_stream)
            case SecureEnded():
                if not self.lacks_only_padding:
                    self._end()
                    return [Discard("the secure channel ended before its streams were whole")]
                self._secure_held[0] = self._secure[0].size
                self._secure_ended = True
                return self._when_whole()
            case PlainHeld(held):
                if not self._fenced:
                    self._held |= held
                return self._when_whole()
            case PlainFenced(held):
                self._fenced = True
                self._held |= held
                return self._when_whole()
            case SecureChunk(index, data):
                return self._secure_chunk(index, data)
            case StreamsRead():
                return self._judge(event)
            case Committed(receipt, document):
                if self._stages[document] is _Stage.OVER:
                    return []
                self._advance(document, _Stage.COMMITTING, _Stage.OVER)
                return [AnswerReceipt(receipt, document)]
            case Dropped(document):
                self._stages[document] = _Stage.OVER
                return []

    def secure_from(self, sub_stream: int, offset: int) -> int:
        """How many bytes of a request that sends a secure sub-stream on from `offset` are here already.

        Raises:
            RemoteProtocolError: there is no such sub-stream behind the first, or it is not here up to `offset`.
        """
        if not 1 <= sub_stream < len(self._secure):
            raise RemoteProtocolError("there is no such secure sub-stream to send on")
        held = self._secure_held[sub_stream]
        if not 0 <= offset <= held:
            raise RemoteProtocolError("a secure sub-stream is sent on from what is held of it, or before")
        return held - offset

    def _secure_bytes(self, data: bytes, sub_stream: int) -> Sequence[Command]:
        part, held = self._secure[sub_stream], self._secure_held[sub_stream]
        if held + len(data) > part.size:
            if not self._verified:
                self._end()
            raise RemoteProtocolError("the secure channel brought more bytes than the manifest announced")
        self._secure_held[sub_stream] = held + len(data)
        commands = self._writes(self._secure_layout, part.ranges(held, held + len(data)), data)
        if sub_stream:
            commands += self._when_whole()
        return commands

    def _secure_chunk(self, index: int, data: bytes) -> Sequence[Command]:
        if not (self.attempt.plan.uses_plain_channel and self._fenced):
            raise RemoteProtocolError("plain chunks on the secure channel are not due in this attempt")
        if not 0 <= index < self.chunks.count or len(data) != self.chunks.length(index):
            raise RemoteProtocolError("there is no such plain chunk of that length")
        if index in self._held:
            return []
        self._held.add(index)
        return [*self._writes(self.load.plain, self.chunks.ranges(index), data), *self._when_whole()]

    def _writes(self, layout: Layout, ranges: Iterable[Range], data: Bytes) -> list[Command]:
        """Splits `data`, the bytes at these ranges of the load's stream, by document; behind them is padding."""
        commands: list[Command] = []
        rest = data
        for start, end in ranges:
            for document, classified, first, last in layout.parts(start, end):
                # Views only if there are several parts: data for one document is passed on as it is.
                piece, rest = (rest, b"") if last - first == len(rest) else _parted(rest, last - first)
                if self._stages[document] is _Stage.RECEIVING:
                    commands.append((WriteClassified if classified else WritePlain)(first, piece, document))
        return commands

    def _when_whole(self) -> Sequence[Command]:
        plain_whole = not self.attempt.plan.uses_plain_channel or len(self._held) == self.chunks.count
        secure_whole = all(held == part.size for held, part in zip(self._secure_held, self._secure, strict=True))
        if self._verified or not (self._secure_ended and secure_whole and plain_whole):
            return []
        self._verified = True
        left = tuple(document for document, stage in enumerate(self._stages) if stage is not _Stage.OVER)
        for document in left:
            self._advance(document, _Stage.RECEIVING, _Stage.VERIFIED)
        return [AnswerVerified(), ReadStreams(left)]

    def _judge(self, read: StreamsRead) -> Sequence[Command]:
        document = read.document
        if self._stages[document] is _Stage.OVER:
            return []
        self._advance(document, _Stage.VERIFIED, _Stage.COMMITTING)
        manifest = self.load.manifests[document]
        if keyed_classified_digest(manifest.salt, read.classified_digest) != manifest.classified_digest:
            return self._discard(document, "the classified stream does not fit its digest")
        if read.plain_digest != manifest.plain_digest:
            return self._discard(document, "the plain stream does not fit its digest", RefusalKind.OTHER_BYTES)
        if list(read.accompanying) != [each.digest for each in manifest.accompanying]:
            return self._discard(document, "the redacted edition, or the marks, do not fit their digest")
        return [Commit(document)]

    def _discard(self, document: int, reason: str, kind: RefusalKind = RefusalKind.FAILED) -> Sequence[Command]:
        self._stages[document] = _Stage.OVER
        return [Discard(reason, document, kind)]

    def _end(self) -> None:
        self._stages = [_Stage.OVER] * len(self._stages)

    def _advance(self, document: int, due: _Stage, then: _Stage) -> None:
        stage = self._stages[document]
        if stage is not due:
            raise LocalProtocolError(f"this event belongs to {due.name}, and the document is {stage.name}")
        self._stages[document] = then


def _parted(data: Bytes, length: int) -> tuple[memoryview, memoryview]:
    """The first `length` bytes, and the others."""
    view = memoryview(data)
    return view[:length], view[length:]
