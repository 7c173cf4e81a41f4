"""Which attributes of Office XML contain text, and which text the program itself wrote.

Invariant: what people can see or a program can show is a unit. In the vocabularies of Office, which consist of switches
and measures, the attributes listed here contain text; in any other XML, every attribute does. What the program itself
writes is left out, so that it does not bury the rest: counts, booleans, times and versions among the properties of a
file, the program's name, and the names of its built-in fonts, formats and styles.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from typing import Final

from lxml import etree

from sieve.formats.office.xml_source import attributes, is_vocabulary, local, space_of, without_sections

NAMING_ATTRIBUTES: Final = {
    "alt": "alternative text",
    "anchor": "link anchor",
    "author": "name of an author",
    "caption": "caption",
    "codeName": "name for programs",
    "command": "query",
    "comment": "remark",
    "connection": "connection",
    "descr": "alternative text",
    "description": "description",
    "display": "link text",
    "displayName": "name that is shown",
    "displayText": "choice of a list",
    "docLocation": "link anchor",
    "error": "message",
    "errorTitle": "message",
    "formatCode": "number format",
    "href": "link target",
    "initials": "name of an author",
    "instr": "field code",
    "lastModifiedBy": "name of an author",
    "location": "link anchor",
    "name": "name of an object",
    "prompt": "message",
    "promptTitle": "message",
    "refreshedBy": "name of an author",
    "src": "link target",
    "string": "watermark",
    "text": "text of a rule",
    "title": "title of an object",
    "tooltip": "tooltip",
    "totalsRowLabel": "label of a total",
    "url": "link target",
    "user": "name of an author",
    "userId": "name of an author",
    "userName": "name of an author",
    "v": "value of a pivot table",
    "xpath": "path in bound XML",
}
"""Attributes in which people, or programs on their behalf, write text."""
NAMING_ELEMENTS: Final = {
    "addressFieldName": "field of a mail merge",
    "alias": "title of a content control",
    "aliases": "name of a style",
    "attr": "smart tag",
    "cfvo": "value of a rule",
    "connectString": "connection",
    "customFilter": "value of a filter",
    "default": "default of a form field",
    "docVar": "document variable",
    "filter": "value of a filter",
    "helpText": "help text",
    "inputCells": "value of a scenario",
    "listEntry": "choice of a list",
    "listItem": "choice of a list",
    "lvlText": "text of a numbering",
    "mailSubject": "subject of a mail merge",
    "mappedName": "field of a mail merge",
    "name": "name of a style or form field",
    "query": "query",
    "sheetName": "name of a sheet",
    "statusText": "help text",
    "tag": "tag of a content control",
    "tblCaption": "alternative text",
    "tblDescription": "alternative text",
    "udl": "connection",
}
"""Elements with such text in their attribute `val`."""
_NAMED: Final = re.compile(
    r"[\s:](?:" + "|".join(NAMING_ATTRIBUTES) + r""")\s*=\s*(?:"([^"<]*)"|'([^'<]*)')"""
    r"|<(?:[\w.-]+:)?(?:" + "|".join(NAMING_ELEMENTS) + r""")\s[^>]*?\bval\s*=\s*(?:"([^"<]*)"|'([^'<]*)')"""
    r"|<!--(.*?)-->|<\?(.*?)\?>",
    re.DOTALL,
)
_CODE_OF_A_PAGE_HEADER: Final = re.compile(
    r"&(?:(?P<place>[LCR])|\"[^\"]*\"|K[0-9A-F]{2}[0-9A-F+-][0-9A-F]{3}|[0-9]{1,3}|(?P<sign>&)|[A-Z])", re.IGNORECASE
)
_AROUND_PAGE_NUMBERS: Final = frozenset({"page", "of", "seite", "von", "página", "pagina", "de", "di", "sur", "/", "-"})
_NAME_OF_A_THING: Final = re.compile(r"\{[0-9A-Fa-f-]{36}\}|rId[0-9]+")
_COUNT_OR_TRUTH: Final = re.compile(r"[-+0-9.,:;%\s]*|true|false|t|f", re.IGNORECASE)
_TIME_OR_LANGUAGE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?|[a-z]{2,3}(?:-[A-Z]{2})?")
_OF_THE_PROGRAM: Final = frozenset({"Application", "AppVersion", "TextHAlign", "TextVAlign"})
_TEMPLATES: Final = frozenset({"Normal.dotm", "Normal.dot", "Normal"})
_PROPERTIES_OF_THE_PROGRAM: Final = frozenset({"created", "modified", "lastPrinted", "language", "revision"})
_MEASURED: Final = (
    "/extended-properties",
    "/extendedProperties",
    "/spreadsheetDrawing",
    "/wordprocessingDrawing",
    "urn:schemas-microsoft-com:office:excel",
)
"""Endings of namespaces in which numbers and booleans written as text are counts, positions and switches."""
_STOCK_OF_A_FORMAT: Final = re.compile(
    r"General|AM/PM|A/P|\[\$[^\]A-Za-z]*-[0-9A-Fa-f]+\]|\[(?:Black|Blue|Cyan|Green|Magenta|Red|White|Yellow|h+|m+|s+)\]"
    r"|[ymdhsegb]|E[+-]",
    re.IGNORECASE,
)


