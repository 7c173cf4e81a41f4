"""Highlighted OpenDocument files, pages, RTF and mails: the same text, with exactly the marked text highlighted."""

import re
from email import message_from_bytes
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from any_files import GOOD
from cases import each
from mail_files import attachments, mail
from odf_files import ods_of, odt_of
from sieve.core.units import Mark, Unit
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import Unsupported
from sieve.formats.html.reading import HtmlReading, Placed
from sieve.formats.ods import highlighting as ods_highlighting
from sieve.formats.ods.cells import CELLS, ROW, count
from sieve.formats.ods.reading import OdsReading
from sieve.formats.odt.reading import OdtReading
from sieve.formats.opendocument.paragraphs import Piece, read_story
from sieve.formats.opendocument.vocabulary import FO, STYLE, TABLE, TEXT
from sieve.formats.reading import Reading, highlight, read, read_as
from sieve.formats.rtf.content import Run
from sieve.formats.rtf.document import RtfDocument
from sieve.formats.rtf.reading import RtfReading
from sieve.formats.sheets.columns import column_name
from sieve.formats.xlsx.reading import XlsxReading

_NAMES = ["memo.docx", "pay.xlsx", "plan.pptx", "memo.odt", "pay.ods", "page.html", "letter.rtf"]
_TAGS = re.compile(r"<\$[SE]>")
_WITHIN = re.compile(rb"\{\\highlight[0-9]+\\cb[0-9]+ ")


def texts(reading: Reading) -> list[tuple[str, str]]:
    return [(unit.address, unit.text) for unit in reading.units()]


@st.composite
def marked(draw: st.DrawFn, units: list[Unit]) -> list[Mark]:
    """Characters of one to three units."""
    chosen = draw(st.lists(st.sampled_from(units), min_size=1, max_size=3, unique_by=lambda unit: unit.address))
    found: list[Mark] = []
    for unit in chosen:
        start = draw(st.integers(0, len(unit.text) - 1))
        found.append(Mark(unit.address, start, draw(st.integers(start + 1, len(unit.text)))))
    return found


@each("name", _NAMES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_no_text_changes_wherever_marks_are(name: str, data: st.DataObject) -> None:
    reading = read(name, GOOD[name][1])
    marks = data.draw(marked([unit for unit in reading.units() if unit.text]))
    assert texts(read_as(reading.name, highlight(reading, marks))) == texts(reading)


# --- OpenDocument ----------------------------------------------------------------------------------------------------

_INLINE = (
    *("ab", " ", "  c  ", "d\n e", "<text:span>x y</text:span>", "<text:tab/>", '<text:s text:c="3"/>'),
    *("<text:line-break/>", '<text:a xlink:href="x">a link</text:a>', "<text:date>6 May</text:date>"),
    '<text:span text:style-name="H">not shown</text:span>',
    "<text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>aid</text:ruby-text></text:ruby>",
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
    "<text:p>a note</text:p></text:note-body></text:note>",
)
_HIDING = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
_WHOLE = {f"{{{TEXT}}}{name}" for name in ("date", "ruby", "note-citation", "s")}
"""Elements that are highlighted as a whole."""


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(_INLINE), min_size=1, max_size=12), st.data())
def test_a_text_has_exactly_the_marked_characters_highlighted(inline: list[str], data: st.DataObject) -> None:
    reading = OdtReading(odt_of(f"<text:p>One</text:p><text:p>{''.join(inline)}</text:p>", _HIDING))
    marks = data.draw(marked([unit for unit in reading.units() if "/p" in unit.address and unit.text.strip()]))
    made = OdtReading(highlight(reading, marks))
    assert texts(made) == texts(reading)
    root = made.tree("content.xml")
    yellow = {
        style.get(f"{{{STYLE}}}name")
        for style in root.iter(f"{{{STYLE}}}style")
        if any(one.get(f"{{{FO}}}background-color") for one in style)
    }
    assert len(yellow) == 1
    for number, paragraph in enumerate(read_story(root, made.hiding)[0], 1):
        ends: dict[str, int] = {}
        for piece in paragraph.pieces:
            at = ends.get(piece.below, 0)
            end = ends[piece.below] = at + len(piece.text)
            address = f"content.xml/p{number}" + (f"/{piece.below}" if piece.below else "")
            ranges = [(mark.start or 0, mark.end or 0) for mark in marks if mark.address == address]
            holders = _holders(piece)
            is_yellow = any(one.get(f"{{{TEXT}}}style-name") in yellow for one in holders)
            covered = [place for place in range(at, end) if any(first <= place < last for first, last in ranges)]
            if any(one.tag in _WHOLE for one in holders):
                assert is_yellow or not covered
            else:
                assert len(covered) == (len(piece.text) if is_yellow else 0)


