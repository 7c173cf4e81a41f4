"""What is under a bar changes nothing else of the page: the edition of another secret has the same bytes."""

from collections.abc import Callable, Iterable
from io import BytesIO

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Object, Pdf
from reportlab.pdfbase.pdfmetrics import stringWidth

from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading
from sieve.formats.reading import redact

SECRETS = ("ORION", "jilly is", "WMgMW, a gap")
START = 50 + stringWidth("it is ", "Helvetica", 12)
MARGIN = b"BT /F1 12 Tf 50 170 Td (a longer line of text that sets the margin) Tj ET "
NOT_REMOVED = "This page is withheld.\nThe classified text cannot be removed from it safely."


def page_of(content: bytes, with_resources: Callable[[Pdf, Object], None] = lambda pdf, resources: None) -> bytes:
    """A page with Helvetica as F1, and what `with_resources` adds to its resources."""
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(300, 200))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font), XObject=Dictionary())
        with_resources(pdf, page.obj.Resources)
        page.obj.Contents = pdf.make_stream(content)
        written = BytesIO()
        pdf.save(written, static_id=True)
        return written.getvalue()


def line(text: str) -> bytes:
    return f"BT /F1 12 Tf 50 100 Td ({text}) Tj ET ".encode()


def edition_of(data: bytes, secret: str) -> bytes:
    reading = PdfReading(data)
    start = reading.page_boxes(1)[0].index(secret)
    return redact(reading, [Mark("page/1", start, start + len(secret))])


def text_of(edition: bytes) -> str:
    return PdfReading(edition).page_boxes(1)[0]


def bars_of(edition: bytes) -> list[bytes]:
    with pikepdf.open(BytesIO(edition)) as pdf:
        return [row for row in pdf.pages[0].obj.Contents.read_bytes().split(b"\n") if row.endswith(b" re f")]


def only_edition(pages: Iterable[tuple[bytes, str]]) -> bytes:
    """The edition of all these pages, whose secrets are beside them. It has a bar."""
    editions = {edition_of(data, secret) for data, secret in pages}
    assert len(editions) == 1
    (edition,) = editions
    assert "█" in text_of(edition)
    return edition


@pytest.mark.parametrize(
    "around",
    [
        "1 1 0 rg {left} 95 {width} 16 re f 0 g",
        "0.99 g {left} 94 {width} 18 re f 0 g",
        "1 1 0 rg 50 95 {to_end} 16 re f 0 g",
        "{left} 96 {width} 15 re S",
        "0.5 w {left} 96.8 m {right} 96.8 l S {left} 95.3 m {right} 95.3 l S",
        "{left} 112 m {right} 112 l S",
    ],
    ids=["highlight", "pale highlight", "highlighted line", "frame", "two underlines", "overline"],
)
def test_what_is_drawn_around_a_word_does_not_reveal_its_width(around: str) -> None:
    pages = []
    for secret in SECRETS:
        width = stringWidth(secret, "Helvetica", 12)
        drawn = around.format(left=START, width=width, right=START + width, to_end=START + width - 50)
        pages.append((page_of(MARGIN + drawn.encode() + b" " + line(f"it is {secret}")), secret))
    only_edition(pages)


def test_rules_of_a_table_do_not_change_a_bar() -> None:
    """They go on beyond its line, so they belong to no word."""
    rules = b"40 20 m 40 190 l 200 20 m 200 190 l S "
    plain, ruled = (edition_of(page_of(more + line("it is ORION")), "ORION") for more in (b"", rules))
    assert bars_of(plain) == bars_of(ruled) != []


@pytest.mark.parametrize(("turn", "x", "y"), [("1 0 0 1", 50, 100), ("0 1 -1 0", 150, 20)], ids=["level", "up"])
def test_a_bar_between_words_reveals_their_distance_in_quarters_of_a_point(turn: str, x: int, y: int) -> None:
    """Finer fractions would exclude most words of a list, and many letters, each rounded by itself, tell fractions."""
    only_edition(
        (page_of(f"BT /F1 12 Tf {turn} {x} {y} Tm (it is ORION) Tj {width} 0 Td (some more) Tj ET".encode()), "ORION")
        for width in (90, 90.06, 89.95, 90.11)
    )


@pytest.mark.parametrize("rise", [-4, 4, 6])
def test_lowered_and_raised_letters_do_not_show_in_the_height_of_a_bar(rise: int) -> None:
    level = line("it is CO2X")
    moved = f"BT /F1 12 Tf 50 100 Td (it is CO) Tj /F1 8 Tf {rise} Ts (2) Tj /F1 12 Tf 0 Ts (X) Tj ET".encode()
    only_edition((page_of(MARGIN + content), "CO2X") for content in (level, moved))


def letters_as_drawings(pdf: Pdf, resources: Object) -> None:
    """A Type 3 font, F3, in which "l" is higher than the others, and "g" lower."""
    boxes = {"l": (0, 990), "g": (-300, 500)}
    procedures = {}
    for code in range(32, 127):
        low, high = boxes.get(chr(code), (0, 500 if code > 32 else 1))
        procedures[f"/c{code}"] = pdf.make_stream(b"600 0 d0 50 %d 400 %d re f" % (low, high - low))
    names = [Name(name) for name in procedures]
    mapped = pdf.make_stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
        b"endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange endcmap end end"
    )
    resources.Font.F3 = pdf.make_indirect(
        Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, -300, 600, 990]), FirstChar=32, LastChar=126,
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]), Widths=Array([600] * 95), ToUnicode=mapped,
            CharProcs=Dictionary(procedures), Encoding=Dictionary(Differences=Array([32, *names])),
            Resources=Dictionary(),
        )
    )  # fmt: skip


