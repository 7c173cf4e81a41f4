"""A rule without a column is reported, once for all tables, until these are marked."""

import pytest

from sieve.core.units import Mark, Unit
from sieve.formats.tables.delimited import read_csv
from sieve.formats.tables.json_lines import read_jsonl
from sieve.marking.leaks import check
from sieve.marking.leaks.finding import POLICY
from sieve.marking.missing_columns import missing_columns
from sieve.marking.policy import Rule, parse

COLUMNS = 'kind = "columns"\ncolumns = ["salary", "pay"]\nreason = "law"'
ROWS = 'kind = "rows"\nwhere = \'salary = "1"\''


def rules(text: str) -> tuple[Rule, ...]:
    return parse(f'name = "n"\n[[rules]]\n{text}', str).rules


@pytest.mark.parametrize("rule", [COLUMNS, ROWS])
@pytest.mark.parametrize(
    ("data", "are_missing"),
    [
        (b"name,Salary\nAnna,1\n", False),
        (b"name,salary\n", False),
        (b"Pay list\nname,salary\nAnna,1\n", True),
        (b"sep=:\nname:salary\nAnna:1\n", True),
        (b"name,wage\nAnna,1\n", True),
    ],
)
def test_a_table_without_the_column_is_reported_and_can_be_marked_whole(
    rule: str, data: bytes, are_missing: bool
) -> None:
    units = list(read_csv(data).units())
    found = list(missing_columns(rules(rule), units))
    assert [one.tables for one in found] == [("",)] * are_missing
    (finding,) = check(units, [], missing=found) or [None]
    if are_missing:
        assert finding is not None
        assert (finding.kind, finding.address, finding.group) == (POLICY, "", "n/1#1")
        assert "“salary”" in finding.sentence
    rows = {unit.address.rsplit("/", 1)[0] for unit in units} - {"row/0"}
    assert check(units, [Mark(row) for row in rows], missing=found) == ()


def test_a_key_of_any_row_counts_and_rows_that_differ_miss_nothing() -> None:
    units = list(read_jsonl(b'{"name": "Anna"}\n{"salary": 1}\n').units())
    assert list(missing_columns(rules(COLUMNS), units)) == []
    assert len(list(missing_columns(rules(COLUMNS), units[:2]))) == 1
    assert list(missing_columns(rules('kind = "rows"\nwhere = \'grade != "1"\''), units)) == []


def sheet(name: str, *rows: str) -> list[Unit]:
    cells = [Unit(f"sheet/{name}/A{number}", text, "cell") for number, text in enumerate(rows, 1)]
    return [Unit(f"sheet/{name}", name, "sheet"), *cells]


def test_each_sheet_is_a_table() -> None:
    good, titled, only_heading = sheet("Pay", "salary", "1"), sheet("Salary", "List", "pay", "2"), sheet("No", "x")
    units = [*good, *titled, *only_heading, Unit("docProps/core.xml/t1", "x", "text")]
    found = list(missing_columns(rules(COLUMNS), units))
    assert [one.tables for one in found] == [("sheet/Salary",)]
    assert "the sheet “Salary” has none" in found[0].sentence
    assert [finding.address for finding in check(units, [], missing=found)] == ["sheet/Salary"]
    assert not [one for one in check(units, [Mark("sheet/Salary")], missing=found) if one.kind == POLICY]


def test_a_rule_that_misses_several_sheets_is_one_finding_at_the_first_that_is_plain() -> None:
    units = [unit for name in ("One", "Two", "Three") for unit in sheet(name, "x", "1")]
    found = list(missing_columns([*rules(COLUMNS), *rules(ROWS)], units))
    assert [one.tables for one in found] == 2 * [("sheet/One", "sheet/Two", "sheet/Three")]
    assert "the sheets “One”, “Two”, “Three” have none" in found[0].sentence

    def reported(*marks: str) -> list[tuple[str, str]]:
        findings = check(units, [Mark(address) for address in marks], missing=found[:1])
        return [(one.address, one.sentence) for one in findings if one.kind == POLICY]

    ((address, _),) = reported()
    assert address == "sheet/One"
    ((address, sentence),) = reported("sheet/One")
    assert address == "sheet/Two" and "the sheets “Two”, “Three” have none" in sentence
    ((address, sentence),) = reported("sheet/One", "sheet/Three")
    assert address == "sheet/Two" and "the sheet “Two” has none" in sentence
    assert reported("sheet/One", "sheet/Two", "sheet/Three") == []


def test_of_many_sheets_the_first_are_named_and_the_others_counted() -> None:
    units = [unit for number in range(1, 13) for unit in sheet(f"S{number}", "x", "1")]
    (found,) = missing_columns(rules(COLUMNS), units)
    assert "“S9”, “S10”, … (+2) have none" in found.sentence


def test_how_a_heading_is_pronounced_is_no_column() -> None:
    """A rule cannot find it, so it must be reported."""
    spoken = Unit("sheet/Pay/A1/phonetic", "salary", "phonetic guide", "how a text is pronounced")
    name, heading, *rows = sheet("Pay", "給与", "1")
    assert [one.tables for one in missing_columns(rules(COLUMNS), [name, heading, spoken, *rows])] == [("sheet/Pay",)]
