"""What every format must do, for Excel."""

from io import BytesIO
from zipfile import ZipFile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from file_checks import plain_stream
from office_files import XLSX_PLACES, archive, entries, flat, openpyxl_workbook, readings, xlsx
from sieve.core.document import Document, Spans
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import FormatError, TooLarge, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import redact
from sieve.formats.sheets.columns import column_name, column_number
from sieve.formats.xlsx.reading import XlsxReading
from sieve.marking import apply_policy
from sieve.marking.cell_selectors import Columns
from sieve.marking.granularity import Granularity
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import HIDDEN
from sieve.marking.policy import Rule

words = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
numbers = st.from_regex(r"[1-9][0-9]{6,8}|\+49 30 [1-9][0-9]{6}|20[0-9]{2}-1[0-2]-2[0-9]", fullmatch=True)
secrets = words | numbers
places = st.sets(st.sampled_from(XLSX_PLACES), max_size=4)
few = settings(max_examples=examples(15), deadline=None)
fewer = settings(max_examples=12, deadline=None)
MARKS = [Mark("sheet/Pay/B2")]


def plain_of(data: bytes, marks: list[Mark] = MARKS) -> bytes:
    return plain_stream(XlsxReading(data), data, marks)


@few
@given(secrets, places)
def test_the_same_bytes_come_back(secret: str, where: set[str]) -> None:
    data = xlsx(secret, where)
    spans = XlsxReading(data).spans(MARKS)
    streams = separate(Document(data, spans))
    assert integrate(spans, len(data), streams.secure, streams.plain) == data


@few
@given(secrets, secrets, places)
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    assert plain_of(xlsx(one, where)) == plain_of(xlsx(other, where))


@pytest.mark.parametrize(
    ("place", "secret"),
    [
        *((place, "XQZVK PLMRT") for place in XLSX_PLACES),
        *((place, "77142299") for place in ("prompt", "scenario", "filter", "foreign_attribute")),
    ],
)
def test_no_place_reveals_the_secret(place: str, secret: str) -> None:
    data = xlsx(secret, {place})
    plain = plain_of(data)
    assert plain
    assert not [text for text in readings(plain) if flat(secret) in text]
    edition = redact(XlsxReading(data), MARKS)
    for part in entries(edition):
        assert not [text for text in readings(part) if flat(secret) in text]
    book = openpyxl.load_workbook(BytesIO(edition))
    assert [[cell.value for cell in row] for row in book["Pay"]][1] == [7, MARKER, MARKER]


# Pictures are not read, nor what is packed in a part that is no XML.
@pytest.mark.parametrize(
    "place", [place for place in XLSX_PLACES if place not in ("picture_text", "embedded", "orphan")]
)
def test_what_a_program_can_show_is_a_unit(place: str) -> None:
    secret = "XQZVK PLMRT"
    told = [unit for unit in XlsxReading(xlsx(secret, {place})).units() if secret in unit.text]
    assert [unit for unit in told if unit.address != "sheet/Pay/B2"]


@pytest.mark.parametrize(
    ("coded", "text"),
    [
        ('&L&"Arial,Bold"&12XQZVK&CPage &P of R&&D&R&K01+000&D', "XQZVK\nPage  of R&D"),
        ('&C&"Times New Roman,Regular"&12Page &P', ""),
        ("&C&A", ""),
    ],
)
def test_a_page_header_reads_without_its_codes(coded: str, text: str) -> None:
    units = XlsxReading(xlsx(coded, {"header_footer"})).units()
    assert [unit.text for unit in units if unit.kind == "page header"] == [text] * bool(text)


def test_a_producers_file() -> None:
    data = openpyxl_workbook("XQZVK")
    reading = XlsxReading(data)
    assert reading.spans([]) == Spans.EMPTY
    assert [unit.text for unit in reading.units() if unit.address.startswith("sheet/Pay/")] == [
        *("name", "who", "since", "XQZVK", "=LEN(B2)", "=LEN(B2)")  # the formula has no value, and is shown
    ]
    numbers = reading.container.entries["xl/worksheets/sheet2.xml"]
    assert data[numbers.start : numbers.end] in plain_of(data)
    assert plain_of(data) == plain_of(openpyxl_workbook("BCDFG HJKLM"))
    book = openpyxl.load_workbook(BytesIO(redact(reading, MARKS)))
    assert [cell.value for cell in book["Pay"][2]] == ["since", MARKER, MARKER]
    assert book["Numbers"]["B19"].value == 47.5


def test_a_new_workbook_has_few_units_besides_its_cells() -> None:
    reading = XlsxReading(openpyxl_workbook("XQZVK"))
    hidden = [finding.address for finding in check([*reading.units()], []) if finding.kind == HIDDEN]
    assert hidden == ["sheet/Pay/C2/formula", "docProps/core.xml/t1"]


