"""PowerPoint presentations: paragraphs are units, and whole parts travel plain or classified.

Slides are numbered as they are shown: slide/3/p2 is the second paragraph of the third slide, slide/3/notes/p1 the first
one of its notes, slide/3/comments/p1 of its comments, and slide/3 all of them. Layouts and masters are read as text,
too. All other parts are read for any text in them, or have only their own address.

A slide, its notes, a layout or a master without a mark travels plain only if it contains none of the marked text,
nothing that PowerPoint computes from other parts, and nothing that is not known here. Comments never do, since they
discuss the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, NamedTuple

from lxml import etree

from sieve.core.sentence import Sentence
from sieve.core.units import Mark, Unit
from sieve.formats.office.open_packaging import OpenPackagingReading
from sieve.formats.office.reading import ResolvedMarks
from sieve.formats.office.why_classified import COMPUTED
from sieve.formats.office.xml_source import attributes, local, space_of
from sieve.formats.pptx.paragraphs import (
    A_SPACES,
    COMPATIBILITY,
    M_SPACES,
    P_SPACES,
    PARAGRAPH,
    R_SPACES,
    TEXT,
    a,
    is_hidden,
    p,
    pieces,
)
from sieve.formats.pptx.tables import CELL, cells_around, cells_of

_MAIN: Final = (
    "presentationml.presentation.main+xml",
    "presentationml.template.main+xml",
    "presentationml.slideshow.main+xml",
    "ms-powerpoint.presentation.macroEnabled.main+xml",
    "ms-powerpoint.template.macroEnabled.main+xml",
    "ms-powerpoint.slideshow.macroEnabled.main+xml",
)
_STORIES: Final = {
    "slide": ("presentationml.slide+xml",),
    "note": ("presentationml.notesSlide+xml",),
    "comment": ("presentationml.comments+xml", "ms-powerpoint.comments+xml"),
    "layout": ("presentationml.slideLayout+xml",),
    "master": ("presentationml.slideMaster+xml", "presentationml.notesMaster+xml"),
    "handout": ("presentationml.handoutMaster+xml",),
}
_LAYOUTS: Final = {"layout": "", "master": "", "handout": "a page of handouts"}
"""What slides inherit from, and how its text is hidden."""
_BESIDE: Final = {"notesSlide": "notes", "comments": "comments"}
"""Below the address of a slide, where a relationship of this kind leads."""
_TABLE_STYLES: Final = "presentationml.tableStyles+xml"
_FORMATTING: Final = (
    *("theme+xml", "themeOverride+xml", _TABLE_STYLES, "diagramLayout+xml", "diagramColors+xml", "diagramStyle+xml"),
)
"""Parts whose names only programs write."""
_DRAWN: Final = {
    "drawingml.chart+xml": "text of a chart",
    "ms-office.chartex+xml": "text of a chart",
    "diagramData+xml": "text of a diagram",
    "diagramDrawing+xml": "text of a diagram",
}
_DRAWINGS: Final = ("http://schemas.openxmlformats.org/drawingml/2006", "http://purl.oclc.org/ooxml/drawingml")
_MICROSOFT: Final = "http://schemas.microsoft.com/office"
_DRAWING_SPACES: Final = frozenset({*P_SPACES, *A_SPACES})
_HARMLESS_SPACES: Final = _DRAWING_SPACES | {
    *(*M_SPACES, *R_SPACES, COMPATIBILITY, "", "http://www.w3.org/XML/1998/namespace"),
    # A slide only names the charts and diagrams in it; they are parts of their own.
    *(f"{start}/{what}" for start in _DRAWINGS for what in ("chart", "diagram")),
    *(f"{_MICROSOFT}/powerpoint/{year}/main" for year in (2010, 2012)),
    *(f"{_MICROSOFT}/drawing/{year}/main" for year in (2010, 2014)),
    *(f"{_MICROSOFT}/drawing/{what}" for what in ("2016/SVG/main", "2017/decorative", "2018/hyperlinkcolor")),
}
_SHOWS_OTHERS: Final = p("oleObj", "control", "controls", "contentPart")
"""Elements that show, or measure, what another part contains."""
_FILMS: Final = frozenset({"audioCd", "audioFile", "media", "quickTimeFile", "videoFile", "wavAudioFile"})
_BLIP: Final = a("blip")
_FIELD: Final = a("fld")
_OWN_FIELDS: Final = re.compile(r"slidenum|datetime(?:FigureOut|[0-9]{0,2})")
"""Fields that depend on no text: the number of the slide, and when it was saved."""
TABLE_URI: Final = ("/drawingml/2006/table", "/drawingml/table")
_HAVE_TEXT: Final = TEXT | PARAGRAPH | a("tableStyleId")
_ANCHORS: Final = ("t", "ctr", "b", "just", "dist")
"""Where text is in a shape; the same attribute is a link's in other formats."""
_GUIDE: Final = a("gd")
_NAMED: Final = p("cNvPr")
_SHAPE: Final = p("sp")
_ENDS_IN_A_NUMBER: Final = re.compile(r"(.*?)[ ;]?([0-9]{1,9})")
_NAMES_BY_PROGRAMS: Final = frozenset(
    {
        *("placeholder", "customshape", "textshape", "textbox", "title", "subtitle", "picture", "table", "line"),
        *("group", "rectangle", "oval", "straight connector", "content placeholder", "text placeholder"),
        *("picture placeholder", "slide number placeholder", "date placeholder", "footer placeholder", "graphic"),
        *("slide image placeholder", "notes placeholder", "header placeholder", "straight arrow connector"),
        *("titel", "untertitel", "textfeld", "grafik", "rechteck", "inhaltsplatzhalter", "tabelle", "gruppieren"),
        *("titre", "sous-titre", "zonetexte", "image", "espace réservé du contenu", "tableau", "groupe"),
        *("título", "subtítulo", "cuadrotexto", "imagen", "marcador de contenido", "tabla", "grupo"),
    }
)
"""Names that programs give to shapes, before the number."""


