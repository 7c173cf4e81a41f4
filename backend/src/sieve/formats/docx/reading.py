"""Word documents: paragraphs are units, and whole parts travel plain or classified.

A *story* is a part that is read as text: the document, headers, footers, footnotes, endnotes, comments. Its paragraphs
are numbered in order, p1, p2 and so on, including those in tables and text boxes. The text of a paragraph is what a
reader sees of it; its hidden text is in units below it: p7/deleted, p7/hidden, p7/code. All other parts are read for
any text in them, or have only their own address.

A story without a mark travels plain only if it contains none of the marked text and nothing that Word computes from
other parts: no fields, no bound content controls, no page breaks. Comments never do, since they discuss the text.
"""

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from lxml import etree

from sieve.core.sentence import Sentence
from sieve.core.units import Unit
from sieve.formats.docx.paragraphs import HIDDEN, SEEN, VANISH, P, is_on, pieces, value_of, w
from sieve.formats.docx.tables import cells_around, cells_of
from sieve.formats.office.open_packaging import OpenPackagingReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.shown_parts import TextAt, touched
from sieve.formats.office.why_classified import COMPUTED
from sieve.formats.office.xml_source import attributes, local, text_of

_MAIN: Final = (
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroEnabled.main+xml",
    "ms-word.template.macroEnabledTemplate.main+xml",
)
_STORIES: Final = {
    "header": "wordprocessingml.header+xml",
    "footer": "wordprocessingml.footer+xml",
    "footnote": "wordprocessingml.footnotes+xml",
    "endnote": "wordprocessingml.endnotes+xml",
    "comment": "wordprocessingml.comments+xml",
}
_FORMATTING: Final = ("fontTable+xml", "webSettings+xml", "theme+xml", "stylesWithEffects+xml")
_NUMBERING: Final = "numbering+xml"
_PLACE_OF_A_NUMBER: Final = re.compile(r"%[0-9]")
# Bullets of symbol fonts are letters of Latin-1, such as o, §, Ø and ü.
_BULLETS_BELOW: Final = "\u0100"
_COMPUTED: Final = (
    *("fldChar", "fldSimple", "instrText", "dataBinding", "altChunk", "subDoc"),
    # Page ends when Word last saved: a taller header makes shorter pages.
    "lastRenderedPageBreak",
)


