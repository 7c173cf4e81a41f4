"""The text of a page as pdfium draws it: objects of text, and the characters and glyphs of each.

pdfium gives each character a place, and an outline in its font. Invariant: an object has glyphs only if each of its
characters is one glyph with an outline, filled with one opaque colour.
"""

import ctypes
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from sieve.formats.pdf.rendering import LINE_END_HYPHEN, NOWHERE, Box, Shown
from sieve.formats.pdf.words import around
from sieve.formats.pictures.lossy import LARGEST_MARGIN, jpeg_margin

Matrix = tuple[float, float, float, float, float, float]
Outline = tuple[tuple[Any, ...], ...]
"""Operators of a path, each before its numbers: ("m", x, y), ("l", x, y), ("c", x1, y1, x2, y2, x3, y3), ("h",)."""

_ABOVE_BASELINE: Final = 0.92
_BELOW_BASELINE: Final = 0.24
"""Of a line, in font sizes."""
_MAX_DEPTH: Final = 16
_MAX_FILTER: Final = 32
"""Bytes of the name of an image's filter."""
_SMOOTHED: Final = 2
"""Pixels of an image, and of what is drawn, over which pdfium mixes colours if it draws the image in another size."""
_FILLED: Final = raw.FPDF_TEXTRENDERMODE_FILL
_TRACED: Final = frozenset(
    {
        raw.FPDF_TEXTRENDERMODE_STROKE,
        raw.FPDF_TEXTRENDERMODE_FILL_STROKE,
        raw.FPDF_TEXTRENDERMODE_FILL_CLIP,
        raw.FPDF_TEXTRENDERMODE_STROKE_CLIP,
        raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
        raw.FPDF_TEXTRENDERMODE_CLIP,
    }
)
INVISIBLE: Final = frozenset({raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP})


@dataclass(slots=True)
class Glyph:
    """A glyph that can be drawn as a filled outline."""

    outline: Outline
    matrix: Matrix
    """From units of the font size to points from the lower left corner of the page as it is shown."""
    character: int
    """pdfium's number of its character."""


@dataclass(slots=True)
class TextObject:
    """What one instruction shows."""

    handle: Any
    box: Box
    """On the page as it is shown."""
    is_invisible: bool
    color: tuple[int, int, int] | None
    """None if it is not drawn in one opaque colour."""
    characters: list[int] = field(default_factory=list)
    """pdfium's numbers of all its characters."""
    glyphs: list[Glyph] | None = None
    """Of the characters that stay; None if they cannot be drawn as outlines."""

    @property
    def is_traced(self) -> bool:
        """Whether the edges of the letters have lines, which reach beyond their boxes, or limit other drawings."""
        return raw.FPDFTextObj_GetTextRenderMode(self.handle) in _TRACED

    def hide(self) -> None:
        """Leaves it out of pictures of the page."""
        raw.FPDFPageObj_SetIsActive(self.handle, False)

    def show(self) -> None:
        """Draws it again."""
        raw.FPDFPageObj_SetIsActive(self.handle, True)


def text_objects(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, secret: Set[int]) -> list[TextObject]:
    """The objects of text of a page and of its forms, in the order of drawing. Characters that are `secret` have no
    glyphs, and do not change whether the others have.
    """
    shown = Shown(page)
    objects = [
        TextObject(handle, box, _is_invisible(handle), _color(handle))
        for kind, handle, box in _objects(page, shown)
        if kind == raw.FPDF_PAGEOBJ_TEXT
    ]
    by_handle = {_address(item.handle): item for item in objects}
    for at in range(textpage.count_chars()):
        handle = raw.FPDFText_GetTextObject(textpage, at)
        if handle and not raw.FPDFText_IsGenerated(textpage, at) and _address(handle) in by_handle:
            by_handle[_address(handle)].characters.append(at)
    outlines: dict[tuple[int, int], Outline] = {}
    for item in objects:
        if item.is_invisible:
            item.glyphs = []
        elif item.color is not None and raw.FPDFTextObj_GetTextRenderMode(item.handle) == _FILLED:
            item.glyphs = _glyphs(item, textpage, shown.matrix, outlines, secret)
    return objects


def image_boxes(page: pdfium.PdfPage, contents: set[bytes]) -> list[Box]:
    """The places of the images with these encoded contents."""
    return [
        box
        for kind, handle, box in _objects(page, Shown(page))
        if kind == raw.FPDF_PAGEOBJ_IMAGE and _image_data(handle) in contents
    ]


