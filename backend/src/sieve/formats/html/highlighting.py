"""A web page with the marked text in `mark` elements: what readers see of its blocks. Titles, fields of forms, drawings
and formulas may contain no such elements, and have no highlight."""

from collections.abc import Iterator, Sequence
from typing import Final

from sieve.core.units import Mark
from sieve.formats.html.blocks import Block
from sieve.formats.html.reading import HtmlReading, Placed
from sieve.formats.html.tokens import Kind, Token
from sieve.formats.marked_units import marked_units
from sieve.formats.text_ranges import united_in_order

# With its colours, for mail programs that do not know the element, and pages that give it others.
_START: Final = '<mark style="background-color:#ffff00;color:#000000">'
_END: Final = "</mark>"
_WITHOUT_HTML: Final = frozenset({"svg", "math", "select", "option"})
"""Elements in which browsers do not show elements of HTML."""


def highlight_html(reading: HtmlReading, marks: Sequence[Mark]) -> bytes:
    """The page with highlights.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    ranges = marked_units(reading.units(), marks).ranges
    places: list[tuple[int, int]] = []
    for part in reading.parts:
        if isinstance(part, Placed) and (covered := ranges.get(part.address)):
            places += _in_source(part.block, reading.source, covered)
    return reading.with_tags(places, _START, _END)


def _in_source(block: Block, source: str, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches of text in the source that are marked."""
    written = block.places(source)
    texts = iter(_texts(block))
    text = next(texts, None)
    # Characters of one reference have the same place.
    marked = united_in_order(sorted({written[at] for start, end in ranges for at in range(start, end)}))
    for start, end in marked:
        while text is not None and text.start < end:
            if start < text.end:
                yield max(start, text.start), min(end, text.end)
            if text.end > end:
                break
            text = next(texts, None)


def _texts(block: Block) -> Iterator[Token]:
    """The texts of a block that may contain tags."""
    element, depth = block.element, 0
    while element is not None:
        if element.name in _WITHOUT_HTML:
            return
        element = element.parent
    for token in block.tokens:
        if token.name in _WITHOUT_HTML:
            depth = max(depth + (token.kind is Kind.START) - (token.kind is Kind.END), 0)
        elif token.kind is Kind.TEXT and not token.hidden and not depth:
            yield token