def attribute_kind(element: str, attribute: str) -> str:
    """The name of the kind of text in this attribute; empty if it contains no text."""
    if element in NAMING_ELEMENTS and attribute in ("val", "value"):
        return NAMING_ELEMENTS[element]
    return NAMING_ATTRIBUTES.get(attribute, "")


def named_texts(source: str) -> Iterator[str]:
    """What people wrote into attributes and comments of well-formed XML."""
    for match in _NAMED.finditer(without_sections(source)):
        yield unescape(next(filter(None, match.groups()), ""))


def text_in_attributes(root: etree._Element, *, known: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Kind and text of each attribute that contains text. `known`: returns whether a namespace is listed here."""

    @cache
    def kind_of(tag: str, key: str) -> str:
        space = space_of(key)
        is_known = known(space_of(tag)) and (not space or known(space))
        return attribute_kind(local(tag), local(key)) or ("" if is_known else _UNKNOWN)

    styles = _names_of_styles(root)
    for element in root.iter(etree.Element):
        if not element.attrib or _is_stock(element, styles):
            continue
        tag = str(element.tag)
        for key, value in attributes(element):
            kind = kind_of(tag, key)
            says = _KINDS_THAT_MAY_SAY_NOTHING.get(kind)
            if kind and value.strip() and (says is None or says(value)):
                yield kind, value


def page_header_text(coded: str) -> str:
    """What people wrote in an Excel page header, a line for each of its three places; empty for "Page 1 of 2" alone.

    >>> page_header_text('&L&"Arial,Bold"&12North&CPage &P of R&&D')
    'North\\nPage  of R&D'
    """

    def read(code: re.Match[str]) -> str:
        return "\n" if code["place"] else code["sign"] or ""

    text = _CODE_OF_A_PAGE_HEADER.sub(read, coded).strip()
    return "" if _AROUND_PAGE_NUMBERS.issuperset(text.casefold().split()) else text


def is_of_office(space: str) -> bool:
    """Whether a namespace belongs to Office or XML."""
    return is_vocabulary(space) or space.startswith(("http://purl.org/dc/", "http://schemas.libreoffice.org/"))


def is_of_old_drawings(space: str) -> bool:
    """The same for old drawings, which contain some HTML."""
    return is_of_office(space) or not space


def is_of_office_but_excel(space: str) -> bool:
    """The same for parts that use Excel's vocabulary in ways not listed here."""
    return is_of_office(space) and "spreadsheetml" not in space


def _is_stock(element: etree._Element, styles: frozenset[str]) -> bool:
    """Whether the element contains built-in names of a program."""
    name = local(element.tag)
    if name in ("lsdException", "compatSetting"):
        return True
    if name == "cellStyle":
        return element.get("builtinId") is not None
    parent = element.getparent() if name in ("name", "aliases") else None
    if parent is None:
        return False
    if local(parent.tag) != "style":
        return local(parent.tag) == "font"
    return not any(local(key) == "customStyle" for key in parent.attrib) or _is_twin(element, styles)


def is_stock_text(element: etree._Element, text: str) -> bool:
    """Whether the program itself wrote the text in this element."""
    space, name = space_of(str(element.tag)), local(element.tag)
    if space.endswith(_MEASURED):
        return (
            _COUNT_OR_TRUTH.fullmatch(text) is not None
            or name in _OF_THE_PROGRAM
            or (name == "Template" and text in _TEMPLATES)
        )
    if space.endswith("/docPropsVTypes"):
        # All custom properties, which have the same types, are units.
        above = {local(ancestor.tag) for ancestor in element.iterancestors()}
        return "HeadingPairs" in above
    if name in _PROPERTIES_OF_THE_PROGRAM and ("metadata/core-properties" in space or "purl.org/dc/" in space):
        return _COUNT_OR_TRUTH.fullmatch(text) is not None or _TIME_OR_LANGUAGE.fullmatch(text) is not None
    return False


def _says(value: str) -> bool:
    """Whether an unlisted attribute may contain text: it has a letter or a long number."""
    if _NAME_OF_A_THING.fullmatch(value) or is_vocabulary(value):
        return False
    return any(character.isalpha() for character in value) or sum(map(str.isdigit, value)) >= 5


def _names_of_styles(root: etree._Element) -> frozenset[str]:
    """Names and ids of all styles, without spaces and case."""
    if local(root.tag) != "styles":
        return frozenset()
    named = (child for style in root for child in (style, *style) if local(child.tag) in ("style", "name"))
    return frozenset(_bare(value) for element in named for value in _values(element))


def _is_twin(name: etree._Element, styles: frozenset[str]) -> bool:
    """Whether Word derived this character style from a paragraph style, whose name is a unit itself: "Header Char"."""
    return any(value.endswith(" Char") and _bare(value.removesuffix(" Char")) in styles for value in _values(name))


def _bare(name: str) -> str:
    return name.replace(" ", "").casefold()


def _values(element: etree._Element) -> Iterator[str]:
    return (value for _, value in attributes(element))


def _shows_text(code: str) -> bool:
    """Whether a number format contains text besides the codes for numbers and dates."""
    return any(character.isalpha() for character in _STOCK_OF_A_FORMAT.sub("", code))


_UNKNOWN: Final = "attribute"
_KINDS_THAT_MAY_SAY_NOTHING: Final = {_UNKNOWN: _says, "number format": _shows_text}
