"""Samples that libraries write: a workbook with much of what Excel has, tables, and a PDF with a revision appended."""

import csv
import json
from datetime import date, datetime
from io import BytesIO, StringIO

from office_files import png


def much(secret: str) -> bytes:
    """A workbook with a chart, a table, a picture, rules, comments, a hidden sheet, row and column, and names."""
    import openpyxl
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment
    from openpyxl.drawing.image import Image
    from openpyxl.formatting.rule import CellIsRule
    from openpyxl.styles import Font, PatternFill
    from openpyxl.workbook.defined_name import DefinedName
    from openpyxl.worksheet.datavalidation import DataValidation
    from openpyxl.worksheet.table import Table

    book = openpyxl.Workbook()
    pay = book.active
    pay.title = "Pay"
    for row in (
        ["name", "since", "pay", "share", "aside"],
        ["Berta Moss", date(2019, 5, 17), 61250, 0.25, "open"],
        [f"{secret} in a cell", datetime(2021, 11, 2, 9, 30), 98765.5, 0.75, "x"],
        ["sum", None, "=SUM(C2:C3)", "=D2+D3", f'="{secret} in a formula"'],
    ):
        pay.append(row)
    pay["A1"].font = Font(bold=True)
    pay["C2"].number_format = "#,##0.00"
    pay["D2"].number_format = "0.0%"
    pay["A3"].comment = Comment(f"Ask {secret} in a comment", "C. Reader")
    pay.merge_cells("A6:B6")
    pay["A6"] = "merged"
    pay["A8"] = f"{secret} in a hidden row"
    pay.row_dimensions[8].hidden = True
    pay["H2"] = f"{secret} in a hidden column"
    pay.column_dimensions["H"].hidden = True
    pay.oddHeader.center.text = f"{secret} in the header"
    choice = DataValidation(type="list", formula1=f'"yes,no,{secret} in a choice"')
    choice.add("E2")
    pay.add_data_validation(choice)
    pay.conditional_formatting.add("C2:C3", CellIsRule(operator="greaterThan", formula=["70000"], fill=PatternFill()))
    pay.add_table(Table(displayName="Staff", ref="A1:E3"))
    pay.add_image(Image(BytesIO(png())), "G1")
    pay["A2"].hyperlink = f"https://example.org/{secret.split()[0]}"
    numbers = book.create_sheet("Numbers")
    for at in range(1, 12):
        numbers.append([at, at * 2.5, at % 2 == 0])
    chart = BarChart()
    chart.title = f"{secret} in a chart"
    chart.add_data(Reference(numbers, min_col=2, min_row=1, max_row=11))
    numbers.add_chart(chart, "F2")
    aside = book.create_sheet("Aside")
    aside["A1"] = f"{secret} in a hidden sheet"
    aside.sheet_state = "hidden"
    book.defined_names["Rate"] = DefinedName("Rate", attr_text=f'"{secret} in a name"')
    book.properties.title = f"{secret} in the title"
    book.properties.created = book.properties.modified = datetime(2020, 1, 1)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


_ROWS = (
    ("name", "city", "note"),
    ("Berta Moss", "Łódź", 'says "yes", mostly'),
    ("@", "Oslo", "two\nlines"),
    ("Carl", "", "the @ file"),
)


def by_csv(secret: str, dialect: str) -> bytes:
    """A table as Python's csv writes it."""
    written = StringIO(newline="")
    csv.writer(written, dialect).writerows([cell.replace("@", secret) for cell in row] for row in _ROWS)
    return written.getvalue().encode()


def by_json(secret: str) -> bytes:
    """The same, an object on each line; nothing but ASCII, as Python writes it."""
    named = [dict(zip(_ROWS[0], row, strict=True)) for row in _ROWS[1:]]
    return "".join(json.dumps(row).replace("@", secret) + "\n" for row in named).encode()


def page_of_notes(data: bytes, secret: str) -> bytes:
    """The PDF with a note and a title appended as a revision."""
    from pypdf import PdfWriter
    from pypdf.annotations import FreeText

    writer = PdfWriter(BytesIO(data), incremental=True)
    writer.add_annotation(0, FreeText(text=f"{secret} in a note", rect=(50, 50, 200, 90)))
    writer.add_metadata({"/Subject": f"{secret} in the subject"})
    out = BytesIO()
    writer.write(out)
    return out.getvalue()