class DocxReading(OpenPackagingReading):
    """A Word document, read."""

    name: ClassVar[str] = "docx"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected, too large, or not a Word document."""
        super().__init__(data)
        self.main = self.main_part(_MAIN, "Word document")
        self.stories: dict[str, str] = {self.main: "paragraph"}
        for kind, ending in _STORIES.items():
            self.stories.update(dict.fromkeys(self.parts_of_type(ending), kind))
        self.hiding = self._hiding_styles()

    def read_units(self) -> Iterator[Unit]:
        """The document, its other stories, then the text of all other parts."""
        for part, kind in self.stories.items():
            root = self.tree(part)
            cells = cells_of(root)
            hidden = "a comment" if kind == "comment" else ""
            for number, paragraph in enumerate(root.iter(*P), 1):
                texts: dict[str, list[str]] = {SEEN: []}
                for piece in pieces(paragraph, self.hiding):
                    texts.setdefault(piece.below, []).append(piece.text)
                address = f"{part}/p{number}"
                around = cells_around(paragraph, cells)
                yield Unit(address, "".join(texts.pop(SEEN)), self._kind(paragraph, kind), hidden, around)
                for below, hidden_pieces in texts.items():
                    yield Unit(f"{address}/{below}", "".join(hidden_pieces), HIDDEN[below], HIDDEN[below], around)
            yield from self.attribute_units(part, root)
        for part in self.parts:
            if self.type_of(part).endswith(_NUMBERING):
                # Readers see these texts before each numbered paragraph; "%1." and bullets are no text.
                yield from (unit for unit in self.attribute_units(part, self.tree(part)) if _has_words(unit.text))
            elif part not in self.stories and not self._is_formatting(part):
                is_property = part.startswith("docProps/") and self.is_xml(part)
                hidden = "a property" if is_property else self.hides(part, "text outside of the pages")
                yield from self.other_units(part, hidden)

    def may_travel_plain(self, part: str) -> bool:
        """Only stories other than comments, without fields."""
        if self.stories.get(part, "comment") == "comment":
            return False
        text = text_of(self.container.read(part))
        return not any(word in text for word in _COMPUTED)

    def why_never_plain(self, part: str) -> Sentence | None:
        """Stories with content that depends on other parts. Comments are like any other part."""
        is_read = self.stories.get(part, "comment") != "comment"
        return COMPUTED if is_read and not self.may_travel_plain(part) else None

    def shown_pictures(self) -> set[str]:
        """Pictures of drawings. A picture of an embedded object or an old drawing is also shown in other ways."""
        shown: set[str] = set()
        other: set[str] = set()
        for part in self.parts:
            related = {r.id: r for r in self.relationships(part)} if not part.endswith(".rels") else {}
            if part not in self.stories:
                other.update(r.part for r in related.values())
                continue
            if not any(r.kind == "image" for r in related.values()):
                continue
            for element in self.tree(part).iter(etree.Element):
                for name, value in attributes(element):
                    if value in related and related[value].kind == "image" and "/relationships}" in name:
                        blip = local(element.tag) == "blip" and name.endswith("}embed")
                        (shown if blip else other).add(related[value].part)
        other.update(r.part for r in self.relationships(""))
        return (shown - other) & self.container.entries.keys()

    def is_shown(self, part: str) -> bool:
        """Neither stories nor formatting."""
        return super().is_shown(part) and part not in self.stories

    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """What parts show that are marked as a whole, what paragraphs show in marked text or touching it, and what has
        a marked description.
        """
        whole = {part for part in marked.parts if marked.covers(part)}
        found = self.shown_from(whole)
        described = self.marked_attributes(marked)
        for part in (marked.parts - whole).intersection(self.stories):
            found |= self.shown_below(part, self._marked_elements(part, marked))
            found |= self.shown_with_attributes(part, described.get(part, set()))
        return found

    def _marked_elements(self, part: str, marked: ResolvedMarks) -> Iterator[etree._Element]:
        for number, paragraph in enumerate(self.tree(part).iter(*P), 1):
            address = f"{part}/p{number}"
            places = {SEEN: address} | {below: f"{address}/{below}" for below in HIDDEN}
            ranges = {below: marked.ranges[place] for below, place in places.items() if place in marked.ranges}
            if not ranges:
                continue
            texts = [TextAt(piece.below, len(piece.text), piece.element) for piece in pieces(paragraph, self.hiding)]
            yield from touched(paragraph, texts, ranges)
            if ranges.get(SEEN) == [(0, sum(text.length for text in texts if text.below == SEEN))]:
                # The picture that fills its text box.
                for above in paragraph.iterancestors():
                    if local(above.tag) == "wsp":
                        yield from above.iter(etree.Element)
                        break

    def _is_formatting(self, part: str) -> bool:
        return self.type_of(part).endswith(_FORMATTING)

    def _kind(self, paragraph: etree._Element, kind: str) -> str:
        parent = paragraph.getparent()
        if kind != "paragraph" or parent is None:
            return kind
        if local(parent.tag) == "tc":
            return "table cell"
        return "text box" if local(parent.tag) == "txbxContent" else kind

    def _hiding_styles(self) -> frozenset[str]:
        """Styles that hide text, by themselves or through the styles that they are based on."""
        heirs: dict[str, list[str]] = {}
        found: list[str] = []
        for part in self.parts_of_type("wordprocessingml.styles+xml"):
            for style in self.tree(part).iter(*w("style")):
                name = value_of(style, "styleId")
                for element in style.iter(*w("basedOn"), *VANISH):
                    if element.tag not in VANISH:
                        heirs.setdefault(value_of(element, "val"), []).append(name)
                    elif is_on(element):
                        found.append(name)
        hiding: set[str] = set()
        while found:
            name = found.pop()
            if name not in hiding:
                hiding.add(name)
                found += heirs.get(name, [])
        return frozenset(hiding)


def _has_words(numbering: str) -> bool:
    """Whether the text of a numbering contains more than number fields, punctuation and one letter for a bullet."""
    left = [character for character in _PLACE_OF_A_NUMBER.sub("", numbering) if character.isalnum()]
    return len(left) > 1 or any(one.isdigit() or one >= _BULLETS_BELOW for one in left)
