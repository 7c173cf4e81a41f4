"""The redacted edition of a Word document: a new package with what a reader sees, and markers for what is classified.

Invariant: nothing is kept unchecked. Stories are rebuilt from their trees, with only the elements of known namespaces;
pictures only if every byte is known, and without their metadata; formatting only if it contains no marked name. Always
removed: comments, deleted text (inserted text becomes normal text), hidden text, field codes (their results become
text), bookmarks, links, content controls, properties, settings, alternative texts, thumbnails, embedded objects, charts
and old drawings.

A text that is marked in one place is withheld wherever it occurs, if it is distinctive enough; see `phrases`.
"""

from collections.abc import Sequence
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.docx import measures
from sieve.formats.docx.paragraphs import SEEN, TEXT, W_SPACES, P, is_hidden, pieces, style_of, w
from sieve.formats.docx.reading import DocxReading
from sieve.formats.marker import MARKER
from sieve.formats.office.kept_pictures import KeptPictures
from sieve.formats.office.package_writer import OFFICE, OFFICE_STRICT, PackageWriter
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.text_attributes import NAMING_ATTRIBUTES, NAMING_ELEMENTS
from sieve.formats.office.xml_scrubber import XmlScrubber, rebuilt, redacted, remove, unwrap
from sieve.formats.office.xml_source import attributes, local, space_of
from sieve.formats.text_ranges import pieces_with_markers, united

