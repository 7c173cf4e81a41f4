"""The text of an OpenDocument part: paragraphs piece by piece, each with the element that contains it, and other text.

Invariant: reader, redacted edition and highlighter walk the same way, so that marks from the one fit the others. White
space counts as the format says: several characters are one space, and none begins a paragraph.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from lxml import etree

from sieve.formats.office.xml_source import attributes, local, space_of
from sieve.formats.opendocument.vocabulary import FIELD, LOEXT, OFFICE, STYLE, TEXT, tags

P: Final = tags(TEXT, "p", "h")
DELETED: Final = tags(TEXT, "tracked-changes")
COMMENT: Final = tags(OFFICE, "annotation")
NOTE_BODY: Final = tags(TEXT, "note-body")
_SPACE: Final = f"{{{TEXT}}}s"
SIGNS: Final = {f"{{{TEXT}}}tab": "\t", f"{{{TEXT}}}line-break": "\n", _SPACE: " "}
"""Elements that stand for characters."""
_INLINE_SPACES: Final = frozenset({TEXT, LOEXT, FIELD})
_BREAKS_OUT: Final = NOTE_BODY | DELETED | tags(TEXT, "list-style", "script")
"""Elements of these namespaces whose content is no text of the paragraph around them."""
_HIDDEN: Final = tags(TEXT, "hidden-text")
_HIDES_PARAGRAPH: Final = tags(TEXT, "hidden-paragraph")
_STYLED: Final = (f"{{{TEXT}}}style-name", f"{{{TEXT}}}cond-style-name")
_PICTURE_DATA: Final = tags(OFFICE, "binary-data")
_NOT_SHOWN: Final = frozenset({"none", "false", "condition"})
_WHITE: Final = re.compile(r"[ \t\r\n]+")
MOST_SPACES: Final = 100
"""Spaces that one element may stand for."""

SEEN: Final = ""
HIDDEN_BELOW: Final = "hidden"
"""The unit below a paragraph that has its hidden text."""

Where = Literal["text", "tail", "sign"]


class Piece(NamedTuple):
    """Characters of a paragraph: the text of `element`, the text after it, or what it stands for. `below`: the unit
    below the paragraph that has them.
    """

    below: str
    text: str
    element: etree._Element
    where: Where


@dataclass(slots=True)
class Paragraph:
    """A paragraph or heading. `hidden`: how all of it is hidden, as in a unit."""

    element: etree._Element
    hidden: str
    pieces: list[Piece] = field(default_factory=list)
    after_space: bool = True

    @property
    def text(self) -> str:
        """What a reader sees of it."""
        return "".join(piece.text for piece in self.pieces if piece.below == SEEN)


class Other(NamedTuple):
    """Text of an element that is in no paragraph."""

    text: str
    element: etree._Element
    where: Where
    hidden: str


class _Context(NamedTuple):
    """What the text in an element belongs to."""

    paragraph: Paragraph | None
    below: str
    hidden: str


def read_story(root: etree._Element, hiding: frozenset[str]) -> tuple[list[Paragraph], list[Other]]:
    """The paragraphs of a part in order, and the text outside of them. A paragraph inside another, such as a note's,
    comes after it. `hiding`: the names of styles that hide text.
    """
    paragraphs: list[Paragraph] = []
    others: list[Other] = []
    stack: list[tuple[etree._Element, bool, _Context]] = [(root, False, _Context(None, SEEN, ""))]
    while stack:
        element, after, around = stack.pop()
        if after:
            _take(element, "tail", element.tail or "", around, others)
            continue
        inside = _context(element, around, hiding)
        if inside.paragraph is not None and inside.paragraph is not around.paragraph:
            paragraphs.append(inside.paragraph)
        if sign := SIGNS.get(str(element.tag)):
            _take_sign(element, sign, inside)
        _take(element, "text", element.text or "", inside, others)
        for child in reversed(element):
            stack.append((child, True, inside))
            stack.append((child, False, inside))
    return paragraphs, others


def hiding_styles(roots: Iterator[etree._Element]) -> frozenset[str]:
    """The names of styles that hide text, by themselves or through the styles that they are based on."""
    heirs: dict[str, list[str]] = {}
    found: list[str] = []
    for root in roots:
        for style in root.iter(f"{{{STYLE}}}style"):
            name = style.get(f"{{{STYLE}}}name", "")
            heirs.setdefault(style.get(f"{{{STYLE}}}parent-style-name", ""), []).append(name)
            if any(_is_not_shown(properties) for properties in style.iterchildren(f"{{{STYLE}}}text-properties")):
                found.append(name)
    hiding: set[str] = set()
    while found:
        name = found.pop()
        if name and name not in hiding:
            hiding.add(name)
            found += heirs.get(name, [])
    return frozenset(hiding)


def _context(element: etree._Element, around: _Context, hiding: frozenset[str]) -> _Context:
    tag = element.tag
    if tag in P:
        below = HIDDEN_BELOW if _has_style(element, hiding) or _hides_itself(element) else SEEN
        return _Context(Paragraph(element, around.hidden), below, around.hidden)
    hidden = around.hidden
    if tag in DELETED:
        hidden = "deleted text"
    elif tag in COMMENT:
        hidden = "a comment"
    elif not hidden and around.paragraph is None and _is_not_shown(element):
        hidden = "hidden text"
    if around.paragraph is None or space_of(str(tag)) not in _INLINE_SPACES or tag in _BREAKS_OUT:
        # What is hidden with its paragraph stays hidden in a note or frame.
        if around.paragraph is not None and around.below != SEEN and not hidden:
            hidden = "hidden text"
        return _Context(None, SEEN, hidden)
    is_hidden = tag in _HIDDEN or _is_not_shown(element) or _has_style(element, hiding)
    return _Context(around.paragraph, HIDDEN_BELOW if is_hidden else around.below, hidden)


def _take(element: etree._Element, where: Where, text: str, context: _Context, others: list[Other]) -> None:
    if not text:
        return
    paragraph = context.paragraph
    if paragraph is None:
        if element.tag in _PICTURE_DATA and where == "text":
            others.append(Other("", element, where, context.hidden))
        elif not text.isspace():
            others.append(Other(text, element, where, context.hidden))
        return
    shown = _WHITE.sub(" ", text)
    if paragraph.after_space and shown.startswith(" "):
        shown = shown[1:]
    if shown:
        paragraph.after_space = shown.endswith(" ")
        paragraph.pieces.append(Piece(context.below, shown, element, where))


def _take_sign(element: etree._Element, sign: str, context: _Context) -> None:
    if context.paragraph is None:
        return
    if element.tag == _SPACE:
        sign = " " * spaces(element)
    context.paragraph.after_space = False
    context.paragraph.pieces.append(Piece(context.below, sign, element, "sign"))


def spaces(element: etree._Element) -> int:
    """How many spaces the element stands for."""
    said = element.get(f"{{{TEXT}}}c", "1")
    return min(int(said), MOST_SPACES) if said.isascii() and said.isdigit() and len(said) < 10 else 1


def _has_style(element: etree._Element, hiding: frozenset[str]) -> bool:
    return bool(hiding) and any(element.get(name) in hiding for name in _STYLED)


def _hides_itself(paragraph: etree._Element) -> bool:
    return any(
        hides.get(f"{{{TEXT}}}is-hidden") != "false" for child in paragraph for hides in child.iter(*_HIDES_PARAGRAPH)
    )


def _is_not_shown(element: etree._Element) -> bool:
    """Whether the element says that it is not shown, or on a condition alone."""
    for key, value in attributes(element):
        if value in _NOT_SHOWN and local(key) == "display" and space_of(key) != STYLE:
            return element.get(f"{{{TEXT}}}is-hidden") != "false" or value != "condition"
    return False
