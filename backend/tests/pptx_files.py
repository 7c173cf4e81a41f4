"""PowerPoint files with a secret in whatever place."""

from collections.abc import Collection
from html import escape

from office_files import archive, png

_OPEN = "http://schemas.openxmlformats.org"
_R = f"{_OPEN}/officeDocument/2006/relationships"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_PPT = f"{_OFFICE}presentationml."
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{space}"'
    for prefix, space in {
        "p": f"{_OPEN}/presentationml/2006/main",
        "a": f"{_OPEN}/drawingml/2006/main",
        "r": _R,
        "m": f"{_OPEN}/officeDocument/2006/math",
        "mc": f"{_OPEN}/markup-compatibility/2006",
        "c": f"{_OPEN}/drawingml/2006/chart",
        "dgm": f"{_OPEN}/drawingml/2006/diagram",
        "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
        "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
        "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
        "asvg": "http://schemas.microsoft.com/office/drawing/2016/SVG/main",
    }.items()
)

PPTX_PLACES = [
    *("alt", "alt_title", "app", "author", "between", "bullet_text", "case", "cdata", "chart", "charref", "comment"),
    *("core", "custom_property", "custom_show", "custom_xml", "diagram", "diagram_drawing", "directory_comment"),
    *("embedded", "extra", "fallback", "field", "footer", "foreign_attribute", "foreign_text", "formula", "group"),
    *("handout", "hidden_shape", "hidden_slide", "layout", "layout_name", "link", "master", "modern_comment"),
    *("name_of_part", "notes", "notes_master", "object_name", "old_drawing", "orphan", "outside", "picture_link"),
    *("picture_packed", "picture_text", "prefix", "remark", "section", "slide_name", "sound", "split", "suffix"),
    *("table", "table_style", "tag", "theme", "thumbnail", "title", "tooltip", "unknown", "utf16", "vector"),
    *("view", "white_space", "zoom"),
]