def _holders(piece: Piece) -> list[etree._Element]:
    """The elements around a piece, up to its paragraph."""
    above = [*piece.element.iterancestors()]
    around = above if piece.where == "tail" else [piece.element, *above]
    ends = [at for at, one in enumerate(around) if one.tag == f"{{{TEXT}}}p"]
    return around[: ends[0]]


_SHEET = (
    '<table:table table:name="A"><table:table-column table:default-cell-style-name="col"/><table:table-column '
    'table:number-columns-repeated="9"/>'
    '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="4" '
    'office:value-type="string"><office:annotation><text:p>why</text:p></office:annotation><text:p>same</text:p>'
    '</table:table-cell><table:table-cell table:style-name="own"><text:p>own</text:p></table:table-cell>'
    '</table:table-row><table:table-row><table:table-cell/><table:table-cell office:value-type="float" '
    'office:value="7"><text:p>7</text:p></table:table-cell></table:table-row></table:table>'
)
_CELL_STYLES = (
    '<style:style style:name="own" style:family="table-cell" style:parent-style-name="Good"><style:text-properties '
    'fo:font-weight="bold"/><style:map style:condition="x" style:apply-style-name="y"/></style:style>'
)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_workbook_has_exactly_the_marked_cells_filled(data: st.DataObject) -> None:
    reading = read_as("ods", ods_of(_SHEET, _CELL_STYLES))
    places = [unit.address for unit in reading.units() if unit.kind == "cell"]
    chosen = set(data.draw(st.lists(st.sampled_from(places), min_size=1, unique=True)))
    made = read_as("ods", highlight(reading, [Mark(place) for place in chosen]))
    # Equal rows are listed cell by cell.
    assert sorted(texts(made)) == sorted(texts(reading))
    assert _filled(made) == chosen


def _filled(made: Reading) -> set[str]:
    assert isinstance(made, OdsReading)
    root = made.tree("content.xml")
    styles = {style.get(f"{{{STYLE}}}name"): style for style in root.iter(f"{{{STYLE}}}style")}
    found: set[str] = set()
    row = 0
    for element in root.iter(ROW):
        rows = range(row + 1, row + 1 + count(element, "number-rows-repeated"))
        row, column = rows.stop - 1, 0
        for cell in element.iterchildren(*CELLS):
            columns = range(column + 1, column + 1 + count(cell, "number-columns-repeated"))
            column = columns.stop - 1
            style = styles.get(cell.get(f"{{{TABLE}}}style-name", ""))
            if style is not None and any(one.get(f"{{{FO}}}background-color") == "#ffff00" for one in style):
                found |= {f"sheet/A/{column_name(at)}{number}" for number in rows for at in columns}
                # What the cell looked like stays.
                parent = style.get(f"{{{STYLE}}}parent-style-name")
                if "".join(map(str, cell.itertext())) == "own":
                    assert parent == "Good" and "bold" in etree.tostring(style).decode()
                elif column == 1:
                    assert parent == "col"
    return found


