"""Any part of a table or sheet shows the text of its units."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import modest
from office_files import xlsx
from sieve.core.units import Unit
from sieve.formats.errors import Damaged, TooLarge
from sieve.formats.sheets.grid import SheetGrid
from sieve.formats.tables import grid
from sieve.formats.tables.delimited import read_csv
from sieve.formats.tables.grid import Grid, Line, bounded
from sieve.formats.tables.json_lines import read_jsonl
from sieve.formats.tables.reading import TableReading
from sieve.formats.xlsx.reading import XlsxReading
from tables import Versions, delimited, json_lines


def expected(units: Sequence[Unit], columns: Sequence[str]) -> list[Line]:
    lines: dict[int, Line] = {}
    for unit in units:
        _, number, name = unit.address.split("/", 2)
        if number == "0":
            continue
        line = lines.setdefault(int(number), [])
        at = columns.index(name)
        line.extend([None] * (at + 1 - len(line)))
        line[at] = unit.text
    return [lines.get(number, []) for number in range(1, max(lines, default=0) + 1)]


def check(reading: TableReading, first: int, count: int) -> None:
    shown = Grid(reading.rows)
    units = list(reading.units())
    # An object without members is a row without units.
    lines = expected(units, shown.columns)
    lines += [[]] * (shown.count - len(lines))
    assert len(lines) == shown.count
    assert shown.lines(1, shown.count + 1) == lines
    assert shown.lines(first, count) == lines[first - 1 : first - 1 + count]


@modest
@given(delimited(), st.integers(1, 6), st.integers(1, 4))
def test_any_rows_of_a_csv(versions: Versions, first: int, count: int) -> None:
    check(read_csv(versions.files[0]), first, count)


@modest
@given(json_lines(), st.integers(1, 6), st.integers(1, 4))
def test_any_rows_of_a_jsonl(versions: Versions, first: int, count: int) -> None:
    check(read_jsonl(versions.files[0]), first, count)


@given(st.integers(1, 1100), st.integers(1, 300))
def test_rows_far_into_a_table(first: int, count: int) -> None:
    header = b'\xef\xbb\xbfn,"text, of it"\r\n'
    rows = Grid(read_csv(header + b"".join(b'%d,"a\r\n""%d"\r\n\r\n' % (n, n) for n in range(1, 1001))).rows)
    assert (rows.columns, rows.count) == (["n", "text, of it"], 1000)
    numbers = range(first, min(first + count, 1001))
    assert rows.lines(first, count) == [[str(n), f'a\r\n"{n}'] for n in numbers]
    objects = Grid(read_jsonl(b"".join(b'{"n": %d}\n\n' % n for n in range(1, 1001))).rows)
    assert objects.lines(first, count) == [[str(n)] for n in numbers]


def test_damage_far_into_a_file_is_reported_with_its_line() -> None:
    data = b'{"a": 1}\n' * 600 + b"{]\n"
    with pytest.raises(Damaged, match="line 601"):
        Grid(read_jsonl(data).rows).lines(1, 1)
    rows = read_jsonl(data).rows
    with pytest.raises(Damaged, match="line 601"):
        list(rows.since(600, 599 * 9))


def test_columns_are_those_of_all_rows() -> None:
    rows = Grid(read_jsonl(b'{"a": 1}\n{"c": 2, "a": 3, "c": 4}\n{"b": 5}\n').rows)
    assert rows.columns == ["a", "c", "c (2)", "b"]
    assert rows.lines(1, 9) == [["1"], ["3", "2", "4"], [None, None, None, "5"]]


def test_too_many_columns_are_not_shown() -> None:
    data = b"".join(b'{"k%d": 1}\n' % n for n in range(grid.MAX_COLUMNS + 1))
    with pytest.raises(TooLarge, match="columns"):
        assert Grid(read_jsonl(data).rows).columns


def test_lines_that_hold_much_come_few_at_a_time() -> None:
    lines: list[Line] = [["x" * 1_500_000], ["x" * 1_500_000], ["x"]]
    assert bounded(iter(lines), 9) == lines[:1]
    assert bounded(iter(lines[2:]), 9) == lines[2:]
    assert len(bounded(iter([[None] * 200_000] * 5), 9)) == 2


def test_sheets() -> None:
    reading = XlsxReading(xlsx("SECRET", ["shared", "inline", "formula"]))
    for sheet in reading.sheets:
        shown = SheetGrid(reading, sheet)
        lines = shown.lines(1, shown.count)
        assert len(lines) == shown.count
        said = {
            f"sheet/{sheet.name}/{shown.columns[at]}{number}": text
            for number, line in enumerate(lines, 1)
            for at, text in enumerate(line)
            if text
        }
        cells = {unit.address: unit.text for unit in reading.units() if unit.kind == "cell" and unit.text}
        assert said == {address: text for address, text in cells.items() if address.startswith(f"sheet/{sheet.name}/")}
        assert shown.lines(shown.count + 1, 5) == []
