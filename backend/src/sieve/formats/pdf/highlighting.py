"""A PDF with a highlight annotation on marked text. A page that is marked whole, or has a marked image, has one on all
of it. Hidden text has no place on a page, and no highlight."""

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Final

import pikepdf

from sieve.core.units import Mark
from sieve.formats.errors import Unsupported
from sieve.formats.pdf.opening import FAULTS, open_pdf
from sieve.formats.pdf.reading import PdfReading
from sieve.formats.pdf.rendering import Box
from sieve.formats.pdf.words import words

_PAGE: Final = re.compile(r"page/([0-9]+)(/image/[0-9]+)?")
_YELLOW: Final = (1, 0.9, 0.2)
_PRINTED: Final = 4
_MOST_LEVELS: Final = 100


def highlight_pdf(reading: PdfReading, marks: Sequence[Mark]) -> bytes:
    """The document with highlights.

    Raises:
        UnknownPlace: a mark does not fit the file.
        Unsupported: it is damaged, so that it cannot be written again.
    """
    boxes: dict[int, list[Box]] = {}
    for mark in marks:
        if (place := _PAGE.fullmatch(mark.address)) is not None:
            page = int(place[1])
            boxes.setdefault(page, []).extend(_boxes(reading, page, mark))
    try:
        pdf = open_pdf(reading.data)
        for page, found in boxes.items():
            _annotate(pdf, pdf.pages[page - 1], found)
        out = BytesIO()
        pdf.save(out, deterministic_id=not pdf.is_encrypted)
    except FAULTS as fault:
        raise Unsupported("this PDF is damaged and cannot be highlighted; download the whole document") from fault
    return out.getvalue()


def _boxes(reading: PdfReading, page: int, mark: Mark) -> list[Box]:
    if mark.start is None or mark.end is None:
        return [Box(0, 0, *reading.page_size(page))]
    text, boxes = reading.page_boxes(page)
    return [word.box for word in words(text[mark.start : mark.end], boxes[mark.start : mark.end])]


def _annotate(pdf: pikepdf.Pdf, page: pikepdf.Page, boxes: Sequence[Box]) -> None:
    corners = [number for box in boxes for number in _corners(page, box)]
    if not corners:
        return
    across, up = corners[::2], corners[1::2]
    annotation = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Highlight,
        Rect=pikepdf.Array([min(across), min(up), max(across), max(up)]),
        QuadPoints=pikepdf.Array(corners),
        C=pikepdf.Array(_YELLOW),
        F=_PRINTED,
    )
    annotations = page.obj.get("/Annots")
    if not isinstance(annotations, pikepdf.Array):
        annotations = page.obj.Annots = pdf.make_indirect(pikepdf.Array())
    annotations.append(pdf.make_indirect(annotation))


def _corners(page: pikepdf.Page, box: Box) -> list[float]:
    """The corners of a box on the page as it is shown, in the page's own coordinates: upper left, upper right, lower
    left, lower right."""
    left, bottom, right, top = (float(edge) for edge in page.cropbox)
    width, height = right - left, top - bottom
    turned = _rotation(page.obj)
    points = (box.left, box.top), (box.right, box.top), (box.left, box.bottom), (box.right, box.bottom)
    found: list[float] = []
    for x, y in points:
        across, up = {
            90: (y, x),
            180: (width - x, y),
            270: (width - y, height - x),
        }.get(turned, (x, height - y))
        found += [round(left + across, 3), round(bottom + up, 3)]
    return found


def _rotation(node: pikepdf.Object) -> int:
    """By how many degrees, clockwise, the page is turned when it is shown; it may inherit that."""
    for _ in range(_MOST_LEVELS):
        if "/Rotate" in node:
            return int(node["/Rotate"]) % 360
        if "/Parent" not in node:
            break
        node = node["/Parent"]
    return 0
