"""OpenDocument and PowerPoint files with a sentence in any of the places that they have, part by part."""

from collections.abc import Sequence
from html import escape

from odf_files import NAMESPACES, odf
from office_files import archive

ODT_PLACES = (
    *("table", "header", "footer", "footnote", "comment", "inserted text", "deleted text", "hidden text"),
    *("hidden paragraph", "bookmark", "link", "alternative text", "title", "property", "text box", "two runs"),
    *("name of a style", "name of a section", "placeholder", "heading", "list"),
)
ODS_PLACES = (
    *("other sheet", "comment", "formula", "hidden sheet", "hidden row", "hidden column", "defined name"),
    *("page header", "message of a choice", "title", "link", "name of a style", "short cell"),
)
PPTX_PLACES = (
    *("other slide", "hidden slide", "notes", "comment", "table", "alternative text", "layout", "title", "company"),
    *("link", "chart", "two runs", "name of a section", "tooltip"),
)

_OASIS = "application/vnd.oasis.opendocument."
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NS = f'xmlns:a="{_A}" xmlns:p="{_P}" xmlns:r="{_R}"'
_KIND = "application/vnd.openxmlformats-officedocument.presentationml."


def _p(text: str, style: str = "") -> str:
    named = f' text:style-name="{style}"' if style else ""
    written = escape(text).replace("\n", "<text:line-break/>").replace("\t", "<text:tab/>")
    return f"<text:p{named}>{written}</text:p>"


def _styles(header: str, footer: str = "") -> bytes:
    return (
        f'<office:document-styles {NAMESPACES} office:version="1.3"><office:automatic-styles><style:page-layout '
        'style:name="L1"/></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" '
        f'style:page-layout-name="L1"><style:header>{_p(header)}</style:header><style:footer>{_p(footer)}'
        "</style:footer></style:master-page></office:master-styles></office:document-styles>"
    ).encode()


def _meta(title: str, value: str) -> bytes:
    return (
        f"<office:document-meta {NAMESPACES}><office:meta><dc:title>{escape(title)}</dc:title><meta:user-defined "
        f'meta:name="about">{escape(value)}</meta:user-defined></office:meta></office:document-meta>'
    ).encode()


def odt(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """An OpenDocument text."""
    said = {place: escape(asides.get(place, "")) for place in ODT_PLACES}
    half = len(asides.get("two runs", "")) // 2
    two = asides.get("two runs", "")
    extra = {
        "table": f"<table:table table:name='T'><table:table-row><table:table-cell>{_p(asides.get('table', ''))}"
        "</table:table-cell></table:table-row></table:table>",
        "footnote": '<text:p>x<text:note text:id="n" text:note-class="footnote"><text:note-citation>1'
        f"</text:note-citation><text:note-body>{_p(asides.get('footnote', ''))}</text:note-body></text:note></text:p>",
        "comment": f"<text:p>y<office:annotation><dc:creator>C</dc:creator>{_p(asides.get('comment', ''))}"
        "</office:annotation></text:p>",
        "inserted text": f'<text:p><text:change-start text:change-id="i"/>{said["inserted text"]}'
        '<text:change-end text:change-id="i"/></text:p>',
        "hidden text": f'<text:p>z<text:span text:style-name="Hid">{said["hidden text"]}</text:span></text:p>',
        "hidden paragraph": '<text:p><text:hidden-paragraph text:condition="true" text:is-hidden="true"/>'
        f"{said['hidden paragraph']}</text:p>",
        "bookmark": f'<text:p>b<text:bookmark text:name="{said["bookmark"]}"/></text:p>',
        "link": f'<text:p><text:a xlink:href="http://example.org/{said["link"]}">more</text:a></text:p>',
        "alternative text": '<text:p><draw:frame draw:name="F"><draw:text-box/><svg:title>'
        f"{said['alternative text']}</svg:title></draw:frame></text:p>",
        "text box": f'<text:p><draw:frame draw:name="B"><draw:text-box>{_p(asides.get("text box", ""))}'
        "</draw:text-box></draw:frame></text:p>",
        "two runs": f"<text:p>{escape(two[:half])}<text:span>{escape(two[half:])}</text:span></text:p>",
        "name of a section": f'<text:section text:name="{said["name of a section"]}">{_p("s")}</text:section>',
        "placeholder": f'<text:p><text:placeholder text:placeholder-type="text">{said["placeholder"]}'
        "</text:placeholder></text:p>",
        "heading": f'<text:h text:outline-level="1">{said["heading"]}</text:h>',
        "list": f"<text:list><text:list-item>{_p(asides.get('list', ''))}</text:list-item></text:list>",
    }
    deleted = (
        '<text:tracked-changes><text:changed-region text:id="d"><text:deletion><office:change-info/>'
        f"{_p(asides['deleted text'])}</text:deletion></text:changed-region></text:tracked-changes>"
        if "deleted text" in asides
        else ""
    )
    named = said["name of a style"] or "P1"
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles><style:style '
        f'style:name="{named}" style:family="paragraph"/><style:style style:name="Hid" style:family="text">'
        '<style:text-properties text:display="none"/></style:style></office:automatic-styles><office:body>'
        f"<office:text>{deleted}{''.join(_p(text, named) for text in paragraphs)}"
        f"{''.join(extra[place] for place in asides if place in extra)}</office:text></office:body>"
        "</office:document-content>"
    )
    parts = {
        "content.xml": content.encode(),
        "styles.xml": _styles(asides.get("header", ""), asides.get("footer", "")),
        "meta.xml": _meta(asides.get("title", "untitled"), asides.get("property", "nothing")),
    }
    return odf(f"{_OASIS}text", parts)


