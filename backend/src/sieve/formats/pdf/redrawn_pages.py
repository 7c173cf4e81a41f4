"""Pages of a redacted edition that are made from nothing of the original file: withheld pages, and pages that are drawn
again from what pdfium shows of them.

A page that is drawn again is a picture, outlines of glyphs over it, bars, and the text as an invisible layer, so that
readers can select and search it. Invariant: nothing here depends on anything but the arguments.
"""

import zlib
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream
from PIL import Image

from sieve.formats.marker import MARKER
from sieve.formats.pdf.bars import Bar
from sieve.formats.pdf.rendering import Box
from sieve.formats.pdf.text_objects import Matrix, Outline

WITHHELD: Final = "This page is withheld."
_LOWER: Final = 0.15
"""The part of the height of a line that its invisible text leaves free above and below."""
_WIDEST: Final = 0.6
"""The width of a letter of a marker over a bar, as a part of the height of the bar."""


class Ink(NamedTuple):
    """A glyph on a page: its outline in units of the font size, its place from the lower left corner, its colour."""

    outline: Outline
    matrix: Matrix
    color: tuple[int, int, int]


class Redrawn(NamedTuple):
    """What a page shows."""

    size: tuple[float, float]
    picture: Image.Image
    glyphs: Sequence[Ink]
    bars: Sequence[Bar]
    text: str
    boxes: Sequence[Box]
    """Of each code point of the text."""


def add_withheld(edition: pikepdf.Pdf, size: tuple[float, float], reason: str) -> None:
    """Adds a page that says why it is withheld."""
    width, height = size
    page = edition.add_blank_page(page_size=size)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
    lines = []
    for line, above, most in ((WITHHELD, 0.6, 18.0), (reason, -0.9, 11.0)):
        # 0.47: the mean width of these letters in Helvetica
        letters = max(2.0, min(most, 0.86 * width / (0.47 * len(line))))
        left = (width - letters * 0.47 * len(line)) / 2
        lines.append(f"BT /F1 {letters:.2f} Tf {left:.2f} {height / 2 + above * letters:.2f} Td ({line}) Tj ET\n")
    page.obj.Contents = edition.make_stream(
        f"0.93 g 0 0 {width:.3f} {height:.3f} re f 0.4 G 1 w 6 6 {width - 12:.3f} {height - 12:.3f} re S\n"
        f"0.2 g {''.join(lines)}".encode()
    )


def add_redrawn(edition: pikepdf.Pdf, drawn: Redrawn) -> None:
    """Adds the page."""
    width, height = drawn.size
    page = edition.add_blank_page(page_size=drawn.size)
    content, forms = [], Dictionary()
    if drawn.picture.convert("L").getextrema() != (255, 255):
        forms.Im1 = _image(edition, drawn.picture)
        content.append(f"q {width:.3f} 0 0 {height:.3f} 0 0 cm /Im1 Do Q\n".encode())
    names: dict[Outline, str] = {}
    for glyph in drawn.glyphs:
        if glyph.outline not in names:
            names[glyph.outline] = f"/G{len(names)}"
            forms[names[glyph.outline]] = _glyph(edition, glyph.outline)
        color = " ".join(f"{part / 255:.3g}" for part in glyph.color)
        matrix = " ".join(f"{number:.4f}" for number in glyph.matrix)
        content.append(f"q {color} rg {matrix} cm {names[glyph.outline]} Do Q\n".encode())
    for bar in drawn.bars:
        left, top, right, bottom = bar.box
        content.append(f"0 g {left:.2f} {height - bottom:.2f} {right - left:.2f} {bottom - top:.2f} re f\n".encode())
    fonts, letters = _invisible_text(edition, *_with_markers(drawn), height)
    page.obj.Resources = Dictionary(XObject=forms, Font=fonts)
    page.obj.Contents = edition.make_stream(b"".join([*content, letters]))


def _image(edition: pikepdf.Pdf, picture: Image.Image) -> Stream:
    red, green, blue = (band.tobytes() for band in picture.split())
    grey = red == green == blue
    return edition.make_stream(
        zlib.compress(red if grey else picture.tobytes()),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=picture.width,
        Height=picture.height,
        ColorSpace=Name.DeviceGray if grey else Name.DeviceRGB,
        BitsPerComponent=8,
        Filter=Name.FlateDecode,
    )


def _glyph(edition: pikepdf.Pdf, outline: Outline) -> Stream:
    """A form, and no letter of a font: the page's text is in its invisible layer, once."""
    points = [(x, y) for _, *rest in outline for x, y in zip(rest[::2], rest[1::2], strict=True)]
    across, up = [x for x, _ in points], [y for _, y in points]
    path = "".join(f"{' '.join(f'{number:.4g}' for number in rest)} {operator}\n" for operator, *rest in outline)
    return edition.make_stream(
        f"{path}f\n".encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([_number(edge) for edge in (min(across), min(up), max(across), max(up))]),
    )


def _number(value: float) -> Decimal:
    return Decimal(f"{value:.4f}")


