"""The invariants of a format, for OpenDocument sheets."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_checks import plain_stream
from odf_files import ODS_PLACES, odf, ods, ods_of
from office_files import entries, flat, readings
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, FormatError, Protected, TooLarge, UnknownPlace, Unsupported
from sieve.formats.marker import MARKER
from sieve.formats.ods.reading import OdsReading
from sieve.formats.reading import read, redact
from sieve.formats.sheets.grid import SheetGrid

SECRET = "XQZVK PLMRT"
MARKS = [Mark("sheet/Pay/B2")]
secrets = st.from_regex(r"[BCDFGHJKLMNPQRSTVWXZ]{5,9}( [BCDFGHJKLMNPQRSTVWXZ]{2,9})?", fullmatch=True)
few = settings(max_examples=10, deadline=None)


def plain_of(data: bytes, marks: list[Mark]) -> bytes:
    return plain_stream(OdsReading(data), data, marks)


def cells(data: bytes) -> dict[str, str]:
    return {unit.address: unit.text for unit in OdsReading(data).units() if unit.address.startswith("sheet/")}


@few
@given(secrets, secrets, st.sets(st.sampled_from(ODS_PLACES), max_size=4))
def test_a_change_of_the_secret_alone_leaves_the_plain_stream(one: str, other: str, where: set[str]) -> None:
    assert plain_of(ods(one, where), MARKS) == plain_of(ods(other, where), MARKS)


@pytest.mark.parametrize("place", ODS_PLACES)
def test_no_place_reveals_the_secret(place: str) -> None:
    data = ods(SECRET, {place})
    plain = plain_of(data, MARKS)
    assert not [text for text in readings(plain) if flat(SECRET) in text or flat(SECRET).replace(" ", "_") in text]
    edition = redact(OdsReading(data), MARKS)
    for part in [*entries(edition), edition]:
        text = part.decode("utf-8", "replace")
        assert "xqzvk" not in flat(unescape(text) + unescape(re.sub("<[^>]*>", "", text)))
    assert cells(edition)["sheet/Pay/B2"] == MARKER


@pytest.mark.parametrize(
    "place",
    sorted(
        {*ODS_PLACES}
        - {"directory_comment", "extra", "between", "prefix", "suffix", "name_of_part", "manifest", "remark"}
        - {"picture_text", "picture_packed", "thumbnail", "embedded", "unknown", "macro", "replacement"}
    ),
)
def test_what_a_program_can_show_is_a_unit(place: str) -> None:
    units = [*OdsReading(ods(SECRET, {place})).units()]
    told = [unit for unit in units if SECRET.replace(" ", "") in re.sub(r"\W|_", "", unit.text)]
    assert [unit for unit in told if unit.address != "sheet/Pay/B2"] or place == "shown"


def test_the_plain_stream_has_the_styles_and_pictures_alone() -> None:
    data = ods(SECRET)
    plain, reading = plain_of(data, MARKS), OdsReading(data)
    for part, entry in reading.container.entries.items():
        assert (data[entry.start : entry.end] in plain) == (part == "styles.xml"), part


def test_cells_are_where_programs_show_them() -> None:
    found = cells(ods(SECRET, {"repeated", "hidden_row", "hidden_column", "covered", "column", "cell_comment"}))
    assert found["sheet/Pay/A2"] == "12.5"
    assert found["sheet/Pay/C3/comment"] == f"A\n{SECRET}"
    assert {place for place, text in found.items() if text == SECRET} == {
        *("sheet/Pay/B2", "sheet/Pay/D1", "sheet/Pay/A7", "sheet/Pay/B9", "sheet/Pay/C9"),
        *(f"sheet/Pay/{column}{row}" for column in "ABC" for row in (5, 6)),
    }
    units = {unit.address: unit.hidden for unit in OdsReading(ods(SECRET, {"covered"})).units()}
    assert units["sheet/Pay/B9"] == "a cell under a merged one"
    assert (units["sheet/Pay/A7"], units["sheet/Pay/A8"]) == ("a hidden row", "a hidden row")
    assert (units["sheet/Pay/D1"], units["sheet/Hidden"]) == ("a hidden column", "a hidden sheet")
    reading = OdsReading(ods(SECRET))
    assert SheetGrid(reading, reading.sheets[0]).lines(2, 1) == [["12.5", SECRET, "3"]]


@pytest.mark.parametrize(
    ("attributes", "shown", "text"),
    [
        ('office:value-type="date" office:date-value="2026-11-21T00:00:00"', "21.11.", "2026-11-21"),
        ('office:value-type="date" office:date-value="2026-11-21T08:30:00"', "21.11.", "2026-11-21 08:30:00"),
        ('office:value-type="percentage" office:value="0.25"', "25 %", "0.25"),
        ('office:value-type="boolean" office:boolean-value="true"', "yes", "TRUE"),
        ('office:value-type="time" office:time-value="PT08H00M00S"', "08:00", "08:00"),
        ('office:value-type="string"', "a</text:p><text:p>b", "a\nb"),
        ('table:formula="of:=1+1"', "", "of:=1+1"),
    ],
)
def test_values_are_read_as_they_are_stored(attributes: str, shown: str, text: str) -> None:
    cell = f"<table:table-cell {attributes}><text:p>{shown}</text:p></table:table-cell>"
    data = ods_of(f'<table:table table:name="S"><table:table-row>{cell}</table:table-row></table:table>')
    assert cells(data)["sheet/S/A1"] == text
    # What a marked cell shows and stores is withheld in the edition; any other cell keeps its value.
    assert set(cells(redact(OdsReading(data), [Mark("sheet/S/A1")])).values()) == {"S", MARKER}
    two = f"<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>{cell}</table:table-row>"
    kept = redact(OdsReading(ods_of(f'<table:table table:name="S">{two}</table:table>')), [Mark("sheet/S/A1")])
    assert cells(kept)["sheet/S/B1"] == (MARKER if "formula" in attributes else text)


def test_marks_on_parts_of_cells_sheets_and_all() -> None:
    reading = OdsReading(ods(SECRET))
    edition = cells(redact(reading, [Mark("sheet/Pay/B2", 0, 5)]))
    assert edition["sheet/Pay/B2"] == f"{MARKER} PLMRT"
    assert edition["sheet/Pay/A3"] == MARKER  # computed
    assert edition["sheet/Pay/A9"] == "wide"
    whole = cells(redact(reading, [Mark("sheet/Pay")]))
    assert whole["sheet/Linked/A1"] == "2"
    assert whole[f"sheet/{MARKER}/A1"] == MARKER
    assert set(cells(redact(reading, [Mark("content.xml")])).values()) == {MARKER, f"{MARKER} 2", f"{MARKER} 3"}


def test_a_withheld_column_does_not_show_its_empty_cells() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
    rows = [cell("name") + cell("pay"), cell("A"), cell("B") + cell("77"), cell("C")]
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    reading = OdsReading(ods_of(f'<table:table table:name="S">{table}</table:table>'))
    edition = cells(redact(reading, [Mark("sheet/S/B3")]))
    assert [edition[f"sheet/S/B{row}"] for row in (1, 2, 3, 4)] == ["pay", MARKER, MARKER, MARKER]


def test_a_sheet_with_a_pivot_table_is_withheld() -> None:
    edition = cells(redact(OdsReading(ods(SECRET, {"pivot"})), MARKS))
    assert edition["sheet/Texts/A1"] == MARKER


@pytest.mark.parametrize(
    "mark",
    [Mark("sheet/None"), Mark("sheet/Pay/Z99"), Mark("content.xml", 0, 3), Mark("sheet/Pay/B2", 0, 99), Mark("")],
)
def test_a_mark_that_does_not_fit_is_refused(mark: Mark) -> None:
    with pytest.raises(UnknownPlace):
        OdsReading(ods(SECRET)).spans([mark])


def _repeated(columns: int, rows: int, text: str = "x") -> bytes:
    cell = f'<table:table-cell table:number-columns-repeated="{columns}"><text:p>{text}</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'
    return ods_of(f'<table:table table:name="S">{row}</table:table>')


def test_bombs_and_bad_files_are_refused_with_a_sentence() -> None:
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with pytest.raises(TooLarge, match="classify the whole file"):
        read("a.ods", _repeated(16_384, 1_048_576))
    with pytest.raises(Damaged):
        read("a.ods", _repeated(999_999_999, 1))
    assert read("a.ods", _repeated(999_999_999, 999_999_999, "")).name == "ods"
    merged = (
        '<table:table-cell table:number-columns-spanned="99999" table:number-rows-spanned="99999"><text:p>x</text:p>'
    )
    wide = ods_of(
        f'<table:table table:name="S"><table:table-row>{merged}</table:table-cell></table:table-row></table:table>'
    )
    with pytest.raises(Unsupported):
        redact(OdsReading(wide), [Mark("sheet/S/A1")])
    encrypted = '<manifest:file-entry manifest:full-path="c"><manifest:encryption-data/></manifest:file-entry>'
    with pytest.raises(Protected):
        read("a.ods", odf(kind, {"content.xml": b"\x00"}, manifest=encrypted.encode()))
    for sheets in ('<table:table table:name="S"/><table:table table:name="s"/>', "<table:table/>"):
        with pytest.raises(FormatError):
            read("a.ods", ods_of(sheets))