def ods(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """An OpenDocument workbook with a paragraph in each row."""
    said = {place: escape(asides.get(place, "")) for place in ODS_PLACES}

    def cell(text: str, more: str = "", inside: str = "") -> str:
        return (
            f'<table:table-cell office:value-type="string"{more}>{inside}'
            f"{''.join(_p(line) for line in text.split(chr(10)))}</table:table-cell>"
        )

    def row(*cells: str, more: str = "") -> str:
        return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"

    rows = [row(cell("id"), cell("note"))]
    rows += [row(cell(str(number)), cell(text)) for number, text in enumerate(paragraphs, 1)]
    extra = {
        "comment": row(cell("c", inside=f"<office:annotation>{_p(asides.get('comment', ''))}</office:annotation>")),
        "formula": row(cell("f", f' table:formula="of:=&quot;{said["formula"].replace("&quot;", "")}&quot;"')),
        "hidden row": row(cell(asides.get("hidden row", "")), more=' table:visibility="collapse"'),
        "hidden column": row(cell("1"), cell("2"), cell(asides.get("hidden column", ""))),
        "link": row(
            f'<table:table-cell office:value-type="string"><text:p><text:a xlink:href="http://x/{said["link"]}">'
            "more</text:a></text:p></table:table-cell>"
        ),
        "message of a choice": row(cell("v", ' table:content-validation-name="v"')),
        "short cell": row(cell(asides.get("short cell", ""))),
    }
    rows += [extra[place] for place in asides if place in extra]
    columns = '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>'
    validation = (
        '<table:content-validations><table:content-validation table:name="v"><table:help-message>'
        f"{_p(asides['message of a choice'])}</table:help-message></table:content-validation>"
        "</table:content-validations>"
        if "message of a choice" in asides
        else ""
    )
    named = (
        '<table:named-expressions><table:named-expression table:name="About" table:expression="&quot;'
        f'{said["defined name"]}&quot;"/></table:named-expressions>'
        if "defined name" in asides
        else ""
    )
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles><style:style '
        'style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
        f'<style:style style:name="{said["name of a style"] or "ce1"}" style:family="table-cell"/>'
        f"</office:automatic-styles><office:body><office:spreadsheet>{validation}"
        f'<table:table table:name="Notes">{columns}{"".join(rows)}</table:table><table:table table:name="Numbers">'
        f"{row(cell(asides.get('other sheet', 'n')))}</table:table><table:table table:name='Aside' "
        f"table:style-name='off'>{row(cell(asides.get('hidden sheet', 'h')))}</table:table>{named}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    parts = {
        "content.xml": content.encode(),
        "styles.xml": _styles(asides.get("page header", "")),
        "meta.xml": _meta(asides.get("title", "untitled"), ""),
    }
    return odf(f"{_OASIS}spreadsheet", parts)


