"""Rows are those of the standard library's csv, cells keep their bytes, and a secret leaves no trace in what stays."""

import contextlib
import csv
import io
import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import modest
from file_checks import plain_stream
from sieve.core.document import Document
from sieve.core.errors import NotUtf8
from sieve.core.integrate import integrate
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.errors import Damaged, TooLarge, UnknownPlace
from sieve.formats.marker import MARKER
from sieve.formats.reading import redact
from sieve.formats.tables.delimited import MAX_CELLS, read_csv, read_tsv
from sieve.formats.tables.reading import TableReading
from tables import Versions, delimited, ragged

PAY = b"name,salary,note\r\nAnn,100,x\r\nBob,200,\r\nCarl,300,z"


def rows_of(reading: TableReading) -> list[list[str]]:
    rows: dict[str, list[str]] = defaultdict(list)
    for unit in reading.units():
        rows[unit.address.split("/")[1]].append(unit.text)
    return list(rows.values())


def csv_rows(data: bytes, delimiter: str = ",") -> list[list[str]]:
    text = data.decode("utf-8-sig")
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]


def plain_of(data: bytes, marks: list[Mark]) -> bytes:
    return plain_stream(read_csv(data), data, marks)


@modest
@given(st.text('",\t;\r\na é', max_size=30))
def test_rows_are_those_of_the_standard_library_and_a_stray_quote_is_refused(text: str) -> None:
    data = text.encode()
    try:
        assert rows_of(read_tsv(data)) == csv_rows(data, "\t")
        found = rows_of(read_csv(data))
        assert any(found == csv_rows(data, delimiter) for delimiter in ",;\t")
    except Damaged as error:
        assert re.match("row [0-9]+ of the table: ", str(error))
        with pytest.raises(csv.Error):
            for delimiter in ",;\t":
                list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


@modest
@given(ragged())
def test_what_a_stray_delimiter_cuts_off_goes_along(versions: Versions) -> None:
    first, second = (plain_of(data, marks) for data, marks in zip(versions.files, versions.marks, strict=True))
    assert first == second
    for data, marks in zip(versions.files, versions.marks, strict=True):
        assert b"S" not in redact(read_csv(data), marks)


@modest
@given(ragged(quotes=True))
def test_a_stray_quote_hides_no_row_from_a_column_in_silence(versions: Versions) -> None:
    data, marks = versions.files[0], versions.marks[0]
    with contextlib.suppress(Damaged):
        assert b"S" not in plain_of(data, marks) or list(read_csv(data).irregular())


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (b'"Big" Al,100\n"Anna,200\nBert,300\n', "row 2 of the table: a quote opens a cell that no quote closes"),
        (b'x,1\n"Anna,200\n"Bert,300\n', "row 2 of the table: text follows the closing quote"),
        (b'"', "row 1 "),
    ],
)
def test_a_stray_quote_is_refused_with_its_row(rows: bytes, fault: str) -> None:
    for read, data in ((read_csv, b"name,salary\n" + rows), (read_tsv, b"name\tsalary\n" + rows.replace(b",", b"\t"))):
        with pytest.raises(Damaged, match=fault):
            read(data).spans([Mark("column/salary")])


def test_rows_whose_cells_may_be_in_wrong_columns_are_reported() -> None:
    data = b'a,b\n1,2\n1\n1,2,3\n"x,2\ny",2\n"x\ny",2\n'
    assert [one.number for one in read_csv(data).irregular()] == [2, 3, 4]


@modest
@given(delimited())
def test_what_is_separated_comes_back(versions: Versions) -> None:
    for data, marks in zip(versions.files, versions.marks, strict=True):
        spans = read_csv(data).spans(marks)
        assert integrate(spans, len(data), *separate(Document(data, spans))) == data


@modest
@given(delimited())
def test_nothing_that_is_marked_stays(versions: Versions) -> None:
    for data, marks in zip(versions.files, versions.marks, strict=True):
        for left in (plain_of(data, marks), redact(read_csv(data), marks)):
            assert not re.search("[SXZÖ\\\\]", left.decode())


@modest
@given(delimited())
def test_a_change_of_the_secret_alone_leaves_what_stays_as_it_is(versions: Versions) -> None:
    first, second = (plain_of(data, marks) for data, marks in zip(versions.files, versions.marks, strict=True))
    assert first == second
    files = zip(versions.files, versions.marks, strict=True)
    first, second = (redact(read_csv(data), marks) for data, marks in files)
    assert first == second


