"""Bars replace marked words and images on a page: nothing of them is left, and everything else stays where it was."""

import zlib
from collections.abc import Sequence
from io import BytesIO

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageStat

import pdf_files
from pdf_files import PRODUCERS, by_reportlab, holds
from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.pdf import PdfReading, redaction
from sieve.formats.reading import redact

SECRET = "ORION"
few = settings(max_examples=6)


def marks_of(reading: PdfReading, secret: str, count: int = 99) -> list[Mark]:
    """The places where pages show it."""
    found = []
    for unit in reading.units():
        at = unit.text.find(secret) if unit.kind == "page" and not unit.hidden else -1
        while at >= 0:
            found.append(Mark(unit.address, at, at + len(secret)))
            at = unit.text.find(secret, at + 1)
    return found[:count]


def edition_of(data: bytes, secret: str = SECRET, count: int = 99) -> PdfReading:
    reading = PdfReading(data)
    return PdfReading(redact(reading, marks_of(reading, secret, count)))


def text_of(reading: PdfReading, page: int = 1) -> str:
    return reading.page_boxes(page)[0]


def page_of(content: bytes, **resources: pikepdf.Object) -> bytes:
    """A page of this content, with Helvetica as F1."""
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(300, 200))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
        forms = Dictionary({f"/{name}": pdf.copy_foreign(value) for name, value in resources.items()})
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font), XObject=forms)
        page.obj.Contents = pdf.make_stream(content)
        written = BytesIO()
        pdf.save(written, static_id=True)
        return written.getvalue()


def levels(picture: Image.Image) -> tuple[int, int]:
    """The darkest and the lightest grey value."""
    low, high = picture.getextrema()
    return int(low), int(high)  # type: ignore[arg-type]


def picture_of(reading: PdfReading, page: int = 1, scale: float = 2) -> Image.Image:
    return Image.open(BytesIO(reading.page_image(page, scale))).convert("L")


@few
@given(
    producer=st.sampled_from([*PRODUCERS]),
    secret=st.text("QXZJKVéü0379", min_size=5, max_size=12),
    before=st.sampled_from(["the code is ", "(", "x"]),
    after=st.sampled_from([" today", ".", ") and more"]),
)
def test_a_bar_replaces_a_word_and_nothing_else_moves(producer: str, secret: str, before: str, after: str) -> None:
    data = PRODUCERS[producer](["green hills", f"{before}{secret}{after}"])
    reading = PdfReading(data)
    (page, _), edition = (reading.page_boxes(2)), redact(reading, marks_of(reading, secret))
    assert not holds(edition, secret)
    back = PdfReading(edition)
    assert text_of(back, 2).replace(" ", "") == page.replace(secret, MARKER).replace(" ", "")
    assert {unit.kind for unit in back.units()} <= {"page", "image"}
    letters = before.replace(" ", "")
    kept = [box for character, box in zip(*reading.page_boxes(2), strict=True) if character in letters]
    again = [box for character, box in zip(*back.page_boxes(2), strict=True) if character in letters]
    for one, other in zip(kept, again, strict=False):
        assert abs(one.left - other.left) <= 0.25 and abs(one.right - other.right) <= 0.25


@few
@given(
    producer=st.sampled_from([name for name in PRODUCERS if name != "pikepdf"]),  # whose pictures show the text, too
    secrets=st.lists(st.text("QXZJKV0379gjÉ", min_size=5, max_size=12), min_size=2, max_size=2, unique=True),
)
def test_at_the_end_of_a_line_a_bar_does_not_depend_on_what_it_replaces(producer: str, secrets: list[str]) -> None:
    editions = []
    for secret in secrets:
        reading = PdfReading(PRODUCERS[producer](["green hills", f"the code is {secret}"]))
        editions.append(redact(reading, marks_of(reading, secret)))
    assert editions[0] == editions[1]


def test_fonts_of_the_edition_have_nothing_of_the_original() -> None:
    with pikepdf.open(BytesIO(redact(*_marked(pdf_files.by_reportlab_subset([f"hidden {SECRET} here"]))))) as pdf:
        fonts = [item for item in pdf.objects if isinstance(item, Dictionary) and item.get("/Type") == Name.Font]
        assert {str(font.Subtype) for font in fonts} == {"/Type3"}
        assert not [item for item in pdf.objects if isinstance(item, Dictionary) and "/FontFile2" in item]
        # One form for each distinct letter that stays: h i d e n r.
        assert len([name for name in dict(pdf.pages[0].obj.Resources.XObject.items()) if name.startswith("/G")]) == 6


def _marked(data: bytes) -> tuple[PdfReading, list[Mark]]:
    reading = PdfReading(data)
    return reading, marks_of(reading, SECRET)