def test_a_sheet_is_marked_whole() -> None:
    reading = XlsxReading(xlsx("XQZVK"))
    book = openpyxl.load_workbook(BytesIO(redact(reading, [Mark("sheet/Texts")])))
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
    reading = XlsxReading(out.getvalue())
    assert [unit.text for unit in reading.units() if unit.kind == "cell"] == ["2026-11-21", "46347"]
    plain = separate(Document(out.getvalue(), reading.spans([Mark("sheet/Sheet/A1")]))).plain
    assert not [text for text in readings(plain) if "46347" in text]


@pytest.mark.parametrize(
    "mark",
    [Mark("sheet/Pay/Z9"), Mark("sheet/Nobody"), Mark("sheet"), Mark("sheet/Pay/B2", 0, 99), Mark("xl/nothing.xml")],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace) as caught:
        XlsxReading(xlsx("XQZVK")).spans([mark])
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
        reading = XlsxReading(bytes(file))
        reading.spans([Mark(reading.main)])
        list(reading.units())
    except FormatError as error:
        assert "XQZVK" not in str(error)


def written(book: openpyxl.Workbook, **put_in: tuple[str, str]) -> bytes:
    """The workbook; `put_in`: for a sheet's part what is replaced in it by what."""
    out, changed = BytesIO(), BytesIO()
    book.save(out)
    with ZipFile(out) as made, ZipFile(changed, "w") as target:
        for name in made.namelist():
            text = made.read(name)
            for part, (old, new) in put_in.items():
                if name == f"xl/worksheets/{part}.xml":
                    assert old.encode() in text
                    text = text.replace(old.encode(), new.encode())
            target.writestr(name, text)
    return changed.getvalue()


