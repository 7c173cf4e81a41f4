"""Detectors find values whose name is written beside them: in a form, a table, or the paragraph before."""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.core.units import Cell, Unit
from sieve.formats.reading import read
from sieve.marking import apply_policy, captions
from sieve.marking.detectors.registry import NAMES, Detector
from sieve.marking.policy import parse

NAMED = [
    ("birth-date", "Date of birth", "3 March 1980"),
    ("birth-date", "Geburtsdatum:", "03.03.1980"),
    ("api-key", "Password", "Tr0ub4dor&3"),
    ("api-key", "api_key", "f00dcafe42"),
    ("us-ssn", "SSN", "536904399"),
    ("passport", "Passport no.", "C01X00T47"),
    ("salary", "Salary", "85,000"),
    ("case-number", "Case no.", "2024-CV-01234"),
    ("vehicle-plate", "Licence plate", "AB12 CDE"),
    ("us-routing", "ABA", "111000025"),
    ("bic", "BIC", "COBADEFF"),
    ("phone", "Phone", "4165550123"),
]


def in_row(caption: str, value: str) -> list[Unit]:
    return [Unit("sheet/Form/A7", caption, "cell"), Unit("sheet/Form/B7", value, "cell")]


def in_column(caption: str, value: str) -> list[Unit]:
    rows = ((1, "name", caption), (2, "Ida", "none"), (3, "Nils", value))
    return [
        Unit(f"sheet/S/{at}{row}", text, "cell") for row, *texts in rows for at, text in zip("AB", texts, strict=True)
    ]


def in_table(caption: str, value: str) -> list[Unit]:
    return [Unit(f"row/{row}/{caption}", text, "cell") for row, text in enumerate((caption, "none", value))]


def in_word_row(caption: str, value: str) -> list[Unit]:
    cells = [Cell(2, 4, column, 1, 1, False) for column in (0, 1)]
    return [
        Unit(f"word/document.xml/p{number}", text, "paragraph", "", (cell,))
        for number, text, cell in zip((1, 2), (caption, value), cells, strict=True)
    ]


def in_word_column(caption: str, value: str) -> list[Unit]:
    texts = (("name", caption), ("Ida", "none"), ("Nils", value))
    return [
        Unit(f"word/document.xml/p{2 * row + column}", text, "paragraph", "", (Cell(1, row, column, 1, 1, False),))
        for row, pair in enumerate(texts)
        for column, text in enumerate(pair)
    ]


def in_paragraphs(caption: str, value: str) -> list[Unit]:
    return [Unit(f"word/document.xml/p{number}", text, "paragraph") for number, text in enumerate((caption, value))]


WAYS: list[Callable[[str, str], list[Unit]]] = [
    in_row,
    in_column,
    in_table,
    in_word_row,
    in_word_column,
    in_paragraphs,
]


def marked(detector: str, units: list[Unit]) -> list[str]:
    rules = parse(f'name = "n"\n[[rules]]\nkind = "detector"\ndetector = "{detector}"', str).rules
    text_of = {unit.address: unit.text for unit in units}
    return [text_of[mark.address][mark.start : mark.end] for mark in apply_policy.marks(rules, units)]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize(("detector", "caption", "value"), NAMED)
def test_a_value_is_found_by_what_is_beside_it(
    way: Callable[[str, str], list[Unit]], detector: str, caption: str, value: str
) -> None:
    assert marked(detector, way(caption, value)) == [value]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@given(batch=st.integers(1, 60))
def test_the_size_of_batches_makes_no_difference(way: Callable[[str, str], list[Unit]], batch: int) -> None:
    with patch.object(apply_policy, "BATCH_CHARACTERS", batch):
        assert marked("us-ssn", way("SSN", "536904399")) == ["536904399"]


