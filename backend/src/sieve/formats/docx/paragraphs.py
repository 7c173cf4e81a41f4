"""The text of a Word paragraph, piece by piece, each with the element that contains it.

Invariant: reader and redacted edition walk the same way, so that marks from the one fit the other.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from lxml import etree

from sieve.formats.office.xml_source import attributes, local

W_SPACES: Final = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
"""The usual namespace, and that of strict files."""
TEXT_SPACES: Final = (
    *W_SPACES,
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://purl.oclc.org/ooxml/officeDocument/math",
    "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/main",
)


def w(*names: str) -> frozenset[str]:
    """The tags of these elements of Word."""
    return frozenset(f"{{{space}}}{name}" for space in W_SPACES for name in names)


P: Final = w("p")
RUN: Final = w("r")
_DELETED: Final = w("del", "moveFrom")
_SKIPPED: Final = w("p", "pPr", "rPr", "tblPr", "tcPr", "trPr", "sectPr", "sdtPr", "sdtEndPr")
TEXT: Final = frozenset(f"{{{space}}}t" for space in TEXT_SPACES)
_DELETED_TEXT: Final = w("delText")
_CODE: Final = w("instrText", "delInstrText")
_SIGNS: Final = {
    tag: sign
    for name, sign in {
        "tab": "\t",
        "ptab": "\t",
        "br": "\n",
        "cr": "\n",
        "noBreakHyphen": "\u2011",
        "softHyphen": "\u00ad",
    }.items()
    for tag in w(name)
}
_SYMBOL: Final = w("sym")
VANISH: Final = w("vanish", "specVanish", "webHidden")
_OFF: Final = frozenset({"0", "false", "off"})

SEEN: Final = ""
HIDDEN: Final = {"deleted": "deleted text", "hidden": "hidden text", "code": "a field code"}
"""The units below a paragraph, and how they are hidden."""


class Piece(NamedTuple):
    """Characters of a paragraph, the element that contains them, and the unit below the paragraph that has them."""

    below: str
    text: str
    element: etree._Element


def pieces(paragraph: etree._Element, hiding: frozenset[str]) -> Iterator[Piece]:
    """The characters of a paragraph in order, without those of nested paragraphs."""
    by_style = style_of(paragraph, "pPr", "pStyle") in hiding
    stack = [(child, "") for child in reversed(paragraph)]
    while stack:
        element, below = stack.pop()
        tag = element.tag
        if tag in _SKIPPED:
            continue
        if tag in TEXT:
            if text := "".join(map(str, element.itertext())):
                yield Piece(below, text, element)
        elif tag in _DELETED_TEXT:
            yield Piece("deleted", element.text or "", element)
        elif tag in _CODE:
            yield Piece("code", element.text or "", element)
        elif tag in _SIGNS:
            yield Piece(below, _SIGNS[tag], element)
        elif tag in _SYMBOL:
            yield Piece(below, _symbol(element), element)
        else:
            if tag in _DELETED:
                below = "deleted"
            elif tag in RUN and not below and is_hidden(element, by_style, hiding):
                below = "hidden"
            stack.extend((child, below) for child in reversed(element))


def is_hidden(run: etree._Element, by_style: bool, hiding: frozenset[str]) -> bool:
    """Whether Word hides the run: by its own switch, or else by its styles."""
    for properties in run:
        if local(properties.tag) == "rPr":
            for switch in properties:
                if switch.tag in VANISH:
                    return is_on(switch)
    return by_style or style_of(run, "rPr", "rStyle") in hiding


def is_on(switch: etree._Element) -> bool:
    """Whether a boolean property is on."""
    return not any(value in _OFF for _, value in attributes(switch))


def style_of(element: etree._Element, properties: str, name: str) -> str | None:
    """The style named in the element's properties."""
    for child in element:
        if local(child.tag) == properties:
            for style in child:
                if local(style.tag) == name:
                    return value_of(style, "val")
    return None


def value_of(element: etree._Element, name: str) -> str:
    """The attribute of that name in any namespace; empty if there is none."""
    return next((value for key, value in attributes(element) if key.endswith("}" + name)), "")


def _symbol(element: etree._Element) -> str:
    try:
        return chr(int(value_of(element, "char"), 16))
    except (ValueError, OverflowError):
        return "\ufffd"