@fewer
@given(st.lists(st.booleans(), min_size=1, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_redacted_edition_does_not_show_which_cells_of_a_column_are_empty(
    one: list[bool], other: list[bool]
) -> None:
    def edition(filled: list[bool]) -> bytes:
        book = openpyxl.Workbook()
        sheet = book.worksheets[0]
        sheet.append(["name", "fired", "why"])
        for number, is_there in enumerate(filled[: len(one)], 2):
            sheet.append([f"N{number}", "yes" if is_there else None, None])
        sheet.append(["last", "yes", None])
        data = written(book)
        marks = [Mark(f"sheet/Sheet/B{number}") for number in range(2, len(one) + 3)]
        there = {unit.address for unit in XlsxReading(data).units()}
        return redact(XlsxReading(data), [mark for mark in marks if mark.address in there])

    first, second = edition(one), edition(other)
    assert first == second
    cells = openpyxl.load_workbook(BytesIO(first)).worksheets[0].iter_rows(values_only=True)
    assert [row[1] for row in cells] == ["fired", *[MARKER] * (len(one) + 1)]


def test_a_withheld_row_does_not_show_its_empty_cells() -> None:
    book = openpyxl.Workbook()
    for row in (["a", "b", "c"], [1, None, 3], [4, 5, None]):
        book.worksheets[0].append(row)
    edition = redact(XlsxReading(written(book)), [Mark("sheet/Sheet/A2"), Mark("sheet/Sheet/C2")])
    rows = [*openpyxl.load_workbook(BytesIO(edition)).worksheets[0].iter_rows(values_only=True)]
    assert rows[1] == (MARKER, MARKER, MARKER)
    assert rows[2][:2] == (4, 5)


def xlsx_with(*changes: tuple[str, str, str]) -> bytes:
    """The workbook; in each change's part the one is replaced by the other."""
    with ZipFile(BytesIO(xlsx("XQZVK"))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    for part, old, new in changes:
        assert old.encode() in parts[f"xl/{part}.xml"]
        parts[f"xl/{part}.xml"] = parts[f"xl/{part}.xml"].replace(old.encode(), new.encode())
    return archive(parts)


def with_places(*places: tuple[str, str]) -> bytes:
    """The workbook with cells of the sheet Pay that say their places in another way."""
    return xlsx_with(*(("worksheets/sheet1", old, new) for old, new in places))


def test_a_place_is_the_same_however_it_is_written() -> None:
    """A rule for columns would miss a cell at $B$2."""
    reading = XlsxReading(with_places(('"B2"', '"$B$2"')))
    assert ("sheet/Pay/B2", "XQZVK") in [(unit.address, unit.text) for unit in reading.units()]
    edition = openpyxl.load_workbook(BytesIO(redact(reading, MARKS)))
    assert edition["Pay"]["B2"].value == MARKER
    with pytest.raises(FormatError, match="defines a cell twice"):
        [*XlsxReading(with_places(('"A2"', '"$B$2"'))).units()]


@pytest.mark.parametrize(
    "after",
    [
        '<conditionalFormatting sqref="A1"><cfRule type="expression" priority="1"><formula>Pay!$A$1</formula></cfRule>'
        "</conditionalFormatting>",
        '<conditionalFormatting sqref="A1"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="formula" '
        'val="Pay!$A$1"/></dataBar></cfRule></conditionalFormatting>',
        '<dataValidations><dataValidation type="list" sqref="A1"><formula1>Pay!$A$1</formula1></dataValidation>'
        "</dataValidations>",
        '<hyperlinks><hyperlink ref="A1" location="Pay!$A$1"/></hyperlinks>',
        '<controls><control><controlPr linkedCell="Pay!$A$1"/></control></controls>',
        '<extLst><ext><x:sparkline xmlns:x="urn:x" xmlns:m="urn:m"><m:f>Pay!$A$1</m:f></x:sparkline></ext></extLst>',
    ],
)
def test_a_sheet_that_names_places_of_another_does_not_travel_plain(after: str) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Pay"
    book.worksheets[0]["A1"] = 77142299
    book.create_sheet("Lists")["A1"] = 8
    marks = [Mark("sheet/Pay/A1")]
    plain = plain_of(written(book), marks)
    assert [text for text in readings(plain) if "<v>8</v>" in text]
    plain = plain_of(written(book, sheet2=("</sheetData>", f"</sheetData>{after}")), marks)
    assert not [text for text in readings(plain) if "pay!" in text or "$a$1" in text]


def test_a_cell_that_is_numbered_among_those_of_all_sheets_does_not_travel_plain() -> None:
    """A picture in a cell: its number shows how many the sheets before have."""
    book = openpyxl.Workbook()
    book.worksheets[0]["A1"] = 77142299
    book.create_sheet("Lists")["A1"] = 8
    data = written(book, sheet2=('<c r="A1"', '<c r="A1" vm="12"'))
    assert not [text for text in readings(plain_of(data, [Mark("sheet/Sheet/A1")])) if "vm=" in text]


_HIDDEN_COLUMN = '<col min="{0}" max="{0}" hidden="1"/>'


_OF_XLSXWRITER = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org\
/officeDocument/2006/relationships"><dimension ref="A1"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"/>\
</sheetViews><sheetFormatPr defaultRowHeight="15" zeroHeight="1"/><sheetData>{row}<c r="A1"><v>4711</v></c></row>\
</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>"""


@pytest.mark.parametrize(
    ("row", "hidden"),
    [
        ('<row r="1" spans="1:1">', ""),
        ('<row r="1" spans="1:1" ht="20" customHeight="1">', ""),
        ('<row r="1" hidden="0">', ""),
        ('<row r="1" spans="1:1" hidden="1">', "a hidden row"),
    ],
)
def test_a_row_of_a_sheet_that_hides_unused_rows_is_seen_unless_it_is_hidden_itself(row: str, hidden: str) -> None:
    """What XlsxWriter writes after `set_default_row(hide_unused_rows=True)`: Excel shows the rows that have cells."""
    out = BytesIO()
    openpyxl.Workbook().save(out)
    with ZipFile(out) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    data = archive(parts | {"xl/worksheets/sheet1.xml": _OF_XLSXWRITER.format(row=row).encode()})
    (unit,) = (unit for unit in XlsxReading(data).units() if unit.address == "sheet/Sheet/A1")
    assert unit.hidden == hidden
    edition = redact(XlsxReading(data), [Mark("xl/workbook.xml")])
    assert any("4711" in text for part in entries(edition) for text in readings(part)) is not bool(hidden)


def test_more_ranges_of_columns_than_there_are_columns_are_refused() -> None:
    book = openpyxl.Workbook()
    many = f"<cols>{_HIDDEN_COLUMN.format(9) * 18_280}</cols><sheetData>"
    with pytest.raises(TooLarge):
        XlsxReading(written(book, sheet1=("<sheetData", many.replace("<sheetData>", "<sheetData")))).units()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<row r="1"', '<row ht="0" customHeight="1" r="1"'),
        ('<row r="1"', '<row ht="0.5" r="1"'),
        ("<sheetData>", '<cols><col min="1" max="2" width="0" customWidth="1"/></cols><sheetData>'),
        ("<sheetData>", f"<cols>{_HIDDEN_COLUMN.format(9) * 1000}{_HIDDEN_COLUMN.format(1)}</cols><sheetData>"),
    ],
)
def test_what_has_no_height_or_width_is_hidden(old: str, new: str) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["UNSEEN"])
    data = written(book, sheet1=(old, new))
    (unit,) = (unit for unit in XlsxReading(data).units() if unit.address == "sheet/Sheet/A1")
    assert unit.hidden in ("a hidden row", "a hidden column")
    edition = redact(XlsxReading(data), [Mark("sheet/Sheet")])
    assert not [text for part in entries(edition) for text in readings(part) if "UNSEEN" in text]


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="C1" t="s"><v>3</v></c>',
        '<c r="C1" vm="2"/>',
        '<c r="C1"><v>2</v><extLst><ext uri="PLMRT"/></extLst></c>',
        '<c r="C1"><v>2</v><is><t>PLMRT</t></is></c>',
        '<c r="C1" said="PLMRT"><v>2</v></c>',
        "<extLst>PLMRT</extLst>",
    ],
)
def test_a_sheet_in_whose_rows_is_more_than_is_read_does_not_travel_plain(cell: str) -> None:
    """The number of a shared string without text shows how many texts precede it, too."""

    def sheet(more: str) -> list[str]:
        data = xlsx_with(("sharedStrings", "<t>other</t>", "<t/>"), ("worksheets/sheet2", "</row>", f"{more}</row>"))
        return [text for text in readings(plain_of(data)) if "<t>none</t>" in text]

    assert sheet('<c r="C1"><v>2</v></c>')
    assert not sheet(cell)


SPOKEN = "<rPh sb='0' eb='2'><t>XQZ</t></rPh><rPh sb='2' eb='4'><t>VK</t></rPh><phoneticPr fontId='1'/>"


def spoken(shared: str = "", inline: str = "") -> bytes:
    """With the pronunciation of the texts in Pay!A1 and Texts!A1."""
    return xlsx_with(
        ("sharedStrings", "<t>name</t>", f"<t>name</t>{shared}"),
        ("worksheets/sheet2", "<t>nothing</t>", f"<t>nothing</t>{inline}"),
    )


def test_how_a_text_is_pronounced_is_a_unit_below_its_cell() -> None:
    for data, address, text in (
        (spoken(shared=SPOKEN), "sheet/Pay/A1", "name"),
        (spoken(inline=SPOKEN), "sheet/Texts/A1", "nothing"),
    ):
        units = {unit.address: unit for unit in XlsxReading(data).units()}
        assert units[address].text == text
        assert units[f"{address}/phonetic"].text == "XQZVK"
        assert units[f"{address}/phonetic"].hidden


def test_how_a_text_is_pronounced_goes_with_its_cell() -> None:
    """The pronunciation of a marked cell in a cell of another sheet."""
    data = xlsx_with(("sharedStrings", "<t>name</t>", f"<t>name</t>{SPOKEN}"), ("worksheets/sheet2", "none", "Xqzvk"))
    reading = XlsxReading(data)
    marks = [Mark("sheet/Pay/A1")]
    assert not [text for text in readings(plain_of(data, marks)) if "xqzvk" in text]
    edition = redact(reading, marks)
    assert not [text for part in entries(edition) for text in readings(part) if "xqz" in text]


def test_the_leak_scanner_reports_the_pronunciation_of_a_text() -> None:
    reading = XlsxReading(spoken(inline=SPOKEN.replace("XQZ", "FGH")))
    marks = [Mark("sheet/Pay/B2")]
    found = check(list(reading.units()), marks, may_be_plain=reading.plain_places(marks))
    assert [(one.kind, one.address) for one in found if "sheet/Texts" in one.address] == [
        (HIDDEN, "sheet/Texts/A1/phonetic")
    ]


def test_a_rule_for_columns_takes_how_a_text_is_pronounced_along() -> None:
    data = xlsx_with(("sharedStrings", "<t>XQZVK</t>", f"<t>XQZVK</t>{SPOKEN}"), ("worksheets/sheet1", "A1", "B1"))
    rule = Rule("r", "columns", Columns(["name"]), Granularity.MATCH, "", "")
    marks = [mark.address for mark in apply_policy.marks([rule], XlsxReading(data).units())]
    assert marks == ["sheet/Pay/B2", "sheet/Pay/B2/phonetic"]


@pytest.mark.parametrize(("secret", "name"), [("Operation North", "Operation_North"), ("Op. North", "OPNORTH")])
def test_a_sheet_that_is_called_as_programs_write_a_marked_text_has_another_name(secret: str, name: str) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["A1"] = secret
    book.create_sheet(name)["A1"] = 8
    edition = openpyxl.load_workbook(BytesIO(redact(XlsxReading(written(book)), [Mark("sheet/Sheet/A1")])))
    assert edition.sheetnames == ["Sheet", MARKER]


def test_a_marked_text_may_be_the_place_of_a_cell() -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["A1"] = "AB12"
    book.worksheets[0]["AB12"] = 8
    edition = openpyxl.load_workbook(BytesIO(redact(XlsxReading(written(book)), [Mark("sheet/Sheet/A1")])))
    assert [edition.worksheets[0][place].value for place in ("A1", "AB12")] == [MARKER, 8]