@modest
@given(delimited(whole_only=True))
def test_what_stays_reads_as_a_table_that_never_had_the_rest(versions: Versions) -> None:
    data, marks = versions.files[0], versions.marks[0]
    named = {mark.address for mark in [*marks, *read_csv(data).implied(marks)]}
    left: dict[str, list[str]] = defaultdict(list)
    for unit in read_csv(data).units():
        _, row, name = unit.address.split("/")
        if row == "0" or not named & {unit.address, f"row/{row}", f"column/{name}"}:
            left[row].append(unit.text)
    delimiter = re.sub("[^,;\t|]", "", data.decode().splitlines()[0])[:1] or ","
    # A row of which one empty cell is left is a blank line, unless the cell was quoted.
    plain = [row for row in csv_rows(plain_of(data, marks), delimiter) if row != [""]]
    assert plain == [row for row in left.values() if row != [""]]


@modest
@given(delimited())
def test_the_redacted_edition_has_a_marker_in_each_marked_cell(versions: Versions) -> None:
    data, marks = versions.files[0], versions.marks[0]
    again = rows_of(read_csv(redact(read_csv(data), marks)))
    assert again[0] == rows_of(read_csv(data))[0]
    for row in again[1:]:
        for text in row:
            assert text.count(MARKER) <= 1


def test_a_cell_takes_one_delimiter_with_it() -> None:
    assert plain_of(PAY, [Mark("row/1/name")]).splitlines()[1] == b"100,x"
    assert plain_of(PAY, [Mark("row/1/salary")]).splitlines()[1] == b"Ann,x"
    assert plain_of(PAY, [Mark("row/1/note")]).splitlines()[1] == b"Ann,100"
    assert plain_of(PAY, [Mark("row/1/name"), Mark("row/1/note", 0, 1)]).splitlines()[1] == b"100"
    assert plain_of(PAY, [Mark("row/1/salary"), Mark("row/1/note")]).splitlines()[1] == b"Ann"


def test_a_column_leaves_its_heading_and_a_row_no_line() -> None:
    assert plain_of(PAY, [Mark("column/salary")]) == b"name,salary,note\r\nAnn,x\r\nBob,\r\nCarl,z"
    assert plain_of(PAY, [Mark("column/salary"), Mark("row/0/salary")]).startswith(b"name,note\r\n")
    without = b"name,salary,note\r\nAnn,100,x\r\nCarl,300,z"
    assert plain_of(PAY, [Mark("row/2")]) == without
    assert plain_of(PAY, [Mark(f"row/2/{name}") for name in ("name", "salary", "note")]) == without


def test_a_part_of_a_cell_takes_along_how_the_cell_is_written() -> None:
    quoted, bare = b'a\n"Ann ""A"" Lee, MD"\n', b'a\nAnn "A" Kim MD\n'
    assert plain_of(quoted, [Mark("row/1/a", 8, 12)]) == plain_of(bare, [Mark("row/1/a", 8, 11)]) == b'a\nAnn "A"  MD\n'
    assert redact(read_csv(quoted), [Mark("row/1/a", 8, 12)]) == f'a\n"Ann ""A"" {MARKER} MD"\n'.encode()


def test_redacted_rows_that_touch_are_one() -> None:
    marks = [Mark("row/1"), Mark("row/2"), Mark("row/3/salary")]
    assert redact(read_csv(PAY), marks).decode().splitlines() == [
        "name,salary,note",
        f"{MARKER},{MARKER},{MARKER}",
        f"Carl,{MARKER},z",
    ]
    assert redact(read_csv(PAY), [Mark(f"row/{n}") for n in range(4)]) == f"{MARKER}\n".encode()


def test_columns_have_names_of_their_own() -> None:
    data = b"a,,a,a (2)\n1,2,3,4,5\n"
    names = [unit.address for unit in read_csv(data).units()][4:]
    assert names == ["row/1/a", "row/1/column 2", "row/1/a (3)", "row/1/a (2)", "row/1/column 5"]
    data = data.replace(b",5", b"")
    assert plain_of(data, [Mark("column/a")]) == b"a,,a,a (2)\n2,4\n"
    assert plain_of(data, [Mark("column/a (3)")]) == b"a,,a,a (2)\n1,2,4\n"
    assert plain_of(data, [Mark("row/1/a")]) == b"a,,a,a (2)\n2,3,4\n"


