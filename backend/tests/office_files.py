"""Word and Excel files with a secret in whatever place, and all the ways in which a plain stream may be read."""

import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Collection
from functools import lru_cache
from html import escape, unescape
from io import BytesIO

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PR = "http://schemas.openxmlformats.org/package/2006/relationships"
_CT = "http://schemas.openxmlformats.org/package/2006/content-types"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_NAMESPACES = (
    f'xmlns:w="{_W}" xmlns:r="{_R}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" mc:Ignorable="w14"'
)

DOCX_PLACES = [
    *("alt", "app", "between", "bookmark", "case", "charref", "chart", "cdata", "comment", "core", "custom_property"),
    *("custom_xml", "custom_style", "deleted", "directory_comment", "doc_var", "embedded", "endnote", "extra", "field"),
    *("font", "footer", "footnote", "glossary", "header", "hidden", "hidden_style", "inserted", "link", "moved"),
    *("name_of_part", "numbering", "old_drawing", "picture_text", "picture_packed", "remark", "sdt", "sheet_of_rels"),
    *("split", "table", "text_box", "theme", "thumbnail", "tooltip", "unknown", "white_space", "author", "attribute14"),
    *("prefix", "suffix", "utf16", "watermark", "foreign_attribute", "picture_link", "connect_string"),
]
XLSX_PLACES = [
    *("comment", "core", "defined_name", "embedded", "escaped", "formula", "hidden_sheet", "inline", "number_format"),
    *("orphan", "picture_text", "sheet_name", "shared", "shared_rich", "validation", "header_footer", "table_name"),
    *("prompt", "scenario", "filter", "choice", "rule", "rule_text", "link_place", "foreign_attribute", "foreign_text"),
    *("code_name", "path", "pivot", "refresher", "command", "total"),
]


def png(text: bytes = b"", packed: bytes = b"") -> bytes:
    """A small picture, with what it says of itself."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))

    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">2L5B", 2, 2, 8, 0, 0, 0, 0)),
            chunk(b"tEXt", b"Title\0" + text) if text else b"",
            chunk(b"zTXt", b"Title\0\0" + zlib.compress(packed)) if packed else b"",
            chunk(b"IDAT", zlib.compress(b"\0\1\2\0\3\4")),
            chunk(b"IEND", b""),
        ]
    )


class Unseekable(BytesIO):
    """A target that makes zipfile tell sizes after the data."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError

    def tell(self) -> int:
        raise OSError


def archive(
    parts: dict[str, bytes], *, comment: bytes = b"", extra: bytes = b"", between: bytes = b"", before: bytes = b""
) -> bytes:
    """A zip whose every byte is ours: `between` comes after the first entry, and the header of the last has `extra`."""
    out = BytesIO(before)
    out.seek(len(before))
    directory: list[bytes] = []
    for number, (name, data) in enumerate(parts.items()):
        raw = name.encode()
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(data) + packer.flush()
        field = struct.pack("<2H", 0x9999, len(extra)) + extra if extra and number == len(parts) - 1 else b""
        # Every second entry tells its sizes after its data.
        later = number % 2
        sizes = (zlib.crc32(data), len(packed), len(data))
        at = out.tell()
        told = (0, 0, 0) if later else sizes
        flags = 0x800 | (0x8 if later else 0)
        out.write(struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, 8, 0, 33, *told, len(raw), len(field)) + raw + field)
        out.write(packed)
        if later:
            out.write(struct.pack("<4s3L", b"PK\7\10", *sizes))
        if number == 0:
            out.write(between)
        directory.append(
            struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, flags, 8, 0, 33, *sizes, len(raw), 0, 0, 0, 0, 0, at) + raw
        )
    start = out.tell()
    out.write(b"".join(directory))
    size = out.tell() - start
    out.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(parts), len(parts), size, start, len(comment)) + comment)
    return out.getvalue()


def _types(overrides: dict[str, str]) -> bytes:
    listed = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in overrides.items())
    return (
        f'<Types xmlns="{_CT}"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        f'"application/xml"/><Default Extension="png" ContentType="image/png"/>{listed}</Types>'
    ).encode()


def _relationships(targets: list[tuple[str, str]], raw: str = "") -> bytes:
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_R}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PR}">{listed}{raw}</Relationships>'.encode()


def docx_of(body: str) -> bytes:
    """A document with this content of its body, in Word's XML."""
    overrides = {"word/document.xml": f"{_WORD}document.main+xml"}
    return archive(
        {
            "[Content_Types].xml": _types(overrides),
            "_rels/.rels": _relationships([("officeDocument", "word/document.xml")]),
            "word/document.xml": f"<w:document {_NAMESPACES}><w:body>{body}</w:body></w:document>".encode(),
        }
    )


