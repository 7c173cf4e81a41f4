"""Where Office XML contains text, and which text the program wrote."""

import zipfile
from io import BytesIO

import pytest
from lxml import etree

from office_files import archive, docx, readings
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.docx.reading import DocxReading
from sieve.formats.errors import Damaged
from sieve.formats.office.marked_phrases import MarkedPhrases
from sieve.formats.office.text_attributes import (
    is_of_office,
    is_of_office_but_excel,
    is_stock_text,
    named_texts,
    text_in_attributes,
)
from sieve.formats.office.xml_source import text_of

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_APP = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"


@pytest.mark.parametrize(
    ("marked", "source", "is_found"),
    [
        # A long number is found in any attribute, except positions and lengths; a short one only where people write.
        *((text, f'<a b="{text}"/>', True) for text in ("77142299", "+49 30 1234567", "2026-11-21", "12 000 000")),
        ("12345", '<row r="12345"/><pgSz w:w="12345"/>', False),
        ("12345", '<row r="12345"/><a b="is 12345."/>', True),
        ("1440", '<a b="1440"/>', False),
        ("1440", '<textpath string="1440"/>', True),
        ("NO7", '<a b="NO7"/>', False),
        ("NO7", '<textpath string="NO7"/><a b="NO7"/>', True),
        ("NO7", '<filter val="NO7"/>', True),
        # Only as a separate word.
        ("77142299", '<a b="1771422990"/>', False),
    ],
)
def test_marked_text_is_sought_in_attributes(marked: str, source: str, is_found: bool) -> None:
    assert MarkedPhrases.of({marked}).in_source(source.encode(), named_texts) is is_found


def texts_in(source: str, *, excel_is_known: bool = True) -> list[str]:
    known = is_of_office if excel_is_known else is_of_office_but_excel
    return [text for _, text in text_in_attributes(etree.fromstring(source), known=known)]


def test_a_long_text_without_white_space_is_passed_over_at_once() -> None:
    """Started again at each character, this takes minutes."""
    long = f'<w:t w="12240">{"文" * 500_000}</w:t>'
    assert not MarkedPhrases.of({"12240"}).in_source(long.encode(), named_texts)


@pytest.mark.parametrize("sign", ["<!--", "<?", "<name ", "<![CDATA["])
def test_signs_that_open_nothing_are_not_searched_to_the_end(sign: str) -> None:
    """Looked through from each of them, this takes minutes."""
    long = sign * 100_000
    for source in (f"<r><![CDATA[{long}]]></r>", f"<r><!--x{long.replace('--', '')}--></r>", f"<r><?x {long}?></r>"):
        assert not MarkedPhrases.of({"12240"}).in_source(source.encode(), named_texts)
        assert MarkedPhrases.of({"12240"}).in_source(
            source.replace("</r>", "<![CDATA[12240]]></r>").encode(), named_texts
        )


def test_in_xml_that_is_not_known_every_attribute_with_a_letter_or_a_long_number_tells() -> None:
    source = f"""<w:p xmlns:w="{_W}" xmlns:x="urn:x" w:jc="center" x:y="north"><x:e a="wind" b="12" c="12345" d="rId7"
      e="{{7626C862-2A13-11E5-B345-FEFF819CDC9F}}"/><w:e val="off" title="gale"/></w:p>"""
    assert texts_in(source) == ["north", "wind", "12345", "gale"]
    pivot = f'<pivotCacheDefinition xmlns="{_S}" other="north"><s v="wind"/></pivotCacheDefinition>'
    assert (texts_in(pivot), texts_in(pivot, excel_is_known=False)) == (["wind"], ["north", "wind"])


def test_names_that_a_program_brings_along_are_left_out() -> None:
    def style(name: str, custom: str = "", id_: str = "x") -> str:
        return f'<w:style w:styleId="{id_}" {custom}><w:name w:val="{name}"/></w:style>'

    custom = 'w:customStyle="1"'
    styles = style("header") + style("macro", id_="MacroText") + style("North Wind", custom)
    twins = "".join(style(f"{name} Char", custom) for name in ("Header", "Macro Text", "North Wind", "South Wind"))
    assert texts_in(f'<w:styles xmlns:w="{_W}">{styles}{twins}</w:styles>') == ["North Wind", "South Wind Char"]
    codes = ("General", "yyyy\\-mm\\-dd", "0.0", "#,##0 [$-409];[Red](0)", "0&quot; t&quot;", "[$NW-407]0", "\\N0")
    formats = "".join(f'<numFmt formatCode="{code}"/>' for code in codes)
    source = f'<styleSheet xmlns="{_S}"><font><name val="Calibri"/></font><cellStyle name="Normal" builtinId="0"/>'
    assert texts_in(f'{source}<cellStyle name="North"/>{formats}</styleSheet>') == [
        *("North", '0" t"', "[$NW-407]0", "\\N0")
    ]


@pytest.mark.parametrize(
    ("source", "is_stock"),
    [
        *((f'<Words xmlns="{_APP}">{text}</Words>', True) for text in ("120", "14.0000", "false")),
        *((f'<{name} xmlns="{_APP}">North</{name}>', name == "Application") for name in ("Application", "Company")),
        (f'<HeadingPairs xmlns="{_APP}"><a xmlns="{_TYPES}">Title</a></HeadingPairs>', True),
        (f'<TitlesOfParts xmlns="{_APP}"><a xmlns="{_TYPES}">Title</a></TitlesOfParts>', False),
        (f'<property><i4 xmlns="{_TYPES}">120</i4></property>', False),
        ('<created xmlns="http://purl.org/dc/terms/">2026-11-21T10:00:00Z</created>', True),
        ('<created xmlns="http://purl.org/dc/terms/">North</created>', False),
        ('<language xmlns="http://purl.org/dc/elements/1.1/">en-US</language>', True),
        ('<title xmlns="http://purl.org/dc/elements/1.1/">12</title>', False),
    ],
)
def test_counts_truths_times_and_versions_are_left_out_of_properties(source: str, is_stock: bool) -> None:
    element = list(etree.fromstring(source).iter())[-1]
    assert is_stock_text(element, element.text or "") is is_stock


@pytest.mark.parametrize("spaces", [1, 2_000])
def test_a_declared_encoding_counts_wherever_it_is(spaces: int) -> None:
    """To a reader that honours it, this says something else than UTF-8 does."""
    declared = f'<?xml version="1.0"{" " * spaces}encoding="utf-7"?><a>+AFg-</a>'
    with pytest.raises(Damaged):
        text_of(declared.encode())
    assert text_of(declared.replace("utf-7", "UTF-8").encode()) == "<a>+AFg-</a>"


@pytest.mark.parametrize(
    "before", ['<?xml version="1.0" note="XQZVK PLMRT"?>', "<?xml XQZVK PLMRT?>", '<?xml-note said="XQZVK PLMRT"?>']
)
def test_nothing_is_passed_over_as_a_declaration(before: str) -> None:
    """No reader shows an instruction at the start of a part, but it would travel."""
    with zipfile.ZipFile(BytesIO(docx("XQZVK PLMRT"))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["word/theme/theme1.xml"] = before.encode() + parts["word/theme/theme1.xml"]
    data = archive(parts)
    plain = separate(Document(data, DocxReading(data).spans([Mark("word/document.xml/p2", 5, 16)]))).plain
    assert not [text for text in readings(plain) if "xqzvk" in text]


@pytest.mark.parametrize(
    "declared", ["", "<?xml version='1.0'?>", '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>']
)
def test_declarations_of_other_programs_are_read(declared: str) -> None:
    assert text_of(f"{declared}<a/>".encode()) == "<a/>"
