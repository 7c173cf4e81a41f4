"""The redacted edition of an OpenDocument file: a new archive with its stories, cleaned, and their pictures.

Invariant: nothing is kept unchecked; see `cleaning`. Always removed: comments, deleted and hidden text, fields (their
text stays), bookmarks, links, properties, settings, alternative texts, thumbnails, macros, forms and embedded objects.
"""

import zipfile
from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import Final

from lxml import etree

from sieve.formats.marker import MARKER
from sieve.formats.office.kept_pictures import KeptPictures
from sieve.formats.office.package_writer import put
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.xml_scrubber import XmlScrubber, rebuilt
from sieve.formats.office.xml_source import serialise
from sieve.formats.opendocument.cleaning import Cleaner
from sieve.formats.opendocument.paragraphs import SEEN, P, Piece, read_story
from sieve.formats.opendocument.reading import MANIFEST_PART, MIMETYPE, OpenDocumentReading, part_named
from sieve.formats.opendocument.trees import drop
from sieve.formats.opendocument.vocabulary import DRAW, FO, MANIFEST, OFFICE, PREFIXES, STYLE, SVG, TEXT, XLINK, tags
from sieve.formats.text_ranges import pieces_with_markers, united

_FRAME: Final = f"{{{DRAW}}}frame"
_IMAGE: Final = f"{{{DRAW}}}image"
_HREF: Final = f"{{{XLINK}}}href"
_TEXT_BOX: Final = f"{{{DRAW}}}text-box"
_NOTE: Final = f"{{{TEXT}}}note"
_SHAPES: Final = tags(DRAW, "frame", "custom-shape", "rect", "ellipse", "circle", "g", "polygon", "path", "control")
_GROWING: Final = tags(DRAW, "custom-shape", "rect", "ellipse", "circle")
_CONSTANTS: Final = {"width": "10cm", "height": "2cm"}
_HOLDERS: Final = tags(OFFICE, "text", "spreadsheet") | tags(
    STYLE, "header", "header-left", "header-first", "footer", "footer-left", "footer-first"
)
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>'


class Stories:
    """The stories of an edition."""

    def __init__(self, reading: OpenDocumentReading, marked: ResolvedMarks) -> None:
        self._reading = reading
        self._marked = marked
        self.scrubber = XmlScrubber.of(reading, marked)
        shown = (part for part in sorted(reading.shown_pictures() - marked.parts) if reading.is_picture(part))
        self._pictures = KeptPictures(reading.container, shown, self.scrubber, "Pictures")
        self._roots = {part: reading.tree(part) for part in reading.stories}
        self.cleaner = Cleaner(self.scrubber, self._roots.values())

    def redacted(self, part: str) -> etree._Element:
        """The tree of a story with markers, cleaned."""
        root = self._roots[part]
        if part in self._marked.whole:
            _empty(root)
        else:
            self._mark_paragraphs(part, root)
        self._replace_frames(root)
        return self._cleaned(root)

    def without_text(self, part: str) -> etree._Element:
        """The tree of a story with its styles alone, cleaned."""
        root = self._roots[part]
        for holder in list(root.iter(*_HOLDERS)):
            for child in list(holder):
                holder.remove(child)
        return self._cleaned(root)

    def _cleaned(self, root: etree._Element) -> etree._Element:
        self.cleaner.clean(root)
        return rebuilt(root, PREFIXES)

    def to_bytes(self, stories: Mapping[str, etree._Element]) -> bytes:
        """The archive with these stories, and the pictures that they show."""
        parts = {part: ("text/xml", serialise(root)) for part, root in stories.items()} | dict(self._pictures.named)
        return written(self._reading.media_types[0], parts)

    def _mark_paragraphs(self, part: str, root: etree._Element) -> None:
        paragraphs, _ = read_story(root, self._reading.hiding)
        for number, paragraph in enumerate(paragraphs, 1):
            address = f"{part}/p{number}"
            if paragraph.hidden:
                _remove_paragraph(paragraph.element)
                continue
            ranges = self._marked.ranges.get(address, []) + self.scrubber.ranges(paragraph.text)
            seen = [piece for piece in paragraph.pieces if piece.below == SEEN]
            for piece, kept in zip(seen, pieces_with_markers([p.text for p in seen], united(ranges)), strict=True):
                if kept is not None:
                    rewrite(piece, kept)
            if ranges and not seen:
                etree.SubElement(paragraph.element, f"{{{TEXT}}}span").text = MARKER
            for piece in paragraph.pieces:
                if piece.below != SEEN:
                    rewrite(piece, "")
            if ranges or self._marked.covers(address):
                _forget_sizes(paragraph.element)
            # At the end: the text after a shape is a piece, too.
            if self._marked.covers(address):
                for shape in list(paragraph.element.iter(*_SHAPES)):
                    drop(shape)

    def _replace_frames(self, root: etree._Element) -> None:
        """Gives pictures that are kept another name, and puts a marker in place of frames that show nothing that is."""
        for frame in list(root.iter(_FRAME)):
            for image in list(frame.iterchildren(_IMAGE)):
                part = part_named(image.get(_HREF, ""))
                if part in self._pictures:
                    image.set(_HREF, self._pictures.name(part))
                else:
                    frame.remove(image)
            if not any(child.tag in (_IMAGE, _TEXT_BOX) for child in frame):
                parent = frame.getparent()
                if parent is not None and parent.tag in P:
                    marker = etree.Element(f"{{{TEXT}}}span")
                    marker.text, marker.tail = MARKER, frame.tail
                    parent.replace(frame, marker)
                else:
                    drop(frame)
        kept = set(self._pictures.named)
        for image in list(root.iter(_IMAGE)):
            if image.get(_HREF) not in kept:
                drop(image)


