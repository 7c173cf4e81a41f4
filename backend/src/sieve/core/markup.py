"""Marked text: a document written as UTF-8 text with `<$S>` and `<$E>` around each classified span.

Invariant: `parse(print_document(d)) == d` for every text d, and `print_document(parse(m)) == m` for every well-formed
m, to the byte. Nothing is normalised: line ends, byte order marks, NUL and combining marks are text like any other.
Literal tags are escaped, see `literal_tags`.

Parser and printer take pieces of any size in bounded memory. An error is the same, with the same position, for any
pieces. Lines are counted only for an error, in the segments returned before it.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from sieve.core.document import MAX_SPANS, Document, Segment, Spans
from sieve.core.errors import MarkupError, NotUtf8, StreamMismatch
from sieve.core.literal_tags import Escaper, Unescaper
from sieve.core.position import CountLineFeeds, LazyPosition, column_after
from sieve.core.utf8 import SpanEdgeCheck, Utf8Check, whole

START_TAG: Final = b"<$S>"
END_TAG: Final = b"<$E>"
_TAG: Final = re.compile(rb"<\$([SE])>")
_UNFINISHED_TAG: Final = re.compile(rb"<(?:\$[SE]?)?")
_PIECE: Final = 1 << 18
_MAX_BYTE_SEARCHES: Final = 256
_LONGEST_UNFINISHED: Final = 3
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
    content: list[bytes] = []
    # The two streams, for an error's position.
    streams: list[Segment] = []

    def keep(segments: list[Segment]) -> None:
        content.append(b"".join(data for _, data in segments))
        for is_classified in (False, True):
            stream = b"".join(data for classified, data in segments if classified is is_classified)
            streams.append(Segment(is_classified, stream))

    # In pieces, since a million segments at once take many times the memory of the text.
    try:
        for at in range(0, len(marked), _PIECE):
            keep(parser.feed(marked[at : at + _PIECE]))
        keep(parser.close())
    except MarkupFault as fault:
        raise fault.located(partial(_line_feeds, streams)) from None
    return Document(b"".join(content), parser.spans)


def _line_feeds(segments: Sequence[Segment], plain: int, classified: int) -> int:
    left = {False: plain, True: classified}
    found = 0
    for is_classified, data in segments:
        counted = bytes(data[: left[is_classified]])
        left[is_classified] -= len(counted)
        found += counted.count(b"\n")
    return found


def print_document(document: Document) -> bytes:
    """The marked text that writes `document`.

    Raises:
        NotUtf8: the content is not UTF-8.
        SpanError: a span begins or ends inside a code point.
    """
    printer = MarkupPrinter(document.spans, document.size)
    pieces = [printer.feed(document.content[at : at + _PIECE]) for at in range(0, document.size, _PIECE)]
    return b"".join([*pieces, printer.close()])


class _Stretch(NamedTuple):
    """The text before a real tag, or after the last one. `bare`: it contains no `<`, so that it is content without any
    rewriting and need not be copied."""

    start: int
    end: int
    bare: bool
    tag: re.Match[bytes] | None


def _stretches(text: bytes) -> Iterator[_Stretch]:
    """All of `text`, in order.

    Searching for one byte is many times faster than any pattern, but if that byte is frequent, as in HTML, a pattern is
    faster than many searches.
    """
    start, bare = 0, True
    at = text.find(b"<")
    for _ in range(_MAX_BYTE_SEARCHES):
        if at < 0:
            break
        tag = _TAG.match(text, at)
        if tag is None:
            bare = False
        else:
            yield _Stretch(start, at, bare, tag)
            start, bare = tag.end(), True
        at = text.find(b"<", at + 1)
    if at >= 0:
        bare = False
        for tag in _TAG.finditer(text, at):
            yield _Stretch(start, tag.start(), bare, tag)
            start = tag.end()
    yield _Stretch(start, len(text), bare, None)


class MarkupFault(Exception):
    """A text is not well-formed. Contains no byte of the text; `located` adds line and column."""

    def __init__(
        self, spot: LazyPosition, reason: str, opened: LazyPosition | None = None, *, is_text: bool = True
    ) -> None:
        """`reason` may have placeholders for the line and column of `opened`."""
        super().__init__("a marked text is not well-formed")
        self._spot, self._reason, self._opened, self._is_text = spot, reason, opened, is_text

    def located(self, line_feeds: CountLineFeeds) -> MarkupError:
        """The error for people. `line_feeds` counts in the segments that the parser returned."""
        place = self._spot.position(line_feeds)
        if not self._is_text:
            return NotUtf8(*place)
        reason = self._reason if self._opened is None else self._reason.format(*self._opened.position(line_feeds))
        return MarkupError(*place, reason)


class MarkupParser:
    """Turns marked text into segments of content, and into spans after `close`. Unusable after a fault."""

    def __init__(self) -> None:
        self._unescaper = Unescaper()
        self._carry = b""
        # An incomplete code point, and the column in which it begins.
        self._pending = b""
        self._column = 1
        # Bytes of content that were returned: plain ones, classified ones.
        self._sizes = [0, 0]
        self._classified = False
        self._opened = LazyPosition()
        self._bounds = array("Q")
        self._spans: Spans | None = None

    def feed(self, piece: bytes) -> list[Segment]:
        """The content that is certain so far, without empty segments.

        Raises:
            MarkupFault: the first fault of the text, which `parse` reports.
        """
        text = self._carry + piece
        cut = text.rfind(b"<", max(0, len(text) - _LONGEST_UNFINISHED))
        if cut < 0 or not _UNFINISHED_TAG.fullmatch(text, cut):
            cut = len(text)
        self._carry = text[cut:]
        return self._read(text[:cut])

    def close(self) -> list[Segment]:
        """The rest of the content.

        Raises:
            MarkupFault: the text ends inside a code point or a span.
        """
        given = self._given()
        segments = self._read(self._carry)
        self._carry = b""
        self._add(segments, self._unescaper.finish())
        if self._pending:
            raise MarkupFault(given, "", is_text=False)
        if self._classified:
            raise MarkupFault(self._opened, "<$S> opens a span that never ends; remove it or add a <$E> after it")
        self._spans = Spans.of_rising(self._bounds)
        return segments

    @property
    def spans(self) -> Spans:
        """The classified byte ranges of the content, after `close`."""
        if self._spans is None:
            raise RuntimeError("the spans are known when the parser is closed")
        return self._spans

    def _given(self) -> LazyPosition:
        """The position after all returned content. Input that is held back has no line feed."""
        plain, classified = self._sizes
        return LazyPosition(plain, classified, 0, self._column)

    def _read(self, text: bytes) -> list[Segment]:
        """Reads `text`, which does not end inside a real tag."""
        segments: list[Segment] = []
        view = memoryview(text)
        given = self._given()
        opened: int | None = None
        for start, end, bare, tag in _stretches(text):
            as_it_is = bare and not self._unescaper.holds
            if tag is None:
                self._add(segments, view[start:end] if as_it_is else self._unescaper.feed(text[start:end]))
                break
            opens = tag[1] == b"S"
            if opens is self._classified or len(self._bounds) == 2 * MAX_SPANS:
                raise self._fault(given, text, end, opened, opens)
            self._add(segments, view[start:end] if as_it_is else self._unescaper.finish(text[start:end]))
            self._bounds.append(sum(self._sizes))
            self._classified = opens
            if opens:
                opened = end
                self._opened = self._given()
        if self._classified and opened is not None:
            column = column_after(self._column, self._pending + text[:opened])
            self._opened = self._opened._replace(column=column)
        self._check(given, text)
        return segments

    def _check(self, given: LazyPosition, text: bytes, *, final: bool = False) -> None:
        """Raises MarkupFault if `text`, which begins at `given`, is not UTF-8."""
        text = self._pending + text
        read, code_points, bad = whole(text, final=final)
        if bad:
            raise MarkupFault(given.after(text[:read]), "", is_text=False)
        self._column = column_after(self._column, text[:read], code_points)
        self._pending = text[read:]

    def _add(self, segments: list[Segment], data: bytes | memoryview) -> None:
        if data:
            segments.append(Segment(self._classified, data))
            self._sizes[self._classified] += len(data)

    def _fault(self, given: LazyPosition, text: bytes, found: int, opened: int | None, opens: bool) -> MarkupFault:
        """The fault of the tag at `found`. Raises a fault if the text before it is not UTF-8."""
        before = self._pending
        self._check(given, text[:found], final=True)
        spot = given.after(before + text[:found])
        if not opens:
            return MarkupFault(spot, "<$E> closes a span, but none is open; remove it or add a <$S> before it")
        if self._classified:
            return MarkupFault(
                spot,
                "<$S> opens a span inside the one opened at line {}, column {}; remove it or add a <$E> before it",
                self._opened if opened is None else given.after(before + text[:opened]),
            )
        return MarkupFault(spot, f"<$S> opens one span more than the {MAX_SPANS} that a document may have")


class MarkupPrinter:
    """Turns content into marked text. Unusable after an error."""

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
            NotUtf8: the content is not UTF-8; with the position in the content.
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
        # A bound at the end waits for the next byte, which shows whether it cuts a code point.
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