def test_letters_that_only_a_picture_can_show_do_not_stick_out_of_a_bar() -> None:
    pages = []
    for secret in ("orion", "ollon", "oggog"):
        content = f"BT /F3 12 Tf 50 100 Td (it is {secret} here) Tj ET".encode()
        pages.append((page_of(content, letters_as_drawings), secret))
    only_edition(pages)


def test_a_ligature_under_a_bar_does_not_change_how_other_letters_are_drawn() -> None:
    def with_ligature(pdf: Pdf, resources: Object) -> None:
        resources.Font.F1.Encoding = Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([200, Name.fi]))
        resources.Font.F1.ToUnicode = pdf.make_stream(
            b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
            b"endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange 1 beginbfchar <C8> <00660069> endbfchar "
            b"endcmap end end"
        )

    only_edition(
        (page_of(MARGIN + line(f"it is {written}"), with_ligature), secret)
        for written, secret in ((r"of\310ce", "office"), ("orange", "orange"))
    )


def test_lines_close_to_each_other_keep_their_order() -> None:
    """A bar and its marker are as high as a line, and wide."""
    content = b"BT /F1 12 Tf 50 150 Td (a longer line here) Tj 0 -12 Td (it is ORION) Tj 0 -12 Td (the end) Tj ET"
    assert text_of(edition_of(page_of(content), "ORION")).split("\n") == [
        "a longer line here",
        "it is █████",
        "the end",
    ]


def in_a_pattern(pdf: Pdf, resources: Object, image: Object) -> bytes:
    tile = pdf.make_stream(
        b"20 0 0 20 0 0 cm /Im Do", Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1,
        BBox=Array([0, 0, 20, 20]), XStep=20, YStep=20, Resources=Dictionary(XObject=Dictionary(Im=image)),
    )  # fmt: skip
    resources.Pattern = Dictionary(P1=tile)
    return b"/Pattern cs /P1 scn 0 0 100 100 re f"


def in_a_mask(pdf: Pdf, resources: Object, image: Object) -> bytes:
    group = pdf.make_stream(
        b"100 0 0 100 0 0 cm /Im Do", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 100, 100]),
        Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray), Resources=Dictionary(XObject=Dictionary(Im=image)),
    )  # fmt: skip
    resources.ExtGState = Dictionary(G1=Dictionary(SMask=Dictionary(S=Name.Luminosity, G=group)))
    return b"/G1 gs 0 0 100 100 re f"


def as_a_mask(pdf: Pdf, resources: Object, image: Object) -> bytes:
    resources.XObject.Im2 = pdf.make_stream(
        bytes(4), Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2, ColorSpace=Name.DeviceGray,
        BitsPerComponent=8, SMask=image,
    )  # fmt: skip
    return b"q 100 0 0 100 0 0 cm /Im2 Do Q"


def in_a_glyph(pdf: Pdf, resources: Object, image: Object) -> bytes:
    _with_glyph(pdf, resources, b"1000 0 0 1000 0 0 cm /Im Do", XObject=Dictionary(Im=image))
    return b"BT /F3 60 Tf 20 20 Td (A) Tj ET"


def _with_glyph(pdf: Pdf, resources: Object, drawing: bytes, **used: Object) -> None:
    resources.Font.F3 = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 1000, 1000]), FirstChar=65, LastChar=65,
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]), Widths=Array([1000]),
        Resources=Dictionary({f"/{name}": value for name, value in used.items()}),
        CharProcs=Dictionary(A=pdf.make_stream(b"1000 0 d0 " + drawing)),
        Encoding=Dictionary(Differences=Array([65, Name.A])),
    )  # fmt: skip


@pytest.mark.parametrize("once_more", [in_a_pattern, in_a_mask, as_a_mask, in_a_glyph])
def test_a_marked_picture_that_is_also_drawn_in_another_way_withholds_the_page(
    once_more: Callable[[Pdf, Object, Object], bytes],
) -> None:
    content = []

    def with_image(pdf: Pdf, resources: Object) -> None:
        resources.XObject.Im = pdf.make_stream(
            bytes([90, 160, 90, 160]),
            Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2, ColorSpace=Name.DeviceGray, BitsPerComponent=8,
        )  # fmt: skip
        content.append(b"q 80 0 0 40 200 60 cm /Im Do Q " + once_more(pdf, resources, resources.XObject.Im))

    page_of(b"", with_image)
    data = page_of(content[0], with_image)
    assert text_of(redact(PdfReading(data), [Mark("page/1/image/1")])) == NOT_REMOVED


def test_text_in_a_glyph_withholds_the_page() -> None:
    def with_glyph(pdf: Pdf, resources: Object) -> None:
        _with_glyph(pdf, resources, b"BT /F1 300 Tf (ORION) Tj ET", Font=Dictionary(F1=resources.Font.F1))

    data = page_of(line("it is ORION") + b"BT /F3 60 Tf 20 20 Td (A) Tj ET", with_glyph)
    assert text_of(edition_of(data, "ORION")) == NOT_REMOVED


@pytest.mark.parametrize("mode", [4, 7])
def test_a_marked_word_that_limits_other_drawings_withholds_the_page(mode: int) -> None:
    data = page_of(b"q %d Tr " % mode + line("it is ORION") + b"1 0 0 rg 0 0 300 200 re f Q")
    assert text_of(edition_of(data, "ORION")) == NOT_REMOVED
