"""The vocabulary of OpenDocument: its namespaces, and which of its attributes contain text.

Invariant: what people can see or a program can show is a unit. Attributes listed here contain text, and so does each
attribute of a namespace that is not OpenDocument's. Names that LibreOffice gives to its own styles are left out.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Final

from lxml import etree

from sieve.formats.office.xml_source import attributes, is_vocabulary, local, space_of, without_sections

_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE: Final = f"{_OASIS}office:1.0"
STYLE: Final = f"{_OASIS}style:1.0"
TEXT: Final = f"{_OASIS}text:1.0"
TABLE: Final = f"{_OASIS}table:1.0"
DRAW: Final = f"{_OASIS}drawing:1.0"
FO: Final = f"{_OASIS}xsl-fo-compatible:1.0"
SVG: Final = f"{_OASIS}svg-compatible:1.0"
NUMBER: Final = f"{_OASIS}datastyle:1.0"
CONFIG: Final = f"{_OASIS}config:1.0"
META: Final = f"{_OASIS}meta:1.0"
MANIFEST: Final = f"{_OASIS}manifest:1.0"
SCRIPT: Final = f"{_OASIS}script:1.0"
FORM: Final = f"{_OASIS}form:1.0"
XLINK: Final = "http://www.w3.org/1999/xlink"
DC: Final = "http://purl.org/dc/elements/1.1/"
LOEXT: Final = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"
CALCEXT: Final = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
FIELD: Final = "urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"

PREFIXES: Final = {
    "office": OFFICE,
    "style": STYLE,
    "text": TEXT,
    "table": TABLE,
    "draw": DRAW,
    "fo": FO,
    "svg": SVG,
    "number": NUMBER,
    "xlink": XLINK,
}
"""The namespaces of a redacted edition."""

EDITION_PICTURE: Final = re.compile(r"Pictures/image[0-9]{1,6}\.(?:png|jpg)")
"""What redacted editions call their pictures."""
_OF_OPENDOCUMENT: Final = (
    _OASIS,
    "urn:org:documentfoundation:names:",
    "urn:openoffice:names:",
    "http://openoffice.org/",
    "http://www.openoffice.org/",
    "http://purl.org/dc/",
    "http://www.w3.org/",
)
_MEASURED: Final = frozenset({FO, SVG, NUMBER, f"{_OASIS}dr3d:1.0", f"{_OASIS}smil-compatible:1.0", MANIFEST, CONFIG})
"""Namespaces whose attributes are measures, switches and names of the program."""
_BIBLIOGRAPHY: Final = (
    *("address", "annote", "author", "booktitle", "chapter", "custom1", "custom2", "custom3", "custom4", "custom5"),
    *("edition", "editor", "howpublished", "identifier", "institution", "isbn", "issn", "journal", "month", "note"),
    *("number", "organizations", "pages", "publisher", "report-type", "school", "series", "url", "volume", "year"),
)
_KINDS: Final = {
    **dict.fromkeys(_BIBLIOGRAPHY, "bibliography entry"),
    "alias": "title of a content control",
    "caption-id": "caption",
    "code": "link target",
    "column-name": "field of a database",
    "command": "query",
    "comment": "remark",
    "condition": "condition",
    "connection-name": "connection",
    "current-value": "value of a form field",
    "data-field": "field of a database",
    "database-name": "connection",
    "database-table-name": "connection",
    "datasource": "connection",
    "date-value": "value",
    "dde-application": "link target",
    "dde-item": "link target",
    "dde-topic": "link target",
    "description": "description",
    "display-name": "name that is shown",
    "display-text": "choice of a list",
    "expression": "formula",
    "field-name": "name of an object",
    "filter": "query",
    "formula": "formula",
    "frame-name": "name of an object",
    "href": "link target",
    "index-name": "name of an object",
    "key": "index entry",
    "key1": "index entry",
    "key1-phonetic": "index entry",
    "key2": "index entry",
    "key2-phonetic": "index entry",
    "label": "label",
    "list-source": "query",
    "macro-name": "macro",
    "max-value": "value of a form field",
    "member-name": "name of an object",
    "min-value": "value of a form field",
    "name": "name of an object",
    "object-name": "name of an object",
    "query-name": "query",
    "ref-name": "link anchor",
    "section-name": "name of an object",
    "source-field-name": "name of an object",
    "sql-statement": "query",
    "string-value": "value",
    "string-value-if-false": "value",
    "string-value-if-true": "value",
    "string-value-phonetic": "pronunciation",
    "table-name": "name of an object",
    "tag": "tag of a content control",
    "target-frame": "name of an object",
    "target-frame-name": "name of an object",
    "text-line-through-text": "text of a style",
    "time-value": "value",
    "title": "title of an object",
    "user-name": "name of an author",
    "value": "value",
}
"""By local name, in all namespaces of OpenDocument but those of measures and of styles."""
_KINDS_OF_STYLES: Final = {
    "name": "name of a style",
    "display-name": "name of a style",
    "condition": "condition",
    "num-prefix": "text of a numbering",
    "num-suffix": "text of a numbering",
    "text-line-through-text": "text of a style",
}
_EQUATION: Final = f"{{{DRAW}}}equation"
"""A step in computing the outline of a shape."""
_UNKNOWN: Final = "attribute"
_NAMES_OF_STYLES: Final = frozenset({"name of a style"})
_NAMES_OF_OBJECTS: Final = frozenset({"name of an object", "name that is shown"})
_MAY_SAY_NOTHING: Final = frozenset({_UNKNOWN, "value", "condition", "bibliography entry", "text of a numbering"})
"""Kinds that are units only with a letter, or with five digits."""
_LONG: Final = 5
_INTERNAL: Final = re.compile(r"(\./)?(Pictures|Media|Object|ObjectReplacements|Basic|Dialogs)[ /].*|\.?/?Object \d+")
_STOCK: Final = frozenset(
    {
        *("Abstract", "Accent", "Addressee", "Arrowheads", "Author", "Bad", "Bibliography", "Block Text"),
        *("Bullet", "Bullet Symbols", "Caption", "Caption characters", "Citation", "Comment", "Compact"),
        *("Complimentary close", "Contents", "Date", "Default", "Default Paragraph Style", "Default Style"),
        *("Definition", "Definition List", "Definition Term", "Drawing", "Drop Caps", "Emphasis", "Endnote"),
        *("Endnote Symbol", "Endnote anchor", "Envelope", "Error", "Example", "Figure", "Figure with caption"),
        *("FigureCaption", "First Page", "First line indent", "Footer", "Footnote", "Footnote Symbol"),
        *("Footnote anchor", "Formula", "Frame", "Frame contents", "Good", "Gradient", "Graphics", "HTML"),
        *("Hanging indent", "Header", "Header and Footer", "Heading", "Horizontal Line", "Hyperlink"),
        *("Illustration", "Illustration Index", "Image Caption", "Index", "Index Link", "Internet link"),
        *("Labels", "Landscape", "Left Page", "Line numbering", "List", "List Contents", "List Heading"),
        *("Main index entry", "Marginalia", "Neutral", "No List", "Note", "Numbering", "OLE", "Object"),
        *("Object Index", "Outline", "Page Number", "Placeholder", "Preformatted Text", "Quotations", "Report"),
        *("Result", "Right Page", "Rubies", "Salutation", "Sender", "Signature", "Source Text", "Standard"),
        *("Status", "Strong Emphasis", "Subtitle", "Symbols", "Table", "Table Contents", "Table Heading"),
        *("Table Index", "TableCaption", "Teletype", "Text", "Text body", "Text body indent", "Title"),
        *("Transparency", "User Entry", "User Index", "Variable", "Vertical Numbering Symbols"),
        *("Visited Internet Link", "Warning", "Watermark", "gradient"),
    }
)
"""Names that LibreOffice and pandoc give to styles and counters of their own."""
_NUMBERED: Final = re.compile(r"([ _](Heading|Start|End|Cont\.|Separator|[0-9]{1,2}))*")
_AUTOMATIC: Final = re.compile(r"[A-Za-z]{1,5}[0-9]{1,4}(\.[A-Z]{1,2}[0-9]{0,4})?")
"""Names that programs count through, such as P12 and Table1.A2."""
_ENCODED: Final = re.compile(r"_([0-9a-f]{1,5})_")
_SURROGATES: Final = range(0xD800, 0xE000)
_ABOVE_SURROGATES: Final = range(0xE000, 0x110000)
_NAMED: Final = re.compile(
    r"[\s:](?:" + "|".join(sorted(_KINDS | _KINDS_OF_STYLES)) + r""")\s*=\s*(?:"([^"<]*)"|'([^'<]*)')"""
    r"|<!--(.*?)-->|<\?(.*?)\?>",
    re.DOTALL,
)


