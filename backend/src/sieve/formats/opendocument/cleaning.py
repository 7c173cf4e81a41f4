"""Takes what a redacted edition must not have out of the XML of an OpenDocument part.

Invariant: only listed elements and attributes of listed namespaces are kept, with text only in paragraphs and where the
listed elements need it. Fields become the text that they show. No attribute in which people write is kept, except the
names of styles; those that contain a marked text get another name.
"""

import re
from collections.abc import Iterable
from typing import Final

from lxml import etree

from sieve.formats.marker import MARKER
from sieve.formats.office.xml_scrubber import XmlScrubber
from sieve.formats.office.xml_source import attributes, local, space_of
from sieve.formats.opendocument.paragraphs import NOTE_BODY, P
from sieve.formats.opendocument.vocabulary import (
    DRAW,
    FIELD,
    FO,
    LOEXT,
    NUMBER,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    attribute_kind,
    decoded,
    tags,
)

_KEPT_SPACES: Final = frozenset({NUMBER})
_KEPT: Final = (
    tags(OFFICE, "document-content", "document-styles", "font-face-decls", "styles", "automatic-styles")
    | tags(OFFICE, "master-styles", "body", "text", "spreadsheet")
    | tags(STYLE, "font-face", "default-style", "style", "map", "default-page-layout", "page-layout", "master-page")
    | tags(STYLE, "text-properties", "paragraph-properties", "section-properties", "ruby-properties")
    | tags(STYLE, "table-properties", "table-column-properties", "table-row-properties", "table-cell-properties")
    | tags(STYLE, "graphic-properties", "list-level-properties", "list-level-label-alignment", "tab-stops", "tab-stop")
    | tags(STYLE, "drop-cap", "columns", "column", "column-sep", "page-layout-properties", "header-style")
    | tags(STYLE, "footer-style", "header-footer-properties", "footnote-sep", "header", "header-left", "header-first")
    | tags(STYLE, "footer", "footer-left", "footer-first", "region-left", "region-center", "region-right")
    | tags(TEXT, "p", "h", "span", "s", "tab", "line-break", "list", "list-item", "list-header", "numbered-paragraph")
    | tags(TEXT, "note", "note-citation", "note-body", "list-style", "list-level-style-number")
    | tags(TEXT, "list-level-style-bullet", "outline-style", "outline-level-style", "notes-configuration")
    | tags(TABLE, "table", "table-column", "table-columns", "table-header-columns", "table-column-group", "table-row")
    | tags(TABLE, "table-rows", "table-header-rows", "table-row-group", "table-cell", "covered-table-cell")
    | tags(DRAW, "frame", "image", "text-box", "g", "custom-shape", "enhanced-geometry", "equation", "rect", "line")
    | tags(DRAW, "ellipse", "circle", "polygon", "polyline", "path", "connector", "marker", "gradient", "stroke-dash")
    | tags(DRAW, "hatch", "opacity")
)
_WRAPPERS: Final = (
    tags(TEXT, "section", "index-body", "index-title", "table-of-content", "illustration-index", "table-index")
    | tags(TEXT, "object-index", "user-index", "alphabetical-index", "bibliography")
    | tags(DRAW, "a")
)
"""Elements whose contents are kept without them."""
_REMOVED: Final = (
    tags(TEXT, "tracked-changes", "hidden-text", "hidden-paragraph", "script", "list-level-style-image")
    | tags(TEXT, "table-of-content-source", "illustration-index-source", "table-index-source", "object-index-source")
    | tags(TEXT, "user-index-source", "alphabetical-index-source", "bibliography-source")
)
"""Elements in paragraphs whose text is not kept either."""
_WITH_TEXT: Final = P | tags(TEXT, "span", "note-citation") | tags(NUMBER, "text", "currency-symbol", "embedded-text")
_FIELDS: Final = frozenset({TEXT, LOEXT, FIELD})
_SPACES: Final = frozenset({FO, STYLE, SVG, DRAW, TABLE, TEXT, NUMBER})
_NAMES: Final = frozenset({"name", "display-name"})
_NEEDED: Final = frozenset({(STYLE, "name"), (STYLE, "display-name"), (STYLE, "num-prefix"), (STYLE, "num-suffix")})
"""Attributes in which people write, but which styles need."""
_NAMED_SHAPES: Final = tags(DRAW, "marker", "gradient", "stroke-dash", "hatch", "opacity")
"""What styles refer to by name."""
_LEFT_OUT: Final = frozenset({"id", "change-id", "protection-key", "list-id", "continue-list"})
_CONDITION: Final = re.compile(r"value\(\)[<>=!]{1,2}-?[0-9.]+")
_VERSION: Final = re.compile(r"1\.[0-9]")
_MAP: Final = f"{{{STYLE}}}map"
_IMAGE: Final = f"{{{DRAW}}}image"
_DROPPED: Final = "dropped"
"""Replaces the tag of an element that is removed with its contents, but not the text after it."""
_DISSOLVED: Final = "dissolved"
"""Of one that is replaced by its text and its children."""


