"""Marked text: a document written as UTF-8 text with `<$S>` and `<$E>` around each classified span.

The law: `parse(print_document(d)) == d` for every text d, and `print_document(parse(m)) == m` for every
well-formed m, to the byte. Nothing is normalised: line ends, byte order marks, NUL and combining marks are
text like any other. Literal tags are escaped, see `literal_tags`.

Parser and printer take pieces of any bounds in bounded memory; a fault is the same one, at the same place,
wherever the pieces were cut.
"""

import re
from array import array
from collections.abc import Iterator
from typing import Final

from sieve.core.document import MAX_SPANS, Document, Segment, Spans
from sieve.core.errors import MarkupError, StreamMismatch
from sieve.core.literal_tags import Escaper, Unescaper
from sieve.core.place import Place
from sieve.core.utf8 import SpanEdgeCheck, Utf8Check

START_TAG: Final = b"<$S>"
END_TAG: Final = b"<$E>"
_TAG: Final = re.compile(rb"<\$([SE])>")
_UNFINISHED_TAG: Final = re.compile(rb"<(?:\$[SE]?)?")
_PIECE: Final = 1 << 18
_LOOKS: Final = 256
_NEVER: Final = 1 << 64


def parse(marked: bytes) -> Document:
    """The document that `marked` writes.

    >>> document = parse(b"Meet at <$S>noon<$E>; a literal tag is <$$S>.")
    >>> document.content, list(document.spans)
    (b'Meet at noon; a literal tag is <$S>.', [Span(start=8, end=12)])

    Raises:
        MarkupError: it is not well-formed; NotUtf8, one of them, if it is not UTF-8.
    """
    parser = MarkupParser()
    segments = parser.feed(marked)
    segments += parser.close()
    return Document(b"".join(segment.data for segment in segments), parser.spans)


def print_document(document: Document) -> bytes:
    """The marked text that writes `document`.

    Raises:
        NotUtf8: the content is not UTF-8.
        SpanError: a span begins or ends inside a code point.
    """
    printer = MarkupPrinter(document.spans, document.size)
    pieces = [printer.feed(document.content[at : at + _PIECE]) for at in range(0, document.size, _PIECE)]
    return b"".join([*pieces, printer.close()])


def _tags(text: bytes) -> Iterator[re.Match[bytes]]:
    """The real tags of `text`, in order.

    Looking for one byte is many times faster than any pattern is; but where that byte is frequent, as in HTML, a
    pattern is faster than many looks.
    """
    at = text.find(b"<")
    for _ in range(_LOOKS):
        if at < 0:
            return
        tag = _TAG.match(text, at)
        if tag is not None:
            yield tag
        at = text.find(b"<", at + 1)
    if at >= 0:
        yield from _TAG.finditer(text, at)


