"""Readers disagree about some pages: what one of them shows is found, and travels classified."""

from io import BytesIO

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from numbered_pdfs import made
from pdf_files import by_reportlab_uncompressed
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.pdf import PdfReading, shown_text
from sieve.formats.pdf.second_reading import SecondReading
from sieve.formats.pdf.to_unicode import parsed
from sieve.formats.reading import redact


def saved(pdf: pikepdf.Pdf) -> bytes:
    written = BytesIO()
    pdf.save(written, static_id=True, compress_streams=False)
    return written.getvalue()


def changed(content: bytes, page: int = 2) -> bytes:
    """Three pages, of which one draws by `content`."""
    with pikepdf.open(BytesIO(by_reportlab_uncompressed(["green hills", "a river bed", "fields of oats"]))) as pdf:
        pdf.pages[page - 1].obj.Contents = pdf.make_stream(content)
        return saved(pdf)


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [
        ("Hello brave World", None),
        ("Hello brave-\nWorld", None),
        ("HellobraveWorld", None),
        ("Hello", "Hello brave World"),
        ("H\ne\nl\nl\no brave World", "Hello brave World"),
        ("", "Hello brave World"),
    ],
)
@pytest.mark.parametrize("numbering", ["by_glyph_id", "by_use"])
def test_what_the_instructions_show_and_a_reader_does_not_find(numbering: str, seen: str, unseen: str | None) -> None:
    with pikepdf.open(BytesIO(made(numbering, ["Hello brave World"]))) as pdf:
        assert SecondReading(pdf).unseen(pdf.pages[0].obj, seen)[0] == unseen


@pytest.mark.parametrize("size", [1, 10])
def test_words_are_found_where_gaps_take_the_place_of_spaces(size: int) -> None:
    letters = b" ".join(b"%d Ts [(%c)] TJ" % (rise * size, letter) for rise, letter in enumerate(b"albahn"))
    content = b"BT /F1 %d Tf 50 700 Td [(Berg-)] TJ [-560 (und)] TJ [-560 (T)] TJ %s ET" % (size, letters)
    unseen = next(unit for unit in PdfReading(changed(content)).units() if unit.address == "page/2/unseen")
    assert unseen.text.split("\n") == ["Berg- und Talbahn", "Berg-undTalbahn"]


def test_letters_that_are_far_apart_are_found_as_a_word_and_one_by_one() -> None:
    with pikepdf.open(
        BytesIO(changed(b"BT /F1 12 Tf 50 700 Td [(P) -250 (o) -250 (t) -250 (ato) -100 (es)] TJ ET"))
    ) as pdf:
        assert SecondReading(pdf).unseen(pdf.pages[1].obj, "")[0] == "P o t atoes\nPotatoes"


def test_text_from_right_to_left_may_be_in_either_order() -> None:
    with pikepdf.open(BytesIO(made("by_use", ["12 \u05d1\u05d0 ab"]))) as pdf:
        page = pdf.pages[0].obj
        assert SecondReading(pdf).unseen(page, "ab \u05d0\u05d1 12")[0] is None
        assert SecondReading(pdf).unseen(page, "ab \u05d2\u05d1 12")[0] is not None


@pytest.mark.parametrize(
    "content",
    [
        b"BT /F1 12 Tf 50 700 Td (a river Potato",
        b"BT /F1 12 Tf 50 700 Td <61zz> Tj (Potato) Tj ET",
        b"BT Tf (Potato) Tj ET",
    ],
)
def test_a_broken_page_travels_classified_and_is_withheld(content: bytes) -> None:
    data = changed(content)
    reading = PdfReading(data)
    told = [unit for unit in reading.units() if unit.address == "page/2/unseen"]
    assert [bool(unit.hidden) for unit in told] == [True]
    marks = [Mark("page/1")]
    plain = separate(Document(data, reading.spans(marks))).plain
    assert b"Potato" not in plain and b"fields of oats" in plain
    assert not reading.in_plain_stream(marks)("page/2")
    assert reading.in_plain_stream(marks)("page/3")
    assert [unit.text for unit in PdfReading(redact(reading, marks)).units() if unit.kind == "page"] == [
        "This page is withheld.\nAll of it is classified.",
        "This page is withheld.\nPrograms do not agree on its text.",
        "fields of oats",
    ]


