"""An RTF document with the marked text highlighted: groups with a background around it, and yellow among the colours.

Invariant: groups are put around text alone: never around a control word that is no character, a brace, or half of a
character. So everything else has the same meaning as before. Formulas and drawings have no highlight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sieve.core.units import Mark
from sieve.formats.marked_units import marked_units
from sieve.formats.rtf.document import PIECES, RtfDocument
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.rtf.tokens import Kind, Token, tokens
from sieve.formats.rtf.vocabulary import Role

_YELLOW: Final = rb"\red255\green255\blue0;"
_BYTES: Final = frozenset({Kind.TEXT, Kind.BYTE, Kind.BREAK})
_FALLBACKS: Final = frozenset({Kind.TEXT, Kind.BYTE, Kind.SYMBOL})
"""What may stand for a character in readers that do not know Unicode."""


def highlight_rtf(reading: RtfReading, marks: Sequence[Mark]) -> bytes:
    """The document with highlights.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    ranges = marked_units(reading.units(), marks).ranges
    traced = _Traced(reading.data)
    inserted: list[tuple[int, bytes]] = []
    colour, number = _colour(reading.data)
    # Word and LibreOffice know the first, TextEdit and WordPad the second.
    begins = rb"{\highlight%d\cb%d " % (number, number)
    for (_, paragraph), (_, again) in zip(reading.document.paragraphs(), traced.paragraphs(), strict=True):
        sources = traced.sources.get(id(again), [])
        for start, end in _covered(sources, ranges.get(reading.placed(paragraph).address, [])):
            inserted += [(start, begins), (end, b"}")]
    if not inserted:
        return reading.data
    pieces: list[bytes] = []
    at = 0
    for place, what in sorted([colour, *inserted], key=lambda one: one[0]):
        pieces += [reading.data[at:place], what]
        at = place
    return b"".join([*pieces, reading.data[at:]])


@dataclass(slots=True, repr=False)
class _Source:
    """Bytes `start` to `end` of the source, which say `size` characters. Between two in the same `stretch`, no token
    means anything.
    """

    size: int
    start: int
    end: int
    stretch: int


class _Traced(RtfDocument):
    """A document that also knows where its shown text is in the source."""

    def __init__(self, data: bytes) -> None:
        self.sources: dict[int, list[_Source]] = {}
        """By the id of a paragraph, in order."""
        self._start = self._end = self._stretch = 0
        self._last: _Source | None = None
        self._numbered: _Source | None = None
        self._is_half = False
        super().__init__(data)

    def _step(self, token: Token) -> None:
        while token.kind is Kind.TEXT and self._state.role is Role.SHOWN and (cut := self._cut(token)) < token.end:
            self._traced_step(token._replace(end=cut))
            token = token._replace(start=cut)
        self._traced_step(token)

    def _cut(self, token: Token) -> int:
        """Where the first piece of a text ends that is read as one."""
        if self._fallback_left:
            return min(token.start + self._fallback_left, token.end)
        if self._is_in_character:
            return token.start + 1
        piece = PIECES.match(self._data, token.start, token.end)
        return piece.end() if piece else token.end

    @property
    def _is_in_character(self) -> bool:
        return self._decoder is not None and bool(self._decoder.getstate()[0])

    def _traced_step(self, token: Token) -> None:
        if token.kind is Kind.BREAK:
            super()._step(token)
            return
        if token.kind not in _BYTES:
            self._end_of_bytes()
        before, left = self._last, self._fallback_left
        # The first half of a character from two numbers has no text of its own.
        is_second = self._is_half and (left > 0 or token.name == "u")
        if not self._is_in_character and not is_second:
            self._start = token.start
        self._end = token.end
        super()._step(token)
        falls_back = self._fallback_left < left and token.kind in _FALLBACKS
        has_text = self._last is not before
        if token.name == "u":
            self._numbered = self._last if has_text else None
        elif falls_back and self._numbered is not None:
            self._numbered.end = token.end
        self._is_half = bool(self._high) and (token.name == "u" or (self._is_half and falls_back))
        if token.kind not in _BYTES and not has_text and not falls_back and not self._is_half:
            self._stretch += 1

    def _put(self, text: str, place: tuple[int, int] | None = None) -> None:
        paragraph = self._state.story.current
        count = len(paragraph.shown)
        super()._put(text, place)
        if len(paragraph.shown) > count:
            start = max(self._start, self._last.end if self._last else 0)
            self._last = _Source(len(text), start, self._end, self._stretch)
            self.sources.setdefault(id(paragraph), []).append(self._last)


def _covered(sources: Sequence[_Source], ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The bytes of the marked characters, as far as text alone is between them."""
    number = at = 0
    for first, last in ranges:
        while number < len(sources) and at + sources[number].size <= first:
            at += sources[number].size
            number += 1
        found: tuple[int, int, int] | None = None
        while number < len(sources) and at < last:
            source = sources[number]
            start, end = source.start, source.end
            if end - start == source.size:  # letters that stand for themselves
                start, end = start + max(first - at, 0), end - max(at + source.size - last, 0)
            if found is not None and found[2] == source.stretch:
                found = found[0], end, source.stretch
            else:
                if found is not None:
                    yield found[:2]
                found = start, end, source.stretch
            if at + source.size > last:
                break
            at += source.size
            number += 1
        if found is not None:
            yield found[:2]


def _colour(data: bytes) -> tuple[tuple[int, bytes], int]:
    """What to insert where, so that yellow is a colour of the document, and its number."""
    depth = entries = 0
    table: int | None = None
    fonts: int | None = None
    is_open = False
    begins: int | None = None
    for token in tokens(data):
        if token.kind is Kind.OPEN:
            depth += 1
        elif token.kind is Kind.CLOSE:
            if table == depth:
                # The first entry means no colour.
                lacks_end = is_open or not entries
                return (token.start, (b";" if lacks_end else b"") + _YELLOW), entries + lacks_end
            if fonts == depth:
                fonts, begins = None, token.end
            depth -= 1
            if not depth:
                break
        elif token.kind is Kind.WORD and depth > 1:
            table = depth if token.name == "colortbl" else table
            fonts = depth if token.name == "fonttbl" else fonts
            is_open |= table is not None and token.name != "colortbl"
        elif token.kind is Kind.TEXT and table is not None:
            entries += data.count(b";", token.start, token.end)
            is_open = not data[token.start : token.end].rstrip().endswith(b";")
        if begins is None and depth > (token.kind is Kind.OPEN) and token.kind not in (Kind.WORD, Kind.BREAK):
            begins = token.start
    return (begins or len(data), rb"{\colortbl;" + _YELLOW + b"}"), 1