class Slide(NamedTuple):
    """A slide that the presentation lists. `part`, and the parts of its notes and comments, empty if it has none."""

    number: int
    part: str
    is_hidden: bool
    notes: str
    comments: str


class PptxReading(OpenPackagingReading):
    """A PowerPoint presentation, read."""

    name: ClassVar[str] = "pptx"

    def __init__(self, data: bytes) -> None:
        """Raises FormatError: it is damaged, protected, too large, or not a PowerPoint presentation."""
        super().__init__(data)
        self.main = self.main_part(_MAIN, "PowerPoint presentation")
        self.presentation = self.tree(self.main)
        self._place_of: dict[str, str] = {}
        self.slides = [*self._read_slides()]
        self._part_at = {place: part for part, place in self._place_of.items()}
        self.stories: dict[str, str] = {}
        """What each part that is read as text is, other than the main one."""
        for kind, endings in _STORIES.items():
            self.stories.update(dict.fromkeys(self.parts_of_type(*endings), kind))

    def _read_slides(self) -> Iterator[Slide]:
        slides = {r.id: r.part for r in self.relationships(self.main) if r.kind == "slide"}
        listed = [part for element in self.presentation.iter(*p("sldId")) if (part := slides.get(reference(element)))]
        number = 0
        for part in listed:
            if part not in self.container.entries or part in self._place_of:
                continue
            number += 1
            place = self._place_of[part] = f"slide/{number}"
            beside = dict.fromkeys(("notesSlide", "comments"), "")
            for related in self.relationships(part):
                is_free = related.part in self.container.entries and related.part not in self._place_of
                if beside.get(related.kind) == "" and is_free:
                    beside[related.kind] = related.part
                    self._place_of[related.part] = f"{place}/{_BESIDE[related.kind]}"
            yield Slide(number, part, self.tree(part).get("show") in ("0", "false"), *beside.values())

    # Addresses.

    def place_of(self, part: str) -> str:
        """The address of a part; of a slide, its notes and comments, by its number."""
        return self._place_of.get(part, part)

    def is_place(self, address: str) -> bool:
        """Whether a part has this address."""
        return address in self._part_at or (super().is_place(address) and address not in self._place_of)

    def part_of(self, address: str) -> str:
        """The part that contains `address`."""
        steps = address.split("/", 3)
        for many in (3, 2):
            if part := self._part_at.get("/".join(steps[:many])):
                return part
        return super().part_of(address)

    # Units.

    def read_units(self) -> Iterator[Unit]:
        """Slide by slide with notes and comments, then layouts and masters, then the text of all other parts."""
        read = {self.main}
        for slide in self.slides:
            for part in filter(None, (slide.part, slide.notes, slide.comments)):
                read.add(part)
                yield from self._story(part, "a hidden slide" if slide.is_hidden else "")
        for part, kind in self.stories.items():
            if part not in read:
                read.add(part)
                yield from self._story(part, _LAYOUTS.get(kind, "a slide that is not in the presentation"))
        yield from self.attribute_units(self.main, self.presentation)
        for part in self.parts:
            if part not in read and not self.type_of(part).endswith(_FORMATTING):
                yield from self.other_units(part, self._hides(part))

    def _story(self, part: str, hidden: str) -> Iterator[Unit]:
        root, place, kind = self.tree(part), self.place_of(part), self.stories.get(part, "slide")
        if kind == "comment":
            hidden = "a comment"
        name = next((content.get("name", "") for content in root.iterchildren(*p("cSld"))), "")
        if name:
            yield Unit(place, name, kind, hidden)
        cells = cells_of(root)
        texts = [(paragraph, "".join(piece.text for piece in pieces(paragraph))) for paragraph in root.iter(*PARAGRAPH)]
        if kind == "slide" and not name and not any(text for _, text in texts):
            # So that it can be marked.
            yield Unit(place, "", kind, hidden)
        for number, (paragraph, text) in enumerate(texts, 1):
            switch = "a hidden shape" if any(map(is_hidden, paragraph.iterancestors())) else ""
            around = cells_around(paragraph, cells)
            yield Unit(f"{place}/p{number}", text, _kind(paragraph, kind), hidden or switch, around)
        beside = (text for element in root.iter(etree.Element) for text in _texts_beside(element))
        for number, text in enumerate(beside, 1):
            yield Unit(f"{place}/t{number}", text, "text", "text outside of the paragraphs")
        for unit in self.attribute_units(part, root, (name,)):
            yield replace(unit, address=place + unit.address.removeprefix(part))

    def named_attributes(self, part: str, root: etree._Element) -> Iterator[tuple[str, str]]:
        """Kind and text of each attribute of the part that contains text, without names that programs give."""
        found = super().named_attributes(part, root)
        stock = {element.get("name", "") for element in root.iter(*_GUIDE)}
        for element in root.iter(*_NAMED):
            if _is_by_program(element.get("name", ""), element.get("id", "")):
                stock.add(element.get("name", ""))
        skipped = {*(("name of an object", name) for name in stock), *(("link anchor", where) for where in _ANCHORS)}
        return (one for one in found if one not in skipped)

    def _hides(self, part: str) -> str:
        kind = self.type_of(part)
        if part.startswith("docProps/") and self.is_xml(part):
            return "a property"
        drawn = next((what for ending, what in _DRAWN.items() if kind.endswith(ending)), "")
        return drawn or self.hides(part, "text outside of the slides")

    # What travels how.

    def marked(self, marks: Sequence[Mark]) -> ResolvedMarks:
        """As for any file. If shapes are numbered through all slides, those after a marked slide count its shapes."""
        marked = super().marked(marks)
        whole = [slide.number for slide in self.slides if marked.covers(f"slide/{slide.number}")]
        if whole and self._numbers_through():
            for slide in self.slides:
                if slide.number > min(whole):
                    marked.counting.update(part for part in (slide.part, slide.notes) if part not in marked.parts)
        return marked

    def _numbers_through(self) -> bool:
        """Whether a shape has a higher number than all shapes of the slide before, as in files of LibreOffice."""
        last = 0
        for slide in self.slides:
            said = (element.get("id", "") for element in self.tree(slide.part).iter(*_NAMED))
            numbers = [int(one) for one in said if one.isascii() and one.isdigit() and len(one) < 10 and one != "1"]
            if last and numbers and min(numbers) > last:
                return True
            last = max(numbers, default=last)
        return False

    def is_structure(self, part: str) -> bool:
        """Themes and styles of tables."""
        return super().is_structure(part) or self.type_of(part).endswith(_TABLE_STYLES)

    def may_travel_plain(self, part: str) -> bool:
        """Only slides, notes, layouts and masters whose elements are all known, and compute nothing."""
        is_read = self.stories.get(part, "comment") != "comment"
        return is_read and all(map(_may_be_plain, self.tree(part).iter(etree.Element)))

    def why_never_plain(self, part: str) -> Sentence | None:
        """Stories with content that depends on other parts. Comments are like any other part."""
        is_read = self.stories.get(part, "comment") != "comment"
        return COMPUTED if is_read and not self.may_travel_plain(part) else None

    def shown_pictures(self) -> set[str]:
        """Pictures of shapes and backgrounds. Those of films, embedded objects, links to slides and the like show what
        these contain.
        """
        shown: set[str] = set()
        other = {r.part for r in self.relationships("")}
        for part in self.parts:
            related = {r.id: r for r in self.relationships(part)} if not part.endswith(".rels") else {}
            if self.stories.get(part, "comment") == "comment":
                other.update(r.part for r in related.values())
            elif any(r.kind == "image" for r in related.values()):
                for element in self.tree(part).iter(etree.Element):
                    for name, value in attributes(element):
                        if space_of(name) in R_SPACES and value in related:
                            is_shown = local(name) == "embed" and shows_itself(element)
                            (shown if is_shown else other).add(related[value].part)
        return (shown - other) & self.container.entries.keys()

    def is_shown(self, part: str) -> bool:
        """Neither slides, notes, layouts and the like, nor formatting."""
        return super().is_shown(part) and part != self.main and part not in self.stories

    def shown_by(self, marked: ResolvedMarks) -> set[str]:
        """What parts show that are marked as a whole, and marked paragraphs; of those that are marked as a whole, also
        their shape or table cell; and what has a marked description.
        """
        whole = {part for part in marked.parts if marked.covers(self.place_of(part))}
        found = self.shown_from(whole)
        described = self.marked_attributes(marked)
        for part in (marked.parts - whole).intersection(self.stories):
            found |= self.shown_below(part, self._marked_elements(part, marked))
            found |= self.shown_with_attributes(part, described.get(part, set()))
        return found

    def _marked_elements(self, part: str, marked: ResolvedMarks) -> Iterator[etree._Element]:
        place = self.place_of(part)
        for number, paragraph in enumerate(self.tree(part).iter(*PARAGRAPH), 1):
            ranges = marked.ranges.get(f"{place}/p{number}")
            if ranges is None:
                continue
            around: etree._Element = paragraph
            if ranges == [(0, sum(len(piece.text) for piece in pieces(paragraph)))]:
                around = next((above for above in paragraph.iterancestors() if above.tag in _SHAPE | CELL), paragraph)
            yield from around.iter(etree.Element)