def image_contents(page: pdfium.PdfPage) -> set[bytes]:
    """The encoded contents of all images of the page and of its forms."""
    objects = _objects(page, Shown(page))
    return {_image_data(handle) for kind, handle, _ in objects if kind == raw.FPDF_PAGEOBJ_IMAGE}


def with_margins(page: pdfium.PdfPage, area: Box, scale: float) -> Box:
    """The area, and what is around it in images: their compression, and drawing them in another size, spread what it
    shows. `scale`: pixels a point of the picture that is drawn.
    """
    grown = area
    for kind, handle, box in _objects(page, Shown(page)):
        if kind == raw.FPDF_PAGEOBJ_IMAGE and overlap(area, box):
            more = _margin(handle, box) + _SMOOTHED / scale
            left, top, right, bottom = area
            spread = Box(left - more, top - more, right + more, bottom + more)
            grown = around(grown, _common(spread, box))
    return grown


def overlap(one: Box, other: Box) -> bool:
    """Whether the boxes have more than edges in common."""
    common = _common(one, other)
    return common.left < common.right and common.top < common.bottom


def _common(one: Box, other: Box) -> Box:
    return Box(
        max(one.left, other.left), max(one.top, other.top), min(one.right, other.right), min(one.bottom, other.bottom)
    )


def _margin(handle: Any, box: Box) -> float:
    """Points around an area of an image in that box that may reveal the area."""
    width, height = ctypes.c_uint(), ctypes.c_uint()
    raw.FPDFImageObj_GetImagePixelSize(handle, width, height)
    # At most: the image may be turned, or stretched more in one direction.
    points = max(box.right - box.left, box.bottom - box.top) / max(1, min(width.value, height.value))
    filters = {_filter(handle, at) for at in range(raw.FPDFImageObj_GetImageFilterCount(handle))}
    pixels = 0
    if "JPXDecode" in filters:  # its wavelets spread a little of each pixel over the whole image
        pixels = width.value + height.value
    elif "DCTDecode" in filters:
        try:
            pixels = jpeg_margin(_image_data(handle))
        except (OSError, Image.DecompressionBombError):  # another filter is around it, or it is huge
            pixels = LARGEST_MARGIN
    return (pixels + _SMOOTHED) * points


def _filter(handle: Any, at: int) -> str:
    buffer = ctypes.create_string_buffer(_MAX_FILTER)
    raw.FPDFImageObj_GetImageFilter(handle, at, buffer, _MAX_FILTER)
    return buffer.value.decode("latin-1")


