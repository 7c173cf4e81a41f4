"""The highlighted file: the same content, with exactly the marked text highlighted."""

from io import BytesIO

import numpy
import openpyxl
import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from any_files import GOOD, SECRET
from pptx_files import paragraph as slide_paragraph
from pptx_files import pptx_of, shape
from sieve.core.units import Mark
from sieve.formats.docx.paragraphs import P, pieces, w
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import Unsupported
from sieve.formats.pdf.reading import PdfReading
from sieve.formats.pptx.paragraphs import a
from sieve.formats.pptx.paragraphs import pieces as slide_pieces
from sieve.formats.pptx.reading import PptxReading
from sieve.formats.reading import highlight, read
from sieve.formats.recognition import can_highlight


def coloured(data: bytes, part: str) -> dict[str, list[tuple[int, int]]]:
    """The highlighted characters of each paragraph of a part."""
    reading = DocxReading(data)
    found: dict[str, list[tuple[int, int]]] = {}
    for number, paragraph in enumerate(reading.tree(part).iter(*P), 1):
        at = 0
        for piece in pieces(paragraph, reading.hiding):
            if piece.below:
                continue
            start, at = at, at + len(piece.text)
            run = piece.element.getparent()
            if run is not None and any(True for _ in run.iter(*w("highlight"))):
                ranges = found.setdefault(f"{part}/p{number}", [])
                if ranges and ranges[-1][1] == start:
                    ranges[-1] = ranges[-1][0], at
                else:
                    ranges.append((start, at))
    return found


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_word_shows_exactly_the_marked_characters(data: st.DataObject) -> None:
    content = GOOD["memo.docx"][1]
    reading = read("memo.docx", content)
    assert isinstance(reading, DocxReading)
    visible = [
        unit for unit in reading.units() if unit.text and not unit.hidden and unit.address.startswith(reading.main)
    ]
    unit = data.draw(st.sampled_from(visible))
    start = data.draw(st.integers(0, len(unit.text) - 1))
    end = data.draw(st.integers(start + 1, len(unit.text)))
    made = highlight(reading, [Mark(unit.address, start, end)])
    assert [(one.address, one.text) for one in read("memo.docx", made).units()] == [
        (one.address, one.text) for one in reading.units()
    ]
    assert coloured(made, reading.main) == {unit.address: [(start, end)]}


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_a_slide_shows_exactly_the_marked_characters(data: st.DataObject) -> None:
    bold = '<a:p><a:r><a:rPr b="1"><a:ln/><a:latin typeface="X"/></a:rPr><a:t>one &amp; two</a:t></a:r>'
    content = pptx_of(shape(f"{bold}<a:br/><a:r><a:t>three</a:t></a:r></a:p>" + slide_paragraph("four five")))
    reading = read("deck.pptx", content)
    assert isinstance(reading, PptxReading)
    unit = data.draw(st.sampled_from([unit for unit in reading.units() if unit.address.startswith("slide/1/p")]))
    start = data.draw(st.integers(0, len(unit.text) - 1))
    end = data.draw(st.integers(start + 1, len(unit.text)))
    made = PptxReading(highlight(reading, [Mark(unit.address, start, end)]))
    assert [(one.address, one.text) for one in made.units()] == [(one.address, one.text) for one in reading.units()]
    for number, found in enumerate(made.tree(made.slides[0].part).iter(*a("p")), 1):
        is_marked, shown = unit.address == f"slide/1/p{number}", ""
        for piece in slide_pieces(found):
            run = piece.element.getparent()
            assert run is not None
            marks = [*run.iter(*a("highlight"))]
            # A line break has no highlight.
            shown += ("x" if marks else "-") * len(piece.text) if piece.text != "\n" else "\n"
            for mark in marks:
                assert [str(one.tag).rpartition("}")[2] for one in mark.itersiblings()] in ([], ["latin"])
        text = "".join(piece.text for piece in slide_pieces(found))
        wanted = ["x" if is_marked and start <= at < end else "-" for at in range(len(text))]
        assert shown == "".join("\n" if text[at] == "\n" else sign for at, sign in enumerate(wanted))