def _forget_sizes(paragraph: etree._Element) -> None:
    """Gives shapes around withheld text constant sizes: programs write those that they fitted to the text."""
    for above in paragraph.iterancestors():
        for side, constant in _CONSTANTS.items():
            size, least = f"{{{SVG}}}{side}", f"{{{FO}}}min-{side}"
            if above.tag in _GROWING and size in above.attrib:
                above.set(size, constant)
            elif above.tag == _TEXT_BOX and least in above.attrib:
                above.set(least, constant)
                # The frame of a box that grows has the size that the box has now.
                if (frame := above.getparent()) is not None:
                    frame.attrib.pop(size, "")


def rewrite(piece: Piece, text: str) -> None:
    """Puts another text in place of the piece."""
    element = piece.element
    match piece.where:
        case "text":
            element.text = text
        case "tail":
            element.tail = text
        case "sign":
            # A tab or a break becomes text; its own element would show it still.
            element.tag = f"{{{TEXT}}}span"
            element.attrib.clear()
            element.text = text


def written(media_type: str, parts: Mapping[str, tuple[str, bytes]]) -> bytes:
    """An archive of parts, each with its type, that shows no time and no machine."""
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{escape(part)}" manifest:media-type="{kind}"/>'
        for part, (kind, _) in {"/": (media_type, b""), **parts}.items()
    )
    manifest = (
        f'{_XML}<manifest:manifest xmlns:manifest="{MANIFEST}" manifest:version="1.3">{entries}</manifest:manifest>'
    )
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        # First and stored, so that programs find it at a fixed place.
        put(archive, MIMETYPE, media_type.encode(), zipfile.ZIP_STORED)
        for part, (_, data) in parts.items():
            put(archive, part, data)
        put(archive, MANIFEST_PART, manifest.encode())
    return out.getvalue()


def _empty(root: etree._Element) -> None:
    """One marker in place of all of it, wherever a text has some."""
    for holder in list(root.iter(*_HOLDERS)):
        for child in list(holder):
            holder.remove(child)
        holder.text = None
        etree.SubElement(holder, f"{{{TEXT}}}p").text = MARKER


def _remove_paragraph(paragraph: etree._Element) -> None:
    """Removes a paragraph, and the note around it: its number would still show."""
    note = next(paragraph.iterancestors(_NOTE), None)
    drop(paragraph if note is None else note)