def pptx(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A PowerPoint presentation: the paragraphs on one slide, and further slides for what lies beside them."""
    said = {place: escape(asides.get(place, "")) for place in PPTX_PLACES}

    def line(*runs: str) -> str:
        return f"<a:p>{''.join(f'<a:r><a:t>{run}</a:t></a:r>' for run in runs)}</a:p>"

    def written(text: str) -> str:
        return "<a:p>" + "<a:br/>".join(f"<a:r><a:t>{escape(part)}</a:t></a:r>" for part in text.split("\n")) + "</a:p>"

    def shape(body: str, about: str = "") -> str:
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text 1"{about}/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
            f"<p:txBody><a:bodyPr/>{body}</p:txBody></p:sp>"
        )

    def page(kind: str, body: str, more: str = "") -> str:
        return f"<p:{kind} {_NS}{more}><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:{kind}>"

    half = len(asides.get("two runs", "")) // 2
    two = asides.get("two runs", "")
    body = "".join(written(text.replace("\t", " ")) for text in paragraphs)
    tooltip = (
        f'<p:sp><p:nvSpPr><p:cNvPr id="4" name="Text 3" descr="{said["alternative text"]}"><a:hlinkClick r:id="rLink" '
        f'tooltip="{said["tooltip"]}"/></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>'
        f"{line('x')}</p:txBody></p:sp>"
    )
    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="Table 2"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/'
        f'2006/table"><a:tbl><a:tblGrid><a:gridCol w="1"/></a:tblGrid><a:tr h="1"><a:tc><a:txBody><a:bodyPr/>'
        f"{line(said['table'])}</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    section = (
        '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.'
        f'microsoft.com/office/powerpoint/2010/main"><p14:section name="{said["name of a section"] or "one"}" '
        'id="{1}"/></p14:sectionLst></p:ext></p:extLst>'
    )
    slides = {
        1: page("sld", shape(body) + tooltip),
        2: page("sld", shape(line(said["other slide"] or "y") + line(escape(two[:half]), escape(two[half:]))) + table),
        3: page("sld", shape(line(said["hidden slide"] or "h")), ' show="0"'),
    }
    parts = {
        "ppt/presentation.xml": f"<p:presentation {_NS}><p:sldMasterIdLst><p:sldMasterId id='9' r:id='rM'/>"
        "</p:sldMasterIdLst><p:sldIdLst>"
        + "".join(f'<p:sldId id="{255 + n}" r:id="rS{n}"/>' for n in slides)
        + f"</p:sldIdLst>{section}</p:presentation>",
        **{f"ppt/slides/slide{n}.xml": text for n, text in slides.items()},
        "ppt/slideLayouts/slideLayout1.xml": page("sldLayout", shape(line(said["layout"] or "l"))),
        "ppt/slideMasters/slideMaster1.xml": page("sldMaster", shape(line("m"))),
        "ppt/notesSlides/notesSlide1.xml": page("notes", shape(line(said["notes"] or "n"))),
        "ppt/comments/comment1.xml": f'<p:cmLst {_NS}><p:cm authorId="0" idx="1"><p:text>{said["comment"]}</p:text>'
        "</p:cm></p:cmLst>",
        "ppt/charts/chart1.xml": '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:v>'
        f"{said['chart']}</c:v></c:chartSpace>",
        "docProps/core.xml": f"<p><title>{said['title']}</title></p>",
        "docProps/app.xml": f"<p><Company>{said['company']}</Company></p>",
    }
    kinds = {
        "ppt/presentation.xml": f"{_KIND}presentation.main+xml",
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "docProps/app.xml": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
        "ppt/charts/chart1.xml": "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
        "ppt/slideLayouts/slideLayout1.xml": f"{_KIND}slideLayout+xml",
        "ppt/slideMasters/slideMaster1.xml": f"{_KIND}slideMaster+xml",
        "ppt/notesSlides/notesSlide1.xml": f"{_KIND}notesSlide+xml",
        "ppt/comments/comment1.xml": f"{_KIND}comments+xml",
        **{f"ppt/slides/slide{n}.xml": f"{_KIND}slide+xml" for n in slides},
    }
    listed = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in kinds.items())
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{listed}</Types>'
    )

    def related(*targets: tuple[str, str, str]) -> str:
        lines = "".join(
            f'<Relationship Id="{name}" Type="{_R}/{kind}" Target="{target}"'
            f"{' TargetMode=' + chr(34) + 'External' + chr(34) if kind == 'hyperlink' else ''}/>"
            for name, kind, target in targets
        )
        return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'

    layout = ("rL", "slideLayout", "../slideLayouts/slideLayout1.xml")
    master = ("rM", "slideMaster", "../slideMasters/slideMaster1.xml")
    relations = {
        "_rels/.rels": related(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/_rels/presentation.xml.rels": related(
            ("rM", "slideMaster", "slideMasters/slideMaster1.xml"),
            *((f"rS{n}", "slide", f"slides/slide{n}.xml") for n in slides),
        ),
        "ppt/slides/_rels/slide1.xml.rels": related(
            layout,
            ("rLink", "hyperlink", f"http://example.org/{said['link']}"),
            ("rN", "notesSlide", "../notesSlides/notesSlide1.xml"),
            ("rC", "comments", "../comments/comment1.xml"),
        ),
        "ppt/slides/_rels/slide2.xml.rels": related(layout, ("rChart", "chart", "../charts/chart1.xml")),
        "ppt/slides/_rels/slide3.xml.rels": related(layout),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": related(master),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": related(
            ("rL", "slideLayout", "../slideLayouts/slideLayout1.xml")
        ),
    }
    everything = {"[Content_Types].xml": types, **relations, **parts}
    return archive({name: text.encode() for name, text in everything.items()})
