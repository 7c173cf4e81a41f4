"""Renders pages with pdfium: their text with a box for each character, and their pictures.

Invariant: a character of a page's text and its box have the same index. Two threads must not use pdfium at once.
"""

import ctypes
import math
from collections.abc import Iterator
from io import BytesIO
from typing import Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from sieve.formats.errors import Damaged, TooLarge

MAX_PIXELS: Final = 25_000_000
MAX_CHARACTERS: Final = 20_000_000
"""Of a page."""

LINE_END_HYPHEN: Final = (2, 0xFFFE)
"""What pdfium calls a hyphen at the end of a line."""
_REPLACEMENT: Final = "\ufffd"


class Box(NamedTuple):
    """The box of a character, in points from the upper left corner of the page as it is shown.

    Empty for a character that is not drawn, such as a line end.
    """

    left: float
    top: float
    right: float
    bottom: float


NOWHERE: Final = Box(0, 0, 0, 0)


class RenderedPdf:
    """The pages of one PDF."""

    def __init__(self, data: bytes) -> None:
        """Raises Damaged if pdfium cannot read it."""
        try:
            self._pdf = pdfium.PdfDocument(data)
            self.pages = len(self._pdf)
        except pdfium.PdfiumError:
            raise Damaged("this PDF is damaged; save it again in its program") from None

    def size(self, index: int) -> tuple[float, float]:
        """Width and height of the page as it is shown, in points."""
        width, height = self._pdf.get_page_size(index)
        return max(1.0, width), max(1.0, height)

    def text(self, index: int) -> str:
        """The text of the page, in reading order."""
        return "".join(character for character, _, _ in self._characters(index))

    def boxes(self, index: int) -> tuple[str, list[Box]]:
        """The same text, and the box of each code point."""
        text, boxes, _ = self.characters(index)
        return text, boxes

    def characters(self, index: int) -> tuple[str, list[Box], list[int]]:
        """The same, and for each code point the number that pdfium gives its character; -1 for an added line end."""
        found = list(self._characters(index, boxed=True))
        return "".join(character for character, _, _ in found), [box for _, box, _ in found], [at for _, _, at in found]

    def picture(self, index: int, scale: float, annotations: bool) -> Image.Image:
        """The page drawn at `scale` pixels a point; optional content that is off is not drawn.

        Raises:
            TooLarge: there would be more pixels than a picture may have.
        """
        width, height = self.size(index)
        if (
            not scale > 0
            or not math.isfinite(scale)
            or math.ceil(width * scale) * math.ceil(height * scale) > MAX_PIXELS
        ):
            raise TooLarge(f"page/{index + 1}: a picture has at most {MAX_PIXELS} pixels; ask for a smaller scale")
        page = self.page(index)
        try:
            return drawn(page, scale, annotations)
        finally:
            page.close()

    def hidden_layer_text(self, index: int, layers: frozenset[str]) -> str:
        """The text of the page on one of the `layers`, given by name."""
        page = self.page(index)
        try:
            textpage = page.get_textpage()
            found = []
            for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], textpage=textpage):
                names = (_mark_parameter(raw.FPDFPageObj_GetMark(item, at), b"Name") for at in _marks(item))
                if any(name in layers for name in names):
                    found.append(item.extract())
            textpage.close()
            return _clean("\n".join(found))
        except (pdfium.PdfiumError, RuntimeError):
            return ""
        finally:
            page.close()

    def page(self, index: int) -> pdfium.PdfPage:
        """The page as pdfium loads it. Close it after use: changes to its objects are then lost.

        Raises:
            Damaged: pdfium cannot load it.
        """
        try:
            return self._pdf[index]
        except pdfium.PdfiumError:
            raise Damaged(f"page/{index + 1}: this page is damaged; save the PDF again in its program") from None

    def _characters(self, index: int, boxed: bool = False) -> Iterator[tuple[str, Box, int]]:
        page = self.page(index)
        try:
            try:
                textpage = page.get_textpage()
                count = textpage.count_chars()
            except pdfium.PdfiumError:
                raise Damaged(f"page/{index + 1}: this page is damaged; save the PDF again in its program") from None
            if count > MAX_CHARACTERS:
                raise TooLarge(
                    f"page/{index + 1}: a page may have at most {MAX_CHARACTERS:,} characters; classify the whole file"
                )
            box_of = _BoxOf(page, textpage) if boxed else None
            high = 0
            for at in range(count):
                code = raw.FPDFText_GetUnicode(textpage, at)
                if 0xD800 <= code < 0xDC00:
                    high = code
                    continue
                if 0xDC00 <= code < 0xE000 and high:
                    code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
                high = 0
                if code == 0x0D:
                    continue
                if code in LINE_END_HYPHEN:
                    yield "-", box_of(at) if box_of else NOWHERE, at
                    yield "\n", NOWHERE, -1
                    continue
                character = chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else _REPLACEMENT
                yield character, box_of(at) if box_of else NOWHERE, at
            textpage.close()
        finally:
            page.close()


