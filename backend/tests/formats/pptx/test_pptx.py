"""The invariants of a format, for PowerPoint presentations."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import any_marks, check_withheld, plain_stream
from office_files import archive, entries, flat, png, readings
from pptx_files import PPTX_PLACES, paragraph, part, picture_of, pptx, pptx_of, shape
from sieve.core.document import Spans
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, FormatError, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.office.why_classified import COUNTING
from sieve.formats.pptx import measures
from sieve.formats.pptx.reading import PptxReading
from sieve.formats.reading import read, redact
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN

SECRET = "XQZVK PLMRT"
words = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
numbers = st.from_regex(r"[1-9][0-9]{6,8}|\+49 30 [1-9][0-9]{6}|20[0-9]{2}-1[0-2]-2[0-9]", fullmatch=True)
secrets = words | numbers
places = st.sets(st.sampled_from(PPTX_PLACES), max_size=4)
few = settings(max_examples=12, deadline=None)
BODY = "slide/1/p2"


def marks(secret: str = SECRET) -> list[Mark]:
    return [Mark(BODY, 5, 5 + len(secret))]


def plain_of(data: bytes, given_marks: list[Mark]) -> bytes:
    return plain_stream(PptxReading(data), data, given_marks)


def travels(data: bytes, part: str, given_marks: list[Mark]) -> bool:
    """Whether all of a part is in the plain stream."""
    entry = PptxReading(data).container.entries[part]
    return data[entry.start : entry.end] in plain_of(data, given_marks)


def shown(part: bytes) -> str:
    """What a part says, with and without its tags."""
    text = part.decode("utf-8", "replace")
    return flat(unescape(text) + unescape(re.sub("<[^>]*>", "", text)))


@few
@given(secrets, secrets, places)
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    assert plain_of(pptx(one, where), marks(one)) == plain_of(pptx(other, where), marks(other))


@pytest.mark.parametrize("place", PPTX_PLACES)
def test_no_place_reveals_the_secret(place: str) -> None:
    data = pptx(SECRET, {place})
    plain = plain_of(data, marks())
    assert plain
    assert not [text for text in readings(plain) if flat(SECRET) in text or flat(SECRET).replace(" ", "_") in text]
    edition = redact(PptxReading(data), marks())
    assert not [part for part in map(shown, [*entries(edition), edition]) if "xqzvk" in part]
    assert f"Ship {MARKER} leaves at noon" in [unit.text for unit in PptxReading(edition).units()]


IN_A_SLIDE = [
    *("alt", "alt_title", "bullet_text", "case", "cdata", "charref", "fallback", "field", "foreign_attribute"),
    *("foreign_text", "formula", "group", "hidden_shape", "object_name", "outside", "remark", "slide_name", "sound"),
    *("split", "table", "title", "tooltip", "white_space", "zoom"),
]


@pytest.mark.parametrize("place", IN_A_SLIDE)
def test_a_slide_that_says_the_marked_words_again_travels_classified(place: str) -> None:
    data = pptx(SECRET, {"notes", place}, body_tells=False)
    plain = plain_of(data, [Mark("slide/1/notes/p1")])
    assert not [text for text in readings(plain) if flat(SECRET) in text]


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("footer", "ppt/slides/slide2.xml"),
        ("layout", "ppt/slideLayouts/slideLayout1.xml"),
        ("layout_name", "ppt/slideLayouts/slideLayout1.xml"),
        ("master", "ppt/slideMasters/slideMaster1.xml"),
        ("notes", "ppt/notesSlides/notesSlide1.xml"),
        ("notes_master", "ppt/notesMasters/notesMaster1.xml"),
        ("theme", "ppt/theme/theme1.xml"),
        ("table_style", "ppt/tableStyles.xml"),
        ("picture_text", "ppt/media/image1.png"),
        ("hidden_slide", "ppt/slides/slide3.xml"),
    ],
)
def test_each_part_travels_plain_unless_it_says_the_marked_words(place: str, part: str) -> None:
    assert travels(pptx(SECRET), part, marks())
    assert not travels(pptx(SECRET, {place}), part, marks())


@pytest.mark.parametrize(
    "inside",
    [
        '<a:p><a:fld id="{1}" type="slidename"><a:t>Two</a:t></a:fld></a:p>',
        '<a:p><a:r><f:x xmlns:f="urn:others"/></a:r></a:p>',
        '<a:p f:x="1" xmlns:f="urn:others"/>',
    ],
)
def test_what_is_computed_or_unknown_travels_classified(inside: str) -> None:
    """A number of a slide depends on no text."""
    known = '<a:p><a:fld id="{1}" type="slidenum"><a:t>2</a:t></a:fld></a:p>'
    part = "ppt/slides/slide2.xml"
    for text, is_plain in ((known, True), (inside, False)):
        data = pptx_of(shape(paragraph("Secret")), shape(text))
        assert travels(data, part, [Mark("slide/1/p1")]) is is_plain


@pytest.mark.parametrize(
    "drawn",
    [
        '<mc:AlternateContent><mc:Choice Requires="z"/><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>',
        "<p:graphicFrame><a:graphic><a:graphicData uri='ole'><p:oleObj>{}</p:oleObj></a:graphicData></a:graphic>"
        "</p:graphicFrame>",
    ],
)
def test_a_picture_of_something_else_travels_classified(drawn: str) -> None:
    """A program drew it of another slide, or of an embedded file, which may be what is marked."""
    for form, is_plain in (("{}", True), (drawn, False)):
        data = pptx_of(shape(paragraph("Secret")), form.format(picture_of("rId2")))
        assert travels(data, "ppt/media/image1.png", [Mark("slide/1/p1")]) is is_plain


def test_a_frame_of_a_film_travels_classified() -> None:
    film = picture_of("rId2").replace("<p:nvPr/>", '<p:nvPr><a:videoFile r:link="rId9"/></p:nvPr>')
    data = pptx_of(shape(paragraph("Secret")), film)
    assert not travels(data, "ppt/media/image1.png", [Mark("slide/1/p1")])
    assert MARKER in [unit.text for unit in PptxReading(redact(PptxReading(data), [Mark("slide/1/p1")])).units()]


def test_numbers_of_shapes_do_not_count_a_marked_slide() -> None:
    """LibreOffice numbers shapes through all slides, so the number on slide 3 tells how many slide 2 has."""

    def numbered(*numbers: int) -> bytes:
        told = zip(numbers, ("First", "Second", "Third"), strict=True)
        return pptx_of(*(shape(paragraph(text), number=number) for number, text in told))

    last = "ppt/slides/slide3.xml"
    through, restarted = numbered(5, 6, 7), numbered(2, 2, 2)
    assert not travels(through, last, [Mark("slide/2")])
    assert travels(through, "ppt/slides/slide1.xml", [Mark("slide/2")])
    assert travels(through, last, [Mark("slide/2/p1")])
    assert travels(restarted, last, [Mark("slide/2")])
    assert COUNTING in {one.why for one in PptxReading(through).why_classified([Mark("slide/2")])}


@pytest.mark.parametrize(
    "place",
    sorted(
        {*PPTX_PLACES}
        - {
            "between",
            "directory_comment",
            "embedded",
            "extra",
            "name_of_part",
            "picture_packed",
            "picture_text",
            "prefix",
        }
        - {"remark", "suffix", "table_style", "theme", "thumbnail", "unknown", "case", "white_space", "utf16"}
        - {"bullet_text", "tag", "view"}
    ),
)
def test_what_a_program_can_show_is_a_unit(place: str) -> None:
    assert [unit for unit in PptxReading(pptx(SECRET, {place}, body_tells=False)).units() if SECRET in unit.text]


def test_units_have_places_and_say_what_hides() -> None:
    units = [*PptxReading(pptx(SECRET, {*PPTX_PLACES} - {"prefix"})).units()]
    addresses = [unit.address for unit in units]
    assert len(addresses) == len({*addresses})
    told = {unit.address: unit for unit in units if SECRET in unit.text}
    assert {"a hidden slide", "a hidden shape", "a comment", "a property", "text of a chart", "text of a diagram"} <= {
        unit.hidden for unit in told.values()
    }
    assert {"title", "paragraph", "table cell", "note", "comment", "layout", "master"} <= {u.kind for u in units}
    assert {"slide/1", BODY, "slide/1/notes/p1", "slide/1/comments/p1", "slide/3/p1"} <= told.keys()
    (cell,) = next(unit.cells for unit in units if unit.kind == "table cell")
    assert (cell.row, cell.column, cell.rows, cell.columns, cell.header) == (0, 0, 1, 1, True)


def test_names_that_programs_give_are_no_findings() -> None:
    names = ("Title 1", "Rectangle 1", "Textfeld 17", "Google Shape;54;p13", "Freihand: 2")
    data = pptx_of(shape(paragraph("One")), "".join(shape(paragraph("x"), name=name) for name in names))
    assert not [
        one
        for one in check([*PptxReading(data).units()], [Mark("slide/1/p1")])
        if one.kind == HIDDEN and one.address.startswith("slide/")
    ]
    named = pptx_of(shape(paragraph("One")), shape(paragraph("x"), name="Harbour 2000"))
    assert [unit.text for unit in PptxReading(named).units() if unit.kind == "name of an object"] == ["Harbour 2000"]


def test_slides_are_numbered_as_they_are_shown() -> None:
    data = pptx_of(shape(paragraph("One")), shape(paragraph("Two")))
    parts = dict(zip(PptxReading(data).container.entries, entries(data), strict=True))
    main = parts["ppt/presentation.xml"]
    one, other = re.findall(rb"<p:sldId [^>]*>", main)
    parts["ppt/presentation.xml"] = main.replace(one + other, other + one + other)
    reading = PptxReading(archive(parts))
    assert [unit.text for unit in reading.units() if unit.address.startswith("slide/")] == ["Two", "One"]
    assert reading.part_of("slide/1/p1") == "ppt/slides/slide2.xml"


def test_everything_at_once_is_redacted() -> None:
    data = pptx(SECRET, PPTX_PLACES)
    units = [*PptxReading(redact(PptxReading(data), marks())).units()]
    assert not [unit for unit in units if flat(SECRET) in flat(unit.text)]
    assert not [unit for unit in units if unit.hidden and unit.text]


def test_a_slide_is_marked_with_its_notes() -> None:
    data = pptx("one", {"notes"})
    edition = PptxReading(redact(PptxReading(data), [Mark("slide/1")]))
    assert [unit.text for unit in edition.units() if unit.address.startswith("slide/1/")] == [MARKER, MARKER]
    assert not travels(data, "ppt/notesSlides/notesSlide1.xml", [Mark("slide/1")])
    assert "A second slide" in [unit.text for unit in edition.units()]


def test_marks_on_breaks_runs_and_cells_are_withheld() -> None:
    data = pptx_of(shape("<a:p><a:r><a:t>ab</a:t></a:r><a:br/><a:r><a:t>cd</a:t></a:r><a:endParaRPr/></a:p><a:p/>"))
    reading = PptxReading(data)
    assert [unit.text for unit in reading.units()][:2] == ["ab\ncd", ""]
    edition = redact(reading, [Mark("slide/1/p1", 1, 4), Mark("slide/1/p2")])
    assert [unit.text for unit in PptxReading(edition).units()][:2] == [f"a{MARKER}d", MARKER]


@few
@given(st.data())
def test_any_marks_are_withheld(data: st.DataObject) -> None:
    file = pptx("XQZVK", {"notes", "comment", "hidden_slide", "group", "formula"})
    reading = PptxReading(file)
    given_marks, texts = any_marks(data, reading)
    plain_of(file, given_marks)
    check_withheld(PptxReading(redact(reading, given_marks)), texts)


def test_nothing_marked_is_nothing_classified() -> None:
    data = pptx(SECRET)
    assert PptxReading(data).spans([]) == Spans.EMPTY
    assert redact(PptxReading(data), []) == data


def test_a_marked_picture_leaves_a_marker() -> None:
    reading = PptxReading(pptx(SECRET))
    picture = png(packed=b"another")
    assert reading.container.read("ppt/media/image3.png") == picture
    told = [unit.text for unit in PptxReading(redact(reading, [Mark("ppt/media/image3.png")])).units()]
    assert MARKER in told[told.index("A second slide") :]
    assert len([part for part in entries(redact(reading, marks())) if part.startswith(b"\x89PNG")]) == 2


@few
@given(st.text("abcdefg ", max_size=30), st.sampled_from(["l", "ctr", "r"]), st.sampled_from(["t", "ctr", "b"]))
def test_the_edition_has_no_size_that_depends_on_withheld_text(text: str, algn: str, anchor: str) -> None:
    """A box that grows with its text: programs write its size, and keep the edge or the middle."""
    width, height = 100_000 * (len(text) + 1), 300_000 * (len(text) // 10 + 1)
    x = {"l": 5_000_000, "ctr": 5_000_000 - width // 2, "r": 5_000_000 - width}[algn]
    y = {"t": 4_000_000, "ctr": 4_000_000 - height // 2, "b": 4_000_000 - height}[anchor]

    def edition(said: str, at: tuple[int, int], size: tuple[int, int], row: int) -> list[bytes]:
        body = f'<a:bodyPr wrap="none" anchor="{anchor}"><a:spAutoFit/></a:bodyPr>'
        box = shape(f'<a:p><a:pPr algn="{algn}"/><a:r><a:t>{said}</a:t></a:r></a:p>', body=body)
        box = box.replace('x="1000" y="2000"', f'x="{at[0]}" y="{at[1]}"').replace(
            'cx="3000" cy="4000"', f'cx="{size[0]}" cy="{size[1]}"'
        )
        fitted = shape(paragraph(said), body=f'<a:bodyPr><a:normAutofit fontScale="{row}"/></a:bodyPr>')
        table = (
            '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="8" name=""/></p:nvGraphicFramePr><p:xfrm>'
            f'<a:off x="1" y="2"/><a:ext cx="3" cy="{row}"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/'
            f'2006/table"><a:tbl><a:tr h="{row}"><a:tc><a:txBody>{paragraph(said)}</a:txBody></a:tc></a:tr></a:tbl>'
            "</a:graphicData></a:graphic></p:graphicFrame>"
        )
        data = pptx_of(box + fitted + table)
        return entries(redact(PptxReading(data), [Mark(f"slide/1/p{number}") for number in (1, 2, 3)]))

    first = edition(f"x{text}", (x, y), (width, height), height)
    corner = {"l": 5_000_000, "ctr": 5_000_000 - 50_000, "r": 4_900_000}[algn]
    top = {"t": 4_000_000, "ctr": 4_000_000 - 150_000, "b": 3_700_000}[anchor]
    assert first == edition("x", (corner, top), (100_000, 300_000), 1)
    assert str(measures.WIDTH).encode() in b"".join(first)


@pytest.mark.parametrize(
    "mark",
    [
        Mark("slide/9"),
        Mark("slide/1/p99"),
        Mark("ppt/slides/slide1.xml"),
        Mark(""),
        Mark(BODY, 0, 999),
        Mark("slide/1", 0, 3),
    ],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace):
        PptxReading(pptx(SECRET)).spans([mark])


def test_bad_files_are_refused_with_a_sentence() -> None:
    data = pptx(SECRET)
    parts = dict(zip(PptxReading(data).container.entries, entries(data), strict=True))
    for bad in (
        {"ppt/slides/slide1.xml": b"<x"},
        {"ppt/presentation.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'},
        {"_rels/.rels": b"<x/>"},
        {"[Content_Types].xml": b"<x/>"},
    ):
        with pytest.raises(FormatError):
            read("a.pptx", archive({**parts, **bad}))
    for cut in (data[:1000], b"", b"no"):
        with pytest.raises(FormatError):
            read("a.pptx", cut)
    with pytest.raises(Damaged, match=r"this is no PowerPoint presentation: .* save it again as .pptx"):
        read("a.pptx", archive({**parts, "_rels/.rels": b"<x/>"}))


def test_a_withheld_theme_is_replaced() -> None:
    reading = PptxReading(pptx(SECRET))
    edition = redact(reading, [Mark("ppt/theme/theme1.xml"), Mark("ppt/slideMasters/slideMaster1.xml")])
    assert any(b"srgbClr" in part and b"<a:theme" in part for part in entries(edition))
    assert travels(pptx(SECRET), "ppt/slides/slide2.xml", [Mark("ppt/theme/theme1.xml")])


def test_a_marked_slide_is_empty_also_without_the_properties_of_its_shapes() -> None:
    """Programs open a slide whose tree of shapes begins with shapes."""
    bare = part("sld", shape(paragraph("one")) + shape(paragraph("two")))
    start, end = bare.index(b"<p:nvGrpSpPr>"), bare.index(b"<p:grpSpPr/>") + len(b"<p:grpSpPr/>")
    data = pptx_of(shape(paragraph("one")), more={"ppt/slides/slide1.xml": bare[:start] + bare[end:]})
    edition = PptxReading(redact(PptxReading(data), [Mark("slide/1")]))
    assert [unit.text for unit in edition.units() if unit.address.startswith("slide/1/p")] == [MARKER]