_NAMED_STYLE: Final = re.compile(r"""-name\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
"""References to styles."""


def tags(space: str, *names: str) -> frozenset[str]:
    """The tags of these elements of a namespace."""
    return frozenset(f"{{{space}}}{name}" for name in names)


def attribute_kind(tag: str, key: str) -> str:
    """The name of the kind of text in this attribute; empty if it contains no text."""
    space, name = space_of(key), local(key)
    if tag == _EQUATION:
        return ""
    if space == STYLE:
        return _KINDS_OF_STYLES.get(name, "")
    if space in _MEASURED:
        return ""
    if space and space.startswith(_OF_OPENDOCUMENT):
        return _KINDS.get(name, "")
    return "" if not space and space_of(tag).startswith(_OF_OPENDOCUMENT) else _UNKNOWN


def text_in_attributes(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Kind and text of each attribute that contains text."""
    kind_of = cache(attribute_kind)
    for element in root.iter(etree.Element):
        tag = str(element.tag)
        for key, value in attributes(element):
            kind = kind_of(tag, key)
            if kind and value.strip() and not _is_stock(element, kind, key, value):
                yield kind, decoded(value) if kind in _NAMES_OF_STYLES else value


def named_texts(source: str) -> Iterator[str]:
    """What people wrote into attributes and comments of well-formed XML."""
    for match in _NAMED.finditer(without_sections(source)):
        text = unescape(next(filter(None, match.groups()), ""))
        # Some prefixes of namespaces are called like attributes.
        if not is_vocabulary(text) and not EDITION_PICTURE.fullmatch(text):
            yield text
    for name in {unescape(match[1] or match[2] or "") for match in _NAMED_STYLE.finditer(source)}:
        yield name
        yield decoded(name)


def decoded(name: str) -> str:
    """The name of a style as a person typed it.

    >>> decoded("North_20_Wind")
    'North Wind'
    """
    return _ENCODED.sub(_character, name)


def is_stock_name(name: str) -> bool:
    """Whether a program gives this name to a style of its own."""
    if _AUTOMATIC.fullmatch(name):
        return True
    words = re.split("[ _]", name)
    # "Heading 1" and "List 1 Start" are made from "Heading" and "List".
    return any(
        " ".join(words[:count]) in _STOCK and _NUMBERED.fullmatch("".join(f" {word}" for word in words[count:]))
        for count in range(1, len(words) + 1)
    )


def _is_stock(element: etree._Element, kind: str, key: str, value: str) -> bool:
    """Whether the program itself wrote the value of an attribute."""
    if kind in _NAMES_OF_STYLES or (kind in _NAMES_OF_OBJECTS and is_stock_name(decoded(value))):
        # Programs number automatic styles and shapes; a font's name is one of a font.
        is_font = local(element.tag) == "font-face"
        above = element.getparent()
        return (
            is_font or is_stock_name(decoded(value)) or (above is not None and local(above.tag) == "automatic-styles")
        )
    if kind == "link target" and space_of(key) == XLINK:
        return _INTERNAL.fullmatch(value) is not None or value in ("../", "./", "/")
    if kind in _MAY_SAY_NOTHING:
        return not _says(value)
    return is_vocabulary(value)


def _character(code: re.Match[str]) -> str:
    number = int(code[1], 16)
    return chr(number) if number < _SURROGATES.start or number in _ABOVE_SURROGATES else code[0]


def _says(value: str) -> bool:
    return any(character.isalpha() for character in value) or sum(map(str.isdigit, value)) >= _LONG