class Cleaner:
    """Cleans the stories of one document."""

    def __init__(self, scrubber: XmlScrubber, roots: Iterable[etree._Element]) -> None:
        """`roots`: all stories, since one has the names of styles that another refers to."""
        self._scrubber = scrubber
        self._names: dict[str, str] = {}
        for root in roots:
            self._find_names(root)

    def clean(self, root: etree._Element) -> None:
        """Keeps of a story only what an edition may have. Its paragraphs are redacted already."""
        # From the leaves, so that what a removed or dissolved element contains is done.
        for element in reversed(list(root.iter(etree.Element))):
            tag = element.tag
            if tag in _KEPT or space_of(str(tag)) in _KEPT_SPACES:
                if tag == _MAP and not _CONDITION.fullmatch(element.get(f"{{{STYLE}}}condition", "")):
                    element.tag = _DROPPED
                else:
                    self._clean_attributes(element)
            elif element is not root:
                is_field = space_of(str(tag)) in _FIELDS and _in_paragraph(element) and tag not in _REMOVED
                element.tag = _DISSOLVED if is_field or tag in _WRAPPERS else _DROPPED
        # All at once: to move the text after each by itself takes quadratic time.
        etree.strip_elements(root, _DROPPED, with_tail=False)
        etree.strip_tags(root, _DISSOLVED)
        for element in root.iter(etree.Element):
            if element.tag not in _WITH_TEXT:
                element.text = None
            elif space_of(str(element.tag)) == NUMBER and self._scrubber.distinctive.in_text(element.text or ""):
                element.text = MARKER
            parent = element.getparent()
            if parent is None or parent.tag not in _WITH_TEXT:
                element.tail = None

    def name_of_style(self, name: str) -> str:
        """What the edition calls the style."""
        return self._names.get(name, name)

    def _clean_attributes(self, element: etree._Element) -> None:
        tag = str(element.tag)
        for key, value in list(attributes(element)):
            name = local(key)
            if value in self._names and _is_name(tag, key):
                # A name that is shown need not be there.
                if name == "display-name":
                    del element.attrib[key]
                else:
                    element.set(key, self._names[value])
            elif not self._is_kept(tag, key, value):
                del element.attrib[key]

    def _is_kept(self, tag: str, key: str, value: str) -> bool:
        space, name = space_of(key), local(key)
        if space == OFFICE:
            return name == "version" and _VERSION.fullmatch(value) is not None
        if space == XLINK:
            return tag == _IMAGE and name == "href"
        if space not in _SPACES or name in _LEFT_OUT:
            return False
        if (space, name) in _NEEDED:
            return not self._scrubber.distinctive.in_text(value)
        if attribute_kind(tag, key) and tag not in _NAMED_SHAPES and not (tag == _MAP and name == "condition"):
            return False
        return not self._scrubber.in_attribute(local(tag), name, value)

    def _find_names(self, root: etree._Element) -> None:
        """Gives other names to styles whose names contain a marked text."""
        for element in root.iter(etree.Element):
            for key, value in attributes(element):
                if _is_name(element.tag, key) and value not in self._names and self._contains(value):
                    self._names[value] = f"Withheld{len(self._names) + 1}"

    def _contains(self, name: str) -> bool:
        typed = decoded(name)
        return any(
            self._scrubber.distinctive.in_text(form) or self._scrubber.in_attribute("style", "name", form)
            for form in (name, typed, typed.replace("_", " "))
        )


def _is_name(tag: object, key: str) -> bool:
    """Whether an attribute has the name of a style, or of something that styles refer to."""
    name = local(key)
    return name.endswith("-name") or (name in _NAMES and (space_of(key) == STYLE or tag in _NAMED_SHAPES))


def _in_paragraph(element: etree._Element) -> bool:
    """Whether the text of the element belongs to a paragraph."""
    above = element.getparent()
    while above is not None and above.tag not in P:
        if space_of(str(above.tag)) not in _FIELDS or above.tag in NOTE_BODY:
            return False
        above = above.getparent()
    return above is not None