def tight_box(textpage: pdfium.PdfTextPage, shown: Shown, at: int) -> Box:
    """The box around the ink of a character."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(textpage, at, left, right, bottom, top):
        return NOWHERE
    return shown.box(left.value, bottom.value, right.value, top.value)


def slope(textpage: pdfium.PdfTextPage, at: int) -> float:
    """By how much the line of a character differs from a horizontal or vertical one; 1 is 45 degrees."""
    placed = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(textpage, at, placed)
    low, high = sorted((abs(placed.a), abs(placed.b)))
    return low / high if high else 0.0


def em_box(textpage: pdfium.PdfTextPage, shown: Shown, at: int, box: Box) -> Box:
    """The `box` of a character with the height of its font size, which is the same for all letters of a font."""
    x, y = ctypes.c_double(), ctypes.c_double()
    placed = raw.FS_MATRIX()
    raw.FPDFText_GetCharOrigin(textpage, at, x, y)
    raw.FPDFText_GetMatrix(textpage, at, placed)
    size = raw.FPDFText_GetFontSize(textpage, at)
    matrix = combined(
        (placed.a * size, placed.b * size, placed.c * size, placed.d * size, x.value, y.value), shown.matrix
    )
    left, bottom, right, top = _around(matrix, 0, -_BELOW_BASELINE, 0, _ABOVE_BASELINE)
    if abs(matrix[1]) > abs(matrix[0]):
        return Box(left, box.top, right, box.bottom) if left < right else box
    return Box(box.left, shown.height - top, box.right, shown.height - bottom) if bottom < top else box


def _objects(page: pdfium.PdfPage, shown: Shown) -> Iterator[tuple[int, Any, Box]]:
    """The kind, handle and place of each object, also in forms; forms before what they contain."""

    def below(count: int, get: Any, parent: Any, outer: Matrix, depth: int) -> Iterator[tuple[int, Any, Box]]:
        for at in range(max(0, count)):
            handle = get(parent, at)
            kind = raw.FPDFPageObj_GetType(handle)
            edges = [ctypes.c_float() for _ in range(4)]
            raw.FPDFPageObj_GetBounds(handle, *edges)
            yield kind, handle, shown.box(*_around(outer, *(edge.value for edge in edges)))
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
                inner = raw.FS_MATRIX()
                raw.FPDFPageObj_GetMatrix(handle, inner)
                count_in = raw.FPDFFormObj_CountObjects(handle)
                yield from below(
                    count_in, raw.FPDFFormObj_GetObject, handle, combined(_matrix(inner), outer), depth + 1
                )

    return below(raw.FPDFPage_CountObjects(page), raw.FPDFPage_GetObject, page, (1, 0, 0, 1, 0, 0), 0)


def combined(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that applies `first`, and `then` the other."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _around(matrix: Matrix, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    across, up = [x for x, _ in corners], [y for _, y in corners]
    return min(across), min(up), max(across), max(up)


def _address(handle: Any) -> int:
    return ctypes.addressof(handle.contents)


def _matrix(found: Any) -> Matrix:
    return found.a, found.b, found.c, found.d, found.e, found.f


def _is_invisible(handle: Any) -> bool:
    return raw.FPDFTextObj_GetTextRenderMode(handle) in INVISIBLE


def _color(handle: Any) -> tuple[int, int, int] | None:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha) or alpha.value != 255:
        return None
    return red.value, green.value, blue.value


def _image_data(handle: Any) -> bytes:
    size = raw.FPDFImageObj_GetImageDataRaw(handle, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFImageObj_GetImageDataRaw(handle, buffer, size)
    return buffer.raw


def _glyphs(
    item: TextObject,
    textpage: pdfium.PdfTextPage,
    shown: Matrix,
    outlines: dict[tuple[int, int], Outline],
    secret: Set[int],
) -> list[Glyph] | None:
    """A glyph for each character that is not `secret`; None if one glyph is several characters, such as a ligature."""
    found: list[Glyph] = []
    places: dict[tuple[float, float], bool] = {}
    font = raw.FPDFTextObj_GetFont(item.handle)
    for at in item.characters:
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(textpage, at, x, y)
        stays = at not in secret
        shared = places.get((x.value, y.value))
        if shared or (stays and (shared is False or raw.FPDFText_HasUnicodeMapError(textpage, at))):
            return None
        places[x.value, y.value] = stays
        if not stays:
            continue
        code = raw.FPDFText_GetUnicode(textpage, at)
        code = ord("-") if code in LINE_END_HYPHEN else code
        key = _address(font), code
        if key not in outlines:
            outlines[key] = _outline(font, code)
        if not outlines[key] and not chr(code).isspace():
            return None
        placed = raw.FS_MATRIX()
        raw.FPDFText_GetMatrix(textpage, at, placed)
        size = raw.FPDFText_GetFontSize(textpage, at)
        matrix = placed.a * size, placed.b * size, placed.c * size, placed.d * size, x.value, y.value
        found.append(Glyph(outlines[key], combined(matrix, shown), at))
    return found


def _outline(font: Any, code: int) -> Outline:
    path = raw.FPDFFont_GetGlyphPath(font, code, ctypes.c_float(1.0))
    found: list[tuple[Any, ...]] = []
    curve: list[float] = []
    for at in range(max(0, raw.FPDFGlyphPath_CountGlyphSegments(path)) if path else 0):
        segment = raw.FPDFGlyphPath_GetGlyphPathSegment(path, at)
        x, y = ctypes.c_float(), ctypes.c_float()
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        match raw.FPDFPathSegment_GetType(segment):
            case raw.FPDF_SEGMENT_MOVETO:
                found.append(("m", x.value, y.value))
            case raw.FPDF_SEGMENT_LINETO:
                found.append(("l", x.value, y.value))
            case _:
                curve += x.value, y.value
                if len(curve) == 6:
                    found.append(("c", *curve))
                    curve = []
        if raw.FPDFPathSegment_GetClose(segment):
            found.append(("h",))
    return tuple(found)