@pytest.mark.parametrize("kind", [Name.Type1, Name.TrueType])
@pytest.mark.parametrize(
    "encoding",
    [
        *(None, Name.StandardEncoding, Name.WinAnsiEncoding, Name.PDFDocEncoding, Name.MacExpertEncoding, Name.Unknown),
        *(Dictionary(Differences=Array([200, Name.germandbls])), Dictionary(BaseEncoding=Name.PDFDocEncoding)),
    ],
)
def test_readers_agree_on_quotes(encoding: object, kind: Name) -> None:
    """Ghostscript writes none for the fonts that every reader has."""
    with pikepdf.open(BytesIO(changed(b"BT /F9 12 Tf 50 700 Td (the `river's' bed) Tj ET"))) as pdf:
        font = Dictionary(Type=Name.Font, Subtype=kind, BaseFont=Name.Helvetica)
        if encoding is not None:
            font.Encoding = encoding
        pdf.pages[1].obj.Resources = Dictionary(Font=Dictionary(F9=pdf.make_indirect(font)))
        data = saved(pdf)
    assert "page/2/unseen" not in {unit.address for unit in PdfReading(data).units()}


def test_a_disputed_text_can_be_marked() -> None:
    reading = PdfReading(changed(b"BT /F1 12 Tf 50 700 Td (a river"))
    assert reading.spans([Mark("page/2/unseen")]) == reading.spans([Mark("page/2")])


def test_a_marked_word_that_is_all_of_its_page_is_searched_in_what_is_plain() -> None:
    data = changed(b"BT /F1 12 Tf 50 700 Td (other) Tj ET\n% Potato")
    with pikepdf.open(BytesIO(data)) as pdf:
        pdf.pages[0].obj.Contents = pdf.make_stream(b"BT /F1 12 Tf 50 700 Td (Potato) Tj ET")
        data = saved(pdf)
    reading = PdfReading(data)
    assert b"Potato" not in separate(Document(data, reading.spans([Mark("page/1", 0, 6)]))).plain


def test_what_an_annotation_looks_like_is_reported() -> None:
    with pikepdf.open(BytesIO(by_reportlab_uncompressed(["green hills", "a river bed"]))) as pdf:
        font = pdf.pages[0].obj.Resources.Font
        looks = [
            pdf.make_stream(
                b"BT " + str(next(iter(font.keys()))).encode() + b" 9 Tf (" + text + b") Tj ET",
                Type=Name.XObject,
                Subtype=Name.Form,
                BBox=Array([0, 0, 90, 90]),
                Resources=Dictionary(Font=font),
            )
            for text in (b"Approved by ORION", b"green hills")
        ]
        pdf.pages[0].obj.Annots = Array(
            [Dictionary(Subtype=Name.Stamp, Rect=Array([0, 0, 9, 9]), AP=Dictionary(N=look)) for look in looks]
        )
        data = saved(pdf)
    reading = PdfReading(data)
    told = {unit.address: unit.text for unit in reading.units() if unit.hidden}
    assert told["page/1/appearance"] == "Approved by ORION"
    plain = separate(Document(data, reading.spans([Mark("page/1/appearance", 12, 17)]))).plain
    assert b"green hills" in plain and b"ORION" not in plain
    assert b"ORION" not in redact(reading, [Mark("page/1/appearance", 12, 17)])


def test_maps_of_codes() -> None:
    table = (
        b"2 beginbfchar <01> <0041> <0002> <D835DC00> endbfchar"
        b" 3 beginbfrange <10> <12> <0061> <20> <21> [<0078> <00660069>] <30> <2f> <0041> endbfrange"
    )
    assert parsed(table) == {1: "A", 2: "\U0001d400", 16: "a", 17: "b", 18: "c", 32: "x", 33: "fi"}
    assert parsed(b"beginbfchar <zz> <1> endbfchar") == {}
    overlapping = parsed(b"beginbfrange " + b"<0000> <ffff> <0020> " * 4 + b"<0041> <0041> <0058> endbfrange")
    assert overlapping[0x41] == "a"  # a map of many such ranges would take hours


def test_pages_beyond_the_limit_have_no_second_opinion_and_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made("by_glyph_id", ["The quick brown fox jumps over the lazy dog", "Some secret", "the lazy fox"])
    marks = [Mark("page/2")]
    before = separate(Document(data, PdfReading(data).spans(marks))).plain
    monkeypatch.setattr(shown_text, "MAX_INSTRUCTIONS", 3)
    reading = PdfReading(data)
    assert not [unit for unit in reading.units() if unit.address.endswith("/unseen")]
    assert before and not separate(Document(data, reading.spans(marks))).plain
