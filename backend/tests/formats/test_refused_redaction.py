"""A refused redaction says where the marked text would still be, and does not say the text."""

from typing import Any

import pikepdf
import pytest

from odf_files import odt
from office_files import docx, xlsx
from pdf_files import by_reportlab
from pptx_files import pptx
from sieve.core.units import Mark, Unit
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import RedactionFailed
from sieve.formats.marked_units import require_gone
from sieve.formats.odt.reading import OdtReading
from sieve.formats.office.reading import OfficeReading
from sieve.formats.office.xml_scrubber import redacted
from sieve.formats.pdf import redaction
from sieve.formats.pptx.reading import PptxReading
from sieve.formats.reading import read, redact
from sieve.formats.xlsx.reading import XlsxReading

SECRET = "XQZVK PLMRT"


@pytest.mark.parametrize(
    ("addresses", "said"),
    [
        (["text/p3"], "text/p3: "),
        (["text/p3", "text/p5"], "text/p3, text/p5: "),
        ([f"text/p{number}" for number in range(1, 9)], "text/p1, text/p2, text/p3, text/p4, text/p5 and 3 more: "),
        (["row/2/xqzvk  plmrt salary"], "row/2/█████ salary: "),
        (["file/1/XqzvkPlmrt.docx"], "file/1/█████: "),
    ],
)
def test_it_names_places_without_the_secret(addresses: list[str], said: str) -> None:
    units = [Unit("text/p0", "green hills", "paragraph"), *(Unit(at, f"of {SECRET}", "paragraph") for at in addresses)]
    with pytest.raises(RedactionFailed) as failed:
        require_gone(units, [SECRET])
    assert str(failed.value).startswith(said)
    assert "the text there" in str(failed.value)
    assert "xqzvk" not in str(failed.value).lower()


@pytest.mark.parametrize(
    ("reading", "place"),
    [
        (DocxReading(docx(SECRET)), "word/document.xml/p2: "),
        (XlsxReading(xlsx(SECRET)), "sheet/Pay/B2: "),
        (PptxReading(pptx(SECRET)), "slide/1/"),
        (OdtReading(odt(SECRET)), "content.xml/p2: "),
    ],
    ids=["docx", "xlsx", "pptx", "odt"],
)
def test_an_office_file(reading: OfficeReading, place: str) -> None:
    unit = next(unit for unit in reading.units() if SECRET in unit.text)
    start = unit.text.index(SECRET)
    with pytest.raises(RedactionFailed) as failed:
        redacted(reading, [Mark(unit.address, start, start + len(SECRET))], lambda _: reading.container.whole)
    assert str(failed.value).startswith(place)
    assert "XQZVK" not in str(failed.value)


def test_a_part_beside_the_body() -> None:
    reading = DocxReading(docx(SECRET))
    with pytest.raises(RedactionFailed, match=r"^word/styles\.xml"):
        redacted(
            reading,
            [Mark("word/document.xml/p2", 5, 5 + len(SECRET))],
            lambda _: docx(SECRET, {"custom_style"}, body_tells=False),
        )


def test_a_page_that_draws_with_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    copy_pages = redaction._copy_pages

    def with_a_private_text(source: pikepdf.Pdf, edition: pikepdf.Pdf, *given: Any) -> None:
        copy_pages(source, edition, *given)
        edition.pages[1].Resources["/Private"] = edition.make_indirect(pikepdf.Dictionary(Said=pikepdf.String(SECRET)))

    monkeypatch.setattr(redaction, "_copy_pages", with_a_private_text)
    reading = read("a.pdf", by_reportlab([f"first {SECRET}", "green hills", "blue hills"]))
    with pytest.raises(RedactionFailed) as failed:
        redact(reading, [Mark("page/1", 6, 17)])
    assert str(failed.value).startswith("page/2: this page draws")
    assert "XQZVK" not in str(failed.value)
