"""Text in a picture's metadata: a finding where it would travel plain, and in no redacted edition."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Protocol

import docx as python_docx_library
import openpyxl
import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.drawing.image import Image as SheetImage
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageCms, PngImagePlugin

from documents import modest
from office_files import entries
from pdf_files import by_reportlab
from sieve.core.units import Mark
from sieve.formats.docx.reading import DocxReading
from sieve.formats.pdf import PdfReading
from sieve.formats.pictures.metadata import is_fully_known, is_whole_jpeg, metadata_summary, without_metadata
from sieve.formats.reading import Reading, redact
from sieve.formats.xlsx.reading import XlsxReading
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN

SECRET = b"XQZVK-PLMRT"
ICC = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
TOLD = "a picture with data about it (place, date, camera, text, small preview, data of programs)"


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">2BH", 0xFF, marker, 2 + len(body)) + body


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))


def exif(orientation: int, order: str = "<") -> bytes:
    """A date, a camera, a place, and a small preview."""

    def directory(entries: list[tuple[int, int, int, int]], following: int) -> bytes:
        listed = b"".join(struct.pack(f"{order}HHLL", *entry) for entry in entries)
        return struct.pack(f"{order}H", len(entries)) + listed + struct.pack(f"{order}L", following)

    turned = orientation << 16 if order == ">" else orientation
    text = 8 + 2 + 4 * 12 + 4
    place = text + 20
    preview = place + 2 + 12 + 4
    first = [(0x010F, 2, len(SECRET), text), (0x0112, 3, 1, turned), (0x0132, 2, 20, text), (0x8825, 4, 1, place)]
    return (
        (b"II*\0" if order == "<" else b"MM\0*")
        + struct.pack(f"{order}L", 8)
        + directory(first, preview)
        + SECRET.ljust(20, b"\0")
        + directory([(2, 5, 3, text)], 0)
        + directory([(0x0201, 4, 1, text)], 0)
        + SECRET
    )


def pixels(mode: str = "RGB", size: tuple[int, int] = (24, 16)) -> Image.Image:
    count = size[0] * size[1] * len(mode)
    return Image.frombytes(mode, size, (bytes(range(251)) * (count // 251 + 1))[:count])


def jpeg(
    mode: str = "RGB", *, orientation: int = 1, order: str = "<", progressive: bool = False, metadata: bool = True
) -> bytes:
    """With a colour profile; `metadata`: and with every kind of metadata."""
    out = BytesIO()
    pixels(mode).save(out, "JPEG", icc_profile=ICC, progressive=progressive)
    data = out.getvalue()
    if not metadata:
        return data
    at = data.index(b"\xff\xdb")
    beside = [
        (0xE0, b"JFXX\0\x13\2\2" + SECRET),
        (0xE1, b"Exif\0\0" + exif(orientation, order)),
        (0xE1, b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>" + SECRET),
        (0xE2, b"FPXR\0" + SECRET),
        (0xED, b"Photoshop 3.0\x008BIM\x04\x04\0\0" + SECRET),
        (0xEC, b"Ducky" + SECRET),
        (0xFE, SECRET),
    ]
    return data[:at] + b"".join(segment(*one) for one in beside) + b"\xff\xff" + data[at:]


def png(mode: str = "RGB", *, orientation: int = 1, metadata: bool = True) -> bytes:
    out = BytesIO()
    text = PngImagePlugin.PngInfo()
    if metadata:
        text.add_text("Comment", SECRET.decode())
        text.add_text("Author", SECRET.decode() * 9, zip=True)
        text.add_itxt("XML:com.adobe.xmp", f"<x:xmpmeta>{SECRET.decode()}</x:xmpmeta>")
        text.add(b"tIME", bytes(7))
    pixels(mode).save(
        out, "PNG", pnginfo=text, icc_profile=ICC, dpi=(96, 96), exif=exif(orientation) if metadata else b""
    )
    return out.getvalue()


def shown(data: bytes) -> tuple[bytes, bytes | None, int]:
    """Pixels, colours, and which side is up."""
    with Image.open(BytesIO(data)) as picture:
        picture.load()
        return picture.tobytes(), picture.info.get("icc_profile"), picture.getexif().get(0x0112, 1)


PICTURES = {
    **{
        f"jpeg {mode}{' progressive' * p}": jpeg(mode, progressive=p)
        for mode in ("L", "RGB", "CMYK")
        for p in (False, True)
    },
    **{f"jpeg turned {n}": jpeg(orientation=n, order=order) for n, order in ((3, "<"), (6, ">"), (8, "<"))},
    **{f"png {mode}": png(mode) for mode in ("L", "LA", "RGB", "RGBA")},
    "png turned": png(orientation=6),
}


@pytest.mark.parametrize("which", PICTURES)
def test_a_picture_is_the_same_without_what_is_said_about_it(which: str) -> None:
    data = PICTURES[which]
    kept = without_metadata(data)
    assert kept is not None
    assert SECRET in data
    assert SECRET not in kept
    assert shown(kept) == shown(data)
    assert is_fully_known(kept, lambda text: SECRET.decode() in text)
    assert without_metadata(kept) == kept
    assert metadata_summary(data) == TOLD
    assert not metadata_summary(kept)


@pytest.mark.parametrize("make", [jpeg, png])
def test_a_picture_with_nothing_beside_its_pixels_stays_byte_for_byte(make: type) -> None:
    data = make(metadata=False)
    assert without_metadata(data) == data
    assert not metadata_summary(data)


def test_a_small_preview_in_the_first_segment_is_left_out() -> None:
    data = jpeg(metadata=False)
    first = data[2 : 2 + 18]
    assert first[4:9] == b"JFIF\0"
    with_preview = data[:2] + segment(0xE0, first[4:16] + b"\2\2" + SECRET + b"!") + data[20:]
    assert without_metadata(with_preview) == data
    assert metadata_summary(with_preview) == "a picture with data about it (small preview)"


def test_a_segment_that_no_reader_knows_is_left_out() -> None:
    data = jpeg(metadata=False)
    at = data.index(b"\xff\xdb")
    for marker in (0x02, 0x4F, 0xC8, 0xF0, 0xFD):
        assert without_metadata(data[:at] + segment(marker, SECRET) + data[at:]) == data


def test_a_chunk_that_no_reader_needs_is_left_out() -> None:
    data = png(metadata=False)
    at = data.index(b"IDAT") - 4
    for kind in (b"prVW", b"iDOT", b"acTL", b"sPLT"):
        beside = data[:at] + chunk(kind, SECRET) + data[at:]
        assert without_metadata(beside) == data
        assert metadata_summary(beside) == "a picture with data about it (data of programs)"


def test_what_is_not_known_to_its_end_has_no_bare_form() -> None:
    for data in (jpeg() + SECRET, png() + SECRET, jpeg()[:-2], png()[:-9], b"GIF89a", b""):
        assert without_metadata(data) is None
    critical = png(metadata=False)
    at = critical.index(b"IDAT") - 4
    assert without_metadata(critical[:at] + chunk(b"SECR", SECRET) + critical[at:]) is None


@pytest.mark.parametrize("size", [0, 1, 4, 8, 9, 14, 22, 40])
def test_a_camera_in_a_cut_off_segment_is_reported(size: int) -> None:
    data = jpeg(metadata=False)
    at = data.index(b"\xff\xdb")
    broken = data[:at] + segment(0xE1, b"Exif\0\0" + exif(1)[:size]) + data[at:]
    assert metadata_summary(broken)
    assert without_metadata(broken) == data


@modest
@given(st.binary(max_size=300), st.sampled_from([jpeg(), png()]), st.data())
def test_any_bytes_get_an_answer(noise: bytes, whole: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole)))
    for hostile in (
        noise,
        whole[:at] + noise,
        whole[:at] + noise + whole[at:],
        whole[:at] + noise + whole[at + len(noise) :],
    ):
        metadata_summary(hostile)
        kept = without_metadata(hostile)
        assert kept is None or (without_metadata(kept) == kept and not metadata_summary(kept))
        if kept is not None and not kept.startswith(b"\x89"):
            assert is_whole_jpeg(kept)


def test_of_too_many_segments_only_the_first_are_read() -> None:
    exifs = segment(0xE1, b"Exif\0\0" + exif(6))
    start, chunks = b"\x89PNG\r\n\x1a\n", chunk(b"tIME", bytes(7))
    for made in (b"\xff\xd8" + exifs * 70_000 + b"\xff\xd9", start + chunks * 70_000 + chunk(b"IEND", b"")):
        assert metadata_summary(made)
        assert without_metadata(made) is None
        assert not is_fully_known(made, lambda text: False)


def word(picture: bytes) -> bytes:
    document = python_docx_library.Document()
    document.add_paragraph("Ship LONE leaves at noon")
    document.add_picture(BytesIO(picture))
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def excel(picture: bytes) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Pay"
    sheet.append(["name", "Ann"])
    sheet.add_image(SheetImage(BytesIO(picture)), "C3")
    book.create_sheet("Rest").append(["name", "LONE"])
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def pdf(picture: bytes, *, packed: bool = False, pages: int = 3) -> bytes:
    """The same picture on all pages but the first."""
    with pikepdf.open(
        BytesIO(by_reportlab(["it is here", *(f"green hills {number}" for number in range(1, pages))]))
    ) as made:
        image = made.make_stream(
            zlib.compress(picture) if packed else picture,
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=24,
            Height=16,
            ColorSpace=Name.DeviceRGB,
            BitsPerComponent=8,
            Filter=Array([Name.FlateDecode, Name.DCTDecode]) if packed else Name.DCTDecode,
            Metadata=made.make_stream(b"<x:xmpmeta>" + SECRET, Type=Name.Metadata, Subtype=Name.XML),
        )
        if packed:
            image.DecodeParms = Array([None, Dictionary(ColorTransform=1)])
        for page in list(made.pages)[1:]:
            page.obj.Resources = Dictionary(XObject=Dictionary(Im=image))
            page.obj.Contents = made.make_stream(b"q 40 0 0 40 9 9 cm /Im Do Q")
        written = BytesIO()
        made.save(written, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return written.getvalue()


def found(reading: Reading, marks: list[Mark]) -> list[tuple[str, str]]:
    """Address and sentence of each finding about a picture."""
    findings = check(list(reading.units()), marks, may_be_plain=reading.plain_places(marks))
    return [(one.address, one.sentence) for one in findings if one.kind == HIDDEN and "picture" in one.sentence]


class Picture(Protocol):
    """Makes one."""

    def __call__(self, *, orientation: int = 1, metadata: bool = True) -> bytes: ...


SENTENCE = "“{}” is " + TOLD + " and has no text to check, but would travel plain"
OFFICE: list[tuple[Callable[[bytes], bytes], Callable[[bytes], Reading], Picture, str, Mark]] = [
    (word, DocxReading, jpeg, "word/media/image1.jpg", Mark("word/document.xml/p1", 5, 9)),
    (word, DocxReading, png, "word/media/image1.png", Mark("word/document.xml/p1", 5, 9)),
    (excel, XlsxReading, jpeg, "xl/media/image1.jpeg", Mark("sheet/Rest/B1")),
    (excel, XlsxReading, png, "xl/media/image1.png", Mark("sheet/Rest/B1")),
]


@pytest.mark.parametrize(("make", "read", "picture", "address", "mark"), OFFICE)
def test_a_picture_that_says_more_than_it_shows_is_found(
    make: Callable[[bytes], bytes], read: Callable[[bytes], Reading], picture: Picture, address: str, mark: Mark
) -> None:
    reading = read(make(picture()))
    for marks in ([], [mark]):
        assert found(reading, marks) == [(address, SENTENCE.format(address))]
    assert not found(reading, [mark, Mark(address)])
    assert not found(read(make(picture(metadata=False))), [mark])


@pytest.mark.parametrize(("make", "read", "picture", "address", "mark"), OFFICE)
def test_an_edition_of_office_has_the_picture_and_no_more(
    make: Callable[[bytes], bytes], read: Callable[[bytes], Reading], picture: Picture, address: str, mark: Mark
) -> None:
    edition = redact(read(make(picture(orientation=6))), [mark])
    held = entries(edition)
    assert not [data for data in held if SECRET in data or b"GPS" in data]
    pictures = [data for data in held if data.startswith((b"\x89PNG", b"\xff\xd8"))]
    assert pictures == ([without_metadata(picture(orientation=6))] if make is word else [])
    assert not found(read(edition), [])


def test_a_picture_whose_text_is_marked_is_in_the_edition_without_it() -> None:
    data = word(jpeg())
    document = python_docx_library.Document(BytesIO(data))
    document.add_paragraph(SECRET.decode())
    out = BytesIO()
    document.save(out)
    reading = DocxReading(out.getvalue())
    mark = Mark("word/document.xml/p3")
    assert not found(reading, [mark])
    assert without_metadata(jpeg()) in entries(redact(reading, [mark]))


def test_a_picture_of_a_pdf_that_cannot_be_unpacked_says_nothing() -> None:
    data = pdf(jpeg(), packed=True)
    packed = zlib.compress(jpeg())
    at = data.index(packed)
    assert not found(PdfReading(data[:at] + bytes(len(packed)) + data[at + len(packed) :]), [])
    assert found(PdfReading(data), [])


@pytest.mark.parametrize("packed", [False, True])
def test_an_edition_of_a_pdf_has_the_picture_and_no_more(packed: bool) -> None:
    data = pdf(jpeg(orientation=6), packed=packed)
    edition = redact(PdfReading(data), [Mark("page/1")])
    assert SECRET not in edition
    assert PdfReading(edition).page_image(2) == PdfReading(data).page_image(2)
    with pikepdf.open(BytesIO(edition)) as made:
        images = [made.pages[at].Resources.XObject.Im for at in (1, 2)]
        for image in images:
            assert image.Filter == Name.DCTDecode
            assert image.read_raw_bytes() == without_metadata(jpeg(orientation=6))
            assert "/Metadata" not in image
            assert not packed or image.DecodeParms.ColorTransform == 1
        assert not [
            item for item in made.objects if isinstance(item, pikepdf.Stream) and SECRET in item.read_raw_bytes()
        ]
    assert not found(PdfReading(edition), [])


@pytest.mark.parametrize("where", ["form", "mask", "pattern"])
def test_an_edition_of_a_pdf_has_no_picture_that_says_more_wherever_it_is_drawn(where: str) -> None:
    with pikepdf.open(BytesIO(pdf(jpeg("L")))) as made:
        page = made.pages[1].obj
        image = page.Resources.XObject.Im
        image.ColorSpace = Name.DeviceGray
        shows = Dictionary(XObject=Dictionary(Im=image))
        box = Array([0, 0, 40, 40])
        if where == "form":
            form = made.make_stream(b"/Im Do", Type=Name.XObject, Subtype=Name.Form, BBox=box, Resources=shows)
            page.Resources = Dictionary(XObject=Dictionary(Im=form))
        elif where == "mask":
            size = {"Width": 24, "Height": 16, "BitsPerComponent": 8, "ColorSpace": Name.DeviceGray}
            masked = made.make_stream(bytes(24 * 16), Type=Name.XObject, Subtype=Name.Image, SMask=image, **size)
            page.Resources = Dictionary(XObject=Dictionary(Im=masked))
        else:
            steps = {"PatternType": 1, "PaintType": 1, "TilingType": 1, "XStep": 40, "YStep": 40}
            pattern = made.make_stream(b"/Im Do", Type=Name.Pattern, BBox=box, Resources=shows, **steps)
            page.Resources = Dictionary(Pattern=Dictionary(P=pattern))
            page.Contents = made.make_stream(b"/Pattern cs /P scn 0 0 99 99 re f")
        del made.pages[2]
        written = BytesIO()
        made.save(written)
    edition = redact(PdfReading(written.getvalue()), [Mark("page/1")])
    with pikepdf.open(BytesIO(edition)) as opened:
        held = [item.read_raw_bytes() for item in opened.objects if isinstance(item, pikepdf.Stream)]
    assert without_metadata(jpeg("L")) in held
    assert not [data for data in held if SECRET in data]


def test_a_picture_of_a_pdf_is_found_once_where_it_would_travel_plain() -> None:
    reading = PdfReading(pdf(jpeg()))
    # It is one picture on both pages, and travels plain with the first.
    for marks in ([], [Mark("page/1")], [Mark("page/3")]):
        assert found(reading, marks) == [("page/2/image/1", SENTENCE.format("page/2/image/1"))]
    for page in ("page/2", "page/2/image/1", "page/3/image/1"):
        assert not found(reading, [Mark(page)])
    assert not found(PdfReading(pdf(jpeg(metadata=False))), [Mark("page/1")])
    assert not found(PdfReading(pdf(jpeg(metadata=False))), [])


def test_a_picture_on_a_page_that_shows_a_marked_text_is_not_found() -> None:
    with pikepdf.open(BytesIO(pdf(jpeg(), pages=2))) as made:
        page = made.pages[1].obj
        page.Resources.Font = made.pages[0].obj.Resources.Font
        (font,) = list(page.Resources.Font.keys())[:1]
        page.Contents = made.make_stream(f"/Im Do BT {font} 12 Tf 99 99 Td (it is here) Tj ET".encode())
        written = BytesIO()
        made.save(written)
    reading = PdfReading(written.getvalue())
    assert "it is here" in next(unit.text for unit in reading.units() if unit.address == "page/2")
    assert not found(reading, [Mark("page/1", 3, len("it is here"))])