@pytest.mark.parametrize(
    "content",
    [
        b"BT /F1 12 Tf 50 100 Td (it is ORION here) Tj ET",
        b"BT /F1 12 Tf 50 100 Td [(it is OR) -60 (IO) 40 (N here)] TJ ET",
        b"BT /F1 12 Tf 50 100 Td 3 Tc 80 Tz (it is ORION here) Tj ET",
        b"/P << /ActualText (it is ORION here) >> BDC BT /F1 12 Tf 50 100 Td (it is ORION here) Tj ET EMC",
        b"q 0.5 0 0 0.5 20 20 cm BT /F1 24 Tf 50 100 Td (it is ORION here) Tj ET Q",
        b"1 0 0 rg BT /F1 12 Tf 0 1 -1 0 100 50 Tm (it is ORION here) Tj ET",
    ],
    ids=["Tj", "TJ", "spaced", "actual text", "scaled", "turned"],
)
def test_a_word_leaves_the_page_however_it_is_drawn(content: bytes) -> None:
    data = page_of(content)
    reading, marks = _marked(data)
    edition = redact(reading, marks)
    back = PdfReading(edition)
    assert not holds(edition, SECRET)
    assert "".join(text_of(back).split()) == f"itis{MARKER}here"
    text, boxes = reading.page_boxes(1)
    after = picture_of(back)
    for at, character in enumerate(text):
        left, top, right, bottom = (round(edge * 2) for edge in boxes[at])
        inside = (left + 1, top + 1, max(left + 2, right - 1), max(top + 2, bottom - 1))
        low, high = levels(after.crop(inside))
        if text.index(SECRET) <= at < text.index(SECRET) + len(SECRET):
            assert high == 0
        elif not character.isspace():
            assert low < 200 or min(right - left, bottom - top) < 8


@pytest.mark.parametrize(
    "content",
    [
        b"BT 1 Tr /F1 12 Tf 50 100 Td (it is ORION here) Tj ET",
        b"6 w BT 2 Tr /F1 30 Tf 50 100 Td (it is ORION) Tj ET",
        b"BT /F1 12 Tf 0.985 0.174 -0.174 0.985 50 100 Tm (it is ORION) Tj ET",
        b"BT /F1 12 Tf 0.707 0.707 -0.707 0.707 50 100 Tm (it is ORION) Tj ET",
    ],
    ids=["outlined", "thick strokes", "10 degrees", "45 degrees"],
)
def test_a_word_whose_ink_or_bars_would_reveal_its_letters_withholds_the_page(content: bytes) -> None:
    edition = edition_of(page_of(content))
    assert text_of(edition) == "This page is withheld.\nThe classified text cannot be removed from it safely."


def test_blanks_after_the_last_word_of_a_line_do_not_reveal_its_width() -> None:
    editions = {
        edition_of(
            page_of(
                b"BT /F1 12 Tf 50 150 Td (a longer line of text) Tj 0 -50 Td (it is %s ) Tj 0 -20 Td (more) Tj ET"
                % secret
            ),
            secret.decode(),
        ).data
        for secret in (b"ORION", b"jil", b"Wgyjpq,")
    }
    assert len(editions) == 1


def test_the_shadow_of_a_word_is_not_left_behind() -> None:
    shadow = b"0.5 g BT /F1 12 Tf 50.4 100 Td (it is ORION) Tj ET 0 g BT /F1 12 Tf 50 100 Td (it is ORION) Tj ET"
    edition = edition_of(page_of(shadow))
    assert not holds(edition.data, SECRET)
    picture = picture_of(edition)
    assert text_of(edition) == f"it is {MARKER}"
    # Nothing above or below the bar.
    assert levels(picture.crop((150, 100, 498, 174))) == levels(picture.crop((150, 212, 498, 300))) == (255, 255)


def scan(lines: Sequence[str], drawn: Sequence[str], layer: bytes = b"3 Tr", noise: int = 0) -> bytes:
    """A picture of the `lines` with a text layer: `drawn` beginning at the same places."""
    picture = Image.new("L", (900, 600), 255)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(36)
    shown = []
    for number, (line, said) in enumerate(zip(lines, drawn, strict=True)):
        pen.text((150, 100 + 90 * number), line, fill=0, font=font)
        width = pen.textlength(line, font=font) / 3
        size = 12.0
        stretch = 100 * width / max(1.0, ImageFont.load_default(12).getlength(said))
        shown.append(f"BT {stretch:.1f} Tz /F1 {size} Tf 50 {154 - 30 * number} Td ({said}) Tj ET".encode())
    if noise:
        pixels = bytes(max(0, value - (at * 7919) % noise) for at, value in enumerate(picture.tobytes()))
        picture = Image.frombytes("L", picture.size, pixels)
    with pikepdf.new() as pdf:
        image = Dictionary(
            Type=Name.XObject, Subtype=Name.Image, Width=900, Height=600, ColorSpace=Name.DeviceGray,
            BitsPerComponent=8, Filter=Name.FlateDecode,
        )  # fmt: skip
        stream = pdf.make_stream(zlib.compress(picture.tobytes()), image)
        return page_of(b"q 300 0 0 200 0 0 cm /Im Do Q " + layer + b" " + b" ".join(shown), Im=stream)