_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_OPEN: Final = "http://schemas.openxmlformats.org"
_STRICT: Final = "http://purl.oclc.org/ooxml"
_PREFIXES: Final = {
    "w": W_SPACES[0],
    "r": OFFICE,
    "m": f"{_OPEN}/officeDocument/2006/math",
    "wp": f"{_OPEN}/drawingml/2006/wordprocessingDrawing",
    "a": f"{_OPEN}/drawingml/2006/main",
    "pic": f"{_OPEN}/drawingml/2006/picture",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "wpc": "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
}
_PREFIXES_STRICT: Final = {
    **_PREFIXES,
    "w": W_SPACES[1],
    "r": OFFICE_STRICT,
    "m": f"{_STRICT}/officeDocument/math",
    "wp": f"{_STRICT}/drawingml/wordprocessingDrawing",
    "a": f"{_STRICT}/drawingml/main",
    "pic": f"{_STRICT}/drawingml/picture",
}
_COMPATIBILITY: Final = f"{_OPEN}/markup-compatibility/2006"
_TEXTS: Final = frozenset({"t", "posOffset", "align"})
_REMOVED: Final = frozenset(
    {
        *("del", "moveFrom", "delText", "delInstrText", "instrText", "fldChar", "ffData", "object", "pict", "control"),
        *("bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef"),
        *("moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "permStart", "permEnd"),
        *("customXmlInsRangeStart", "customXmlInsRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd"),
        *("customXmlMoveFromRangeStart", "customXmlMoveFromRangeEnd", "customXmlMoveToRangeStart"),
        *("customXmlMoveToRangeEnd", "proofErr", "lastRenderedPageBreak", "altChunk", "subDoc", "contentPart", "movie"),
        *("rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "tblPrExChange", "trPrChange", "tcPrChange"),
        *("tblGridChange", "numberingChange", "cellIns", "cellDel", "cellMerge", "printerSettings", "background"),
        *("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "numPicBullet", "lvlPicBulletId", "rsid", "rsids"),
        *("hlinkClick", "hlinkHover", "extLst", "docPartObj", "fldData"),
    }
)
_UNWRAPPED: Final = frozenset({"ins", "moveTo", "hyperlink", "smartTag", "sdt", "sdtContent", "customXml", "fldSimple"})
_DRAWN: Final = ("pic", "wps", "wpg", "wpc")
_FORMATTING: Final = {
    "styles": f"{_WORD}styles+xml",
    "numbering": f"{_WORD}numbering+xml",
    "theme": "application/vnd.openxmlformats-officedocument.theme+xml",
}
_REFERENCES: Final = {"headerReference": "header", "footerReference": "footer"}


def redact_docx(reading: DocxReading, marks: Sequence[Mark]) -> bytes:
    """A new document with what a reader sees and nothing that is classified.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in it.
    """
    return redacted(reading, marks, lambda marked: _Edition(reading, marked).to_bytes())


class _Edition:
    def __init__(self, reading: DocxReading, marked: ResolvedMarks) -> None:
        self._reading = reading
        self._marked = marked
        self._scrubber = XmlScrubber.of(reading, marked)
        shown = (part for part in reading.shown_pictures() if part not in marked.parts)
        self._pictures = KeptPictures(reading.container, shown, self._scrubber, "word/media")
        main = reading.tree(reading.main)
        self._prefixes = _PREFIXES_STRICT if space_of(str(main.tag)) == W_SPACES[1] else _PREFIXES
        self._spaces = frozenset(self._prefixes.values())
        self._drawn = frozenset(self._prefixes[prefix] for prefix in _DRAWN)
        self._w = self._prefixes["w"]
        self._writer = PackageWriter(self._prefixes["r"])
        self._names: dict[str, str] = {}
        self._withheld: set[etree._Element] = set()
        """Paragraphs without some of their text or pictures."""

    def to_bytes(self) -> bytes:
        writer, reading = self._writer, self._reading
        self._names[reading.main] = "word/document.xml"
        writer.relate("", "officeDocument", "word/document.xml")
        kinds = {"header": 0, "footer": 0}
        for part, kind in reading.stories.items():
            if kind in kinds:
                kinds[kind] += 1
                self._names[part] = f"word/{kind}{kinds[kind]}.xml"
            elif kind in ("footnote", "endnote"):
                self._names[part] = f"word/{kind}s.xml"
        even = False
        for part, name in list(self._names.items()):
            kind = "document.main" if part == reading.main else name.removesuffix(".xml").rstrip("0123456789")[5:]
            if kind in ("footnotes", "endnotes"):
                writer.relate("word/document.xml", kind, name)
            writer.add(name, f"{_WORD}{kind}+xml", self._story(part))
        for related in reading.relationships(reading.main):
            if related.kind in _FORMATTING and related.part in reading.container.entries:
                self._formatting(related.part, related.kind)
            elif related.kind == "settings" and related.part in reading.container.entries:
                even = any(True for _ in reading.tree(related.part).iter(*w("evenAndOddHeaders")))
        settings = etree.Element(f"{{{self._w}}}settings", nsmap={"w": self._w})
        if even:
            etree.SubElement(settings, f"{{{self._w}}}evenAndOddHeaders")
        writer.add("word/settings.xml", f"{_WORD}settings+xml", settings)
        writer.relate("word/document.xml", "settings", "word/settings.xml")
        for name, (kind, data) in self._pictures.named.items():
            writer.add(name, kind, data)
        return writer.to_bytes()

    def _formatting(self, part: str, kind: str) -> None:
        if part in self._marked.parts:
            return
        name = "word/theme/theme1.xml" if kind == "theme" else f"word/{kind}.xml"
        root = self._reading.tree(part)
        self._scrubber.clean(root, self._spaces - {self._prefixes["r"]}, removed=_REMOVED)
        self._writer.add(name, _FORMATTING[kind], rebuilt(root, self._prefixes))
        self._writer.relate("word/document.xml", kind, name)

    def _story(self, part: str) -> etree._Element:
        root = self._reading.tree(part)
        if part in self._marked.whole:
            self._empty(root)
        else:
            self._mark_paragraphs(part, root)
        self._flatten(root)
        self._pictures_and_references(part, root)
        for drawing in measures.forget(self._withheld):
            self._replace_drawing(drawing)
        self._withheld.clear()
        _remove_alternative_texts(root)
        self._scrubber.clean(root, self._spaces, texts=_TEXTS)
        return rebuilt(root, self._prefixes)

    def _empty(self, root: etree._Element) -> None:
        """One marker in place of all of it, wherever a paragraph is required."""
        for holder in root.iter(*w("body", "footnote", "endnote", "hdr", "ftr")):
            for child in list(holder):
                if child.tag not in w("sectPr"):
                    holder.remove(child)
            paragraph = etree.Element(f"{{{self._w}}}p")
            self._append_marker(paragraph)
            holder.insert(0, paragraph)

    def _mark_paragraphs(self, part: str, root: etree._Element) -> None:
        for number, paragraph in enumerate(list(root.iter(*P)), 1):
            address = f"{part}/p{number}"
            found = list(pieces(paragraph, self._reading.hiding))
            seen = [piece for piece in found if piece.below == SEEN]
            text = "".join(piece.text for piece in seen)
            ranges = self._marked.ranges.get(address, []) + self._scrubber.ranges(text)
            if ranges or self._marked.covers(address):
                self._withheld.add(paragraph)
            if self._marked.covers(address):
                for drawing in list(paragraph.iter(*w("drawing", "pict", "object"))):
                    remove(drawing)
            for piece, kept in zip(seen, pieces_with_markers([p.text for p in seen], united(ranges)), strict=True):
                if kept is not None:
                    self._rewrite(piece.element, kept)
            if ranges and not seen:
                self._append_marker(paragraph)
            for piece in found:
                if piece.below != SEEN:
                    remove(piece.element)
            by_style = style_of(paragraph, "pPr", "pStyle") in self._reading.hiding
            for run in [run for run in paragraph.iter(*w("r")) if is_hidden(run, by_style, self._reading.hiding)]:
                remove(run)

    def _rewrite(self, element: etree._Element, text: str) -> None:
        for child in list(element):
            element.remove(child)
        if element.tag not in TEXT:
            # A tab or a break is removed, and text may replace it.
            element.tag = f"{{{self._w}}}t"
            element.attrib.clear()
        element.text = text
        if space_of(str(element.tag)) == self._w:
            element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")

    def _append_marker(self, paragraph: etree._Element) -> None:
        run = etree.SubElement(paragraph, f"{{{self._w}}}r")
        etree.SubElement(run, f"{{{self._w}}}t").text = MARKER

    def _flatten(self, root: etree._Element) -> None:
        """Removes what the edition must not have, and the wrappers around what it keeps."""
        for element in list(root.iter(etree.Element)):
            name = local(element.tag)
            if space_of(element.tag) == _COMPATIBILITY and name == "AlternateContent":
                choice = next((child for child in element if local(child.tag) == "Choice"), None)
                for child in list(element):
                    if child is not choice:
                        element.remove(child)
            elif name in _REMOVED:
                remove(element)
            elif name == "graphicData" and element.get("uri") not in self._drawn:
                self._replace_drawing(element)
        for element in list(root.iter(etree.Element)):
            if space_of(str(element.tag)) == _COMPATIBILITY or (
                local(element.tag) in _UNWRAPPED and space_of(str(element.tag)) in W_SPACES
            ):
                unwrap(element)

    def _pictures_and_references(self, part: str, root: etree._Element) -> None:
        related = {r.id: r for r in self._reading.relationships(part)}
        refers = self._prefixes["r"]
        name = self._names[part]
        for element in list(root.iter(etree.Element)):
            references: dict[str, str] = {}
            for key, value in attributes(element):
                if space_of(key) == refers:
                    references[local(key)] = value
                    del element.attrib[key]
                elif local(key).startswith("rsid"):
                    del element.attrib[key]
            tag = local(element.tag)
            target = related.get(references.get("embed") or references.get("id") or "")
            if tag in _REFERENCES:
                if target is None or target.part not in self._names:
                    remove(element)
                else:
                    element.set(
                        f"{{{refers}}}id", self._writer.relate(name, _REFERENCES[tag], self._names[target.part])
                    )
            elif tag in ("blip", "blipFill") or references:
                if tag == "blip" and target is not None and target.part in self._pictures:
                    element.set(
                        f"{{{refers}}}embed", self._writer.relate(name, "image", self._pictures.name(target.part))
                    )
                elif tag != "blipFill":
                    self._replace_drawing(element)

    def _replace_drawing(self, element: etree._Element) -> None:
        """Puts a marker in place of the drawing that contains the element; removes an element without a drawing."""
        drawing = element if element.tag in w("drawing") else next(element.iterancestors(*w("drawing")), None)
        if drawing is None:
            remove(element)
            return
        self._withheld.update(drawing.iterancestors(*P))
        for child in list(drawing):
            drawing.remove(child)
        self._rewrite(drawing, MARKER)


def _remove_alternative_texts(root: etree._Element) -> None:
    """Removes descriptions of drawings and tables: readers do not see them, and authors were not asked about them."""
    for element in list(root.iter(etree.Element)):
        name = local(element.tag)
        if name in NAMING_ELEMENTS:
            remove(element)
            continue
        for key, _ in attributes(element):
            if local(key) not in NAMING_ATTRIBUTES:
                continue
            # The name of a drawing is required; names in a shape belong to its geometry.
            if local(key) != "name":
                del element.attrib[key]
            elif name in ("docPr", "cNvPr"):
                element.set(key, "")
