"""All that an area of a page shows leaves the redacted edition: pixels, letters, and what their compression spreads."""

import zlib
from io import BytesIO

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name
from PIL import Image

from sieve.core.units import Mark
from sieve.formats.errors import UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.pdf import PdfReading
from sieve.formats.reading import redact

few = settings(max_examples=10)


def pdf_of(picture: Image.Image, encoding: str, content: bytes = b"", rotate: int = 0) -> bytes:
    """A page of 300 x 200 points, all of it that picture, with Helvetica as F1 for the content."""
    with pikepdf.new() as pdf:
        if encoding == "FlateDecode":
            data = zlib.compress(picture.tobytes())
        else:
            written = BytesIO()
            picture.save(written, "JPEG" if encoding == "DCTDecode" else "JPEG2000", quality=60)
            data = written.getvalue()
        gray = Dictionary(
            Type=Name.XObject, Subtype=Name.Image, Width=picture.width, Height=picture.height,
            ColorSpace=Name.DeviceGray, BitsPerComponent=8, Filter=Name(f"/{encoding}"),
        )  # fmt: skip
        page = pdf.add_blank_page(page_size=(300, 200))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
        image = pdf.make_stream(data)
        for key, value in gray.items():
            image[key] = value
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font), XObject=Dictionary(Im=image))
        page.obj.Contents = pdf.make_stream(b"q 300 0 0 200 0 0 cm /Im Do Q " + content)
        page.obj.Rotate = rotate
        written = BytesIO()
        pdf.save(written, static_id=True)
        return written.getvalue()


