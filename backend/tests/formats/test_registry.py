"""What the bytes are counts more than the name, and a file that is not what it claims to be is refused."""

import zipfile
from io import BytesIO

import docx
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from any_files import GOOD
from documents import modest
from sieve.core.document import Document
from sieve.core.errors import NotUtf8, SieveError
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark, Unit
from sieve.formats.errors import Damaged
from sieve.formats.reading import read, read_as, redact
from sieve.formats.recognition import container_of, container_said, may_be
from sieve.formats.registry import FORMATS, MEDIA_TYPES, PICTURES
from sieve.formats.text.separation import is_text
from sieve.marking.leaks import check


@pytest.mark.parametrize(
    ("name", "data", "media_type", "expected"),
    [
        ("memo.txt", b"text", None, "text"),
        ("memo", b"", None, "text"),
        ("notes.md", "é".encode(), "application/octet-stream", "text"),
        ("photo.heic", b"\0\0\0\x18ftypheic\xff", None, "bytes"),
        ("notes.txt", "é".encode("utf-16"), "text/plain", "bytes"),
        ("PAY.CSV", b"a,b\n", None, "csv"),
        ("pay.tsv", b"a\tb\n", "text/plain", "tsv"),
        ("pay", b"a,b\n", "text/csv; charset=utf-8", "csv"),
        ("log.ndjson", b'{"a": 1}\n', None, "jsonl"),
        ("how to write %PDF- files.txt", b"a %PDF-1.7", None, "text"),
        ("letter.doc", b"{\\rtf1 text}", "application/msword", "rtf"),
        ("archive.jar", b"PK\x03\x04\xff", None, "bytes"),
    ],
)
def test_a_file_is_read_as_what_it_is(name: str, data: bytes, media_type: str | None, expected: str) -> None:
    assert read(name, data, media_type).name == expected


_like_a_table = st.lists(
    st.sampled_from(
        ['{"a"', ": ", "1", ", ", '"b"', '"\\u00e9\\"', "}", "\n", "[", "]", "{}", '"', "\r", "é", "\ufeff", ","]
    ),
    max_size=20,
).map(lambda parts: "".join(parts).encode())


def archive(**parts: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for name, data in parts.items():
            written.writestr(name, data)
    return file.getvalue()


def test_office_documents_are_recognised_by_their_parts() -> None:
    word, sheets = BytesIO(), BytesIO()
    docx.Document().save(word)
    openpyxl.Workbook().save(sheets)
    for name in ("a.docx", "a.zip", "a.txt", "a"):
        assert read(name, word.getvalue()).name == "docx"
        assert read(name, sheets.getvalue()).name == "xlsx"


def test_a_pdf_is_recognised_by_its_first_bytes() -> None:
    file = BytesIO()
    canvas = Canvas(file)
    canvas.drawString(100, 100, "text")
    canvas.save()
    assert read("a.txt", file.getvalue()).name == "pdf"


def test_an_archive_that_is_no_document_is_bytes() -> None:
    assert read("a.jar", archive(**{"word/document.xml": b"\xff"})).name == "bytes"
    inside = archive(**{"[Content_Types].xml": b"\xff", "word/document.xml": b""})
    assert read("a.jar", archive(letter=inside)).name == "bytes"
    assert read("a.zip", archive(letter=inside)).name == "zip"


@pytest.mark.parametrize("name", ["memo.docx", "pay.xlsx", "plan.pptx", "memo.odt", "pay.ods", "report.pdf"])
def test_a_container_is_recognised_wherever_its_programs_find_it(name: str) -> None:
    kind, data = GOOD[name]
    assert container_of(data) == kind
    assert container_of(b"\xef\xbb\xbf" + data) == kind
    assert container_of(b"x" * 900 + data) == kind
    assert container_said(name, None) == kind == container_said("a.bin", MEDIA_TYPES[kind])


@pytest.mark.parametrize(("part", "kind"), [("word/document2.xml", "docx"), ("xl/a/book.xml", "xlsx"), ("a.xml", None)])
def test_the_main_part_of_an_office_document_may_be_called_anything(part: str, kind: str | None) -> None:
    assert container_of(archive(**{"[Content_Types].xml": b"", part: b""})) == kind


def test_a_text_about_a_format_is_no_container() -> None:
    for data in (b"", b"how %PDF-1.7 begins", b"PK\x03\x04 is how a zip begins, and PK\x05\x06 ends it"):
        assert container_of(data) is None
    assert container_said("pay.csv", "text/csv") is None


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("pay.csv", NotUtf8),
        ("log.jsonl", NotUtf8),
        ("a.docx", Damaged),
        ("a.xlsx", Damaged),
        ("a.pptx", Damaged),
        ("a.odt", Damaged),
        ("a.pdf", Damaged),
        ("a.rtf", Damaged),
        ("a.zip", Damaged),
    ],
)
def test_what_claims_to_be_of_a_format_and_is_not_is_refused(name: str, error: type[SieveError]) -> None:
    with pytest.raises(error):
        read(name, b"a,\xff\n")


