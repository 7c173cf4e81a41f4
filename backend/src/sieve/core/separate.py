"""The sieve: puts each byte of a document into the classified or the plain stream, in order, by the spans alone.

No byte is read and none is copied: segments are views of the input, which must not change while they are in use.
"""

from typing import Final, NamedTuple

from sieve.core.document import Document, Segment, Spans
from sieve.core.errors import StreamMismatch

_PIECE: Final = 1 << 18
_NEVER: Final = 1 << 64


class Separated(NamedTuple):
    """A document's two streams: its classified bytes, and the plain ones."""

    secure: bytes
    plain: bytes

    def __repr__(self) -> str:
        return f"<Separated: {len(self.secure)} bytes secure, {len(self.plain)} plain>"


def separate(document: Document) -> Separated:
    """The two streams of `document`; `integrate` undoes it."""
    separator = Separator(document.spans)
    content = memoryview(document.content)
    secure: list[bytes] = []
    plain: list[bytes] = []
    # In pieces, since a million segments at once cost more than a second copy.
    for at in range(0, document.size, _PIECE):
        segments = separator.feed(content[at : at + _PIECE])
        secure.append(b"".join(data for classified, data in segments if classified))
        plain.append(b"".join(data for classified, data in segments if not classified))
    separator.close(document.size)
    return Separated(b"".join(secure), b"".join(plain))


class Separator:
    """Turns content into segments."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self._bounds = spans.bounds()
        self._bound = next(self._bounds, _NEVER)
        self._classified = False
        self._position = 0

    def feed(self, piece: bytes | bytearray | memoryview) -> list[Segment]:
        """The segments of `piece`, in order, without empty ones; their `data` are views of it."""
        view = memoryview(piece)
        segments: list[Segment] = []
        base, end = self._position, self._position + len(view)
        at = base
        while self._bound < end:
            if self._bound > at:
                segments.append(Segment(self._classified, view[at - base : self._bound - base]))
                at = self._bound
            self._classified = not self._classified
            self._bound = next(self._bounds, _NEVER)
        if end > at:
            segments.append(Segment(self._classified, view[at - base :]))
        self._position = end
        return segments

    def close(self, size: int) -> None:
        """Ends the document.

        Raises:
            StreamMismatch: the number of bytes fed is not `size`.
            SpanError: a span reaches past the end.
        """
        if self._position != size:
            raise StreamMismatch(f"the document has {self._position} bytes, not the {size} that were announced")
        self.spans.check_within(size)
