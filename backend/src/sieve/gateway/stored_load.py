"""The bytes of a load as they leave: read from the stored documents, in the order in which each channel carries them.

The law: of several documents, one that cannot be read costs the others nothing. Its bytes are zeros, which its digest
refuses, and whoever sends is told at once.
"""

from collections.abc import Callable, Iterator, Sequence

from sieve.channel.chunks import Chunks
from sieve.channel.load import Layout, Load, Part
from sieve.core.split.sub_stream import SubStreams
from sieve.gateway.stored_document import PIECE, StoredDocument, gathered
from sieve.store.blobs import BlobDamaged


class StoredLoad:
    """Reads a load. Blocking; in pieces."""

    def __init__(
        self,
        load: Load,
        documents: Sequence[StoredDocument],
        secure: SubStreams,
        secure_layout: Layout,
        chunks: Chunks,
        damaged: Callable[[str, BlobDamaged], None],
    ) -> None:
        """`documents` are the load's, in its order. `damaged` is told of each of several that is, by its transfer."""
        self._load, self._documents, self._damaged = load, documents, damaged
        self._secure, self._secure_layout, self._chunks = secure, secure_layout, chunks
        self._unreadable: set[int] = set()

    def secure(self, sub_stream: int, start: int) -> Iterator[bytes]:
        """A secure sub-stream from `start` on: classified bytes, and in secure-only the plain ones behind them.

        Raises:
            BlobDamaged: the only document cannot be read.
        """
        carried = self._secure[sub_stream]
        return gathered(
            self._read(part._replace(start=at, end=until))
            for first, last in carried.ranges(start, carried.size)
            for part in self._secure_layout.parts(first, last)
            for at, until in _pieces(part.start, part.end)
        )

    def chunk(self, number: int) -> bytes:
        """The bytes of a plain chunk; of one piece, unless it is split by segments or the plain stream is several.

        Raises:
            BlobDamaged: the only document cannot be read.
        """
        pieces = [
            self._read(part)
            for start, end in self._chunks.ranges(number)
            for part in self._load.plain.parts(start, end)
        ]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read(self, part: Part) -> bytes:
        if part.document in self._unreadable:
            return bytes(part.end - part.start)
        document = self._documents[part.document]
        try:
            return (document.read_classified if part.classified else document.read_plain)(part.start, part.end)
        except BlobDamaged as error:
            if not self._load.is_batch:
                raise
            self._unreadable.add(part.document)
            self._damaged(self._load.transfer_ids[part.document], error)
            return bytes(part.end - part.start)


def _pieces(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Bytes `first` to `last` in pieces; none reaches over a multiple of `PIECE`."""
    while first < last:
        until = min(last, (first // PIECE + 1) * PIECE)
        yield first, until
        first = until