@pytest.mark.parametrize(
    "units",
    [
        # The next row, another sheet, another part, and two paragraphs further.
        [Unit("sheet/S/B7", "SSN", "cell"), Unit("sheet/S/A8", "536904399", "cell")],
        [Unit("sheet/S/A7", "SSN", "cell"), Unit("sheet/T/B7", "536904399", "cell")],
        [Unit("word/document.xml/p9", "SSN", "paragraph"), Unit("word/header1.xml/p1", "536904399", "paragraph")],
        [Unit(f"text/p{number}", text, "paragraph") for number, text in enumerate(("SSN", "of Ida", "536904399"))],
        [Unit("text/p1", "SSN " + "and so on " * 9, "paragraph"), Unit("text/p2", "536904399", "paragraph")],
        [Unit("sheet/S/A7", "Clerk", "cell"), Unit("sheet/S/B7", "536904399", "cell")],
    ],
)
def test_only_what_is_next_to_it_counts(units: list[Unit]) -> None:
    assert marked("us-ssn", units) == []


def test_files() -> None:
    table = read("a.csv", b"name,date of birth,password\nIda,1980-03-03,Tr0ub4dor&3\nNils,1981-04-04,none\n")
    assert marked("birth-date", [*table.units()]) == ["1980-03-03", "1981-04-04"]
    assert marked("api-key", [*table.units()]) == ["Tr0ub4dor&3"]
    lines = read("a.jsonl", b'{"user": "ida", "password": "Tr0ub4dor&3"}\n')
    assert marked("api-key", [*lines.units()]) == ["Tr0ub4dor&3"]
    page = read("a.html", b"<table><tr><td>SSN</td><td>536904399</td></tr></table>")
    assert marked("us-ssn", [*page.units()]) == ["536904399"]


LONG = [
    # In a sheet, in a table, and in a sheet whose column has no heading.
    ([("sheet/S/A{}", "Note"), ("sheet/S/B{}", "SSN")], 1),
    ([("row/{}/Note", "Note"), ("row/{}/SSN", "SSN")], 0),
    ([("sheet/S/A{}", "SSN"), ("sheet/S/B{}", "")], 1),
]


@pytest.mark.parametrize(("columns", "first"), LONG)
@given(rows=st.integers(2, 30), most=st.integers(0, 20))
def test_below_the_first_rows_only_the_heading_is_a_caption(
    columns: list[tuple[str, str]], first: int, rows: int, most: int
) -> None:
    text = {(1, column): heading for column, (_, heading) in enumerate(columns)}
    text |= {(row, 0): "SSN" for row in range(2, rows)} | {(row, 1): f"53690{row + 4300}" for row in range(2, rows)}
    units = [Unit(columns[at][0].format(row + first - 1), each, "cell") for (row, at), each in sorted(text.items())]
    has_heading = columns[1][1] == "SSN"
    with patch.object(captions, "MOST_ROWS", most):
        found = marked("us-ssn", units)
    assert found == [text[row, 1] for row in range(2, rows) if has_heading or row <= most]


def test_each_long_sheet_has_its_own_headings() -> None:
    units = [
        Unit(f"sheet/{sheet}/A{row}", heading if row == 1 else "536904399", "cell")
        for sheet, heading in (("S", "SSN"), ("T", "Clerk"), ("U", "SSN"))
        for row in range(1, 4)
    ]
    rules = parse('name = "n"\n[[rules]]\nkind = "detector"\ndetector = "us-ssn"', str).rules
    with patch.object(captions, "MOST_ROWS", 0):
        found = [hit.address for hit in apply_policy.all_hits(rules, units)]
    assert found == ["sheet/S/A2", "sheet/S/A3", "sheet/U/A2", "sheet/U/A3"]


@pytest.mark.parametrize("name", NAMES)
@given(numbers=st.lists(st.integers(0, 10**6), min_size=2, max_size=20))
def test_captions_that_name_nothing_are_not_searched_with_values(name: str, numbers: list[int]) -> None:
    """Pages of numbered items would otherwise take four times as long."""
    batch = [Unit(f"text/p{at}", f"Page {number}", "paragraph") for at, number in enumerate(numbers)]
    detector = Detector(name)
    with patch.object(Detector, "find", side_effect=detector.find) as find:
        assert list(captions.after_captions(detector, batch, captions.Captions().of(batch))) == []
    assert "Page" not in "".join(call.args[0] for call in find.call_args_list)
