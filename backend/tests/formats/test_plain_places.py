"""`plain_places` says yes exactly for hidden text that may travel plain."""

from pathlib import Path

import pytest

import pdf_files
from any_files import GOOD
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.docx.reading import DocxReading
from sieve.formats.office.reading import OfficeReading
from sieve.formats.pdf import PdfReading
from sieve.formats.reading import read
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN

KEPT = ("ml.styles+xml", "ml.numbering+xml")
SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.pdf")), ids=lambda path: path.name)
def test_what_hides_in_a_pdf_travels_classified_with_any_mark(path: Path) -> None:
    reading = PdfReading(path.read_bytes())
    units, marks = [*reading.units()], [Mark("page/1")]
    found = check(units, marks, may_be_plain=reading.plain_places(marks))
    assert not [f for f in found if f.kind == HIDDEN and not f.address.endswith("/layer")]


def test_without_a_mark_everything_travels_plain() -> None:
    for name, (_, data) in GOOD.items():
        reading = read(name, data)
        assert all(map(reading.plain_places([]), (unit.address for unit in reading.units())))


def test_the_layer_of_a_page_may_travel_plain() -> None:
    reading = PdfReading(pdf_files.by_reportlab(["one page", "another page"]))
    is_plain = reading.plain_places([Mark("page/1")])
    assert (is_plain("page/1/layer"), is_plain("page/2/layer"), is_plain("info/Title")) == (False, True, False)
    encrypted = PdfReading(pdf_files.encrypted(pdf_files.by_reportlab(["one page", "another page"])))
    assert not encrypted.plain_places([Mark("page/1")])("page/2/layer")


@pytest.mark.parametrize("path", sorted((SAMPLES / "office").iterdir()), ids=lambda path: path.name)
def test_what_hides_in_an_office_file_is_plain_where_its_part_is(path: Path) -> None:
    data = path.read_bytes()
    reading = read(path.name, data)
    assert isinstance(reading, OfficeReading)
    units = [*reading.units()]
    for unit in units[:: max(1, len(units) // 12)]:
        marks = [Mark(unit.address)]
        classified = reading.spans(marks)
        is_plain = reading.plain_places(marks)
        for other in units:
            entry = reading.container.entries[reading.part_of(other.address)]
            covered = any(start <= entry.start and entry.end <= end for start, end in classified)
            # What a redacted edition keeps of names counts as plain; but of a marked part it keeps none.
            part = reading.part_of(other.address)
            kept = reading.type_of(part).endswith(KEPT) and part != reading.part_of(unit.address)
            assert is_plain(other.address) == (kept or not covered)


def test_deleted_text_of_a_part_that_travels_plain_is_still_found() -> None:
    data = (SAMPLES / "producers" / "libreoffice.docx").read_bytes()
    reading = DocxReading(data)
    units, marks = [*reading.units()], [Mark("word/footer1.xml/p1")]
    hidden = {f.address for f in check(units, marks, may_be_plain=reading.plain_places(marks)) if f.kind == HIDDEN}
    plain = separate(Document(data, reading.spans(marks))).plain
    assert {"word/document.xml/p9/deleted", "word/document.xml/p10/hidden"} <= hidden
    assert not [address for address in hidden if address.startswith("docProps/")]
    for address in hidden:
        entry = reading.container.entries[reading.part_of(address)]
        assert data[entry.start : entry.end] in plain


def test_the_plain_stream_has_no_part_of_an_office_file_with_a_mark() -> None:
    data = (SAMPLES / "office" / "every-place.docx").read_bytes()
    reading = read("every-place.docx", data)
    assert isinstance(reading, OfficeReading)
    units = [*reading.units()]
    marks = [Mark(units[0].address)]
    travels = reading.in_plain_stream(marks)
    classified = reading.spans(marks)
    for unit in units:
        entry = reading.container.entries[reading.part_of(unit.address)]
        covered = any(start <= entry.start and entry.end <= end for start, end in classified)
        assert travels(unit.address) == (not covered), unit.address
    assert not travels(units[1].address)
    assert all(map(reading.in_plain_stream([]), (unit.address for unit in units)))


def test_a_page_that_shows_a_marked_text_is_not_in_the_plain_stream() -> None:
    reading = PdfReading(pdf_files.by_reportlab(["Reed is here", "Reed again", "nobody"]))
    travels = reading.in_plain_stream([Mark("page/1", 0, 4)])
    assert [travels(f"page/{page}") for page in (1, 2, 3)] == [False, False, True]
    assert not travels("info/Title")
    encrypted = PdfReading(pdf_files.encrypted(pdf_files.by_reportlab(["Reed is here", "nobody"])))
    assert not encrypted.in_plain_stream([Mark("page/1", 0, 4)])("page/2")
