"""OpenDocument texts: paragraphs are units, and whole parts travel plain or classified.

`content.xml` and `styles.xml`, which has the headers and footers, are read as text. Their paragraphs and headings are
numbered in order, p1, p2 and so on, including those in tables, notes, comments, text boxes and deleted text. Below a
paragraph, p7/hidden is its hidden text. All other parts are read for any text in them, or have only their own address.
"""

from collections.abc import Iterator
from typing import ClassVar, Final

from lxml import etree

from sieve.core.units import Unit
from sieve.formats.odt.tables import cells_around, cells_of
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.shown_parts import TextAt, touched, with_attribute
from sieve.formats.office.xml_source import local
from sieve.formats.opendocument.paragraphs import HIDDEN_BELOW, SEEN, P, Paragraph, read_story
from sieve.formats.opendocument.reading import OpenDocumentReading
from sieve.formats.opendocument.vocabulary import DRAW, SVG, tags

_FRAME: Final = f"{{{DRAW}}}frame"
_DESCRIPTIONS: Final = tags(SVG, "title", "desc")
_KINDS: Final = {
    "annotation": "comment",
    "table-cell": "table cell",
    "text-box": "text box",
    "header": "header",
    "header-left": "header",
    "header-first": "header",
    "footer": "footer",
    "footer-left": "footer",
    "footer-first": "footer",
}


class OdtReading(OpenDocumentReading):
    """An OpenDocument text, read."""

    name: ClassVar[str] = "odt"
    media_types = ("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template")
    what = "OpenDocument text"

    def read_units(self) -> Iterator[Unit]:
        """The document, its headers and footers, then the text of all other parts."""
        for part in self.stories:
            root = self.tree(part)
            cells = cells_of(root)
            paragraphs, others = read_story(root, self.hiding)
            for number, paragraph in enumerate(paragraphs, 1):
                address = f"{part}/p{number}"
                around = cells_around(paragraph.element, cells)
                yield Unit(address, paragraph.text, _kind(paragraph), paragraph.hidden, around)
                hidden = "".join(piece.text for piece in paragraph.pieces if piece.below != SEEN)
                if hidden:
                    yield Unit(f"{address}/{HIDDEN_BELOW}", hidden, "hidden text", "hidden text", around)
            yield from self.story_units(part, others)
            yield from self.attribute_units(part, root)
        yield from self.units_beside()

    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """What stories show that are marked as a whole, what paragraphs show in marked text or touching it, and what
        has a marked description.
        """
        found: set[str] = set()
        described = self.marked_attributes(marked)
        for part in marked.parts.intersection(self.stories):
            root = self.tree(part)
            if marked.covers(part):
                found |= self.named_below(root.iter(etree.Element))
                continue
            paragraphs, others = read_story(root, self.hiding)
            found |= self.named_below(_marked_elements(part, paragraphs, marked))
            named = [other.element for number, other in enumerate(others, 1) if f"{part}/t{number}" in marked.ranges]
            if texts := described.get(part):
                named += with_attribute(root, texts)
            drawings = dict.fromkeys(map(_drawing, named))
            found |= self.named_below(below for drawing in drawings for below in drawing.iter(etree.Element))
        return found

    def is_constant(self, element: etree._Element) -> bool:
        """None: Writer stores what a field showed last."""
        return False


def _marked_elements(part: str, paragraphs: list[Paragraph], marked: ResolvedMarks) -> Iterator[etree._Element]:
    for number, paragraph in enumerate(paragraphs, 1):
        address = f"{part}/p{number}"
        places = {SEEN: address, HIDDEN_BELOW: f"{address}/{HIDDEN_BELOW}"}
        ranges = {below: marked.ranges[place] for below, place in places.items() if place in marked.ranges}
        if ranges:
            texts = [TextAt(one.below, len(one.text), one.element, one.where == "tail") for one in paragraph.pieces]
            yield from touched(paragraph.element, texts, ranges)


def _drawing(element: etree._Element) -> etree._Element:
    """What a description, or a text in an attribute, belongs to: its frame, if it is in one."""
    parent = element.getparent()
    described = parent if element.tag in _DESCRIPTIONS and parent is not None else element
    for above in (described, *described.iterancestors()):
        if above.tag == _FRAME:
            return above
        if above.tag in P:
            break
    return described


def _kind(paragraph: Paragraph) -> str:
    for above in paragraph.element.iterancestors():
        name = local(above.tag)
        if name == "note":
            return "endnote" if "endnote" in above.attrib.values() else "footnote"
        if name in _KINDS:
            return _KINDS[name]
    return "paragraph"