def _with_markers(drawn: Redrawn) -> tuple[str, list[Box]]:
    """The text and its boxes, with a marker over each bar, in place of the text that it replaces, or at the end."""
    starts = {bar.replaced[0]: bar.box for bar in drawn.bars if bar.replaced}
    removed = {at for bar in drawn.bars if bar.replaced for at in range(bar.replaced[0], bar.replaced[-1] + 1)}
    text: list[str] = []
    boxes: list[Box] = []
    for at, (character, box) in enumerate(zip(drawn.text, drawn.boxes, strict=True)):
        if at in starts:
            text.append(MARKER)
            boxes += _parts(starts[at], len(MARKER))
        if at not in removed:
            text.append(character)
            boxes.append(box)
    for bar in drawn.bars:
        if not bar.replaced:
            text.append(MARKER)
            boxes += _parts(bar.box, len(MARKER))
    return "".join(text), boxes


def _parts(box: Box, count: int) -> list[Box]:
    """Parts of the box from left to right, no wider than usual letters: after a wide letter, pdfium takes the next line
    for the same one.
    """
    width = min((box.right - box.left) / count, (box.bottom - box.top) * _WIDEST)
    edges = [box.left + width * at for at in range(count + 1)]
    return [Box(left, box.top, right, box.bottom) for left, right in pairwise(edges)]


def _invisible_text(edition: pikepdf.Pdf, text: str, boxes: Sequence[Box], height: float) -> tuple[Dictionary, bytes]:
    """Fonts without strokes, and the text set in them, each character over its box.

    Codes follow the order of the page's own characters by code point, and so reveal nothing of other pages.
    """
    alphabet = sorted({character for character, box in zip(text, boxes, strict=True) if box.right > box.left})
    blank = edition.make_stream(b"1000 0 0 0 1000 1000 d1\n")  # without a size, some readers skip it
    fonts = Dictionary()
    for first in range(0, len(alphabet), 256):
        fonts[f"/T{first // 256}"] = _blank_font(edition, alphabet[first : first + 256], blank)
    place = {character: divmod(at, 256) for at, character in enumerate(alphabet)}
    lines = [b"BT"]
    current = -1
    for character, box in zip(text, _aligned(text, boxes), strict=True):
        if character not in place or box.right <= box.left:
            continue
        font, code = place[character]
        if font != current:
            lines.append(b"/T%d 1 Tf" % font)
            current = font
        matrix = f"{box.right - box.left:.3f} 0 0 {box.bottom - box.top:.3f} {box.left:.3f} {height - box.bottom:.3f}"
        lines.append(b"%s Tm <%02X> Tj" % (matrix.encode(), code))
    lines.append(b"ET\n")
    return fonts, b"\n".join(lines)


def _aligned(text: str, boxes: Sequence[Box]) -> list[Box]:
    """The boxes with one top and one bottom for each line.

    PDF viewers start a new word where the size or the baseline of letters changes, and would find no words at all. They
    mix up lines that overlap, and in many fonts the boxes of letters are higher than a line.
    """
    aligned = list(boxes)
    run: list[int] = []
    top = bottom = tallest = 0.0

    def level() -> None:
        less = (bottom - top) * _LOWER
        for at in run:
            aligned[at] = Box(boxes[at].left, top + less, boxes[at].right, bottom - less)
        run.clear()

    for at, (character, box) in enumerate(zip(text, boxes, strict=True)):
        if box.right <= box.left:
            if character == "\n":
                level()
            continue
        height = box.bottom - box.top
        shared = min(bottom, box.bottom) - max(top, box.top)
        # On a slope each letter overlaps the next, but together they are no line.
        whole = max(bottom, box.bottom) - min(top, box.top)
        if run and (shared < 0.5 * min(bottom - top, height) or whole > 1.5 * max(tallest, height)):
            level()
        if not run:
            top, bottom, tallest = box.top, box.bottom, height
        run.append(at)
        top, bottom, tallest = min(top, box.top), max(bottom, box.bottom), max(tallest, height)
    level()
    return aligned


def _blank_font(edition: pikepdf.Pdf, alphabet: list[str], blank: Stream) -> Object:
    mapped = [b"<%02X> <%s>" % (at, one.encode("utf-16-be").hex().encode()) for at, one in enumerate(alphabet)]
    groups = [mapped[at : at + 100] for at in range(0, len(mapped), 100)]
    table = b"\n".join(b"%d beginbfchar\n%s\nendbfchar" % (len(group), b"\n".join(group)) for group in groups)
    unicode = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Blank def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n" + table + b"\nendcmap end end\n"
    )
    names = [Name(f"/g{at}") for at in range(len(alphabet))]
    return edition.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 1000, 1000]),
            FontMatrix=Array([pikepdf.Real(Decimal("0.001")), 0, 0, pikepdf.Real(Decimal("0.001")), 0, 0]),
            FirstChar=0,
            LastChar=len(alphabet) - 1,
            Widths=Array([1000] * len(alphabet)),
            CharProcs=Dictionary({str(name): blank for name in names}),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([0, *names])),
            ToUnicode=edition.make_stream(unicode),
            Resources=Dictionary(),
        )
    )
