"""The text of a paragraph on a slide, piece by piece, each with the element that contains it.

Invariant: reader and redacted edition walk the same way, so that marks from the one fit the other.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from lxml import etree

from sieve.formats.office.xml_source import local

_OPEN: Final = "http://schemas.openxmlformats.org"
_STRICT: Final = "http://purl.oclc.org/ooxml"
P_SPACES: Final = (f"{_OPEN}/presentationml/2006/main", f"{_STRICT}/presentationml/main")
A_SPACES: Final = (f"{_OPEN}/drawingml/2006/main", f"{_STRICT}/drawingml/main")
M_SPACES: Final = (f"{_OPEN}/officeDocument/2006/math", f"{_STRICT}/officeDocument/math")
R_SPACES: Final = (f"{_OPEN}/officeDocument/2006/relationships", f"{_STRICT}/officeDocument/relationships")
"""The usual namespace, and that of strict files."""
COMPATIBILITY: Final = f"{_OPEN}/markup-compatibility/2006"


def p(*names: str) -> frozenset[str]:
    """The tags of these elements of PowerPoint."""
    return frozenset(f"{{{space}}}{name}" for space in P_SPACES for name in names)


def a(*names: str) -> frozenset[str]:
    """The tags of these elements of drawings."""
    return frozenset(f"{{{space}}}{name}" for space in A_SPACES for name in names)


_COMMENT_TEXT: Final = p("text")
PARAGRAPH: Final = a("p") | _COMMENT_TEXT
"""Paragraphs, and the text of a comment of older programs."""
TEXT: Final = a("t") | frozenset(f"{{{space}}}t" for space in M_SPACES)
BREAK: Final = a("br")
_SKIPPED: Final = a("pPr", "rPr", "endParaRPr")
_ON: Final = frozenset({"1", "true"})


class Piece(NamedTuple):
    """Characters of a paragraph, and the element that contains them."""

    text: str
    element: etree._Element


def pieces(paragraph: etree._Element) -> Iterator[Piece]:
    """The characters of a paragraph in order."""
    if paragraph.tag in _COMMENT_TEXT:
        yield Piece("".join(map(str, paragraph.itertext())), paragraph)
        return
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        if element.tag in TEXT:
            if text := "".join(map(str, element.itertext())):
                yield Piece(text, element)
        elif element.tag in BREAK:
            yield Piece("\n", element)
        elif element.tag not in _SKIPPED:
            stack.extend(reversed(element))


def is_hidden(shape: etree._Element) -> bool:
    """Whether the switch of a shape hides it."""
    return any(
        local(named.tag) == "cNvPr" and named.get("hidden") in _ON
        for child in shape
        if local(child.tag).startswith("nv")
        for named in child
    )


def is_on(value: str | None) -> bool:
    """Whether a boolean attribute is on."""
    return value in _ON