class MarkupParser:
    """Marked text in, segments of content out, the spans after `close`. Of no use after an error."""

    def __init__(self) -> None:
        self._utf8 = Utf8Check()
        self._unescaper = Unescaper()
        self._carry = b""
        self._classified = False
        self._opened_at = Place()
        self._size = 0
        self._bounds = array("Q")
        self._spans: Spans | None = None

    def feed(self, piece: bytes) -> list[Segment]:
        """The content that is certain so far, without empty segments.

        Raises:
            MarkupError: the first fault of the text, the one that `parse` tells.
        """
        text = self._carry + piece
        cut = text.rfind(b"<")
        if cut < 0 or not _UNFINISHED_TAG.fullmatch(text, cut):
            cut = len(text)
        self._carry = text[cut:]
        return self._read(text[:cut])

    def close(self) -> list[Segment]:
        """The rest of the content.

        Raises:
            MarkupError: the text ends inside a code point or a span.
        """
        segments = self._read(self._carry)
        self._carry = b""
        self._add(segments, self._unescaper.finish())
        self._utf8.close()
        if self._classified:
            raise MarkupError(*self._opened_at, "<$S> opens a span that never ends; remove it or add a <$E> after it")
        self._spans = Spans(self._bounds)
        return segments

    @property
    def spans(self) -> Spans:
        """The classified byte ranges of the content, after `close`."""
        if self._spans is None:
            raise RuntimeError("the spans are known when the parser is closed")
        return self._spans

    def _read(self, text: bytes) -> list[Segment]:
        """Reads `text`, at whose end no real tag is cut."""
        segments: list[Segment] = []
        view = memoryview(text)
        at = 0
        opened: int | None = None
        for tag in _tags(text):
            found, opens = tag.start(), tag[1] == b"S"
            if opens is self._classified or len(self._bounds) == 2 * MAX_SPANS:
                raise self._fault(text, found, opened, opens)
            tagless = self._has_no_tag(text, at, found)
            self._add(segments, view[at:found] if tagless else self._unescaper.finish(text[at:found]))
            self._bounds.append(self._size)
            self._classified = opens
            at = tag.end()
            if opens:
                opened = found
        tagless = self._has_no_tag(text, at, len(text))
        self._add(segments, view[at:] if tagless else self._unescaper.feed(text[at:]))
        if self._classified and opened is not None:
            self._utf8.feed(text[:opened])
            self._opened_at = self._utf8.place
            text = text[opened:]
        self._utf8.feed(text)
        return segments

    def _has_no_tag(self, text: bytes, start: int, end: int) -> bool:
        """Whether that part is content as it is: then it need not be copied to be rewritten."""
        return not self._unescaper.holds and text.find(b"<", start, end) < 0

    def _add(self, segments: list[Segment], data: bytes | memoryview) -> None:
        if data:
            segments.append(Segment(self._classified, data))
            self._size += len(data)

    def _fault(self, text: bytes, found: int, opened: int | None, opens: bool) -> MarkupError:
        """What is wrong with the tag at `found`. Raises NotUtf8 if that comes first."""
        self._utf8.feed(text[: opened or 0])
        line, column = self._opened_at if opened is None else self._utf8.place
        self._utf8.feed(text[opened or 0 : found])
        self._utf8.close()
        if not opens:
            reason = "<$E> closes a span, but none is open; remove it or add a <$S> before it"
        elif self._classified:
            reason = (
                f"<$S> opens a span inside the one opened at line {line}, column {column}; "
                "remove it or add a <$E> before it"
            )
        else:
            reason = f"<$S> opens one span more than the {MAX_SPANS} that a document may have"
        return MarkupError(*self._utf8.place, reason)


class MarkupPrinter:
    """Content in, marked text out. Of no use after an error."""

    def __init__(self, spans: Spans, size: int) -> None:
        """Raises SpanError if the spans reach past `size`."""
        spans.check_within(size)
        self._utf8 = Utf8Check()
        self._edges = SpanEdgeCheck(spans)
        self._escaper = Escaper()
        self._bounds = spans.bounds()
        self._bound = next(self._bounds, _NEVER)
        self._classified = False
        self._position = 0
        self._size = size

    def feed(self, piece: bytes) -> bytes:
        """The marked text that is certain so far.

        Raises:
            NotUtf8: the content is not UTF-8; the place is one in the content.
            SpanError: a span begins or ends inside a code point.
            StreamMismatch: there is more content than `size`.
        """
        base, end = self._position, self._position + len(piece)
        if end > self._size:
            raise StreamMismatch(f"the content is longer than the {self._size} bytes that it should have")
        self._utf8.feed(piece)
        self._edges.feed(piece)
        marked: list[bytes] = []
        at = base
        # A bound at the very end waits: whether it cuts a code point shows with the next byte.
        while self._bound < end:
            marked += self._escaper.finish(piece[at - base : self._bound - base]), self._tag()
            at = self._bound
            self._bound = next(self._bounds, _NEVER)
        marked.append(self._escaper.feed(piece[at - base :]))
        self._position = end
        return b"".join(marked)

    def close(self) -> bytes:
        """The rest of the marked text.

        Raises:
            NotUtf8: the content ends inside a code point.
            StreamMismatch: there was less content than `size`.
        """
        if self._position < self._size:
            raise StreamMismatch(f"the content ends after {self._position} of {self._size} bytes")
        self._utf8.close()
        marked = [self._escaper.finish()]
        while self._bound != _NEVER:
            marked.append(self._tag())
            self._bound = next(self._bounds, _NEVER)
        return b"".join(marked)

    def _tag(self) -> bytes:
        self._classified = not self._classified
        return START_TAG if self._classified else END_TAG
