"""Reads the bytes of a load from the stored documents, in the order in which each channel carries them.

Invariant: if one of several documents cannot be read, or is withheld, the others are sent all the same. From then on
its bytes are zeros, which do not match its digest. A chunk has the same bytes each time: its seal must not be used for
others.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeAlias

from sieve.channel.chunk_sizes import Chunks
from sieve.channel.load import Layout, Load, Part
from sieve.channel.padding import Padded
from sieve.gateway.errors import UnreadableNow
from sieve.gateway.stored_document import PIECE
from sieve.store.blobs import BlobDamaged

Fault: TypeAlias = BlobDamaged | UnreadableNow
"""Why a document cannot be read: for good, or just now."""
_FAULTS: Final = (BlobDamaged, UnreadableNow)


class Readable(Protocol):
    """Reads any bytes of a stored document's two streams. Raises BlobDamaged, OSError."""

    def read_plain(self, start: int, end: int) -> bytes: ...

    def read_classified(self, start: int, end: int) -> bytes: ...


class StoredLoad:
    """Reads a load in pieces. Blocking."""

    def __init__(
        self,
        load: Load,
        documents: Sequence[Readable],
        secure: Sequence[Padded],
        secure_layout: Layout,
        chunks: Chunks,
        unreadable: Callable[[str, Fault], None],
    ) -> None:
        """`documents` are the load's, in its order. If there are several, calls `unreadable` with the transfer of each
        that cannot be read."""
        self._load, self._documents, self._unreadable = load, documents, unreadable
        self._secure, self._secure_layout, self._chunks = secure, secure_layout, chunks
        # The documents whose bytes are zeros from now on; and for each chunk that was made, those that were zeros then.
        self._withheld: set[int] = set()
        self._made: dict[int, frozenset[int]] = {}

    def withhold(self, transfer_id: str) -> None:
        """Replaces that document's bytes by zeros from now on, except in chunks that are sent again."""
        self._withheld.add(self._load.transfer_ids.index(transfer_id))

    def secure(self, sub_stream: int, start: int) -> Iterator[bytes]:
        """A secure sub-stream from `start` on: the classified bytes, in secure-only the plain ones after them, and the
        padding. The pieces show where documents and streams begin.

        Raises:
            BlobDamaged, UnreadableNow: the only document cannot be read.
        """
        padded = self._secure[sub_stream]
        for first, last in padded.ranges(start, padded.size):
            for part in self._secure_layout.parts(first, last):
                for at, until in _pieces(part.start, part.end):
                    yield self._secured(part._replace(start=at, end=until))
        for first, last in _pieces(max(start, padded.carried.size), padded.size):
            yield bytes(last - first)

    def chunk(self, number: int) -> bytes:
        """The bytes of a plain chunk.

        Raises:
            BlobDamaged, UnreadableNow: the only document cannot be read, or one of several that is in a chunk that was
                made before.
        """
        parts = [part for start, end in self._chunks.ranges(number) for part in self._load.plain.parts(start, end)]
        again = number in self._made
        while True:
            zeros = self._made.setdefault(number, frozenset(self._withheld))
            pieces = []
            for part in parts:
                try:
                    pieces.append(bytes(part.end - part.start) if part.document in zeros else self._read(part))
                except _FAULTS as error:
                    if again or not self._load.is_batch:
                        raise
                    self._give_up(part.document, error)
                    del self._made[number]
                    break
            else:
                return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _secured(self, part: Part) -> bytes:
        """Bytes for a secure channel."""
        if part.document not in self._withheld:
            try:
                return self._read(part)
            except _FAULTS as error:
                if not self._load.is_batch:
                    raise
                self._give_up(part.document, error)
        return bytes(part.end - part.start)

    def _give_up(self, document: int, error: Fault) -> None:
        self._withheld.add(document)
        self._unreadable(self._load.transfer_ids[document], error)

    def _read(self, part: Part) -> bytes:
        document = self._documents[part.document]
        try:
            return (document.read_classified if part.classified else document.read_plain)(part.start, part.end)
        except OSError as error:
            # Translated here: on a channel it would look like an error of the connection.
            raise UnreadableNow(error) from error


def _pieces(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Bytes `first` to `last` in pieces that do not cross a multiple of `PIECE`."""
    while first < last:
        until = min(last, (first // PIECE + 1) * PIECE)
        yield first, until
        first = until