def test_a_field_of_a_slide_is_highlighted_as_a_whole() -> None:
    field = '<a:p><a:fld id="{1}" type="datetime1"><a:t>6 October</a:t></a:fld></a:p>'
    reading = read("deck.pptx", pptx_of(shape(field)))
    made = PptxReading(highlight(reading, [Mark("slide/1/p1", 0, 1)]))
    assert [*made.tree(made.slides[0].part).iter(*a("highlight"))]


def test_a_highlighted_run_keeps_its_formatting() -> None:
    content = GOOD["memo.docx"][1]
    reading = read("memo.docx", content)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text and not unit.hidden]
    made, before = DocxReading(highlight(reading, marks)), DocxReading(content)
    for part in before.stories:
        root, old = made.tree(part), before.tree(part)
        for mark in root.iter(*w("highlight")):
            _remove(mark)
        for run in root.iter(*w("rPr")):
            if not len(run):
                _remove(run)
        assert "".join(map(str, root.itertext())) == "".join(map(str, old.itertext()))
        assert {etree.tostring(one) for one in root.iter(*w("rPr"))} <= {
            etree.tostring(one) for one in old.iter(*w("rPr"))
        }


@pytest.mark.filterwarnings("ignore:Cannot parse header or footer")
def test_excel_fills_the_marked_cells_and_no_others() -> None:
    content = GOOD["pay.xlsx"][1]
    reading = read("pay.xlsx", content)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text and unit.address.count("/") == 2]
    book, before = openpyxl.load_workbook(BytesIO(highlight(reading, marks))), openpyxl.load_workbook(BytesIO(content))
    filled = set()
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.value == before[sheet.title][cell.coordinate].value
                if cell.fill.fgColor.rgb == "FFFFFF00":
                    filled.add(f"sheet/{sheet.title}/{cell.coordinate}")
    assert marks and filled == {mark.address for mark in marks}


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_pdf_is_yellow_where_the_marked_words_are(turned: int) -> None:
    with pikepdf.open(BytesIO(GOOD["report.pdf"][1])) as pdf:
        for page in pdf.pages:
            page.obj.Rotate = turned
        out = BytesIO()
        pdf.save(out)
    reading = PdfReading(out.getvalue())
    text, boxes = reading.page_boxes(2)
    at = text.index(SECRET)
    made = highlight(reading, [Mark("page/2", at, at + len(SECRET))])
    assert PdfReading(made).page_boxes(2)[0] == text
    shown = numpy.asarray(pypdfium2.PdfDocument(made)[1].render(scale=1, rev_byteorder=True).to_pil().convert("RGB"))
    down, across = numpy.nonzero((shown[:, :, 0] > 200) & (shown[:, :, 2] < 120))
    wanted = boxes[at : at + len(SECRET)]
    drawn = [box for box in wanted if box.right > box.left]
    left, right = min(box.left for box in drawn), max(box.right for box in drawn)
    top, bottom = min(box.top for box in drawn), max(box.bottom for box in drawn)
    assert len(across) > 0
    assert left - 2 <= across.min() and across.max() <= right + 2
    assert top - 2 <= down.min() and down.max() <= bottom + 2


def test_a_page_that_is_marked_whole_is_yellow_and_a_table_cannot_be() -> None:
    reading = read("report.pdf", GOOD["report.pdf"][1])
    with pikepdf.open(BytesIO(highlight(reading, [Mark("page/2"), Mark("info/Title")]))) as pdf:
        found = [[str(note.Subtype) for note in page.obj.get("/Annots", [])].count("/Highlight") for page in pdf.pages]
    assert found[1] == 1 and sum(found) == 1
    with pytest.raises(Unsupported, match="cannot be highlighted"):
        highlight(read("pay.csv", GOOD["pay.csv"][1]), [])


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    assert parent is not None
    parent.remove(element)


@pytest.mark.parametrize("name", GOOD)
def test_only_what_can_be_highlighted_is_offered_so(name: str) -> None:
    reading = read(name, GOOD[name][1])
    try:
        highlight(reading, [])
    except Unsupported:
        assert not can_highlight(name, None)
    else:
        assert can_highlight(name, None)
