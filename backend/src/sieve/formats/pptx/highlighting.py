"""A presentation with the marked text highlighted, except in formulas, charts and comments, which have no highlight."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.repacking import with_highlights
from sieve.formats.office.xml_source import space_of
from sieve.formats.pptx.paragraphs import PARAGRAPH, a, pieces
from sieve.formats.pptx.reading import PptxReading
from sieve.formats.text_ranges import parted, within

_RUN: Final = a("r")
_FIELD: Final = a("fld")
_PROPERTIES: Final = a("rPr")
_HIGHLIGHT: Final = a("highlight")
_BEFORE: Final = a(
    *("ln", "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill", "effectLst", "effectDag")
)
"""What the schema puts before a highlight."""


def highlight_pptx(reading: PptxReading, marks: Sequence[Mark]) -> bytes:
    """The presentation with a highlight on all marked text of its slides, notes, layouts and masters.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    return with_highlights(
        reading, marks, reading.stories, lambda part, root, marked: _highlight(reading.place_of(part), root, marked)
    )


def _highlight(place: str, root: etree._Element, marked: ResolvedMarks) -> bool:
    """Returns whether anything was highlighted."""
    found: list[tuple[etree._Element, etree._Element, list[tuple[int, int]]]] = []
    for number, paragraph in enumerate(root.iter(*PARAGRAPH), 1):
        address, start = f"{place}/p{number}", 0
        for piece in pieces(paragraph):
            end = start + len(piece.text)
            ranges = within(marked.ranges.get(address, []), start, end)
            run = piece.element.getparent()
            if ranges and run is not None and run.tag in _RUN | _FIELD:
                found.append((run, piece.element, ranges))
            start = end
    for run, element, ranges in found:
        if run.tag in _FIELD:
            _set_highlight(run)
        else:
            _split(run, element, ranges)
    return bool(found)


def _split(run: etree._Element, element: etree._Element, ranges: Sequence[tuple[int, int]]) -> None:
    """Replaces a run, which has one text, by runs that are highlighted as a whole, or not at all."""
    parent = run.getparent()
    if parent is None:
        return
    at, tail = parent.index(run), run.tail
    for covered, text in parted("".join(map(str, element.itertext())), ranges):
        copy = deepcopy(run)
        copy.tail = tail
        for child in copy.iterchildren(element.tag):
            for inner in list(child):
                child.remove(inner)
            child.text = text
        if covered:
            _set_highlight(copy)
        parent.insert(at, copy)
        at += 1
    parent.remove(run)


def _set_highlight(run: etree._Element) -> None:
    space = space_of(str(run.tag))
    properties = next(run.iterchildren(*_PROPERTIES), None)
    if properties is None:
        properties = etree.Element(f"{{{space}}}rPr")
        run.insert(0, properties)
    for before in [*properties.iterchildren(*_HIGHLIGHT)]:
        properties.remove(before)
    highlight = etree.Element(f"{{{space}}}highlight")
    etree.SubElement(highlight, f"{{{space}}}srgbClr", val="FFFF00")
    properties.insert(sum(child.tag in _BEFORE for child in properties), highlight)