@modest
@given(st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.txt", "a"]), st.binary(max_size=60) | _like_a_table)
def test_any_file_is_read_or_refused(name: str, data: bytes) -> None:
    try:
        reading = read(name, data)
        spans = reading.spans([Mark(unit.address) for unit in reading.units()])
    except SieveError:
        return
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), *streams) == data
    # Of a file that is wholly marked, blank lines, braces without members and a byte order mark are left.
    assert not set(streams.plain) - set("\ufeff{} \t\r\n".encode())


def test_what_a_file_was_read_as_it_is_read_as_again() -> None:
    for name, data in (("a.csv", b"a\tb\n"), ("a.tsv", b"a\tb\n"), ("a.txt", b"a"), ("a.bin", b"\xff")):
        reading = read(name, data)
        again = read_as(reading.name, data)
        assert (again.name, list(again.units())) == (reading.name, list(reading.units()))
    with pytest.raises(Damaged):
        read_as("docx", b"a")
    with pytest.raises(ValueError, match="no format called"):
        read_as("doc", b"a")


@pytest.mark.parametrize("name", GOOD)
def test_what_a_file_was_read_as_it_may_be(name: str) -> None:
    kind, data = GOOD[name]
    for called in (name, "a.bin"):
        found = read(called, data).name
        assert may_be(found, called, data[:8], None)
        assert not any(may_be(other, called, data[:8], None) for other in ("doc", "", "None"))
    # Nothing is taken for something simpler than it is called.
    assert kind in ("text", "bytes", "zip", *PICTURES) or not any(
        may_be(other, name, data[:8], None) for other in ("text", "bytes")
    )


@pytest.mark.parametrize("name", GOOD)
def test_each_row_names_a_reader_and_a_redactor(name: str) -> None:
    kind, data = GOOD[name]
    reading = read_as(kind, data)
    assert reading.name == kind
    if FORMATS[kind].redactor:
        assert read_as(kind, redact(reading, [])).name == kind
    for ending in FORMATS[kind].endings:
        assert container_said(f"A.{ending.upper()}", None) in (kind, None)


def test_only_texts_and_tables_travel_as_texts() -> None:
    for name, media_type in MEDIA_TYPES.items():
        assert is_text(media_type) == (FORMATS[name].view == "rows"), name


def test_each_format_has_a_good_file() -> None:
    assert {kind for kind, _ in GOOD.values()} == FORMATS.keys()


@pytest.mark.parametrize("ending", sorted(ending for row in FORMATS.values() for ending in row.endings))
def test_the_ending_of_a_name_is_no_leak(ending: str) -> None:
    unit = Unit("text", f"By the ReportLab {ending.upper()} Library.", "text")
    marks = [Mark("text", 7, len(unit.text) - 1)]
    kinds = {finding.kind for finding in check([unit], marks, name=f"report.{ending}")}
    assert "name" not in kinds
    assert "name" in {finding.kind for finding in check([unit], marks, name=ending)}


@pytest.mark.parametrize("name", ["a.rtf", "a.png", "a.jpg", "a.tiff", "a.docx", "a.pdf"])
def test_an_empty_file_is_called_empty(name: str) -> None:
    with pytest.raises(Damaged, match="is empty; download it again"):
        read(name, b"")
