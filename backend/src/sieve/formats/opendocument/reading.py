"""OpenDocument archives: the types of their parts, what is not read, and what of them may travel plain.

Invariant: as for all office documents, only the data of parts known to reveal nothing travel plain with any mark. Here
these are pictures that a frame shows and nothing else uses, and `content.xml` and `styles.xml`, each as long as it has
no mark, and only elements whose text no program computes from another part. Lists of parts, properties, settings,
thumbnails, macros and embedded objects never do.
"""

import posixpath
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import unquote

from lxml import etree

from sieve.core.sentence import Sentence
from sieve.core.units import Unit
from sieve.formats.errors import Damaged, Protected
from sieve.formats.office import xml_source
from sieve.formats.office.reading import OfficeReading
from sieve.formats.office.why_classified import COMPUTED
from sieve.formats.office.xml_source import local, space_of
from sieve.formats.opendocument import vocabulary
from sieve.formats.opendocument.paragraphs import Other, hiding_styles
from sieve.formats.opendocument.vocabulary import (
    CONFIG,
    DRAW,
    EDITION_PICTURE,
    FO,
    MANIFEST,
    META,
    NUMBER,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    tags,
)

MIMETYPE: Final = "mimetype"
MANIFEST_PART: Final = "META-INF/manifest.xml"
CONTENT: Final = "content.xml"
STYLES: Final = "styles.xml"
PROPERTIES: Final = "meta.xml"
_FIXED: Final = frozenset({CONTENT, STYLES, PROPERTIES, "settings.xml", MANIFEST_PART})
_OLD_DTD: Final = re.compile(rb'<!DOCTYPE [\w:.-]+ PUBLIC "-//OpenOffice\.org//DTD [\w .]+//EN" "[\w.]+"\s*>')
_OLD_MANIFEST: Final = f'<manifest:manifest xmlns:manifest="{MANIFEST}">'.encode()
_XML_ENDINGS: Final = (".xml", ".rdf", ".xlb", ".xdl", ".xba")
_PICTURE_SIGNS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_OBJECTS: Final = tags(DRAW, "object", "object-ole", "plugin", "applet", "floating-frame")
_IMAGE: Final = f"{{{DRAW}}}image"
_FRAME: Final = f"{{{DRAW}}}frame"
_HREF: Final = f"{{{XLINK}}}href"
_TIMES_AND_COUNTS: Final = frozenset(
    {"creation-date", "print-date", "date", "editing-cycles", "editing-duration", "date-string"}
)
_TIME_OR_COUNT: Final = re.compile(r"P?[-+0-9.:YMDTHSZ]*")
_SWITCHES_AS_STRINGS: Final = frozenset({"PrinterIndependentLayout"})
_HARMLESS_SPACES: Final = frozenset({STYLE, NUMBER, FO, SVG})
_HARMLESS: Final = (
    tags(OFFICE, "document-content", "document-styles", "scripts", "font-face-decls", "styles", "automatic-styles")
    | tags(OFFICE, "master-styles", "body", "text", "spreadsheet")
    | tags(TEXT, "p", "h", "span", "s", "tab", "line-break", "a", "list", "list-item", "list-header", "section")
    | tags(TEXT, "note", "note-citation", "note-body", "bookmark", "bookmark-start", "bookmark-end")
    | tags(TEXT, "sequence-decls", "sequence-decl", "list-style", "list-level-style-number", "list-level-style-bullet")
    | tags(TEXT, "outline-style", "outline-level-style", "notes-configuration", "linenumbering-configuration")
    | tags(TEXT, "linenumbering-separator", "note-continuation-notice-forward", "note-continuation-notice-backward")
    | tags(TEXT, "bibliography-configuration", "sort-key")
    | tags(TABLE, "table", "table-column", "table-columns", "table-header-columns", "table-row", "table-rows")
    | tags(TABLE, "table-header-rows", "table-row-group", "table-column-group", "table-cell", "covered-table-cell")
    | tags(TABLE, "calculation-settings", "table-template", "body", "first-row", "last-row", "first-column")
    | tags(TABLE, "last-column", "even-rows", "odd-rows", "even-columns", "odd-columns", "background")
    | tags(DRAW, "frame", "image", "text-box", "marker", "gradient", "stroke-dash", "hatch", "opacity", "layer-set")
    | tags(DRAW, "layer")
    | tags(vocabulary.LOEXT, "graphic-properties", "theme", "theme-colors", "color")
)
"""Elements that say the same whatever another part says."""
_COMPUTED: Final = frozenset({"formula", "condition"})


