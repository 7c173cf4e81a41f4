"""A Word document with the marked text highlighted, except in formulas and drawings, which have no highlight."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Final

from lxml import etree

from sieve.core.units import Mark
from sieve.formats.docx.paragraphs import RUN, TEXT, P, pieces, w
from sieve.formats.docx.reading import DocxReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.repacking import with_highlights
from sieve.formats.office.xml_source import attributes, space_of
from sieve.formats.text_ranges import parted, within

_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_TEXTS: Final = TEXT | w("delText")


def highlight_docx(reading: DocxReading, marks: Sequence[Mark]) -> bytes:
    """The document with a highlight on all marked text of its stories.

    Raises:
        UnknownPlace: a mark does not fit the file.
    """
    return with_highlights(
        reading, marks, reading.stories, lambda part, root, marked: _highlight(part, root, marked, reading.hiding)
    )


def _highlight(part: str, root: etree._Element, marked: ResolvedMarks, hiding: frozenset[str]) -> bool:
    """Returns whether anything was highlighted."""
    runs: dict[etree._Element, dict[etree._Element, list[tuple[int, int]]]] = {}
    for number, paragraph in enumerate(root.iter(*P), 1):
        ends: dict[str, int] = {}
        for piece in pieces(paragraph, hiding):
            start = ends.get(piece.below, 0)
            end = ends[piece.below] = start + len(piece.text)
            address = f"{part}/p{number}/{piece.below}".rstrip("/")
            ranges = within(marked.ranges.get(address, []), start, end)
            run = piece.element.getparent()
            if ranges and run is not None and run.tag in RUN:
                runs.setdefault(run, {})[piece.element] = ranges
    for run, found in runs.items():
        _split(run, found)
    return bool(runs)


def _split(run: etree._Element, ranges: Mapping[etree._Element, list[tuple[int, int]]]) -> None:
    """Replaces a run by runs that are highlighted as a whole, or not at all."""
    properties = next((child for child in run if child.tag in w("rPr")), None)
    groups: list[tuple[bool, list[etree._Element]]] = []
    for child in list(run):
        if child is properties:
            continue
        for covered, element in _parted(child, ranges.get(child, [])):
            if groups and groups[-1][0] == covered:
                groups[-1][1].append(element)
            else:
                groups.append((covered, [element]))
    parent = run.getparent()
    if parent is None:
        return
    for covered, elements in groups:
        copy = etree.Element(run.tag, dict(attributes(run)))
        if properties is not None:
            copy.append(deepcopy(properties))
        if covered:
            _set_highlight(copy)
        copy.extend(elements)
        run.addprevious(copy)
    parent.remove(run)


def _parted(element: etree._Element, ranges: list[tuple[int, int]]) -> Iterator[tuple[bool, etree._Element]]:
    """The element in pieces, and whether each is in `ranges` of its text."""
    if not ranges or element.tag not in _TEXTS:
        yield bool(ranges), element
        return
    for covered, text in parted("".join(map(str, element.itertext())), ranges):
        piece = etree.Element(element.tag, {_SPACE: "preserve"})
        piece.text = text
        yield covered, piece


def _set_highlight(run: etree._Element) -> None:
    space = space_of(str(run.tag))
    properties = next((child for child in run if child.tag in w("rPr")), None)
    if properties is None:
        properties = etree.Element(f"{{{space}}}rPr")
        run.insert(0, properties)
    for before in [child for child in properties if child.tag in w("highlight")]:
        properties.remove(before)
    named = sum(child.tag in w("rStyle") for child in properties)  # a style is the first property
    highlight = etree.Element(f"{{{space}}}highlight", {f"{{{space}}}val": "yellow"})
    properties.insert(named, highlight)