class Shown:
    """Converts pdfium's coordinates to those of the page as it is shown."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rotation = page.get_rotation()
        is_turned = self._rotation in (90, 270)
        self.height: Final = self._right - self._left if is_turned else self._top - self._bottom

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """From the page's coordinates to points from its lower left corner as it is shown."""
        return {
            0: (1.0, 0.0, 0.0, 1.0, -self._left, -self._bottom),
            90: (0.0, -1.0, 1.0, 0.0, -self._bottom, self._right),
            180: (-1.0, 0.0, 0.0, -1.0, self._right, self._top),
            270: (0.0, 1.0, -1.0, 0.0, self._top, -self._left),
        }[self._rotation]

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The box with these edges; empty if it has no size."""
        x = sorted((left, right))
        y = sorted((bottom, top))
        if not all(map(math.isfinite, (*x, *y))) or x[0] == x[1] or y[0] == y[1]:
            return NOWHERE
        from_left = x[0] - self._left, x[1] - self._left
        from_right = self._right - x[1], self._right - x[0]
        from_bottom = y[0] - self._bottom, y[1] - self._bottom
        from_top = self._top - y[1], self._top - y[0]
        across, down = {
            0: (from_left, from_top),
            90: (from_bottom, from_left),
            180: (from_right, from_bottom),
            270: (from_top, from_right),
        }[self._rotation]
        return Box(across[0], down[0], across[1], down[1])


class _BoxOf:
    """The box of a character, given pdfium's number of it."""

    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> None:
        self._textpage, self._shown = textpage, Shown(page)

    def __call__(self, at: int) -> Box:
        rect = raw.FS_RECTF()
        if not raw.FPDFText_GetLooseCharBox(self._textpage, at, rect):
            return NOWHERE
        return self._shown.box(rect.left, rect.bottom, rect.right, rect.top)


def drawn(page: pdfium.PdfPage, scale: float, annotations: bool = False) -> Image.Image:
    """The page at `scale` pixels a point."""
    bitmap = page.render(scale=scale, may_draw_forms=False, draw_annots=annotations, rev_byteorder=True)
    picture: Image.Image = bitmap.to_pil().convert("RGB")
    bitmap.close()
    return picture


def png(picture: Image.Image) -> bytes:
    """The picture as a PNG file."""
    written = BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def _marks(item: pdfium.PdfObject) -> range:
    return range(max(0, raw.FPDFPageObj_CountMarks(item)))


def _mark_parameter(mark: object, key: bytes) -> str:
    size = ctypes.c_ulong()
    if not mark or not raw.FPDFPageObjMark_GetParamStringValue(mark, key, None, 0, size) or not size.value:
        return ""
    buffer = (ctypes.c_ushort * (size.value // 2 + 1))()
    raw.FPDFPageObjMark_GetParamStringValue(mark, key, buffer, size.value, size)
    return bytes(buffer)[: size.value].decode("utf-16-le", "replace").rstrip("\0")


def _clean(text: str) -> str:
    return text.replace("\r", "").encode("utf-8", "replace").decode()