def test_a_scan_with_a_text_layer_loses_the_word_in_both() -> None:
    lines = ["The harbour code is", SECRET, "and nothing else"]
    data = scan(lines, lines, noise=20)
    edition = edition_of(data)
    assert not holds(edition.data, SECRET)
    assert " ".join(text_of(edition).split()) == f"The harbour code is {MARKER} and nothing else"
    # The line of the picture is black from margin to margin, and the others are as they were.
    before, after = picture_of(PdfReading(data), scale=3), picture_of(edition, scale=3)
    assert after.crop((160, 200, 400, 226)).getextrema() == (0, 0)
    for top, bottom in ((95, 150), (275, 330)):
        difference = ImageChops.difference(before.crop((0, top, 900, bottom)), after.crop((0, top, 900, bottom)))
        assert ImageStat.Stat(difference).mean[0] < 25


@pytest.mark.parametrize("layer", [b"3 Tr 1 0 0 1 0 15 cm", b"2 w 70 0 m 70 200 l S 3 Tr"], ids=["moved", "crossed"])
def test_a_word_in_a_picture_that_no_bar_can_cover_withholds_the_page(layer: bytes) -> None:
    """Because the text layer is off, or because the word is part of a larger drawing."""
    lines = ["green hills", SECRET, "a river bed"]
    edition = edition_of(scan(lines, lines, layer))
    assert text_of(edition) == "This page is withheld.\nThe classified text cannot be removed from it safely."


@pytest.mark.parametrize("form", [False, True], ids=["on the page", "in a form"])
def test_a_marked_picture_loses_its_pixels(form: bool) -> None:
    with pikepdf.new() as pdf:
        shade = Dictionary(
            Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2, ColorSpace=Name.DeviceGray, BitsPerComponent=8
        )
        image = pdf.make_stream(bytes([90, 160, 90, 160]), shade)
        draw = b"q 80 0 0 40 100 60 cm /Im Do Q"
        inner = pdf.make_stream(
            draw, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 300, 200]),
            Resources=Dictionary(XObject=Dictionary(Im=image)), Matrix=Array([1, 0, 0, 1, 10, 20]),
        )  # fmt: skip
        text = b" BT /F1 12 Tf 20 180 Td (green hills) Tj ET"
        data = page_of((b"/Fm Do" if form else draw) + text, Im=image, **({"Fm": inner} if form else {}))
    reading = PdfReading(data)
    edition = PdfReading(redact(reading, [Mark("page/1/image/1")]))
    assert text_of(edition).split() == ["green", "hills", MARKER]
    left, top = (110, 80) if form else (100, 100)
    picture = picture_of(edition)
    assert picture.crop((2 * left + 2, 2 * top + 2, 2 * left + 158, 2 * top + 78)).getextrema() == (0, 0)


def test_what_cannot_be_redacted_by_word_says_why() -> None:
    twice = by_reportlab([f"first {SECRET} and then {SECRET} again"])
    assert text_of(edition_of(twice, count=1)).split("\n")[1] == (
        "It also shows a classified text where that is not marked."
    )
    assert text_of(edition_of(twice)).split() == ["first", MARKER, "and", "then", MARKER, "again"]
    layered = pdf_files.with_hidden([f"first {SECRET}"], "VEGA")
    assert text_of(edition_of(layered)).split("\n")[1] == "It has layers that not every reader sees."


def test_text_in_a_pattern_withholds_the_page() -> None:
    with pikepdf.new() as pdf:
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        tile = pdf.make_stream(
            b"BT /F1 12 Tf (ORION) Tj ET",
            Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1, BBox=Array([0, 0, 60, 20]), XStep=60, YStep=20,
            Resources=Dictionary(Font=Dictionary(F1=font)),
        )  # fmt: skip
        data = page_of(b"/Pattern cs /P1 scn 0 0 300 200 re f BT /F1 12 Tf 50 100 Td (it is ORION here) Tj ET")
        with pikepdf.open(BytesIO(data)) as document:
            document.pages[0].obj.Resources.Pattern = Dictionary(P1=document.copy_foreign(pdf.make_indirect(tile)))
            written = BytesIO()
            document.save(written)
    assert "withheld" in text_of(edition_of(written.getvalue()))


def test_marks_with_only_blanks_between_them_are_one_bar() -> None:
    reading = PdfReading(by_reportlab(["the captain is Anna Moss today"]))
    marks = [Mark("page/1", 15, 19), Mark("page/1", 20, 24)]
    assert text_of(PdfReading(redact(reading, marks))).split() == ["the", "captain", "is", MARKER, "today"]


def test_more_pages_than_can_be_made_in_time_are_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "MAX_BARRED", 1)
    edition = edition_of(by_reportlab([f"a {SECRET} b"] * 2))
    assert MARKER in text_of(edition, 1)
    assert text_of(edition, 2) == "This page is withheld.\nToo many pages have classified words."


def test_the_bars_of_an_edition_can_be_redacted_again() -> None:
    """Who forwards an edition must not show where its sender withheld something."""
    once = edition_of(by_reportlab([f"the code is {SECRET} today"]))
    again = edition_of(once.data, MARKER)
    assert text_of(again).split() == ["the", "code", "is", MARKER, "today"]
