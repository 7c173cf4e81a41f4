"""The plain ledger: which chunks of an attempt's plain stream are held. Only the ledger accepts a chunk. Chunks are
numbered consecutively across all sub-streams.

Invariant: a chunk is held once its seal is verified over the same bytes that are then written, and a held chunk is
never written again. A chunk in progress takes one of a few slots, so a flood under a known handle costs bounded memory
and cannot keep the genuine chunk out for longer than the slots' deadline."""

from dataclasses import dataclass, field
from enum import Enum

from sieve.channel import seals
from sieve.channel.chunk_sizes import Chunks
from sieve.channel.errors import LocalProtocolError
from sieve.channel.seals import Bytes, SealKey


class Refusal(Enum):
    """Why a chunk is not taken. The words go to our log, never back over the plain channel."""

    NO_SUCH_CHUNK = "no such chunk"
    WRONG_LENGTH = "not the chunk's length"
    ALREADY_HELD = "already held"
    NO_SLOT = "too many chunks under way"
    BAD_SEAL = "the seal does not hold"
    CLOSED = "no longer taken on this channel"


@dataclass(slots=True)
class PlainLedger:
    """One attempt's plain stream, as its one owner keeps it."""

    plain_key: SealKey
    chunks: Chunks
    slots: int
    held: set[int] = field(default_factory=set)
    refused: dict[Refusal, int] = field(default_factory=dict)
    _under_way: int = 0
    _to_write: int | None = None
    _open: bool = True

    @property
    def complete(self) -> bool:
        """Whether every chunk is held."""
        return len(self.held) == self.chunks.count

    def admit(self, sub_stream: int, index: int, length: int) -> Refusal | None:
        """Whether to read the announced chunk; None is yes, and takes a slot until `judge` or `drop`."""
        refusal = self._refusal(sub_stream, index, length)
        if refusal is None and self._under_way >= self.slots:
            refusal = Refusal.NO_SLOT
        if refusal is not None:
            return self._count(refusal)
        self._under_way += 1
        return None

    def judge(self, sub_stream: int, index: int, chunk: Bytes, claimed_seal: bytes) -> Refusal | None:
        """Whether an admitted chunk's bytes are to be written; gives the slot back.

        After None the caller writes the bytes and calls `hold`, before anything else can be judged.
        """
        self._give_back_slot()
        self._to_write = None  # a chunk that passed and could not be written may be brought again
        # Another copy may have come first while this one was read.
        refusal = self._refusal(sub_stream, index, len(chunk))
        if refusal is None and not seals.holds(self.plain_key, sub_stream, index, chunk, claimed_seal):
            refusal = Refusal.BAD_SEAL
        if refusal is not None:
            return self._count(refusal)
        self._to_write = self.chunks.number(sub_stream, index)
        return None

    def hold(self, sub_stream: int, index: int) -> int:
        """The chunk there, the one judged last, is written or will be; its number."""
        number = self.chunks.number(sub_stream, index)
        if number is None or number != self._to_write or not self._open:
            raise LocalProtocolError("a chunk is held right after it was judged good, and before the ledger closes")
        self._to_write = None
        self.held.add(number)
        return number

    def drop(self) -> None:
        """An admitted chunk did not arrive whole; gives the slot back."""
        self._give_back_slot()

    def close(self) -> frozenset[int]:
        """Takes nothing more; returns what is held, for the next owner."""
        self._open = False
        return frozenset(self.held)

    def _give_back_slot(self) -> None:
        if not self._under_way:
            raise LocalProtocolError("no chunk is under way: each admitted one is judged or dropped, once")
        self._under_way -= 1

    def _refusal(self, sub_stream: int, index: int, length: int) -> Refusal | None:
        if not self._open:
            return Refusal.CLOSED
        number = self.chunks.number(sub_stream, index)
        if number is None:
            return Refusal.NO_SUCH_CHUNK
        if length != self.chunks.length(number):
            return Refusal.WRONG_LENGTH
        return Refusal.ALREADY_HELD if number in self.held else None

    def _count(self, refusal: Refusal) -> Refusal:
        self.refused[refusal] = self.refused.get(refusal, 0) + 1
        return refusal
