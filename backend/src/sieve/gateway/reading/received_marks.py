"""What is classified in a received file: its author's marks, if they came with it.

Older gateways send the spans of its bytes alone. In a table, these show the cells. A Word file, a workbook or a PDF
travels part by part, so that the spans of one marked word cover all of its part; there, the redacted edition that came
with the file shows what its sender withheld. Without an edition, a part with a classified byte counts as classified.

Invariant: sent marks count only if this gateway derives from them exactly the spans that came. Where spans and edition
do not show exactly what is classified, this finds rather more than the author marked. Hidden text of Word and Excel is
in no redacted edition, marked or not, and then counts as classified as soon as anything is.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from sieve.channel.safe_names import clean_line
from sieve.core.document import Spans
from sieve.core.errors import SieveError
from sieve.core.units import Mark, Unit
from sieve.formats.docx.paragraphs import P
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import FormatError
from sieve.formats.marker import MARKER
from sieve.formats.office.reading import OfficeReading
from sieve.formats.office.xml_source import local
from sieve.formats.pdf import PdfReading
from sieve.formats.pdf.redrawn_pages import WITHHELD
from sieve.formats.reading import Reading, read_as
from sieve.formats.sheets.workbook import Cell, Sheet
from sieve.formats.tables.coverage import Coverage
from sieve.formats.tables.reading import TableReading
from sieve.formats.xlsx.reading import XlsxReading
from sieve.gateway.reading.received_marks_basis import Basis
from sieve.marks_file import read_marks

_GAPS: Final = re.compile(rf"[ ]*{MARKER}[ ]*")
"""A marker with its blanks: pdfium finds blanks where the letters of a marker are narrower than its bar."""
MAX_ALIGNED: Final = 5_000
"""Paragraphs of a story that are aligned if the edition has another number of them."""


def received_marks(reading: Reading, spans: Spans, size: int, edition: bytes, sent: bytes) -> tuple[list[Mark], Basis]:
    """The marks of a received file that is neither text nor unknown bytes, and what shows them.

    `size`: its bytes. `edition`, `sent`: the redacted edition and the marks that came with it; empty if none did.

    Raises:
        FormatError: the file is damaged.
    """
    if not spans.classified_size:
        return [], "spans"
    if sent and (marks := _sent(reading, spans, sent)) is not None:
        return marks, "marks"
    if isinstance(reading, TableReading):
        return reading.marks(spans), "spans"
    if edition and (marks := _by_edition(reading, spans, edition)) is not None:
        return marks, "edition"
    return [*_parts(reading, spans)], "parts"


def withheld_marks(reading: Reading) -> list[Mark]:
    """The places in a redacted edition at which something is withheld."""
    marks: list[Mark] = []
    for unit in reading.units():
        if isinstance(reading, PdfReading) and unit.text.startswith(WITHHELD):
            marks.append(Mark(unit.address))
        else:
            marks += (Mark(unit.address, found.start(), found.end()) for found in re.finditer(MARKER, unit.text))
    return marks


def _sent(reading: Reading, spans: Spans, sent: bytes) -> list[Mark] | None:
    """The marks that came with a file; None if they are not valid, or classify other bytes than those that came
    classified: another gateway made them, perhaps of another version."""
    try:
        marks = read_marks(json.loads(sent))
        if reading.spans(marks) != spans:
            return None
    except (SieveError, ValueError, RecursionError):
        return None
    # A peer wrote them: people see labels as one line, and rules and reasons do not travel.
    return [replace(mark, label=clean_line(mark.label), rule="", reason="") for mark in marks]


def _by_edition(reading: Reading, spans: Spans, edition: bytes) -> list[Mark] | None:
    """What the edition withholds; None if it cannot be read, or does not withhold all that came classified: another
    gateway made it."""
    try:
        match reading, read_as(reading.name, edition):
            case DocxReading(), DocxReading() as redacted:
                marks = [*_in_word(reading, redacted), *_pictures(reading, spans), *_hidden(reading)]
            case XlsxReading(), XlsxReading() as redacted:
                marks = [*_in_workbook(reading, redacted), *_hidden(reading)]
            case PdfReading(), PdfReading() as redacted:
                marks = [*_in_pdf(reading, redacted)]
            case _:
                return None
    except FormatError:
        return None
    classified = Coverage(reading.spans(marks))
    return marks if all(start == end or classified.covers(start, end) for start, end in spans) else None


def _parts(reading: Reading, spans: Spans) -> Iterator[Mark]:
    match reading:
        case PdfReading():
            yield from (Mark(f"page/{page}") for page in range(1, reading.pages + 1))
        case OfficeReading():
            coverage = Coverage(spans)
            for name, entry in reading.container.entries.items():
                if coverage.touches(entry.start, entry.end):
                    yield Mark(reading.place_of(name))
        case _:
            yield from (Mark(unit.address) for unit in reading.units())


def _hidden(reading: OfficeReading) -> Iterator[Mark]:
    """All hidden text, which no edition has."""
    return (Mark(unit.address) for unit in reading.units() if unit.hidden)


def _pictures(reading: DocxReading, spans: Spans) -> Iterator[Mark]:
    """The parts without text: they travel plain or classified as a whole, and so the edition has them or not."""
    coverage = Coverage(spans)
    opaque = (unit.address for unit in reading.units() if not unit.text and unit.address in reading.container.entries)
    for part in opaque:
        entry = reading.container.entries[part]
        if coverage.touches(entry.start, entry.end):
            yield Mark(part)


# --- PDF -------------------------------------------------------------------------------------------------------------


def _in_pdf(reading: PdfReading, edition: PdfReading) -> Iterator[Mark]:
    same = reading.pages == edition.pages
    for page in range(1, reading.pages + 1):
        text = edition.page_boxes(page)[0] if same else WITHHELD
        if text.startswith(WITHHELD):
            yield Mark(f"page/{page}")
        elif MARKER in text:
            original = reading.page_boxes(page)[0]
            for mark in _withheld(f"page/{page}", original, _GAPS.sub(MARKER, text)):
                yield _without_blanks(mark, original)


def _without_blanks(mark: Mark, text: str) -> Mark:
    """`mark` without blanks at its edges."""
    if mark.start is None or mark.end is None:
        return mark
    marked = text[mark.start : mark.end]
    start = mark.start + len(marked) - len(marked.lstrip())
    return replace(mark, start=start, end=max(start, mark.start + len(marked.rstrip())))


# --- Word ------------------------------------------------------------------------------------------------------------


class _Story(NamedTuple):
    """A part that is read as text: its visible paragraphs, and those that only old programs show."""

    part: str
    units: list[Unit]
    old: list[Unit]


def _in_word(reading: DocxReading, edition: DocxReading) -> Iterator[Mark]:
    theirs, ours = _stories(edition), _stories(reading)
    for kind, stories in ours.items():
        editions = theirs.get(kind, [])
        for number, story in enumerate(stories):
            if number < len(editions):
                texts = [unit.text for unit in editions[number].units]
                found = _aligned(story.units, texts)
                yield from [Mark(story.part)] if found is None else found
                # The edition keeps a text box only as new programs show it.
                shown = frozenset(texts)
                yield from (Mark(unit.address) for unit in story.old if unit.text and unit.text not in shown)
            elif any(unit.text for unit in story.units):
                yield Mark(story.part)


def _stories(reading: DocxReading) -> dict[str, list[_Story]]:
    """The stories by their kind. Comments are in no edition."""
    units = {unit.address: unit for unit in reading.units() if not unit.hidden}
    kinds: dict[str, list[_Story]] = {}
    for part, kind in reading.stories.items():
        if kind == "comment":
            continue
        story = _Story(part, [], [])
        for number, paragraph in enumerate(reading.tree(part).iter(*P), 1):
            if unit := units.get(f"{part}/p{number}"):
                is_old = any(local(above.tag) == "Fallback" for above in paragraph.iterancestors())
                (story.old if is_old else story.units).append(unit)
        kinds.setdefault(kind, []).append(story)
    return kinds


def _aligned(units: Sequence[Unit], texts: Sequence[str]) -> list[Mark] | None:
    """The marks of units whose texts in the edition are `texts`; the edition may leave some of them out. None if the
    edition has a text that fits nowhere.
    """
    found: list[Mark] = []
    if len(units) == len(texts):
        for unit, text in zip(units, texts, strict=True):
            found += _withheld(unit.address, unit.text, text)
        return found
    if max(len(units), len(texts)) > MAX_ALIGNED:
        return None
    matcher = SequenceMatcher(None, [unit.text for unit in units], texts, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if last - first < end - begin:
            return None
        if kind != "equal":
            found += (Mark(unit.address) for unit in units[first:last] if unit.text)
    return found


# --- Excel -----------------------------------------------------------------------------------------------------------


def _in_workbook(reading: XlsxReading, edition: XlsxReading) -> Iterator[Mark]:
    shown = [sheet for sheet in reading.sheets if not sheet.hidden]
    same = len(shown) == len(edition.sheets)
    others = dict(zip((sheet.name for sheet in shown), edition.sheets, strict=True)) if same else {}
    for sheet in reading.sheets:
        other = others.get(sheet.name)
        if other is None:
            yield Mark(f"sheet/{sheet.name}")
        else:
            if other.name != sheet.name:
                yield from _parts_of(f"sheet/{sheet.name}", sheet.name, other.name)
            yield from _in_sheet(sheet, [*reading.cells(sheet)], {cell.place: cell for cell in edition.cells(other)})


def _in_sheet(sheet: Sheet, cells: Sequence[Cell], theirs: dict[str, Cell]) -> Iterator[Mark]:
    only = theirs.get("A1")
    if len(theirs) == 1 and only is not None and only.text == MARKER and len(cells) > 1:
        yield Mark(f"sheet/{sheet.name}")
        return
    for cell in cells:
        other = theirs.get(cell.place)
        same_number = other is not None and cell.kind == other.kind == "n" and cell.raw == other.raw
        if cell.text and not same_number:
            yield from _withheld(f"sheet/{sheet.name}/{cell.place}", cell.text, other.text if other else "")


# --- a text and its redacted form ------------------------------------------------------------------------------------


def _withheld(address: str, text: str, redacted: str) -> Iterator[Mark]:
    """Marks for what `redacted` withholds of a text: parts of it if they are certain, or all of it."""
    if text == redacted:
        return
    parts = withheld_ranges(text, redacted)
    if parts is None or parts == [(0, len(text))]:
        yield Mark(address)
    else:
        yield from (Mark(address, start, end) for start, end in parts)


def _parts_of(address: str, text: str, redacted: str) -> Iterable[Mark]:
    """Marks for parts of a text; none for all of it, where that would mark more than the text."""
    return [Mark(address, start, end) for start, end in withheld_ranges(text, redacted) or [(0, len(text))]]


def withheld_ranges(text: str, redacted: str) -> list[tuple[int, int]] | None:
    """The ranges of `text` that a marker may replace in `redacted`, in order; None if it is not made from `text`.

    A kept piece that fits in several places is plain only where it is plain in all of them.

    >>> withheld_ranges("Ask Tom Reed now", "Ask █████ now")
    [(4, 12)]
    """
    kept = re.split(f"(?:{MARKER})+", redacted)
    if len(kept) == 1:
        return None
    first, last = kept[0], kept[-1]
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return None
    end = len(text) - len(last)
    earliest, latest = _placed(text, kept[1:-1], len(first), end), _placed_last(text, kept[1:-1], len(first), end)
    if earliest is None or latest is None:
        return None
    ranges: list[tuple[int, int]] = []
    at = len(first)
    for piece, low, high in zip(kept[1:-1], earliest, latest, strict=True):
        # Where every place of it overlaps.
        if high < low + len(piece):
            ranges.append((at, high))
            at = low + len(piece)
    ranges.append((at, end))
    return [(start, stop) for start, stop in ranges if start < stop]


def _placed(text: str, pieces: Sequence[str], at: int, end: int) -> list[int] | None:
    places: list[int] = []
    for piece in pieces:
        place = text.find(piece, at, end)
        if place < 0:
            return None
        places.append(place)
        at = place + len(piece)
    return places


def _placed_last(text: str, pieces: Sequence[str], at: int, end: int) -> list[int] | None:
    places: list[int] = []
    for piece in reversed(pieces):
        place = text.rfind(piece, at, end)
        if place < 0:
            return None
        places.append(place)
        end = place
    return places[::-1]
