"""Highlights text of a story of an OpenDocument file: spans with a style that has a background.

Invariant: what `read_story` finds stays the same. White space that counts as one character is written as one. Of a
field, a note's number or a reading aid, all is highlighted, since no span may be within it.
"""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final

from lxml import etree

from sieve.formats.opendocument.paragraphs import SEEN, P, Piece, read_story
from sieve.formats.opendocument.vocabulary import FO, LOEXT, OFFICE, STYLE, TEXT, tags
from sieve.formats.text_ranges import parted, within

YELLOW: Final = "#ffff00"
_SPAN: Final = f"{{{TEXT}}}span"
_STYLE_NAME: Final = f"{{{TEXT}}}style-name"
_NAME: Final = f"{{{STYLE}}}name"
_AUTOMATIC: Final = f"{{{OFFICE}}}automatic-styles"
_BEFORE_AUTOMATIC: Final = tags(OFFICE, "scripts", "font-face-decls", "styles")
"""What the schema puts before the automatic styles of a part."""
_WITH_SPANS: Final = P | tags(TEXT, "span", "a", "meta", "meta-field", "ruby-base") | tags(LOEXT, "content-control")
"""Elements that may contain spans."""


def highlight_story(
    part: str, root: etree._Element, ranges: Mapping[str, list[tuple[int, int]]], hiding: frozenset[str]
) -> bool:
    """Highlights the `ranges` of the paragraphs, by address. Returns whether there were any. `hiding`: the names of
    styles that hide text.
    """
    style = ""
    for number, paragraph in enumerate(read_story(root, hiding)[0], 1):
        ends: dict[str, int] = {}
        found: list[tuple[Piece, list[tuple[int, int]]]] = []
        for piece in paragraph.pieces:
            start = ends.get(piece.below, 0)
            end = ends[piece.below] = start + len(piece.text)
            address = f"{part}/p{number}" if piece.below == SEEN else f"{part}/p{number}/{piece.below}"
            if covered := within(ranges.get(address, []), start, end):
                found.append((piece, covered))
        if found and not style:
            style = _text_style(root)
        whole: set[etree._Element] = set()
        # From the end: the text after an element is changed before the element gets a span around it.
        for piece, covered in reversed(found):
            _highlight(piece, covered, style, whole)
    return bool(style)


def automatic_styles(root: etree._Element) -> etree._Element:
    """The automatic styles of a part, which are made if there are none."""
    found = root.find(_AUTOMATIC)
    if found is None:
        found = etree.Element(_AUTOMATIC)
        root.insert(sum(child.tag in _BEFORE_AUTOMATIC for child in root), found)
    return found


def new_names(styles: etree._Element, beginning: str) -> Iterator[str]:
    """Names for automatic styles that no other has."""
    names = {style.get(_NAME) for style in styles}
    return (name for number in count(len(names) + 1) if (name := f"{beginning}{number}") not in names)


def _text_style(root: etree._Element) -> str:
    styles = automatic_styles(root)
    name = next(new_names(styles, "T"))
    style = etree.SubElement(styles, f"{{{STYLE}}}style", {_NAME: name, f"{{{STYLE}}}family": "text"})
    etree.SubElement(style, f"{{{STYLE}}}text-properties", {f"{{{FO}}}background-color": YELLOW})
    return name


def _highlight(piece: Piece, ranges: list[tuple[int, int]], style: str, whole: set[etree._Element]) -> None:
    """`whole`: the elements that already have a span around them."""
    element = piece.element
    holder = element if piece.where == "text" else element.getparent()
    if holder is not None and holder.tag in _WITH_SPANS and piece.where != "sign":
        _write(piece, ranges, style)
        return
    # A tab, a break, or text of something that must stay as it is.
    inner = element if piece.where == "sign" else holder
    while inner is not None and (above := inner.getparent()) is not None and above.tag not in _WITH_SPANS:
        inner = above
    if inner is None or inner in whole or (above := inner.getparent()) is None:
        return
    whole.add(inner)
    span = etree.Element(_SPAN, {_STYLE_NAME: style})
    span.tail, inner.tail = inner.tail, None
    above.replace(inner, span)
    span.append(inner)


def _write(piece: Piece, ranges: list[tuple[int, int]], style: str) -> None:
    """Writes the text of a piece again, in which spans cover the ranges."""
    element, lead = piece.element, ""
    spans: list[etree._Element] = []
    for covered, text in parted(piece.text, ranges):
        if covered:
            spans.append(etree.Element(_SPAN, {_STYLE_NAME: style}))
            spans[-1].text = text
        elif spans:
            spans[-1].tail = text
        else:
            lead = text
    if piece.where == "text":
        element.text = lead
        for span in reversed(spans):
            element.insert(0, span)
    else:
        element.tail = None
        for span in reversed(spans):
            element.addnext(span)
        element.tail = lead