class OpenDocumentReading(OfficeReading):
    """An OpenDocument file, read."""

    media_types: tuple[str, ...]
    """What its first entry may say: the format, then its templates."""
    what: str
    """What people call a file of it."""

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected, too large, or of another format."""
        super().__init__(data)
        if self._media_type() not in self.media_types:
            raise Damaged(f"this is no {self.what}: its media type is missing; save it again as .{self.name}")
        self._types = self._read_manifest()
        if CONTENT not in self.container.entries:
            raise Damaged(f"this is no {self.what}: {CONTENT} is missing; save it again as .{self.name}")
        self.stories: list[str] = [part for part in (CONTENT, STYLES) if part in self.container.entries]
        """The parts with text that readers see."""
        self.hiding = hiding_styles(self.tree(part) for part in self.stories)

    def _media_type(self) -> str:
        if MIMETYPE not in self.container.entries:
            return ""
        return self.container.read(MIMETYPE).decode("ascii", "replace").strip()

    def _read_manifest(self) -> dict[str, str]:
        if MANIFEST_PART not in self.container.entries:
            raise Damaged(f"this is no {self.what}: the list of its parts is missing; save it again as .{self.name}")
        types: dict[str, str] = {}
        root = self.tree(MANIFEST_PART)
        if next(root.iter(f"{{{MANIFEST}}}encryption-data", f"{{{MANIFEST}}}encrypted-key"), None) is not None:
            raise Protected("the file is protected by a password; remove it in LibreOffice and try again")
        for entry in root.iter(f"{{{MANIFEST}}}file-entry"):
            types[entry.get(f"{{{MANIFEST}}}full-path", "")] = entry.get(f"{{{MANIFEST}}}media-type", "")
        return types

    def tree(self, part: str) -> etree._Element:
        """The part's XML. Lists of parts and macros of older programs name their DTD. Raises Damaged or TooLarge."""
        data = self.container.read(part)
        if part in (CONTENT, STYLES):
            return xml_source.parse(data)
        data, found = _OLD_DTD.subn(b"", data, count=1)
        # That DTD declares the namespace.
        return xml_source.parse(data.replace(b"<manifest:manifest>", _OLD_MANIFEST, 1) if found else data)

    @abstractmethod
    def is_constant(self, element: etree._Element) -> bool:
        """Whether an element that usually shows what a program computes has the text that it always has."""

    def may_travel_plain(self, part: str) -> bool:
        """Only the text and the styles, if no program computes anything in them from other parts."""
        return part in self.stories and all(map(self._may_be_plain, self.tree(part).iter(etree.Element)))

    def _may_be_plain(self, element: etree._Element) -> bool:
        if space_of(str(element.tag)) not in _HARMLESS_SPACES and element.tag not in _HARMLESS:
            return self.is_constant(element)
        return not any(local(key) in _COMPUTED and space_of(key) != STYLE for key in map(str, element.attrib))

    def why_never_plain(self, part: str) -> Sentence | None:
        """The text and the styles, with content that depends on other parts."""
        return COMPUTED if part in self.stories and not self.may_travel_plain(part) else None

    def shown_pictures(self) -> set[str]:
        """Pictures that frames show, and that nothing else refers to. The pictures of objects show what these hold."""
        shown: set[str] = set()
        other: set[str] = set()
        for story in self.stories:
            for element in self.tree(story).iter(etree.Element):
                href = element.get(_HREF)
                if href is None:
                    continue
                frame = element.getparent()
                alone = (
                    element.tag == _IMAGE
                    and frame is not None
                    and frame.tag == _FRAME
                    and not any(sibling.tag in _OBJECTS for sibling in frame)
                )
                (shown if alone else other).add(part_named(href))
        return {part for part in shown - other if part in self.container.entries and part not in _FIXED}

    def named_below(self, elements: Iterable[etree._Element]) -> set[str]:
        """The parts that elements of a story refer to."""
        named = {part_named(href) for element in elements if (href := element.get(_HREF)) is not None}
        return (named & self.container.entries.keys()) - _FIXED

    def is_picture(self, part: str) -> bool:
        """Whether its first bytes are those of PNG or JPEG: some programs do not list the types of pictures."""
        return not self.is_xml(part) and next(self.container.pieces(self.container.entries[part]), b"").startswith(
            _PICTURE_SIGNS
        )

    def is_structure(self, part: str) -> bool:
        """None: styles contain headers and footers."""
        return False

    def is_kept_structure(self, part: str) -> bool:
        """None. A redacted edition keeps names of styles, but without those that are units."""
        return False

    def has_lists(self, part: str) -> bool:
        """The styles."""
        return part == STYLES

    def is_directory(self, part: str) -> bool:
        """The media type and the list of parts."""
        return part in (MIMETYPE, MANIFEST_PART)

    def type_of(self, part: str) -> str:
        """The content type of the part; empty if the file does not say."""
        return self._types.get(part, "")

    def is_xml(self, part: str) -> bool:
        """Whether the part must be XML, or claims to be."""
        return part in _FIXED or part.endswith(_XML_ENDINGS) or self.type_of(part).endswith(("/xml", "+xml"))

    def named_attributes(self, part: str, root: etree._Element) -> Iterator[tuple[str, str]]:
        """Kind and text of each attribute of the part that contains text."""
        return vocabulary.text_in_attributes(root)

    def named_texts(self, source: str) -> Iterator[str]:
        """What people wrote into attributes and comments of well-formed XML."""
        return vocabulary.named_texts(source)

    def checked_attributes(self, part: str, source: str) -> Iterator[str]:
        """All but the names that an edition gives to its pictures."""
        return (value for value in super().checked_attributes(part, source) if not EDITION_PICTURE.fullmatch(value))

    def is_stock_text(self, element: etree._Element, text: str) -> bool:
        """Whether the program itself wrote the text in this element: its name, times, counts and switches."""
        name = local(element.tag)
        if space_of(str(element.tag)) == CONFIG:
            is_switch = element.get(f"{{{CONFIG}}}name") in _SWITCHES_AS_STRINGS
            return is_switch or element.get(f"{{{CONFIG}}}type") != "string" or not any(map(str.isalpha, text))
        if space_of(str(element.tag)) == NUMBER:
            return not any(map(str.isalnum, text))
        if name == "generator":
            return space_of(str(element.tag)) == META
        return name in _TIMES_AND_COUNTS and _TIME_OR_COUNT.fullmatch(text) is not None

    def story_units(self, part: str, others: list[Other]) -> Iterator[Unit]:
        """The text of a story outside of its paragraphs."""
        for number, other in enumerate(others, 1):
            address = f"{part}/t{number}"
            if not other.text:
                yield Unit(address, "", "picture", other.hidden)
            elif not (other.where == "text" and self.is_stock_text(other.element, other.text)):
                yield Unit(address, other.text, local(other.element.tag), other.hidden or "text outside of the pages")

    def units_beside(self) -> Iterator[Unit]:
        """The text of all parts that are no stories."""
        for part in self.parts:
            if part not in self.stories and not self.is_directory(part):
                yield from self.other_units(part, self._hides(part))

    def _hides(self, part: str) -> str:
        if part == PROPERTIES:
            return "a property"
        if part.startswith("Pictures/") and not self.is_xml(part):
            return ""
        return "text outside of the pages" if self.is_xml(part) else "an embedded part"


def part_named(href: str) -> str:
    """The part that a link in a story names."""
    return posixpath.normpath(unquote(href)).lstrip("/")