def scan(noise: int, inside: bytes = b"", size: tuple[int, int] = (600, 400)) -> Image.Image:
    """A picture, and in its area 200,100-400,200 of 600 x 400 other pixels."""
    width, height = size
    picture = Image.frombytes("L", size, bytes((at * 7919 + noise) % 251 for at in range(width * height)))
    if inside:
        box = (width // 3, height // 4, 2 * width // 3, height // 2)
        pixels = (box[2] - box[0]) * (box[3] - box[1])
        picture.paste(Image.frombytes("L", (box[2] - box[0], box[3] - box[1]), (inside * pixels)[:pixels]), box)
    return picture


AREA = Mark("page/1/area/100,50-200,100")
"""In points, where `scan` has other pixels."""


def edition(data: bytes, *marks: Mark) -> bytes:
    return redact(PdfReading(data), [*marks])


def picture_of(data: bytes, scale: float = 2) -> Image.Image:
    return Image.open(BytesIO(PdfReading(data).page_image(1, scale))).convert("L")


@few
@given(
    encoding=st.sampled_from(["FlateDecode", "DCTDecode", "JPXDecode"]),
    noise=st.integers(0, 250),
    one=st.binary(min_size=1, max_size=40),
    other=st.binary(min_size=1, max_size=40),
)
def test_the_edition_does_not_depend_on_the_pixels_of_the_area(
    encoding: str, noise: int, one: bytes, other: bytes
) -> None:
    first, second = (edition(pdf_of(scan(noise, inside), encoding), AREA) for inside in (one, other))
    assert first == second


@pytest.mark.parametrize("size", [(60, 40), (2400, 1600)])
@settings(max_examples=3)
@given(one=st.binary(min_size=1, max_size=40), other=st.binary(min_size=1, max_size=40))
def test_drawing_in_another_size_spreads_nothing(size: tuple[int, int], one: bytes, other: bytes) -> None:
    first, second = (edition(pdf_of(scan(3, inside, size), "FlateDecode"), AREA) for inside in (one, other))
    assert first == second


def masked(picture: Image.Image, mask: Image.Image, encoding: str) -> bytes:
    """A page that is all that picture, with that mask."""
    data = pdf_of(picture, "FlateDecode")
    with pikepdf.open(BytesIO(data)) as pdf, pikepdf.open(BytesIO(pdf_of(mask, encoding))) as other:
        image = pdf.pages[0].obj.Resources.XObject.Im
        image.SMask = pdf.copy_foreign(other.pages[0].obj.Resources.XObject.Im)
        written = BytesIO()
        pdf.save(written, static_id=True)
        return written.getvalue()


def patterned(picture: Image.Image, encoding: str) -> bytes:
    """A page that is filled with a pattern of that picture."""
    with pikepdf.open(BytesIO(pdf_of(picture, encoding))) as pdf:
        page = pdf.pages[0].obj
        pattern = pdf.make_stream(
            b"q 300 0 0 200 0 0 cm /Im Do Q", Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1,
            BBox=Array([0, 0, 300, 200]), XStep=300, YStep=200, Resources=Dictionary(XObject=page.Resources.XObject),
        )  # fmt: skip
        page.Resources = Dictionary(Pattern=Dictionary(P=pattern))
        page.Contents = pdf.make_stream(b"/Pattern cs /P scn 0 0 300 200 re f")
        written = BytesIO()
        pdf.save(written, static_id=True)
        return written.getvalue()


@pytest.mark.parametrize("encoding", ["FlateDecode", "DCTDecode"])
def test_a_picture_in_a_pattern_withholds_the_page(encoding: str) -> None:
    made = edition(patterned(scan(3), encoding), AREA)
    assert "This page is withheld." in PdfReading(made).page_boxes(1)[0]


@pytest.mark.parametrize(
    ("size", "encoding", "is_withheld"),
    [((600, 400), "FlateDecode", False), ((600, 400), "DCTDecode", True), ((60, 40), "FlateDecode", True)],
)
def test_a_mask_that_spreads_more_than_its_picture_withholds_the_page(
    size: tuple[int, int], encoding: str, is_withheld: bool
) -> None:
    one, other = (edition(masked(scan(3), scan(5, inside, size), encoding), AREA) for inside in (b"\0", b"\xff\0\x80"))
    assert one == other
    assert ("This page is withheld." in PdfReading(one).page_boxes(1)[0]) == is_withheld


def test_what_is_outside_the_area_stays() -> None:
    data = pdf_of(scan(3, b"\x00\xff"), "FlateDecode")
    before, after = picture_of(data), picture_of(edition(data, AREA))
    assert after.crop((200, 100, 400, 200)).getextrema() == (0, 0)
    assert before.crop((0, 0, 600, 94)).getextrema() != (0, 0)
    outside = before.resize((30, 20)), after.resize((30, 20))
    differ = [abs(a - b) for a, b in zip(*(each.crop((0, 0, 30, 4)).tobytes() for each in outside), strict=True)]
    assert max(differ) < 25


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_letters_in_the_area_are_gone_and_others_stay(rotate: int) -> None:
    content = b"1 g 0 0 300 200 re f 0 g BT /F1 12 Tf 20 100 Td (green hills) Tj 100 0 Td (ORION rises) Tj ET"
    data = pdf_of(scan(0), "FlateDecode", content, rotate)
    text, boxes = PdfReading(data).page_boxes(1)
    word = boxes[text.index("ORION") : text.index("ORION") + 5]
    left, top = int(min(box.left for box in word)), int(min(box.top for box in word))
    right, bottom = int(max(box.right for box in word)) + 1, int(max(box.bottom for box in word)) + 1
    made = edition(data, Mark(f"page/1/area/{left},{top}-{right},{bottom}"))
    shown = PdfReading(made).page_boxes(1)[0]
    assert b"ORION" not in made
    assert sorted("".join(shown.split())) == sorted(f"greenhillsrises{MARKER}")


def test_letters_that_an_area_covers_in_part_are_gone() -> None:
    content = b"1 g 0 0 300 200 re f 0 g BT /F1 12 Tf 20 100 Td (secret) Tj ET"
    data = pdf_of(scan(0), "FlateDecode", content)
    text, boxes = PdfReading(data).page_boxes(1)
    third = boxes[text.index("c")]
    made = edition(data, Mark(f"page/1/area/0,0-{int(third.left) + 1},200"))
    assert "".join(PdfReading(made).page_boxes(1)[0].split()) in (f"ret{MARKER}", f"{MARKER}ret")


def test_the_text_layer_of_a_scan_loses_the_area() -> None:
    data = pdf_of(scan(0), "FlateDecode", b"BT 3 Tr /F1 12 Tf 20 180 Td (green) Tj 90 -50 Td (ORION) Tj ET")
    made = edition(data, AREA)
    assert sorted(PdfReading(made).page_boxes(1)[0].split()) == sorted(["green", MARKER])


def test_the_page_travels_classified() -> None:
    data = pdf_of(scan(0), "FlateDecode", b"BT /F1 12 Tf 20 180 Td (green hills) Tj ET")
    reading = PdfReading(data)
    assert reading.spans([AREA]) == reading.spans([Mark("page/1")])
    assert not reading.plain_places([AREA])("page/1")


@pytest.mark.parametrize(
    ("mark", "complaint"),
    [
        (Mark("page/2/area/0,0-10,10"), "no such page"),
        (Mark("page/1/area/0,0-301,10"), "the page has 300 x 200 points"),
        (Mark("page/1/area/10,10-10,20"), "an area at least one"),
        (Mark("page/1/area/0,0-10,10", 0, 1), "an area has no characters"),
        (Mark("page/1/area/0,0"), "no such address"),
    ],
)
def test_refusals(mark: Mark, complaint: str) -> None:
    with pytest.raises(UnknownPlace, match=complaint):
        PdfReading(pdf_of(scan(0), "FlateDecode")).spans([mark])