def shape(text: str, inside: str = "", name: str = "Title 1", body: str = "<a:bodyPr/>", number: int = 2) -> str:
    """A shape with these paragraphs."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr/><p:nvPr>{inside}</p:nvPr></p:nvSpPr>'
        "<p:spPr>"
        '<a:xfrm><a:off x="1000" y="2000"/><a:ext cx="3000" cy="4000"/></a:xfrm></p:spPr>'
        f"<p:txBody>{body}{text}</p:txBody></p:sp>"
    )


def paragraph(text: str) -> str:
    """A paragraph with one run."""
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def part(kind: str, shapes: str, after: str = "", name: str = "") -> bytes:
    """A slide, or another part with shapes."""
    called = f' name="{name}"' if name else ""
    return (
        f"<p:{kind} {NAMESPACES}><p:cSld{called}><p:spTree><p:nvGrpSpPr><p:cNvPr id='1' name=''/><p:cNvGrpSpPr/>"
        "<p:nvPr/>"
        f"</p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld>{after}</p:{kind}>"
    ).encode()


def related(*targets: tuple[str, str]) -> bytes:
    """Relationships, rId1 and so on; those to the web are outside."""
    outside = ' TargetMode="External"'
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_R}/{kind}" Target="{target}"{outside * target.startswith("http")}/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_OPEN}/package/2006/relationships">{listed}</Relationships>'.encode()


def _types(overrides: dict[str, str]) -> bytes:
    listed = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in overrides.items())
    return (
        f'<Types xmlns="{_OPEN}/package/2006/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        f'"application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="svg" ContentType='
        f'"image/svg+xml"/>{listed}</Types>'
    ).encode()


def pptx_of(*slides: str, more: dict[str, bytes] | None = None, hidden: Collection[int] = ()) -> bytes:
    """A presentation of slides with these shapes, a layout and a master. `more`: further parts of it."""
    parts: dict[str, bytes] = {}
    kinds = {
        "ppt/presentation.xml": f"{_PPT}presentation.main+xml",
        "ppt/slideMasters/slideMaster1.xml": f"{_PPT}slideMaster+xml",
        "ppt/slideLayouts/slideLayout1.xml": f"{_PPT}slideLayout+xml",
        "ppt/theme/theme1.xml": f"{_OFFICE}theme+xml",
    }
    for number, shapes in enumerate(slides, 1):
        name = f"ppt/slides/slide{number}.xml"
        kinds[name] = f"{_PPT}slide+xml"
        made = part("sld", shapes)
        parts[name] = made.replace(b"<p:sld ", b'<p:sld show="0" ') if number in hidden else made
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"), ("image", "../media/image1.png")
        )
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number + 1}"/>' for number in range(1, len(slides) + 1))
    parts |= {
        "ppt/presentation.xml": f"<p:presentation {NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id='2147483648' "
        f'r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
        "<p:notesSz cx='6858000' cy='9144000'/></p:presentation>".encode(),
        "ppt/_rels/presentation.xml.rels": related(
            ("slideMaster", "slideMasters/slideMaster1.xml"),
            *(("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)),
        ),
        "ppt/slideMasters/slideMaster1.xml": part("sldMaster", "", _LAYOUT_LIST),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")
        ),
        "ppt/slideLayouts/slideLayout1.xml": part("sldLayout", shape(paragraph("Enter a title")), name="One"),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": related(("slideMaster", "../slideMasters/slideMaster1.xml")),
        "ppt/theme/theme1.xml": f"<a:theme {NAMESPACES} name='Office'/>".encode(),
        "ppt/media/image1.png": png(),
        **(more or {}),
    }
    return archive(
        {
            "[Content_Types].xml": _types(kinds),
            "_rels/.rels": related(("officeDocument", "ppt/presentation.xml")),
            **parts,
        }
    )


_COLOURS = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" \
accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
_LAYOUT_LIST = f'{_COLOURS}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'


def pptx(secret: str, places: Collection[str] = (), *, body_tells: bool = True) -> bytes:
    """A presentation that says `secret` in the second paragraph of slide 1, from character 5 on, and in `places`."""
    written = escape(secret)

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    def only(place: str, form: str) -> str:
        return form if place in places else ""

    latin, half = secret.encode(), len(secret) // 2
    ship = paragraph(f"Ship {written if body_tells else 'one'} leaves at noon")
    picture = (
        f'<p:pic><p:nvPicPr><p:cNvPr id="7" name="Picture 6" descr="{at("alt")}" title="{at("alt_title")}"/>'
        '<p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId2"/><a:stretch/></p:blipFill>'
        "<p:spPr/></p:pic>"
    )
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{}" name=""/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></p:xfrm><a:graphic>'
        '<a:graphicData uri="{}">{}</a:graphicData></a:graphic></p:graphicFrame>'
    ).format
    table = (
        f'<a:tbl><a:tblPr firstRow="1"/><a:tblGrid><a:gridCol w="9"/></a:tblGrid><a:tr h="99"><a:tc><a:txBody>'
        f"<a:bodyPr/>{paragraph(at('table'))}</a:txBody><a:tcPr/></a:tc></a:tr></a:tbl>"
    )
    zoom = f'<z:z xmlns:z="urn:z" title="{written}"/>'
    first = [
        shape(paragraph("A report") + ship, '<p:ph type="title"/>'),
        picture,
        frame(8, f"{_OPEN}/drawingml/2006/table", table),
        shape(paragraph(at("title")), '<p:ph type="ctrTitle"/>'),
        only("group", f"<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>{shape(paragraph(written))}</p:grpSp>"),
        only("object_name", shape(paragraph("x"), name=written)),
        only("hidden_shape", shape(paragraph(written)).replace('name="Title 1"', 'name="" hidden="1"')),
        only("field", shape(f'<a:p><a:fld id="{{1}}" type="slidename"><a:t>{written}</a:t></a:fld></a:p>')),
        only("formula", shape(f"<a:p><a14:m><m:oMath><m:r><m:t>{written}</m:t></m:r></m:oMath></a14:m></a:p>")),
        only(
            "split",
            shape(
                f"<a:p><a:r><a:t>{escape(secret[:half])}</a:t></a:r><a:r><a:rPr b='1'/><a:t>"
                f"{escape(secret[half:])}</a:t></a:r></a:p>"
            ),
        ),
        only("case", shape(paragraph(escape(secret.swapcase())))),
        only("white_space", shape(paragraph(escape(" \n\t ".join(secret.split(" ")))))),
        only("charref", shape(paragraph("".join(f"&#x{ord(c):X};" for c in secret)))),
        only("cdata", shape(paragraph(f"<![CDATA[{secret}]]>"))),
        only("remark", f"<!-- {secret.replace('-', ' ')} -->"),
        only("foreign_attribute", f'<p:sp f:said="{written}" xmlns:f="urn:others"/>'),
        only("foreign_text", f'<f:said xmlns:f="urn:others">{written}</f:said>'),
        only("outside", f"<p:sp>{written}</p:sp>"),
        only(
            "tooltip",
            shape(f'<a:p><a:r><a:rPr><a:hlinkClick r:id="" tooltip="{written}"/></a:rPr><a:t>x</a:t></a:r></a:p>'),
        ),
        only(
            "bullet_text", shape(f'<a:p><a:pPr><a:buFont typeface="{written}"/></a:pPr><a:r><a:t>x</a:t></a:r></a:p>')
        ),
        only(
            "sound",
            shape(
                f'<a:p><a:r><a:rPr><a:hlinkClick r:id=""><a:snd r:embed="" name="{written}"/></a:hlinkClick>'
                "</a:rPr><a:t>x</a:t></a:r></a:p>"
            ),
        ),
        only(
            "fallback",
            "<mc:AlternateContent><mc:Choice Requires='a14'><p:sp/></mc:Choice><mc:Fallback>"
            f"{shape(paragraph(written))}</mc:Fallback></mc:AlternateContent>",
        ),
        only(
            "zoom",
            f'<mc:AlternateContent><mc:Choice Requires="z">{frame(9, "urn:zoom", zoom)}</mc:Choice>'
            "</mc:AlternateContent>",
        ),
        frame(10, f"{_OPEN}/drawingml/2006/chart", '<c:chart r:id="rId3"/>'),
        frame(11, f"{_OPEN}/drawingml/2006/diagram", '<dgm:relIds r:dm="rId4"/>'),
        only(
            "vector",
            '<p:pic><p:blipFill><a:blip r:embed="rId2"><a:extLst><a:ext><asvg:svgBlip r:embed="rId5"/></a:ext>'
            "</a:extLst></a:blip></p:blipFill></p:pic>",
        ),
    ]
    note = shape(paragraph(at("notes")), '<p:ph type="body"/>')
    show = f'<p:custShowLst><p:custShow name="{at("custom_show")}" id="0"><p:sldLst/></p:custShow></p:custShowLst>'
    section = f'<p14:sectionLst><p14:section name="{at("section")}"/></p14:sectionLst>'
    sections = f'<p:extLst><p:ext uri="x">{section}</p:ext></p:extLst>'
    kinds = {
        "ppt/presentation.xml": f"{_PPT}presentation.main+xml",
        **{f"ppt/slides/slide{number}.xml": f"{_PPT}slide+xml" for number in (1, 2, 3, 4)},
        "ppt/slideMasters/slideMaster1.xml": f"{_PPT}slideMaster+xml",
        "ppt/slideLayouts/slideLayout1.xml": f"{_PPT}slideLayout+xml",
        "ppt/notesMasters/notesMaster1.xml": f"{_PPT}notesMaster+xml",
        "ppt/handoutMasters/handoutMaster1.xml": f"{_PPT}handoutMaster+xml",
        "ppt/notesSlides/notesSlide1.xml": f"{_PPT}notesSlide+xml",
        "ppt/theme/theme1.xml": f"{_OFFICE}theme+xml",
        "ppt/comments/comment1.xml": f"{_PPT}comments+xml",
        "ppt/comments/modernComment_1.xml": "application/vnd.ms-powerpoint.comments+xml",
        "ppt/commentAuthors.xml": f"{_PPT}commentAuthors+xml",
        "ppt/tableStyles.xml": f"{_PPT}tableStyles+xml",
        "ppt/viewProps.xml": f"{_PPT}viewProps+xml",
        "ppt/tags/tag1.xml": f"{_PPT}tags+xml",
        "ppt/charts/chart1.xml": f"{_OFFICE}drawingml.chart+xml",
        "ppt/diagrams/data1.xml": f"{_OFFICE}drawingml.diagramData+xml",
        "ppt/diagrams/drawing1.xml": "application/vnd.ms-office.drawingml.diagramDrawing+xml",
        "ppt/drawings/vmlDrawing1.vml": f"{_OFFICE}vmlDrawing",
        "docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "docProps/app.xml": f"{_OFFICE}extended-properties+xml",
        "docProps/custom.xml": f"{_OFFICE}custom-properties+xml",
    }
    parts = {
        "[Content_Types].xml": _types(kinds),
        "_rels/.rels": related(("officeDocument", "ppt/presentation.xml"), ("thumbnail", "docProps/thumbnail.png")),
        "ppt/_rels/presentation.xml.rels": related(
            ("slideMaster", "slideMasters/slideMaster1.xml"),
            ("slide", "slides/slide1.xml"),
            ("slide", "slides/slide2.xml"),
            ("slide", "slides/slide3.xml"),
            ("notesMaster", "notesMasters/notesMaster1.xml"),
        ),
        "ppt/presentation.xml": f"<p:presentation {NAMESPACES}><p:sldMasterIdLst><p:sldMasterId id='2147483648' "
        'r:id="rId1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="rId5"/></p:notesMasterIdLst>'
        '<p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId3"/><p:sldId id="258" r:id="rId4"/>'
        f'</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>{show}{sections}'
        "</p:presentation>".encode(),
        "ppt/slides/slide1.xml": part("sld", "".join(first), name=only("slide_name", written)),
        "ppt/slides/_rels/slide1.xml.rels": related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"),
            ("image", "../media/image1.png"),
            ("chart", "../charts/chart1.xml"),
            ("diagramData", "../diagrams/data1.xml"),
            ("image", "../media/image2.svg"),
            ("notesSlide", "../notesSlides/notesSlide1.xml"),
            ("comments", "../comments/comment1.xml"),
            ("hyperlink", f"http://x/{at('link')}"),
            ("image", f"http://x/{at('picture_link')}.png"),
        ),
        "ppt/slides/slide2.xml": part(
            "sld", shape(paragraph("A second slide") + paragraph(at("footer")), name="Rectangle 1") + picture_of("rId2")
        ),
        "ppt/slides/_rels/slide2.xml.rels": related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"), ("image", "../media/image3.png")
        ),
        "ppt/slides/slide3.xml": part("sld", shape(paragraph(at("hidden_slide")))).replace(
            b"<p:sld ", b'<p:sld show="0" '
        ),
        "ppt/slides/slide4.xml": part("sld", shape(paragraph(at("orphan")))),
        "ppt/notesSlides/notesSlide1.xml": part("notes", note),
        "ppt/notesSlides/_rels/notesSlide1.xml.rels": related(
            ("notesMaster", "../notesMasters/notesMaster1.xml"), ("slide", "../slides/slide1.xml")
        ),
        "ppt/notesMasters/notesMaster1.xml": part("notesMaster", shape(paragraph(at("notes_master"))), _COLOURS),
        "ppt/handoutMasters/handoutMaster1.xml": part("handoutMaster", shape(paragraph(at("handout")))),
        "ppt/slideMasters/slideMaster1.xml": part("sldMaster", shape(paragraph(at("master"))), _LAYOUT_LIST),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": related(
            ("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")
        ),
        "ppt/slideLayouts/slideLayout1.xml": part(
            "sldLayout", shape(paragraph(at("layout"))), name=at("layout_name", other="Only a title")
        ),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": related(("slideMaster", "../slideMasters/slideMaster1.xml")),
        "ppt/comments/comment1.xml": f'<p:cmLst {NAMESPACES}><p:cm authorId="0"><p:pos x="1" y="1"/><p:text>'
        f"{at('comment')}</p:text></p:cm></p:cmLst>".encode(),
        "ppt/comments/modernComment_1.xml": f"<p188:cmLst {NAMESPACES}><p188:cm><p188:txBody><a:bodyPr/>"
        f"{paragraph(at('modern_comment'))}</p188:txBody></p188:cm></p188:cmLst>".encode(),
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {NAMESPACES}><p:cmAuthor id="0" name="{at("author")}" initials="A"/>'
        "</p:cmAuthorLst>".encode(),
        "ppt/theme/theme1.xml": f'<a:theme {NAMESPACES} name="{at("theme")}"><a:themeElements/></a:theme>'.encode(),
        "ppt/tableStyles.xml": f'<a:tblStyleLst {NAMESPACES} def=""><a:tblStyle styleName="{at("table_style")}"/>'
        "</a:tblStyleLst>".encode(),
        "ppt/viewProps.xml": f'<p:viewPr {NAMESPACES}><p:ext uri="{at("view")}"/></p:viewPr>'.encode(),
        "ppt/tags/tag1.xml": f'<p:tagLst {NAMESPACES}><p:tag name="A" val="{at("tag")}"/></p:tagLst>'.encode(),
        "ppt/charts/chart1.xml": f"<c:chartSpace {NAMESPACES}><c:v>{at('chart')}</c:v></c:chartSpace>".encode(),
        "ppt/diagrams/data1.xml": f"<dgm:dataModel {NAMESPACES}><dgm:t>{paragraph(at('diagram'))}</dgm:t>"
        "</dgm:dataModel>".encode(),
        "ppt/diagrams/drawing1.xml": f"<d:drawing xmlns:d='urn:d' {NAMESPACES}>{paragraph(at('diagram_drawing'))}"
        "</d:drawing>".encode(),
        "ppt/drawings/vmlDrawing1.vml": '<xml xmlns:v="urn:schemas-microsoft-com:vml">'
        f'<v:shape alt="{at("old_drawing")}"/>'
        "</xml>".encode(),
        "ppt/media/image1.png": png(
            latin if "picture_text" in places else b"", latin if "picture_packed" in places else b""
        ),
        "ppt/media/image2.svg": f"<svg xmlns='http://www.w3.org/2000/svg'><text>{at('vector')}</text></svg>".encode(),
        "ppt/media/image3.png": png(packed=b"another"),
        "ppt/embeddings/book.bin": at("embedded", secret).encode(),
        "docProps/thumbnail.png": png(at("thumbnail").encode()),
        "docProps/core.xml": f"<p><title>{at('core')}</title></p>".encode(),
        "docProps/app.xml": f"<p><Company>{at('app')}</Company></p>".encode(),
        "docProps/custom.xml": f'<p><property name="{at("custom_property")}"/></p>'.encode(),
        "customXml/item1.xml": f"<i>{at('custom_xml')}</i>".encode(),
        "other.xyz": at("unknown", secret).encode("utf-16"),
    }
    if "utf16" in places:
        parts["ppt/slides/slide4.xml"] = (
            parts["ppt/slides/slide4.xml"].decode().replace("nothing", written).encode("utf-16")
        )
    if "name_of_part" in places:
        parts[f"ppt/media/{secret.replace(' ', '_')}.png"] = png()
    told = {"directory_comment": "comment", "extra": "extra", "between": "between", "prefix": "before"}
    made = archive(parts, **{name: latin for place, name in told.items() if place in places})
    return made + (latin if "suffix" in places else b"")


def picture_of(reference: str) -> str:
    """A picture on a slide."""
    return (
        '<p:pic><p:nvPicPr><p:cNvPr id="9" name="Picture 8"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill>'
        f'<a:blip r:embed="{reference}"/></p:blipFill><p:spPr/></p:pic>'
    )
