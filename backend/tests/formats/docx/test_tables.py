"""The cells of Word's tables, as the author and the reader see them."""

import pytest

from office_files import docx_of
from sieve.core.units import Cell
from sieve.formats.docx.reading import DocxReading


def cell(text: str, properties: str = "") -> str:
    inside = text if text.startswith("<w:") else f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def placed(*rows: str) -> dict[str, tuple[tuple[int, int, int, int, int], ...]]:
    """The cells of each text of a table: table, row, column, rows and columns."""
    data = docx_of(f"<w:p><w:r><w:t>before</w:t></w:r></w:p><w:tbl>{''.join(rows)}</w:tbl>")
    units = [unit for unit in DocxReading(data).units() if unit.address.startswith("word/document.xml/p")]
    return {
        unit.text: tuple((one.table, one.row, one.column, one.rows, one.columns) for one in unit.cells)
        for unit in units
    }


def test_rows_and_columns_are_those_of_the_table() -> None:
    shown = placed(*(row(*(cell(f"{r}{c}") for c in "abcd")) for r in range(3)))
    assert shown.pop("before") == ()
    assert shown == {f"{r}{c}": ((1, r, at, 1, 1),) for r in range(3) for at, c in enumerate("abcd")}


def test_merged_cells_span_rows_and_columns() -> None:
    start, follow = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    wide = '<w:gridSpan w:val="2"/>'
    shown = placed(
        row(cell("tall", start), cell("wide", wide), cell("d")),
        row(cell("", follow), cell("b"), cell("c"), cell("dd")),
        row(cell("kept", follow), cell("both", wide + start), cell("ddd", start)),
        row(cell("next", start), cell("below", wide + follow), cell("other", follow + wide)),
    )
    assert shown["tall"] == ((1, 0, 0, 3, 1),)
    assert shown["wide"] == ((1, 0, 1, 1, 2),)
    assert shown["d"] == ((1, 0, 3, 1, 1),)
    # Word does not show the text of a cell that continues another one: the author must see it.
    assert shown["kept"] == shown["tall"]
    assert shown["both"] == shown["below"] == ((1, 2, 1, 2, 2),)
    assert shown["next"] == ((1, 3, 0, 1, 1),)
    assert shown["other"] == ((1, 3, 3, 1, 2),)


def test_a_table_in_a_cell_is_another_table() -> None:
    inner = f"<w:tbl>{row(cell('inner'))}</w:tbl><w:p><w:r><w:t>after</w:t></w:r></w:p>"
    shown = placed(row(cell("a"), cell(inner)), row(cell("b")))
    assert shown["inner"] == ((1, 0, 1, 1, 1), (2, 0, 0, 1, 1))
    assert shown["after"] == ((1, 0, 1, 1, 1),)
    assert shown["b"] == ((1, 1, 0, 1, 1),)


def test_rows_may_begin_later_and_cells_be_in_content_controls() -> None:
    control = f"<w:sdt><w:sdtContent>{row(cell('a'), '<w:sdt><w:sdtContent>' + cell('b') + '</w:sdtContent></w:sdt>')}"
    shown = placed(
        control + "</w:sdtContent></w:sdt>",
        row(cell("late"), properties='<w:gridBefore w:val="1"/>'),
    )
    assert (shown["a"], shown["b"], shown["late"]) == (((1, 0, 0, 1, 1),), ((1, 0, 1, 1, 1),), ((1, 1, 1, 1, 1),))


def test_header_rows_and_empty_cells_are_there() -> None:
    heading = row(cell("Name"), properties="<w:tblHeader/>")
    rest = row(cell(""), properties='<w:tblHeader w:val="0"/>')
    units = [*DocxReading(docx_of(f"<w:tbl>{heading}{rest}</w:tbl>")).units()]
    assert [(unit.text, unit.cells) for unit in units if unit.kind == "table cell"] == [
        ("Name", (Cell(1, 0, 0, 1, 1, header=True),)),
        ("", (Cell(1, 1, 0, 1, 1, header=False),)),
    ]


@pytest.mark.parametrize("said", ["-3", "0", "²", "x", "", "9" * 400])
def test_a_span_that_makes_no_sense_is_one_column(said: str) -> None:
    assert placed(row(cell("a", f'<w:gridSpan w:val="{said}"/>'), cell("b")))["b"] == ((1, 0, 1, 1, 1),)


def test_a_huge_span_is_bounded() -> None:
    assert placed(row(cell("a", '<w:gridSpan w:val="999999999"/>')))["a"] == ((1, 0, 0, 1, 1000),)
