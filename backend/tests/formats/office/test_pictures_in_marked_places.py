"""What a marked place shows is classified with it, in every office format."""

import struct
import zipfile
import zlib
from collections.abc import Callable
from hashlib import shake_128
from io import BytesIO
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from odf_files import odf, ods_of, odt_of
from office_files import archive, docx_of, entries
from pptx_files import paragraph, part, picture_of, pptx_of, related, shape
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.office.reading import OfficeReading
from sieve.formats.reading import read, redact

Make = Callable[[bytes], bytes]
OPEN = "http://schemas.openxmlformats.org"
DRAWN = "application/vnd.openxmlformats-officedocument.drawing+xml"
OTHER = b"some other pixels, which nobody marked"


def picture(pixels: bytes) -> bytes:
    """A PNG of 32 by 8 pixels that contains these, expanded, as they are."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))

    packed = zlib.compress(b"".join(b"\0" + expanded(pixels)[at : at + 32] for at in range(0, 256, 32)), 0)
    header = struct.pack(">2L5B", 32, 8, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def expanded(pixels: bytes) -> bytes:
    return shake_128(pixels).digest(256)


def with_parts(data: bytes, parts: dict[str, bytes], types: str = "") -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as file:
        all_parts = {name: file.read(name) for name in file.namelist()} | parts
    listing = "[Content_Types].xml"
    if listing in all_parts:
        all_parts[listing] = all_parts[listing].replace(b"</Types>", f"{types}</Types>".encode())
    return archive(all_parts)


def override(name: str, kind: str) -> str:
    return f'<Override PartName="/{name}" ContentType="{kind}"/>'


# Word.


def drawing(reference: str = "rId1", named: str = '<wp:docPr id="1" name=""/>') -> str:
    uri = f"{OPEN}/drawingml/2006/picture"
    return (
        f"<w:r><w:drawing><wp:inline>{named}<a:graphic>"
        f'<a:graphicData uri="{uri}"><pic:pic><pic:blipFill><a:blip r:embed="{reference}"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def of_docx(body: str) -> Make:
    def make(secret: bytes) -> bytes:
        links = related(("image", "media/image1.png"), ("image", "media/image2.png"))
        media = {"word/media/image1.png": picture(secret), "word/media/image2.png": picture(OTHER)}
        whole = f"{body}<w:p>{run('last')}{drawing('rId2')}</w:p>"
        return with_parts(docx_of(whole), {"word/_rels/document.xml.rels": links, **media})

    return make


def of_docx_story(kind: str, body: str) -> Make:
    def make(secret: bytes) -> bytes:
        whole = docx_of(f"<w:p>{run('text')}{drawing('rId2')}</w:p>")
        with zipfile.ZipFile(BytesIO(whole)) as file:
            opening = file.read("word/document.xml").partition(b"<w:body>")[0]
        tag = {"header": "hdr", "footer": "ftr"}.get(kind, kind)
        story = opening.replace(b"<w:document", f"<w:{tag}".encode()) + f"{body}</w:{tag}>".encode()
        parts = {
            "word/_rels/document.xml.rels": related((kind, "story.xml"), ("image", "media/image2.png")),
            "word/_rels/story.xml.rels": related(("image", "media/image1.png")),
            "word/story.xml": story,
            "word/media/image1.png": picture(secret),
            "word/media/image2.png": picture(OTHER),
        }
        word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
        return with_parts(whole, parts, override("word/story.xml", f"{word}.{kind}+xml"))

    return make


MAIN = "word/document.xml"
IN_PARAGRAPH = of_docx(f"<w:p>{run('first')}</w:p><w:p>{run('one ')}{drawing()}{run('two')}</w:p>")
ALONE = of_docx(f"<w:p>{drawing()}</w:p>")
DELETED = of_docx(f"<w:p>{run('kept')}<w:del><w:r><w:delText>gone</w:delText></w:r>{drawing()}</w:del></w:p>")
WPS = 'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
IN_BOX = of_docx(
    "<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="
    f'"http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp {WPS}><wps:txbx><w:txbxContent>'
    f"<w:p>{run('boxed')}{drawing()}</w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline>"
    f"</w:drawing></w:r>{run('around')}</w:p>"
)
FILLED_BOX = of_docx(
    "<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="
    f'"http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp {WPS}><wps:spPr><a:blipFill>'
    f'<a:blip r:embed="rId1"/></a:blipFill></wps:spPr><wps:txbx><w:txbxContent><w:p>{run("boxed")}</w:p>'
    "</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
)

VIEW = '<wp:docPr id="1" name="" descr="a view"/>'
DESCRIBED = of_docx(f"<w:p>{run('one')}{drawing(named=VIEW)}</w:p>")
LINKED_VIEW = '<wp:docPr id="1" name=""><a:hlinkClick tooltip="a view"/></wp:docPr>'
VIEWS_IN_A_GROUP = of_docx(
    "<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><wpg:wgp "
    'xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"><pic:pic><pic:nvPicPr><pic:cNvPr '
    'id="1" name="" descr="a view"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId1"/></pic:blipFill></pic:pic>'
    '<pic:pic><pic:nvPicPr><pic:cNvPr id="2" name=""/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId2"/>'
    "</pic:blipFill></pic:pic></wpg:wgp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
)

# PowerPoint.


def of_pptx(*slides: str, more: Callable[[bytes], dict[str, bytes]] = lambda _: {}, types: str = "") -> Make:
    def make(secret: bytes) -> bytes:
        media = {"ppt/media/image1.png": picture(secret), "ppt/media/image2.png": picture(OTHER)}
        last = f"{shape(paragraph('last'))}{picture_of('rId2')}"
        links = related(("slideLayout", "../slideLayouts/slideLayout1.xml"), ("image", "../media/image2.png"))
        number = len(slides) + 1
        parts = {**media, f"ppt/slides/_rels/slide{number}.xml.rels": links, **more(secret)}
        return with_parts(pptx_of(*slides, last), parts, types)

    return make


def fill(reference: str = "rId2") -> str:
    return f'<a:blipFill><a:blip r:embed="{reference}"/></a:blipFill>'


BULLET = '<a:p><a:pPr><a:buBlip><a:blip r:embed="rId2"/></a:buBlip></a:pPr><a:r><a:t>with a bullet</a:t></a:r></a:p>'
CELL = (
    '<p:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl>'
    f"<a:tr><a:tc><a:txBody>{paragraph('in a cell')}</a:txBody><a:tcPr>{fill()}</a:tcPr></a:tc></a:tr></a:tbl>"
    "</a:graphicData></a:graphic></p:graphicFrame>"
)
FILLED = shape(paragraph("in a shape")).replace("</a:xfrm>", f"</a:xfrm>{fill()}")
NOTES = {
    "ppt/slides/_rels/slide1.xml.rels": related(
        ("slideLayout", "../slideLayouts/slideLayout1.xml"), ("notesSlide", "../notesSlides/notesSlide1.xml")
    ),
    "ppt/notesSlides/notesSlide1.xml": part("notes", picture_of("rId1")),
    "ppt/notesSlides/_rels/notesSlide1.xml.rels": related(("image", "../media/image1.png")),
}
NOTES_TYPE = override(
    "ppt/notesSlides/notesSlide1.xml",
    "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml",
)
MASTER = "ppt/slideMasters/slideMaster1.xml"


def in_master(_: bytes) -> dict[str, bytes]:
    """A layout list and a picture."""
    return {
        MASTER: part("sldMaster", picture_of("rId3")),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"),
            ("theme", "../theme/theme1.xml"),
            ("image", "../media/image1.png"),
        ),
    }


VIEW_ON_A_SLIDE = picture_of("rId2").replace('name="Picture 8"', 'name="Picture 8" descr="a view"')
LINKED_ON_A_SLIDE = picture_of("rId2").replace(
    'name="Picture 8"/>', 'name="Picture 8"><a:hlinkClick tooltip="a view"/></p:cNvPr>'
)
GROUP_ON_A_SLIDE = (
    '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="7" name="Group 6" title="a view"/></p:nvGrpSpPr><p:grpSpPr/>'
    f"{picture_of('rId2')}</p:grpSp>"
)

# Excel: the sheet Pay shows one picture, the sheet More the other.


def of_xlsx(secret: bytes) -> bytes:
    sheets = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = f"{OPEN}/officeDocument/2006/relationships"
    excel = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "_rels/.rels": related(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{sheets}" xmlns:r="{office}"><sheets><sheet name="Pay" sheetId="1" '
        'r:id="rId1"/><sheet name="More" sheetId="2" r:id="rId2"/></sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": related(("worksheet", "sheets/1.xml"), ("worksheet", "sheets/2.xml")),
    }
    types = override("xl/workbook.xml", f"{excel}.sheet.main+xml")
    for number, pixels in ((1, secret), (2, OTHER)):
        parts |= {
            f"xl/sheets/{number}.xml": f'<worksheet xmlns="{sheets}" xmlns:r="{office}"><sheetData><row r="1">'
            f'<c r="A1" t="inlineStr"><is><t>text {number}</t></is></c></row></sheetData><drawing r:id="rId1"/>'
            "</worksheet>".encode(),
            f"xl/sheets/_rels/{number}.xml.rels": related(("drawing", f"../drawings/{number}.xml")),
            f"xl/drawings/{number}.xml": f'<d:wsDr xmlns:d="{OPEN}/drawingml/2006/spreadsheetDrawing" xmlns:a='
            f'"{OPEN}/drawingml/2006/main" xmlns:r="{office}"><a:blip r:embed="rId1"/></d:wsDr>'.encode(),
            f"xl/drawings/_rels/{number}.xml.rels": related(("image", f"../media/image{number}.png")),
            f"xl/media/image{number}.png": picture(pixels),
        }
        types += override(f"xl/sheets/{number}.xml", f"{excel}.worksheet+xml")
        types += override(f"xl/drawings/{number}.xml", DRAWN)
    with zipfile.ZipFile(BytesIO(docx_of(""))) as file:
        listing = file.read("[Content_Types].xml")
    return with_parts(archive({"[Content_Types].xml": listing, **parts}), {}, types)


# OpenDocument.


def frame(number: int = 1, inside: str = "") -> str:
    return f'<draw:frame><draw:image xlink:href="Pictures/{number}.png"/>{inside}</draw:frame>'


def with_pictures(made: bytes, secret: bytes, styles: bytes = b"") -> bytes:
    with zipfile.ZipFile(BytesIO(made)) as file:
        kind, content = file.read("mimetype").decode(), file.read("content.xml")
    more = {"styles.xml": styles} if styles else {}
    return odf(
        kind, {"content.xml": content, **more, "Pictures/1.png": picture(secret), "Pictures/2.png": picture(OTHER)}
    )


def of_odt(body: str) -> Make:
    return lambda secret: with_pictures(odt_of(f"{body}<text:p>last {frame(2)}</text:p>"), secret)


def of_odt_header(secret: bytes) -> bytes:
    made = odt_of(f"<text:p>text {frame(2)}</text:p>")
    with zipfile.ZipFile(BytesIO(made)) as file:
        opening = file.read("content.xml").partition(b"<office:automatic-styles>")[0]
    styles = (
        opening.replace(b"document-content", b"document-styles")
        + (
            '<office:master-styles><style:master-page style:name="Standard"><style:header>'
            f"<text:p>head {frame()}</text:p></style:header></style:master-page></office:master-styles>"
            "</office:document-styles>"
        ).encode()
    )
    return with_pictures(made, secret, styles)


def of_ods(pay: str, beside: str = "") -> Make:
    def table(name: str, inside: str, cell: str) -> str:
        return (
            f'<table:table table:name="{name}">{inside}<table:table-row><table:table-cell office:value-type="string">'
            f"<text:p>a text</text:p>{cell}</table:table-cell></table:table-row></table:table>"
        )

    whole = table("Pay", beside, pay) + table("More", "", frame(2))
    return lambda secret: with_pictures(ods_of(whole), secret)


ODT = of_odt(f"<text:p>first</text:p><text:p>one {frame()}two</text:p>")


VIEW_IN_A_TEXT = of_odt(f"<text:p>one {frame(1, '<svg:desc>a view</svg:desc>')}</text:p>")
AREA = "<draw:image-map><draw:area-rectangle><svg:title>a view</svg:title></draw:area-rectangle></draw:image-map>"
LINKED_IN_A_TEXT = f'<draw:a xlink:href="#x" office:title="a view">{frame()}</draw:a>'


class Case(NamedTuple):
    """A file whose `part` the mark covers, and `other` not."""

    make: Make
    mark: Mark
    part: str
    other: str


def word(make: Make, address: str, start: int | None = None, end: int | None = None) -> Case:
    return Case(make, Mark(address, start, end), "word/media/image1.png", "word/media/image2.png")


def slides(make: Make, address: str, start: int | None = None, end: int | None = None) -> Case:
    return Case(make, Mark(address, start, end), "ppt/media/image1.png", "ppt/media/image2.png")


def sheets(address: str, start: int | None = None, end: int | None = None) -> Case:
    return Case(of_xlsx, Mark(address, start, end), "xl/media/image1.png", "xl/media/image2.png")


def open_document(make: Make, address: str, start: int | None = None, end: int | None = None) -> Case:
    return Case(make, Mark(address, start, end), "Pictures/1.png", "Pictures/2.png")


CASES = {
    "docx, paragraph": word(IN_PARAGRAPH, f"{MAIN}/p2"),
    "docx, all of its text": word(IN_PARAGRAPH, f"{MAIN}/p2", 0, 7),
    "docx, around": word(IN_PARAGRAPH, f"{MAIN}/p2", 3, 5),
    "docx, before": word(IN_PARAGRAPH, f"{MAIN}/p2", 0, 4),
    "docx, after": word(IN_PARAGRAPH, f"{MAIN}/p2", 4, 7),
    "docx, alone": word(ALONE, f"{MAIN}/p1"),
    "docx, deleted": word(DELETED, f"{MAIN}/p1/deleted"),
    "docx, around a text box": word(IN_BOX, f"{MAIN}/p1"),
    "docx, in a text box": word(IN_BOX, f"{MAIN}/p2"),
    "docx, filling a text box": word(FILLED_BOX, f"{MAIN}/p2"),
    **{
        f"docx, {kind}, {where}": word(
            of_docx_story(kind, f"<w:p>{run('words')}{drawing()}</w:p>"), f"word/story.xml{where}"
        )
        for kind in ("header", "footer", "comments")
        for where in ("", "/p1")
    },
    "docx, description": word(DESCRIBED, f"{MAIN}/a1"),
    "docx, a word of the description": word(DESCRIBED, f"{MAIN}/a1", 2, 6),
    "docx, description in a group": word(VIEWS_IN_A_GROUP, f"{MAIN}/a1"),
    "docx, tooltip": word(of_docx(f"<w:p>{drawing(named=LINKED_VIEW)}</w:p>"), f"{MAIN}/a1"),
    "docx, tooltip of a link": word(
        of_docx(f'<w:p><w:hyperlink w:tooltip="a view">{drawing()}</w:hyperlink></w:p>'), f"{MAIN}/a1"
    ),
    "docx, description in a header": word(
        of_docx_story("header", f"<w:p>{drawing(named=VIEW)}</w:p>"), "word/story.xml/a1"
    ),
    "pptx, description": slides(of_pptx(VIEW_ON_A_SLIDE), "slide/1/a1"),
    "pptx, a word of the description": slides(of_pptx(VIEW_ON_A_SLIDE), "slide/1/a1", 2, 6),
    "pptx, title of a group": slides(of_pptx(GROUP_ON_A_SLIDE), "slide/1/a1"),
    "pptx, tooltip": slides(of_pptx(LINKED_ON_A_SLIDE), "slide/1/a1"),
    "pptx, slide": slides(of_pptx(shape(paragraph("one")) + picture_of("rId2")), "slide/1"),
    "pptx, slide without text": slides(of_pptx(picture_of("rId2")), "slide/1"),
    "pptx, background": slides(
        of_pptx(
            shape(paragraph("one")),
            more=lambda _: {
                "ppt/slides/slide1.xml": part("sld", "").replace(
                    b"<p:spTree>", f"<p:bg><p:bgPr>{fill()}</p:bgPr></p:bg><p:spTree>".encode()
                )
            },
        ),
        "slide/1",
    ),
    "pptx, bullet": slides(of_pptx(shape(BULLET)), "slide/1/p1", 0, 4),
    "pptx, cell": slides(of_pptx(CELL), "slide/1/p1"),
    "pptx, filled shape": slides(of_pptx(FILLED), "slide/1/p1", 0, 10),
    "pptx, notes of the slide": slides(
        of_pptx(shape(paragraph("one")), more=lambda _: NOTES, types=NOTES_TYPE), "slide/1"
    ),
    "pptx, notes": slides(of_pptx(shape(paragraph("one")), more=lambda _: NOTES, types=NOTES_TYPE), "slide/1/notes"),
    "pptx, master": slides(of_pptx(shape(paragraph("one")), more=in_master), MASTER),
    "xlsx, sheet": sheets("sheet/Pay"),
    "xlsx, cell": sheets("sheet/Pay/A1"),
    "xlsx, part": sheets("xl/sheets/1.xml"),
    "xlsx, drawing": sheets("xl/drawings/1.xml"),
    "odt, paragraph": open_document(ODT, "content.xml/p2"),
    "odt, all of its text": open_document(ODT, "content.xml/p2", 0, 7),
    "odt, around": open_document(ODT, "content.xml/p2", 3, 5),
    "odt, before": open_document(ODT, "content.xml/p2", 0, 4),
    "odt, alone": open_document(of_odt(f"<text:p>{frame()}</text:p>"), "content.xml/p1"),
    "odt, around a text box": open_document(
        of_odt(
            f"<text:p>x<draw:frame><draw:text-box><text:p>y{frame()}</text:p></draw:text-box></draw:frame></text:p>"
        ),
        "content.xml/p1",
    ),
    "odt, description": open_document(VIEW_IN_A_TEXT, "content.xml/t1"),
    "odt, a word of the description": open_document(VIEW_IN_A_TEXT, "content.xml/t1", 2, 6),
    "odt, title of an area": open_document(of_odt(f"<text:p>{frame(1, AREA)}</text:p>"), "content.xml/t1"),
    "odt, tooltip": open_document(of_odt(f"<text:p>one {LINKED_IN_A_TEXT}</text:p>"), "content.xml/a2"),
    "odt, header": open_document(of_odt_header, "styles.xml"),
    "odt, paragraph of a header": open_document(of_odt_header, "styles.xml/p1"),
    "ods, sheet": open_document(of_ods(frame()), "sheet/Pay"),
    "ods, cell": open_document(of_ods(frame()), "sheet/Pay/A1"),
    "ods, beside the cells": open_document(of_ods("", f"<table:shapes>{frame()}</table:shapes>"), "sheet/Pay"),
}
WHOLE = {
    "docx": word(IN_PARAGRAPH, MAIN),
    "odt": open_document(ODT, "content.xml"),
    "ods": open_document(of_ods(frame()), "content.xml"),
}
secrets = st.binary(min_size=8, max_size=8)


def plain_of(data: bytes, mark: Mark) -> bytes:
    reading = read("", data)
    assert isinstance(reading, OfficeReading)
    return separate(Document(data, reading.spans([mark]))).plain


def packed(data: bytes, name: str) -> bytes:
    """The bytes of a part in its file."""
    reading = read("", data)
    assert isinstance(reading, OfficeReading)
    entry = reading.container.entries[name]
    return data[entry.start : entry.end]


@pytest.mark.parametrize("name", [*CASES, *(f"whole {one}" for one in WHOLE)])
@settings(max_examples=examples(2), deadline=None)
@given(secrets, secrets)
def test_what_a_marked_place_shows_is_classified(name: str, one: bytes, other: bytes) -> None:
    case = CASES.get(name) or WHOLE[name.removeprefix("whole ")]
    data = case.make(one)
    plain = plain_of(data, case.mark)
    assert plain == plain_of(case.make(other), case.mark)
    assert packed(data, case.part) not in plain
    row = expanded(one)[:32]
    assert row not in plain
    edition = redact(read("", data), [case.mark])
    assert not [part for part in [edition, *entries(edition)] if row in part]
    reading = read("", data)
    assert isinstance(reading, OfficeReading)
    assert not reading.in_plain_stream([case.mark])(case.part)
    assert not reading.plain_places([case.mark])(case.part)
    if name in CASES:
        assert packed(data, case.other) in plain


@pytest.mark.parametrize(
    "case",
    [
        word(IN_PARAGRAPH, f"{MAIN}/p1"),
        word(IN_PARAGRAPH, f"{MAIN}/p2", 0, 3),
        word(IN_PARAGRAPH, f"{MAIN}/p2", 5, 7),
        slides(of_pptx(shape(paragraph("one")) + picture_of("rId2")), "slide/1/p1"),
        slides(of_pptx(FILLED), "slide/1/p1", 0, 2),
        slides(of_pptx(VIEW_ON_A_SLIDE.replace("rId2", "rId9") + picture_of("rId2")), "slide/1/a1"),
        sheets("sheet/More"),
        open_document(ODT, "content.xml/p1"),
        open_document(ODT, "content.xml/p2", 5, 7),
        open_document(of_ods(frame()), "sheet/More/A1"),
    ],
)
def test_a_picture_beside_a_mark_travels_plain(case: Case) -> None:
    data = case.make(b"open")
    assert packed(data, case.part) in plain_of(data, case.mark)


@pytest.mark.parametrize(
    "case", [CASES[name] for name in ("docx, paragraph", "pptx, slide", "xlsx, sheet", "odt, paragraph", "ods, sheet")]
)
def test_a_picture_that_is_equal_to_one_in_a_marked_place_is_classified(case: Case) -> None:
    data = case.make(OTHER)
    plain = plain_of(data, case.mark)
    assert packed(data, case.other) not in plain
    edition = redact(read("", data), [case.mark])
    assert not [part for part in [edition, *entries(edition)] if expanded(OTHER)[:32] in part]


def test_the_reason_says_that_a_marked_place_shows_it() -> None:
    reading = read("", of_xlsx(b"secret"))
    assert isinstance(reading, OfficeReading)
    marked = reading.marked([Mark("sheet/Pay")])
    assert marked.shown == {"xl/drawings/1.xml", "xl/media/image1.png"}