def docx(secret: str, places: Collection[str] = (), *, body_tells: bool = True) -> bytes:
    """A document that says `secret` in its second paragraph, from character 5 on, and in `places`."""
    written = escape(secret)

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    def paragraph(text: str) -> str:
        return f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'

    drawing = (
        f'<w:drawing><wp:inline><wp:extent cx="9" cy="9"/><wp:docPr id="1" name="one" descr="{at("alt")}"/>'
        '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>'
        '<pic:nvPicPr><pic:cNvPr id="1" name="one"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId1"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    )
    half = len(secret) // 2
    body = [
        paragraph("A report"),
        paragraph(f"Ship {written if body_tells else 'one'} leaves at noon"),
        f"<w:p><w:r>{drawing}</w:r></w:p>",
        f"<w:tbl><w:tr><w:tc>{paragraph(at('table'))}</w:tc></w:tr></w:tbl>",
        f'<w:p><w:ins w:id="1" w:author="{at("author")}"><w:r><w:t>{at("inserted")}</w:t></w:r></w:ins>'
        f'<w:del w:id="2" w:author="A"><w:r><w:delText>{at("deleted")}</w:delText></w:r></w:del>'
        f'<w:moveFrom w:id="3" w:author="A"><w:r><w:t>{at("moved")}</w:t></w:r></w:moveFrom></w:p>',
        f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{at('hidden')}</w:t></w:r><w:r><w:rPr>"
        f'<w:rStyle w:val="Secret"/></w:rPr><w:t>{at("hidden_style")}</w:t></w:r></w:p>',
        at("field", '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>QUOTE "' + written +
           '"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>', "<w:p/>"),
        f'<w:p><w:bookmarkStart w:id="1" w:name="{at("bookmark")}"/><w:bookmarkEnd w:id="1"/>'
        f'<w:hyperlink r:id="rLink" w:tooltip="{at("tooltip")}"><w:r><w:t>here</w:t></w:r></w:hyperlink>'
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>',
        f'<w:sdt><w:sdtPr><w:tag w:val="{at("sdt")}"/></w:sdtPr><w:sdtContent>{paragraph("x")}</w:sdtContent></w:sdt>',
        "<w:p><w:r><w:t>see </w:t></w:r>" + at(
            "split",
            f"<w:r><w:t>{escape(secret[:half])}</w:t></w:r><w:proofErr/><w:r><w:rPr><w:b/></w:rPr>"
            f"<w:t>{escape(secret[half:])}</w:t></w:r>",
            "",
        ) + "</w:p>",
        '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:docPr id="2" name="two"/>'
        '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        f"<wps:txbx><w:txbxContent>{paragraph(at('text_box'))}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData>"
        "</a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
        f"{paragraph(at('text_box'))}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>",
        f'<w:p w14:paraId="{at("attribute14", other="00AA00AA")}"><w:r><w:pict><v:shape alt="{at("old_drawing")}"/>'
        "</w:pict></w:r></w:p>",
        paragraph(at("case", escape(secret.swapcase()))),
        paragraph(at("white_space", escape(" \n\t ".join(secret.split(" "))))),
        paragraph(at("charref", "".join(f"&#x{ord(c):X};" for c in secret))),
        paragraph(at("cdata", f"<![CDATA[{secret}]]>")),
        f"<!-- {at('remark', secret.replace('-', ' '))} -->",
        f'<w:p><w:r f:said="{at("foreign_attribute")}" xmlns:f="urn:others"><w:pict><v:shape '
        f'href="http://x/{at("picture_link")}"/></w:pict></w:r></w:p>',
        '<w:sectPr><w:headerReference w:type="default" r:id="rId2"/><w:footerReference w:type="default" '
        'r:id="rId3"/></w:sectPr>',
    ]  # fmt: skip
    word = {
        "document": f"<w:document {_NAMESPACES}><w:body>{''.join(body)}</w:body></w:document>",
        "header1": f"<w:hdr {_NAMESPACES}>{paragraph(at('header'))}<w:p><w:r><w:pict><v:shape><v:textpath "
        f'string="{at("watermark")}"/></v:shape></w:pict></w:r></w:p></w:hdr>',
        "footer1": f"<w:ftr {_NAMESPACES}>{paragraph(at('footer'))}</w:ftr>",
        "footnotes": f'<w:footnotes {_NAMESPACES}><w:footnote w:id="2">{paragraph(at("footnote"))}</w:footnote>'
        "</w:footnotes>",
        "endnotes": f'<w:endnotes {_NAMESPACES}><w:endnote w:id="2">{paragraph(at("endnote"))}</w:endnote>'
        "</w:endnotes>",
        "comments": f'<w:comments {_NAMESPACES}><w:comment w:id="1" w:author="A">{paragraph(at("comment"))}</w:comment>'
        "</w:comments>",
        "styles": f'<w:styles {_NAMESPACES}><w:style w:type="character" w:customStyle="1" w:styleId="Secret"><w:name '
        f'w:val="{at("custom_style")}"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>',
        "settings": f'<w:settings {_NAMESPACES}><w:docVars><w:docVar w:name="v" w:val="{at("doc_var")}"/></w:docVars>'
        f'<w:mailMerge><w:connectString w:val="Server={at("connect_string")}"/></w:mailMerge></w:settings>',
        "fontTable": f'<w:fonts {_NAMESPACES}><w:font w:name="{at("font")}"/></w:fonts>',
        "numbering": f'<w:numbering {_NAMESPACES}><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText '
        f'w:val="{at("numbering")}"/></w:lvl></w:abstractNum></w:numbering>',
    }
    kinds = {"document": "document.main", "header1": "header", "footer1": "footer"}
    overrides = {f"word/{name}.xml": f"{_WORD}{kinds.get(name, name)}+xml" for name in word}
    parts: dict[str, bytes] = {f"word/{name}.xml": text.encode() for name, text in word.items()}
    if "utf16" in places:
        header = f"<w:hdr {_NAMESPACES}>{paragraph(written)}</w:hdr>"
        parts["word/header1.xml"] = f'<?xml version="1.0" encoding="UTF-16"?>{header}'.encode("utf-16")
    overrides |= {
        "word/theme/theme1.xml": "application/vnd.openxmlformats-officedocument.theme+xml",
        "word/charts/chart1.xml": "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
        "word/glossary/document.xml": f"{_WORD}document.glossary+xml",
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "docProps/app.xml": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
        "docProps/custom.xml": "application/vnd.openxmlformats-officedocument.custom-properties+xml",
    }
    latin = secret.encode()
    parts |= {
        "[Content_Types].xml": _types(overrides),
        "_rels/.rels": _relationships([("officeDocument", "word/document.xml")]),
        "word/_rels/document.xml.rels": _relationships(
            [
                *(("image", "media/image1.png"), ("header", "header1.xml"), ("footer", "footer1.xml")),
                *(("styles", "styles.xml"), ("settings", "settings.xml"), ("theme", "theme/theme1.xml")),
                *(("footnotes", "footnotes.xml"), ("endnotes", "endnotes.xml"), ("comments", "comments.xml")),
                *(("numbering", "numbering.xml"), ("fontTable", "fontTable.xml")),
            ],
            f'<Relationship Id="rLink" Type="{_R}/hyperlink" TargetMode="External" Target="http://x/{at("link")}"/>',
        ),
        "word/header2.rels": _relationships([("image", at("sheet_of_rels"))]),
        "word/media/image1.png": png(
            latin if "picture_text" in places else b"", latin if "picture_packed" in places else b""
        ),
        "word/theme/theme1.xml": f'<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        f'name="{at("theme")}"/>'.encode(),
        "word/charts/chart1.xml": f"<c><v>{at('chart')}</v></c>".encode(),
        "word/glossary/document.xml": f"<w:glossaryDocument {_NAMESPACES}>{paragraph(at('glossary'))}"
        "</w:glossaryDocument>".encode(),
        "word/embeddings/object1.bin": at("embedded", secret).encode(),
        "word/other.xyz": at("unknown", secret).encode("utf-16"),
        "docProps/thumbnail.png": png(at("thumbnail", secret).encode()),
        "docProps/core.xml": f"<p><title>{at('core')}</title></p>".encode(),
        "docProps/app.xml": f"<p><Company>{at('app')}</Company><Characters>{len(secret)}</Characters></p>".encode(),
        "docProps/custom.xml": f'<p><property name="{at("custom_property")}"/></p>'.encode(),
        "customXml/item1.xml": f"<i>{at('custom_xml')}</i>".encode(),
    }
    if "name_of_part" in places:
        parts[f"word/media/{secret.replace(' ', '_')}.png"] = png()
    made = archive(
        parts,
        comment=latin if "directory_comment" in places else b"",
        extra=latin if "extra" in places else b"",
        between=latin if "between" in places else b"",
        before=latin if "prefix" in places else b"",
    )
    return made + (latin if "suffix" in places else b"")


def xlsx(secret: str, places: Collection[str] = ()) -> bytes:
    """A workbook that says `secret` in cell B2 of the sheet Pay, and in `places`."""
    written = escape(secret)

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    rich = f"<r><t>{escape(secret[:2])}</t></r><r><t>{escape(secret[2:])}</t></r>"
    escaped = "".join(f"_x{ord(c):04X}_" for c in secret if ord(c) < 0x10000) if "escaped" in places else "none"
    strings = [written, "name", at("shared"), at("orphan", other="other")]
    listed = "".join(f"<si><t>{text}</t></si>" for text in strings) + f"<si>{at('shared_rich', rich, '<t>y</t>')}</si>"

    def sheet(rows: str, after: str = "") -> bytes:
        return f'<worksheet xmlns="{_S}"><sheetData>{rows}</sheetData>{after}</worksheet>'.encode()

    names = ["Pay", escape(secret)[:31] if "sheet_name" in places else "Texts", "Numbers", "Hidden"]
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{number}" state="{"hidden" if name == "Hidden" else "visible"}" '
        f'r:id="rId{number}"/>'
        for number, name in enumerate(names, 1)
    )
    overrides = {f"xl/worksheets/sheet{number}.xml": f"{_EXCEL}worksheet+xml" for number in range(1, 5)} | {
        "xl/workbook.xml": f"{_EXCEL}sheet.main+xml",
        "xl/sharedStrings.xml": f"{_EXCEL}sharedStrings+xml",
        "xl/styles.xml": f"{_EXCEL}styles+xml",
        "xl/comments1.xml": f"{_EXCEL}comments+xml",
        "xl/tables/table1.xml": f"{_EXCEL}table+xml",
        "xl/pivotCache/pivotCacheDefinition1.xml": f"{_EXCEL}pivotCacheDefinition+xml",
        "xl/connections.xml": f"{_EXCEL}connections+xml",
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    return archive(
        {
            "[Content_Types].xml": _types(overrides),
            "_rels/.rels": _relationships([("officeDocument", "xl/workbook.xml")]),
            "xl/_rels/workbook.xml.rels": _relationships(
                [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, 5)]
                + [("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]
            ),
            "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}"><workbookPr codeName="{at("code_name")}"/>'
            f'<absPath url="C:\\{at("path")}\\"/><sheets>{sheets}</sheets><definedNames>'
            f'<definedName name="n">"{at("defined_name")}"</definedName></definedNames></workbook>'.encode(),
            "xl/sharedStrings.xml": f'<sst xmlns="{_S}" count="5" uniqueCount="5">{listed}</sst>'.encode(),
            "xl/worksheets/sheet1.xml": sheet(
                '<row r="1"><c r="A1" t="s"><v>1</v></c></row><row r="2"><c r="A2"><v>7</v></c><c r="B2" t="s"><v>0</v>'
                f'</c><c r="C2" t="str"><f>"{at("formula")}"</f><v>{at("formula")}</v></c></row>',
                f'<dataValidations><dataValidation type="list" prompt="{at("validation")}"/></dataValidations>',
            ),
            "xl/worksheets/sheet2.xml": sheet(
                f'<row r="1"><c r="A1" t="inlineStr"><is><t>{at("inline")}</t></is></c><c r="B1" t="inlineStr"><is><t>'
                f"{escaped}</t></is></c></row>",
                f"<headerFooter><oddHeader>{at('header_footer')}</oddHeader></headerFooter>",
            ),
            "xl/worksheets/sheet3.xml": sheet(
                '<row r="1"><c r="A1"><v>12.5</v></c><c r="B1"><v>3</v></c></row>',
                f'<scenarios><scenario name="s"><inputCells r="A1" val="{at("scenario")}"/></scenario></scenarios>'
                f'<autoFilter ref="A1:B1"><filterColumn colId="0"><filters><filter val="{at("filter")}"/></filters>'
                f'</filterColumn></autoFilter><conditionalFormatting sqref="A1"><cfRule type="containsText" '
                f'text="{at("rule_text")}"><formula>"{at("rule")}"</formula></cfRule></conditionalFormatting>'
                f'<dataValidations><dataValidation type="list" prompt="{at("prompt")}"><formula1>"yes,{at("choice")}"'
                f'</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="A1" '
                f'location="{at("link_place")}"/></hyperlinks><extLst><f:e xmlns:f="urn:others" '
                f'said="{at("foreign_attribute")}">{at("foreign_text")}</f:e></extLst>',
            ),
            "xl/worksheets/sheet4.xml": sheet(
                f'<row r="1"><c r="A1" t="inlineStr"><is><t>{at("hidden_sheet")}</t></is></c>'
                '<c r="B1" t="s"><v>2</v></c><c r="C1" t="s"><v>4</v></c></row>'
            ),
            "xl/styles.xml": f'<styleSheet xmlns="{_S}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0&quot;'
            f'{at("number_format")}&quot;"/></numFmts><fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders><border/></borders>'
            '<cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf/></cellXfs><cellStyles><cellStyle name="Normal" xfId="0" '
            'builtinId="0"/></cellStyles></styleSheet>'.encode(),
            "xl/comments1.xml": f'<comments xmlns="{_S}"><t>{at("comment")}</t></comments>'.encode(),
            "xl/tables/table1.xml": f'<table xmlns="{_S}" displayName="{at("table_name")}"><tableColumn '
            f'totalsRowLabel="{at("total")}"/></table>'.encode(),
            "xl/pivotCache/pivotCacheDefinition1.xml": f'<pivotCacheDefinition xmlns="{_S}" '
            f'refreshedBy="{at("refresher")}"><s v="{at("pivot")}"/></pivotCacheDefinition>'.encode(),
            "xl/connections.xml": f'<connections xmlns="{_S}"><c command="{at("command")}"/></connections>'.encode(),
            "xl/media/image1.png": png(secret.encode() if "picture_text" in places else b""),
            "xl/embeddings/object.bin": at("embedded", secret).encode("utf-16-le"),
            "docProps/core.xml": f"<p><title>{at('core')}</title></p>".encode(),
        }
    )


def python_docx(secret: str) -> bytes:
    """What python-docx makes of the same."""
    import docx as python_docx

    document = python_docx.Document()
    document.add_heading("A report")
    document.add_paragraph(f"Ship {secret} leaves at noon")
    document.add_table(2, 2).cell(1, 1).text = "a cell"
    document.sections[0].header.paragraphs[0].text = "Quarterly"
    document.add_picture(BytesIO(png()))
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def openpyxl_workbook(secret: str) -> bytes:
    """What openpyxl makes of the same as `xlsx`."""
    from datetime import datetime

    import openpyxl

    book = openpyxl.Workbook()
    pay = book.active
    assert pay is not None
    pay.title = "Pay"
    pay.append(["name", "who"])
    pay.append(["since", secret])
    pay["C2"] = "=LEN(B2)"
    numbers = book.create_sheet("Numbers")
    for row in range(1, 20):
        numbers.append([row, row * 2.5])
    book.properties.created = book.properties.modified = datetime(2020, 1, 1)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


@lru_cache(maxsize=4)  # Tests look for several words in the same bytes, one after the other.
def readings(plain: bytes) -> tuple[str, ...]:
    """What an eavesdropper may make of a plain stream: inflated wherever that goes, in every encoding, without tags."""
    found = [plain]
    view = memoryview(plain)
    for at in range(len(plain)):
        inflater = zlib.decompressobj(-15)
        try:
            data = inflater.decompress(view[at : at + (1 << 16)], 1 << 20)
        except zlib.error:
            continue
        if len(data) > 3:
            found.append(data)
            # A picture packs its own texts once more.
            if data.startswith(b"\x89PNG") and b"zTXt" in data:
                found.append(zlib.decompressobj(-15).decompress(data[data.index(b"zTXt") + 13 :]))
    for match in re.finditer(rb"PK\x03\x04", plain):
        sizes = struct.unpack_from("<2H", plain.ljust(match.start() + 30), match.start() + 26)
        try:
            found.append(zlib.decompressobj(-15).decompress(plain[match.start() + 30 + sum(sizes) :], 1 << 20))
        except zlib.error:
            continue
    texts: set[str] = set()
    for data in found:
        for code in ("utf-8", "utf-16-le", "utf-16-be"):
            text = data.decode(code, "ignore")
            text = re.sub(r"_x([0-9A-F]{4})_", lambda m: chr(int(m[1], 16)), text)
            texts |= {text, unescape(text), unescape(re.sub("<[^>]*>", "", text))}
    # Most texts occur several times, and to normalize one takes longer than to find that out.
    return tuple({flat(text) for text in texts})


def entries(data: bytes) -> list[bytes]:
    """What a zip file holds, as the standard library reads it."""
    with zipfile.ZipFile(BytesIO(data)) as file:
        return [file.read(name) for name in file.namelist()]


def flat(text: str) -> str:
    """A text without what does not count when it is compared."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold())
