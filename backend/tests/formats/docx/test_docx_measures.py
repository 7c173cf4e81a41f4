"""No size in the redacted edition of a Word document follows from text that is withheld."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from office_files import docx_of, entries
from sieve.core.units import Mark
from sieve.formats.docx import measures
from sieve.formats.docx.reading import DocxReading
from sieve.formats.reading import redact

PATHS = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"'
)
SHAPE = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
GROUP = "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(secret: str, width: int, layout: str = "") -> str:
    cells = "".join(
        f'<w:tc><w:tcPr><w:tcW w:w="{wide}" w:type="dxa"/></w:tcPr>{paragraph(text)}</w:tc>'
        for text, wide in (("Name", 700), (secret, width))
    )
    grid = f'<w:tblGrid><w:gridCol w:w="700"/><w:gridCol w:w="{width}"/></w:tblGrid>'
    return f"<w:tbl><w:tblPr>{layout}</w:tblPr>{grid}<w:tr>{cells}</w:tr></w:tbl>"


def shape(secret: str, size: int, body: str) -> str:
    place = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="{size}" cy="{size}"/></a:xfrm>'
    text = f"<wps:txbx><w:txbxContent>{paragraph(secret)}</w:txbxContent></wps:txbx>"
    return f"<wps:wsp><wps:spPr>{place}</wps:spPr>{text}{body}</wps:wsp>"


def drawing(content: str, size: int, uri: str = SHAPE) -> str:
    return (
        f'<w:p><w:r><w:drawing {PATHS}><wp:inline><wp:extent cx="{size}" cy="{size}"/><a:graphic>'
        f'<a:graphicData uri="{uri}">{content}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
    )


GROWS = '<wps:bodyPr wrap="none"><a:spAutoFit/></wps:bodyPr>'
FITS = '<wps:bodyPr><a:normAutofit fontScale="{size}"/></wps:bodyPr>'


def edition(content: str, secret: str) -> bytes:
    data = docx_of(content)
    marks = [Mark(unit.address) for unit in DocxReading(data).units() if secret in unit.text]
    assert marks
    return b"".join(entries(redact(DocxReading(data), marks)))


PLACES: dict[str, Callable[[str, int], str]] = {
    "table": table,
    "table in a table": lambda secret, size: (
        f'<w:tbl><w:tblGrid><w:gridCol w:w="{size}"/></w:tblGrid><w:tr><w:tc><w:tcPr>'
        f'<w:tcW w:w="{size}" w:type="dxa"/></w:tcPr>{table(secret, size)}{paragraph("after")}</w:tc></w:tr></w:tbl>'
    ),
    "box": lambda secret, size: drawing(shape(secret, size, GROWS), size),
    "box that shrinks its text": lambda secret, size: drawing(shape(secret, 5, FITS.format(size=size)), 5),
    "group": lambda secret, size: drawing(
        f'<wpg:wgp><wpg:grpSpPr><a:xfrm><a:ext cx="{size}" cy="{size}"/></a:xfrm></wpg:grpSpPr>'
        f"{shape(secret, size, GROWS)}</wpg:wgp>",
        size,
        GROUP,
    ),
}


@pytest.mark.parametrize("place", PLACES)
@given(size=st.integers(1, 10_000_000))
def test_no_size_follows_from_withheld_text(place: str, size: int) -> None:
    build = PLACES[place]
    assert edition(build("Qz7 Bartholomew", size), "Qz7") == edition(build("Qz7", 700), "Qz7")


def test_sizes_stay_where_nothing_is_withheld() -> None:
    shown = edition(paragraph("Qz7") + table("kept", 1234) + drawing(shape("kept", 5678, GROWS), 5678), "Qz7")
    assert shown.count(b'w:w="1234"') == 2
    assert shown.count(b'cx="5678" cy="5678"') == 2


def test_widths_that_the_author_fixed_stay() -> None:
    fixed = '<w:tblLayout w:type="fixed"/>'
    shown = edition(table("Qz7", 1234, fixed), "Qz7")
    assert shown.count(b'w:w="1234"') == 2
    assert str(measures.COLUMN).encode() not in shown