def test_a_page_header_and_few_of_very_many_equal_cells_are_left() -> None:
    header = read("pay.ods", GOOD["pay.ods"][1])
    marks = [Mark(unit.address) for unit in header.units() if unit.kind == "page header"]
    assert marks and texts(read_as("ods", highlight(header, marks))) == texts(header)


def test_no_more_cells_are_written_again_than_the_reading_process_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ods_highlighting, "MAX_COPIED", 5)
    reading = read_as("ods", ods_of(_SHEET, _CELL_STYLES))
    with pytest.raises(Unsupported, match="too many equal cells"):
        highlight(reading, [Mark("sheet/A/B2")])


# --- web pages -------------------------------------------------------------------------------------------------------

_HTML = (
    *(
        "a b",
        "  ",
        "é",
        "<b>",
        "</b>",
        "<br>",
        "</br>",
        "&amp;",
        "&eacute",
        "&#13;",
        "&ampx",
        "&notit;",
        "&foo;",
        "<p>",
    ),
    *("</p>", "<pre>", "</pre>", "\r\n", "\n", "\0", "<!-- c d -->", "<td>", "<table>", "<svg>", "</svg>", "<math>"),
    *("</math>", "<title>t u</title>", "<textarea>\n v w</textarea>", "<span hidden>", "</span>", "<listing>"),
    *("</listing>", "<", ">", "&", "<a title='x y'>", "</a>", "x", " <i> ", "</i> "),
)


@pytest.mark.parametrize("field", ["<select><option>a harbour</select>", "<datalist><option>a harbour</datalist>"])
def test_choices_of_forms_have_no_highlight(field: str) -> None:
    page = f"<p>x</p>{field}".encode()
    reading = HtmlReading(page)
    assert highlight(reading, [Mark(unit.address) for unit in reading.units() if "harbour" in unit.text]) == page


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(_HTML), max_size=25), st.sampled_from(["utf-8", "utf-16", "cp1252"]), st.data())
def test_no_text_of_a_page_changes(parts: list[str], encoding: str, data: st.DataObject) -> None:
    reading = HtmlReading(f"<body>{''.join(parts)}<p>end".encode(encoding), None if encoding == "utf-16" else encoding)
    for part in reading.parts:
        if isinstance(part, Placed):
            assert len(part.block.places(reading.source)) == len(part.block.text), part.address
    marks = data.draw(marked([unit for unit in reading.units() if unit.text]))
    made = HtmlReading(highlight(reading, marks), None if encoding == "utf-16" else encoding)
    assert texts(made) == texts(reading)