def test_a_cell_of_a_row_that_is_too_long_takes_as_many_cells_with_it() -> None:
    thousands = b"name,price,colour\nAnna,1,000,red\n"
    assert plain_of(thousands, [Mark("column/price")]) == b"name,price,colour\nAnna,red\n"
    assert redact(read_csv(thousands), [Mark("column/price")]).decode().endswith(f"\nAnna,{MARKER},{MARKER},red\n")
    implied = read_csv(thousands).implied([Mark("column/price")])
    assert [one.address for one in implied] == ["row/1/price", "row/1/colour"]
    assert plain_of(b"price\n1,000\n", [Mark("column/price")]) == b"price\n"
    address = b"name,address\nAnna,12 Main St, Springfield\n"
    assert plain_of(address, [Mark("column/address")]) == b"name,address\nAnna\n"


def test_the_delimiter_is_the_one_that_the_header_has_most_of() -> None:
    assert rows_of(read_csv(b'"a,b,c";d\n1,5;2\n')) == [["a,b,c", "d"], ["1,5", "2"]]
    assert rows_of(read_csv(b"a,b;c\n")) == [["a", "b;c"]]
    assert rows_of(read_csv(b"a\n1;2\n")) == [["a"], ["1;2"]]
    assert rows_of(read_csv(b'a,"b; c; d; e",f\n1,2,3')) == [["a", "b; c; d; e", "f"], ["1", "2", "3"]]
    for line_end in (b"\n", b"\r\n"):
        named = b"\xef\xbb\xbfsep=;" + line_end + b"a,b;c,d\n1;2\n"
        assert rows_of(read_csv(named)) == [["a,b", "c,d"], ["1", "2"]]
        assert plain_of(named, [Mark("row/1")]) == named[:-4]
    assert rows_of(read_csv(b"sep=:\n1")) == [["sep=:"], ["1"]]
    assert rows_of(read_csv(b"\n\n")) == rows_of(read_csv(b"")) == []


@pytest.mark.parametrize(
    "mark",
    [
        Mark("row/4"),
        Mark("row/4/name"),
        Mark("row/1/height"),
        Mark("row/01"),
        Mark("row/1", 0, 1),
        Mark("column/height"),
        Mark("column/name", 0, 1),
        Mark("row/1/name", 0, 4),
        Mark("row/1/name", 2, 1),
        Mark("row/1/name", 1),
        Mark("text"),
        Mark("row/" + "9" * 5000),
    ],
)
def test_what_is_not_there_is_refused_by_its_address(mark: Mark) -> None:
    for refusing in (read_csv(PAY).spans, read_csv(PAY).redacted):
        with pytest.raises(UnknownPlace) as caught:
            refusing([mark])
        assert caught.value.address == mark.address


def test_a_column_of_an_empty_table_is_there() -> None:
    assert list(read_csv(b"a,b\n").spans([Mark("column/b")])) == []


def test_another_encoding_is_refused() -> None:
    with pytest.raises(NotUtf8):
        read_csv("name\nMüller\n".encode("latin-1"))


@pytest.mark.parametrize("row", [b"," * MAX_CELLS, b'"",' * MAX_CELLS])
def test_a_row_of_too_many_cells_is_refused(row: bytes) -> None:
    with pytest.raises(TooLarge, match="row 1 of the table has more than"):
        list(read_csv(b"a,b\n" + row).units())
    with pytest.raises(TooLarge, match="row 0"):
        read_csv(row)


@pytest.mark.parametrize(
    "data", [b'"' * 200_001, b'a\n"' + b'""' * 100_000, b"x" * 200_000, b'a,"b\n' * 50_000, b"\r" * 200_000]
)
def test_hostile_quotes_take_no_more_time_than_their_bytes(data: bytes) -> None:
    with contextlib.suppress(Damaged):
        reading = read_csv(data)
        assert sum(len(unit.text) for unit in reading.units()) <= len(data)
        reading.spans([])


def test_many_marks_in_a_long_cell_take_linear_time() -> None:
    data = b'a,b\n"' + b'""x' * 20_000 + b'",c\n'
    marks = [Mark("row/1/a", at, at + 1) for at in range(1, 40_000, 4)]
    assert len(plain_of(data, marks)) == len("a,b\n,c\n") + 30_000
