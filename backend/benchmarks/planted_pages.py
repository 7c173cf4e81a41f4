"""PDFs with a sentence in any of the places that they have: pages by reportlab, the rest put in by pikepdf."""

import textwrap
from collections.abc import Sequence
from functools import cache
from io import BytesIO

import pikepdf
from matplotlib import font_manager
from pikepdf import Array, Dictionary, Name, String
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

PLACES = (
    *("title", "subject", "keywords", "bookmark of a page", "destination", "link", "note", "metadata", "attachment"),
    *(
        "name of an attachment",
        "field",
        "script",
        "name of a layer",
        "hidden layer",
        "invisible text",
        "beside the page",
    ),
    *("alternative text", "small print"),
)

_FONT = "Planted"
_LINES, _COLUMNS = 55, 95


@cache
def _font() -> TTFont:
    font = TTFont(_FONT, font_manager.findfont("DejaVu Sans"))
    pdfmetrics.registerFont(font)
    return font


def has(text: str) -> bool:
    """Whether the pages' font has all letters of it."""
    glyphs = _font().face.charToGlyph
    return all(ord(letter) in glyphs for letter in text if letter not in "\n\t")


def pdf(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A PDF; a paragraph that is broken into lines is so by its writer."""
    _font()
    written = BytesIO()
    drawn = canvas.Canvas(written, invariant=1)
    lines = []
    for text in paragraphs:
        for line in text.replace("\t", " ").split("\n"):
            lines += textwrap.wrap(line, _COLUMNS, break_long_words=False, break_on_hyphens=False) or [""]
        lines.append("")
    for at in range(0, len(lines), _LINES):
        page = drawn.beginText(40, 790)
        page.setFont(_FONT, 9)
        for line in lines[at : at + _LINES]:
            page.textLine(line)
        drawn.drawText(page)
        if at == 0:
            _on_the_first_page(drawn, asides)
        drawn.showPage()
    drawn.save()
    return _completed(written.getvalue(), asides)


def _on_the_first_page(drawn: canvas.Canvas, asides: dict[str, str]) -> None:
    drawn.setTitle(asides.get("title", "untitled"))
    drawn.setSubject(asides.get("subject", "unspecified"))
    drawn.setKeywords(asides.get("keywords", ""))
    if "bookmark of a page" in asides:
        drawn.bookmarkPage("p1")
        drawn.addOutlineEntry(asides["bookmark of a page"], "p1")
    if "destination" in asides:
        drawn.bookmarkPage(asides["destination"])
    if "link" in asides:
        drawn.linkURL(f"https://example.org/?q={asides['link']}", (10, 10, 60, 30))
    if "note" in asides:
        drawn.textAnnotation(asides["note"], (10, 40, 60, 60))
    for where, x, size, mode in (
        ("invisible text", 40, 9, 3),
        ("beside the page", -900, 9, 0),
        ("small print", 40, 1, 0),
    ):
        if where in asides:
            text = drawn.beginText(x, 30 if where != "small print" else 20)
            text.setTextRenderMode(mode)
            text.setFont(_FONT, size)
            text.textLine(asides[where])
            drawn.drawText(text)


def _completed(data: bytes, asides: dict[str, str]) -> bytes:
    with pikepdf.open(BytesIO(data)) as pdf:
        if "metadata" in asides:
            with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
                metadata["dc:description"] = asides["metadata"]
        if {"attachment", "name of an attachment"} & asides.keys():
            file = pikepdf.AttachedFileSpec(
                pdf,
                asides.get("attachment", "nothing").encode(),
                description="",
                filename=f"{asides.get('name of an attachment', 'more')}.txt",
                mime_type="text/plain",
                creation_date="",
                mod_date="",
            )
            pdf.attachments["more.txt"] = file
        if "script" in asides:
            names = pdf.Root.get("/Names", Dictionary())
            said = String(f"app.alert('{asides['script']}')")
            names.JavaScript = Dictionary(Names=Array([String("go"), Dictionary(S=Name.JavaScript, JS=said)]))
            pdf.Root.Names = names
        if "field" in asides:
            value = String(asides["field"])
            field = Dictionary(FT=Name.Tx, T=String("name"), V=value, Subtype=Name.Widget, Rect=Array([0, 0, 9, 9]))
            pdf.Root.AcroForm = Dictionary(Fields=Array([pdf.make_indirect(field)]))
        if "alternative text" in asides:
            alternative = Dictionary(S=Name.Figure, Alt=String(asides["alternative text"]))
            pdf.Root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=alternative)
        if {"name of a layer", "hidden layer"} & asides.keys():
            name = String(asides.get("name of a layer", "layer"))
            layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=name))
            pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
            page = pdf.pages[0].obj
            page.Resources.Properties = Dictionary(MC0=layer)
            page.Resources.Font["/FHidden"] = Dictionary(
                Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
            )
            shown = asides.get("hidden layer", "draft").encode("cp1252", "replace").hex().encode()
            off = b"/OC /MC0 BDC BT /FHidden 12 Tf 50 400 Td <" + shown + b"> Tj ET EMC"
            page.Contents = Array([page.Contents, pdf.make_stream(off)])
        out = BytesIO()
        pdf.save(out, static_id=True, fix_metadata_version=False)
        return out.getvalue()