class _Shown(HTMLParser):
    """Collects the text of a page, and for each character whether it is in a `mark` element."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.inside, self.depth = "", "", 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.depth += tag == "mark"
        if tag == "br":
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "mark"

    def handle_data(self, data: str) -> None:
        self.text += data
        self.inside += ("x" if self.depth else "-") * len(data)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a b", "c", "<b>d e</b>", "&amp;", "&eacute;", "<i>", "</i>", "<br>"]), min_size=1),
    st.data(),
)
def test_a_page_has_exactly_the_marked_characters_in_mark_elements(parts: list[str], data: st.DataObject) -> None:
    reading = HtmlReading(f"<p>x{''.join(parts)}y</p>".encode())
    [unit] = reading.units()
    [mark] = data.draw(marked([unit]))
    shown = _Shown()
    shown.feed(highlight(reading, [mark]).decode())
    assert shown.text == unit.text
    wanted = ["x" if (mark.start or 0) <= at < (mark.end or 0) else "-" for at in range(len(unit.text))]
    assert [*shown.inside] == ["-" if letter == "\n" else sign for letter, sign in zip(unit.text, wanted, strict=True)]


def test_titles_fields_and_drawings_stay_as_they_are() -> None:
    page = b"<title>A</title><textarea>A</textarea><svg><text>A</text></svg><p>A <math><mi>A</mi></math></p>"
    reading = HtmlReading(page)
    made = highlight(reading, [Mark(unit.address) for unit in reading.units()])
    before, mark, after = made.partition(b"<mark")
    assert before == page[: page.index(b"A <math>")] and b"<mark" not in after and mark


# --- RTF -------------------------------------------------------------------------------------------------------------

_RTF = (
    *("abc ", "\\b ", "\\b0\n", "{", "}", "\\u8217 ?", "\\u8217\\'92", "\\u8217?de", "\\uc0 ", "\\uc2 ", "\\uc1 "),
    *("\\u-10179 ?\\u-8704 ?", "{\\u-10179 ?}{\\u-8704 ?}", "\\'e9", "\\tab ", "\\par ", "\r\n", "\\~", "{\\v xy}"),
    *("{\\footnote a note}", "\\line ", "\t", "\\{", "\\-", "\\*", "{\\*\\bkmkstart mark}", "\\v ", "\\v0 ", "\\f1 "),
    *("\\f0 ", "\x82\xa0", "\x82", "\\'82\\'a0", "\\'82", "{\\field{\\*\\fldinst REF x}{\\fldrslt seen}}", "\\cell "),
    *("{\\pict\\pngblip 00ff}", "\\plain ", "\\ansicpg932 ", "{\\header top}", "{\\listtext 1.}", "\\u1 ", "\x01"),
)
_TABLES = ("", "{\\colortbl;\\red1;\\red2;}", "{\\colortbl\\red1}", "{\\colortbl}", "{\\fonttbl{\\f1\\fcharset128 X;}}")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(_TABLES), max_size=2, unique=True), st.lists(st.sampled_from(_RTF), max_size=25), st.data()
)
def test_a_document_in_rtf_has_exactly_the_marked_characters_highlighted(
    tables: list[str], parts: list[str], data: st.DataObject
) -> None:
    reading = read_as("rtf", f"{{\\rtf1\\ansi{''.join(tables)} x{''.join(parts)} z\\par}}".encode("latin-1"))
    assert isinstance(reading, RtfReading)
    marks = data.draw(marked([unit for unit in reading.units() if unit.text]))
    made = highlight(reading, marks)
    assert texts(read_as("rtf", made)) == texts(reading)
    # Groups of another size instead of another colour: the reader knows sizes.
    seen, before = RtfDocument(_WITHIN.sub(b"{\\\\fs99 ", made)), reading.document.paragraphs()
    for (_, old), (_, paragraph) in zip(before, seen.paragraphs(), strict=True):
        address = reading.placed(old).address
        ranges = [(mark.start or 0, mark.end or 0) for mark in marks if mark.address == address]
        shown = [
            (letter, one.look.size == 99) for one in paragraph.shown if isinstance(one, Run) for letter in one.text
        ]
        assert [is_yellow for _, is_yellow in shown] == [
            any(start <= at < end for start, end in ranges) for at in range(len(shown))
        ]


@each(
    ("tables", "written"),
    [
        ("", rb"{\colortbl;\red255\green255\blue0;}x{\highlight1\cb1 y}"),
        ("{\\fonttbl{\\f0 Arial;}}", rb"{\fonttbl{\f0 Arial;}}{\colortbl;\red255\green255\blue0;}x{\highlight1\cb1 y}"),
        ("{\\colortbl;\\red1;}", rb"{\colortbl;\red1;\red255\green255\blue0;}x{\highlight2\cb2 y}"),
        ("{\\colortbl;\\red1}", rb"{\colortbl;\red1;\red255\green255\blue0;}x{\highlight2\cb2 y}"),
        ("{\\colortbl}", rb"{\colortbl;\red255\green255\blue0;}x{\highlight1\cb1 y}"),
    ],
)
def test_yellow_is_a_colour_of_a_document_in_rtf(tables: str, written: bytes) -> None:
    reading = read_as("rtf", f"{{\\rtf1\\ansi\n{tables}xy}}".encode())
    assert highlight(reading, [Mark("text/p1", 1, 2)]) == b"{\\rtf1\\ansi\n" + written + b"}"


# --- e-mail ----------------------------------------------------------------------------------------------------------

_SECRET = "Zoë = <$S> -- 7"


@each("encoding", ["8bit", "quoted-printable", "base64"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_a_mail_says_the_same_with_tags_around_what_is_marked(encoding: str, data: st.DataObject) -> None:
    content = mail("Zoë = -- 7", encoding=encoding, is_page=True)
    reading = read_as("eml", content)
    bodies = [unit for unit in reading.units() if unit.address.startswith("body/")]
    marks = data.draw(marked(bodies))
    made = read_as("eml", highlight(reading, marks))
    shown = [(address, _TAGS.sub("", text)) for address, text in texts(made)]
    assert shown == texts(reading)
    for mark in marks:
        text = next(unit.text for unit in reading.units() if unit.address == mark.address)
        tagged = f"{text[: mark.start]}<$S>{text[mark.start : mark.end]}<$E>{text[mark.end :]}"
        if mark.address.startswith("body/1/"):
            assert (mark.address, tagged) in texts(made)
    pages = [part.get_payload(decode=True) for part in message_from_bytes(highlight(reading, marks)).walk()]
    assert sum(page.count(b"<mark") > 0 for page in pages if isinstance(page, bytes)) == any(
        mark.address.startswith("body/2/") for mark in marks
    )


def test_tags_in_the_text_of_a_mail_are_distinguished_from_ours() -> None:
    reading = read_as("eml", mail(_SECRET))
    made = read_as("eml", highlight(reading, [Mark("body/1/text/p2", 0, 3)]))
    assert ("body/1/text/p2", "<$S>The<$E> code is Zoë = <$$S> -- 7, said Ann.") in texts(made)


def test_the_attachments_of_a_mail_are_highlighted_as_their_formats_are() -> None:
    secret = "XQZVK PLMRT"
    inner = mail(secret, attached={"pay.xlsx": GOOD["pay.xlsx"][1]})
    outer = mail(secret, attached={**attachments(secret), "inner.eml": inner})
    reading = read_as("eml", outer)
    wanted = [
        unit.address
        for unit in reading.units()
        if secret in unit.text and unit.address.startswith(("attachment/1/", "attachment/2/", "attachment/6/"))
    ]
    made = message_from_bytes(highlight(reading, [Mark(address) for address in wanted]))
    before = message_from_bytes(outer)
    files = {part.get_filename(): part.get_payload(decode=True) for part in made.walk() if part.get_filename()}
    old = {part.get_filename(): part.get_payload(decode=True) for part in before.walk() if part.get_filename()}
    word, nested = files["memo.docx"], files["inner.eml"]
    assert isinstance(word, bytes) and isinstance(nested, bytes)
    memo = read_as("docx", word)
    assert isinstance(memo, DocxReading)
    assert any(b"highlight" in memo.container.read(name) for name in memo.container.entries)
    book = next(part for part in message_from_bytes(nested).walk() if part.get_filename() == "pay.xlsx")
    data = book.get_payload(decode=True)
    assert isinstance(data, bytes) and b"FFFFFF00" in XlsxReading(data).container.read("xl/styles.xml")
    assert {name for name in files if files[name] != old[name]} == {"memo.docx", "inner.eml"}


def test_a_line_of_a_body_does_not_become_a_boundary() -> None:
    raw = (
        b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\none\r\n=2D-b\r\ntwo\r\n--b--\r\n"
    )
    reading = read_as("eml", raw)
    made = read_as("eml", highlight(reading, [Mark("body/1/text/p1", 0, 3)]))
    assert texts(made) == [("body/1/text/p1", "<$S>one<$E>\n--b\ntwo")]
