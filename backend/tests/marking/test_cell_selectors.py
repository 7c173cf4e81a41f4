from collections.abc import Iterable

import pytest

from sieve.core.units import Unit
from sieve.marking.apply_policy import marks
from sieve.marking.cell_selectors import Columns, Where
from sieve.marking.errors import PolicyError
from sieve.marking.policy import parse

ROWS = [
    {"name": "Anna", "Salary": "100", "department": "HR"},
    {"name": "Bert", "Salary": "200", "department": " hr "},
    {"name": "Carl", "Salary": "300", "department": "Sales"},
    {"name": "Dora", "Salary": "400"},
]


def table() -> Iterable[Unit]:
    for name in ("name", "Salary", "department"):
        yield Unit(f"row/0/{name}", name, "header")
    for number, row in enumerate(ROWS, 1):
        for name, text in row.items():
            yield Unit(f"row/{number}/{name}", text, "cell")


def workbook() -> Iterable[Unit]:
    yield Unit("sheet/Pay", "Pay", "sheet")
    for number, row in enumerate([{name: name for name in ROWS[0]}, *ROWS], 3):
        for column, (_, text) in zip("BCD", row.items(), strict=False):
            yield Unit(f"sheet/Pay/{column}{number}", text, "cell")
            if column == "C":
                yield Unit(f"sheet/Pay/{column}{number}/formula", "=1+1", "formula", "a formula")
    yield Unit("sheet/Other", "Other", "sheet")
    yield Unit("sheet/Other/A1", "salary", "cell")
    yield Unit("sheet/Other/A2", "500", "cell")


def addresses(rule: str, units: Iterable[Unit]) -> list[str]:
    policy = parse(f'name = "n"\n[[rules]]\n{rule}', str)
    found = list(marks(policy.rules, units))
    assert all(mark.start is None and mark.end is None and mark.rule == "n/1#1" for mark in found)
    return [mark.address for mark in found]


def test_a_column_is_marked_once_in_any_case() -> None:
    assert addresses('kind = "columns"\ncolumns = ["salary", "absent"]', table()) == ["column/Salary"]
    assert addresses('kind = "columns"\ncolumns = ["salary"]\ncase = true', table()) == []


def test_columns_that_are_called_the_same_are_meant_together() -> None:
    units = [Unit("row/1/salary", "1", "cell"), Unit("row/1/salary (2)", "2", "cell")]
    assert addresses('kind = "columns"\ncolumns = ["salary"]', units) == ["column/salary", "column/salary (2)"]


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ('department = "HR"', ["row/1", "row/2"]),
        ("department = 'hr'", ["row/1", "row/2"]),
        ('"department"="HR"', ["row/1", "row/2"]),
        ('department != "HR"', ["row/3", "row/4"]),
        ('department contains "ale"', ["row/3"]),
        ('DEPARTMENT matches "^s.l"', ["row/3"]),
        ('salary matches "^[23]00$"', ["row/2", "row/3"]),
        ('absent = ""', []),
        ('absent != "x"', ["row/1", "row/2", "row/3", "row/4"]),
    ],
)
def test_rows_are_marked_by_what_a_cell_says(where: str, rows: list[str]) -> None:
    assert addresses(f"kind = 'rows'\nwhere = '''{where}'''", table()) == rows


def test_case_matters_if_it_is_asked_for() -> None:
    assert addresses("kind = 'rows'\nwhere = 'department = \"HR\"'\ncase = true", table()) == ["row/1"]


def test_in_a_workbook_the_first_row_of_a_sheet_is_its_heading() -> None:
    assert addresses("kind = 'columns'\ncolumns = ['salary']", workbook()) == [
        *(f"sheet/Pay/C{number}{formula}" for number in (4, 5, 6, 7) for formula in ("", "/formula")),
        "sheet/Other/A2",
    ]
    assert addresses("kind = 'rows'\nwhere = 'department = \"sales\"'", workbook()) == [
        "sheet/Pay/B6",
        "sheet/Pay/C6",
        "sheet/Pay/C6/formula",
        "sheet/Pay/D6",
    ]


def test_what_is_no_table_has_no_columns_and_no_rows() -> None:
    units = [
        Unit("text", "department", "text"),
        Unit("page/1", "x", "page"),
        Unit("word/document.xml/p1", "y", "paragraph"),
    ]
    assert addresses("kind = 'rows'\nwhere = 'department != \"HR\"'", units) == []
    assert addresses("kind = 'columns'\ncolumns = ['department']", units) == []


def test_values_may_hold_quotes_and_backslashes() -> None:
    units = [Unit("row/1/a", 'say "x\\y"', "cell")]
    assert addresses("""kind = 'rows'\nwhere = '''a = "say \\"x\\\\y\\""'''""", units) == ["row/1"]
    assert addresses("""kind = 'rows'\nwhere = '''a matches "x\\\\\\w"'''""", units) == ["row/1"]


@pytest.mark.parametrize(
    "where",
    [
        "",
        "department",
        "department = HR",
        '= "HR"',
        'a == "b"',
        'a = "b" and c = "d"',
        'a contains ""',
        'a matches "("',
        'a > "b"',
        "a" * 20_000,
        '"' * 9_000,
        'a = "' + "\\" * 9_000,
    ],
)
def test_a_condition_that_cannot_be_read_is_refused(where: str) -> None:
    with pytest.raises(PolicyError):
        Where(where)


@pytest.mark.parametrize("names", [[], [""], ["a", " "]])
def test_columns_without_a_name_are_refused(names: list[str]) -> None:
    with pytest.raises(PolicyError):
        Columns(names)


def test_a_unit_below_a_cell_is_no_other_value_of_it() -> None:
    """A cell that a formula makes, or that has a phonetic guide, was unlike any value."""
    units = [
        *(Unit("sheet/S/A1", "city", "cell"), Unit("sheet/S/A2", "東京", "cell")),
        *(Unit("sheet/S/A2/phonetic", "トウキョウ", "phonetic guide", "hidden"), Unit("sheet/S/A3", "Oslo", "cell")),
        Unit("sheet/S/A3/formula", '="Os"&"lo"', "formula", "a formula"),
    ]
    assert addresses("kind = 'rows'\nwhere = 'city != \"東京\"'", units) == ["sheet/S/A3", "sheet/S/A3/formula"]
    assert addresses("kind = 'rows'\nwhere = 'city != \"Oslo\"'", units) == ["sheet/S/A2", "sheet/S/A2/phonetic"]
    assert addresses("kind = 'columns'\ncolumns = ['city']", units) == [unit.address for unit in units[1:]]