def reference(element: etree._Element) -> str:
    """The id of the relationship that an element names."""
    return next((value for key, value in attributes(element) if space_of(key) in R_SPACES), "")


def shows_itself(blip: etree._Element) -> bool:
    """Whether a picture is shown for its own sake, and is not what a program drew of something else."""
    if blip.tag not in _BLIP or any(reference(below) for below in blip.iterdescendants(etree.Element)):
        return False
    for above in blip.iterancestors():
        if space_of(str(above.tag)) not in _DRAWING_SPACES or above.tag in _SHOWS_OTHERS:
            return False
        if local(above.tag) == "graphicData" and not above.get("uri", "").endswith(TABLE_URI):
            return False
        if local(above.tag) == "pic" and any(local(element.tag) in _FILMS for element in above.iter(etree.Element)):
            return False
    return True


def _texts_beside(element: etree._Element) -> Iterator[str]:
    """Text at an element that no paragraph shows."""
    own = "" if element.tag in _HAVE_TEXT else element.text
    yield from (text for text in (own, element.tail) if text and not text.isspace())


def _may_be_plain(element: etree._Element) -> bool:
    if space_of(str(element.tag)) not in _HARMLESS_SPACES or element.tag in _SHOWS_OTHERS:
        return False
    if element.tag in _FIELD and _OWN_FIELDS.fullmatch(element.get("type", "")) is None:
        return False
    return all(space_of(key) in _HARMLESS_SPACES for key in map(str, element.attrib))


def _is_by_program(name: str, number: str) -> bool:
    """Whether a shape has a name such as "Rectangle 7"."""
    match = _ENDS_IN_A_NUMBER.fullmatch(name)
    if match is None or name.startswith("Google Shape;"):
        return match is not None
    return number in (match[2], str(int(match[2]) + 1)) or match[1].lower() in _NAMES_BY_PROGRAMS


def _kind(paragraph: etree._Element, kind: str) -> str:
    if kind != "slide":
        return kind
    for above in paragraph.iterancestors():
        if above.tag in CELL:
            return "table cell"
        if above.tag in _SHAPE:
            titles = (one.get("type") for one in above.iter(*p("ph")))
            return "title" if any(one in ("title", "ctrTitle") for one in titles) else "paragraph"
    return "paragraph"
