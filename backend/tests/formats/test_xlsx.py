"""The laws of a format, for Excel."""

from io import BytesIO

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from office_files import XLSX_PLACES, entries, flat, openpyxl_workbook, readings, xlsx
from sieve.core.document import Document, Spans
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import FormatError, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.xlsx import column_name, column_number, read_xlsx

secrets = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
places = st.sets(st.sampled_from(XLSX_PLACES), max_size=4)
few = settings(max_examples=40, deadline=None)
MARKS = [Mark("sheet/Pay/B2")]


def plain_of(data: bytes, marks: list[Mark] = MARKS) -> bytes:
    return separate(Document(data, read_xlsx(data).spans(marks))).plain


@few
@given(secrets, places)
def test_the_same_bytes_come_back(secret: str, where: set[str]) -> None:
    data = xlsx(secret, where)
    spans = read_xlsx(data).spans(MARKS)
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), streams.secure, streams.plain) == data


@few
@given(secrets, secrets, places)
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    assert plain_of(xlsx(one, where)) == plain_of(xlsx(other, where))


@pytest.mark.parametrize("place", XLSX_PLACES)
def test_no_place_tells_the_secret(place: str) -> None:
    secret = "XQZVK PLMRT"
    data = xlsx(secret, {place})
    plain = plain_of(data)
    assert plain
    assert not [text for text in readings(plain) if flat(secret) in text]
    edition = read_xlsx(data).redacted(MARKS)
    for part in entries(edition):
        assert not [text for text in readings(part) if flat(secret) in text]
    book = openpyxl.load_workbook(BytesIO(edition))
    assert [[cell.value for cell in row] for row in book["Pay"]][1] == [7, MARKER, MARKER]


def test_a_producers_file() -> None:
    data = openpyxl_workbook("XQZVK")
    reading = read_xlsx(data)
    assert reading.spans([]) == Spans.EMPTY
    assert [unit.text for unit in reading.units() if unit.address.startswith("sheet/Pay/")] == [
        *("name", "who", "since", "XQZVK", "", "=LEN(B2)")
    ]
    numbers = reading.container.entries["xl/worksheets/sheet2.xml"]
    assert data[numbers.start : numbers.end] in plain_of(data)
    assert plain_of(data) == plain_of(openpyxl_workbook("BCDFG HJKLM"))
    book = openpyxl.load_workbook(BytesIO(reading.redacted(MARKS)))
    assert [cell.value for cell in book["Pay"][2]] == ["since", MARKER, MARKER]
    assert book["Numbers"]["B19"].value == 47.5


def test_a_sheet_is_marked_whole() -> None:
    reading = read_xlsx(xlsx("XQZVK"))
    book = openpyxl.load_workbook(BytesIO(reading.redacted([Mark("sheet/Texts")])))
    assert book.sheetnames == ["Pay", MARKER, "Numbers"]
    assert [[cell.value for cell in row] for row in book[MARKER]] == [[MARKER]]
    assert [unit.hidden for unit in reading.units() if unit.address == "sheet/Hidden"] == ["a hidden sheet"]


def test_dates_read_as_dates_and_are_sought_as_numbers() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    import datetime

    sheet["A1"] = datetime.date(2026, 11, 21)
    other = book.create_sheet("Other")
    other["A1"] = 46347
    out = BytesIO()
    book.save(out)
    reading = read_xlsx(out.getvalue())
    assert [unit.text for unit in reading.units() if unit.kind == "cell"] == ["2026-11-21", "46347"]
    plain = separate(Document(out.getvalue(), reading.spans([Mark("sheet/Sheet/A1")]))).plain
    assert not [text for text in readings(plain) if "46347" in text]


@pytest.mark.parametrize(
    "mark",
    [Mark("sheet/Pay/Z9"), Mark("sheet/Nobody"), Mark("sheet"), Mark("sheet/Pay/B2", 0, 99), Mark("xl/nothing.xml")],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace) as caught:
        read_xlsx(xlsx("XQZVK")).spans([mark])
    assert str(caught.value).startswith(f"{mark.address}: ")


@given(st.integers(1, 16384))
def test_columns_have_names_and_numbers(number: int) -> None:
    assert column_number(column_name(number)) == number


@few
@given(st.data())
def test_a_damaged_file_gets_a_clear_answer(data: st.DataObject) -> None:
    file = bytearray(xlsx("XQZVK"))
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    try:
        reading = read_xlsx(bytes(file))
        reading.spans([Mark(reading.main)])
        list(reading.units())
    except FormatError as error:
        assert "XQZVK" not in str(error)
