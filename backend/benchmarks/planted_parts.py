"""Word and Excel files with a sentence in any of the places that they have: Word part by part, Excel by openpyxl."""

import zipfile
from collections.abc import Sequence
from datetime import datetime
from html import escape
from io import BytesIO

import openpyxl
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

DOCX_PLACES = (
    *("table", "header", "footer", "footnote", "endnote", "comment", "inserted text", "deleted text", "hidden text"),
    *("field code", "bookmark", "link", "alternative text", "title", "company", "property", "text box", "two runs"),
    *("content control", "document variable", "name of a style", "text of a numbering"),
)
XLSX_PLACES = (
    *(
        "other sheet",
        "comment",
        "formula",
        "hidden sheet",
        "hidden row",
        "hidden column",
        "defined name",
        "page header",
    ),
    *("choice of a list", "title", "link", "number format"),
)
NAMES_ONLY = frozenset({"bookmark", "destination"})
"""Places that take letters, digits and _ alone."""

_MAIN = "http://schemas.openxmlformats.org"
_W = (
    f'xmlns:w="{_MAIN}/wordprocessingml/2006/main" xmlns:r="{_MAIN}/officeDocument/2006/relationships" '
    f'xmlns:wp="{_MAIN}/drawingml/2006/wordprocessingDrawing" xmlns:a="{_MAIN}/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_OFFICE = "application/vnd.openxmlformats-officedocument."


def docx(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A Word document."""
    said = {place: escape(asides.get(place, "")) for place in DOCX_PLACES}
    named = {place: said[place] or "none" for place in DOCX_PLACES}
    body = [_p(_run(text)) for text in paragraphs]
    aside = asides.get("two runs", "")
    half = len(aside) // 2
    extra = {
        "table": f"<w:tbl><w:tr><w:tc>{_p(_run(asides.get('table', '')))}</w:tc></w:tr></w:tbl>",
        "inserted text": _p(f'<w:ins w:id="1" w:author="R">{_run(asides.get("inserted text", ""))}</w:ins>'),
        "deleted text": _p(
            f'<w:del w:id="2" w:author="R"><w:r><w:delText>{said["deleted text"]}</w:delText></w:r></w:del>'
        ),
        "hidden text": _p(f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>{said['hidden text']}</w:t></w:r>"),
        "field code": _p(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>QUOTE '
            f'{said["field code"]}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        ),
        "bookmark": _p(f'<w:bookmarkStart w:id="3" w:name="{named["bookmark"]}"/><w:bookmarkEnd w:id="3"/>'),
        "link": _p(f'<w:hyperlink r:id="rLink">{_run("more")}</w:hyperlink>'),
        "alternative text": _p(
            '<w:r><w:drawing><wp:inline><wp:extent cx="9" cy="9"/>'
            f'<wp:docPr id="1" name="one" descr="{said["alternative text"]}"/></wp:inline></w:drawing></w:r>'
        ),
        "text box": _p(
            '<w:r><w:drawing><wp:inline><wp:docPr id="2" name="two"/><a:graphic><a:graphicData '
            'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:txbx>'
            f"<w:txbxContent>{_p(_run(asides.get('text box', '')))}</w:txbxContent></wps:txbx></wps:wsp>"
            "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
        ),
        "two runs": _p(_run(aside[:half]) + _run(aside[half:], "<w:rPr><w:b/></w:rPr>")),
        "content control": f'<w:sdt><w:sdtPr><w:tag w:val="{said["content control"]}"/></w:sdtPr><w:sdtContent>'
        f"{_p(_run('x'))}</w:sdtContent></w:sdt>",
        "footnote": _p('<w:r><w:footnoteReference w:id="2"/></w:r>'),
        "endnote": _p('<w:r><w:endnoteReference w:id="2"/></w:r>'),
        "comment": _p('<w:r><w:commentReference w:id="1"/></w:r>'),
    }
    body += [extra[place] for place in asides if place in extra]
    body.append('<w:sectPr><w:headerReference r:id="rId2"/><w:footerReference r:id="rId3"/></w:sectPr>')
    stories = {
        "document": f"<w:document {_W}><w:body>{''.join(body)}</w:body></w:document>",
        "header1": f"<w:hdr {_W}>{_p(_run(asides.get('header', '')))}</w:hdr>",
        "footer1": f"<w:ftr {_W}>{_p(_run(asides.get('footer', '')))}</w:ftr>",
        "footnotes": f'<w:footnotes {_W}><w:footnote w:id="2">{_p(_run(asides.get("footnote", "")))}'
        "</w:footnote></w:footnotes>",
        "endnotes": f'<w:endnotes {_W}><w:endnote w:id="2">{_p(_run(asides.get("endnote", "")))}</w:endnote>'
        "</w:endnotes>",
        "comments": f'<w:comments {_W}><w:comment w:id="1" w:author="C">{_p(_run(asides.get("comment", "")))}'
        "</w:comment></w:comments>",
        "styles": f'<w:styles {_W}><w:style w:type="character" w:customStyle="1" w:styleId="S1"><w:name '
        f'w:val="{named["name of a style"]}"/></w:style></w:styles>',
        "numbering": f'<w:numbering {_W}><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText '
        f'w:val="{said["text of a numbering"] or "%1."}"/></w:lvl></w:abstractNum></w:numbering>',
        "settings": f'<w:settings {_W}><w:docVars><w:docVar w:name="v" w:val="{said["document variable"]}"/>'
        "</w:docVars></w:settings>",
    }
    kinds = {"document": "document.main", "header1": "header", "footer1": "footer"}
    types = {f"word/{name}.xml": f"{_WORD}{kinds.get(name, name)}+xml" for name in stories} | {
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "docProps/app.xml": f"{_OFFICE}extended-properties+xml",
        "docProps/custom.xml": f"{_OFFICE}custom-properties+xml",
    }
    listed = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in types.items())
    related = [kinds.get(name, name) for name in stories if name != "document"]
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{_MAIN}/officeDocument/2006/relationships/{kind}" '
        f'Target="{kind}{"1" if kind in ("header", "footer") else ""}.xml"/>'
        for number, kind in enumerate(related, 2)
    )
    link = (
        f'<Relationship Id="rLink" Type="{_MAIN}/officeDocument/2006/relationships/hyperlink" TargetMode="External" '
        f'Target="http://example.org/{said["link"]}"/>'
    )
    return _archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{_MAIN}/package/2006/content-types"><Default Extension="rels" '
            f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{listed}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{_MAIN}/package/2006/relationships"><Relationship Id="rId1" '
            f'Type="{_MAIN}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{_MAIN}/package/2006/relationships">{relations}'
            f"{link}</Relationships>",
            **{f"word/{name}.xml": text for name, text in stories.items()},
            "docProps/core.xml": f"<p><title>{said['title']}</title></p>",
            "docProps/app.xml": f"<p><Company>{said['company']}</Company></p>",
            "docProps/custom.xml": f"<p><property name='x'><v>{said['property']}</v></property></p>",
        }
    )


def _p(inside: str) -> str:
    return f"<w:p>{inside}</w:p>"


def _run(text: str, properties: str = "") -> str:
    """Text as Word writes it: breaks and tabs are elements."""
    written = escape(text).replace("\n", "</w:t><w:br/><w:t>").replace("\t", "</w:t><w:tab/><w:t>")
    return f"<w:r>{properties}<w:t>{written}</w:t></w:r>".replace("<w:t>", '<w:t xml:space="preserve">')


def _archive(parts: dict[str, str]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def xlsx(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """An Excel workbook with a paragraph in each row."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Notes"
    sheet.append(["id", "note"])
    for number, text in enumerate(paragraphs, 1):
        sheet.append([number, text])
    below = len(paragraphs) + 3
    other = book.create_sheet("Numbers")
    other.append([1, 2.5])
    aside = book.create_sheet("Aside")
    aside.sheet_state = "hidden"
    for where, text in asides.items():
        match where:
            case "other sheet":
                other["A2"] = text
            case "comment":
                sheet["B2"].comment = Comment(text, "C")
            case "formula":
                sheet[f"C{below}"] = f'="{text.replace(chr(34), "")}"'
            case "hidden sheet":
                aside["A1"] = text
            case "hidden row":
                sheet[f"B{below + 1}"] = text
                sheet.row_dimensions[below + 1].hidden = True
            case "hidden column":
                sheet["H1"] = text
                sheet.column_dimensions["H"].hidden = True
            case "defined name":
                book.defined_names["About"] = DefinedName("About", attr_text=f'"{text}"')
            case "page header":
                sheet.oddHeader.left.text = text
            case "choice of a list":
                choice = DataValidation(type="list", formula1=f'"yes,{text}"')
                choice.add("C1")
                sheet.add_data_validation(choice)
            case "title":
                book.properties.title = text
            case "link":
                sheet["A1"].hyperlink = f"http://example.org/{text}"
            case "number format":
                sheet["A2"].number_format = f'0"{text}"'
    book.properties.created = book.properties.modified = datetime(2020, 1, 1)
    out = BytesIO()
    book.save(out)
    return out.getvalue()
