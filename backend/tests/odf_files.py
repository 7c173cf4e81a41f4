"""OpenDocument files with a secret in whatever place."""

from collections.abc import Collection
from html import escape

from office_files import archive, png

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{space}"'
    for prefix, space in {
        "office": f"{_OASIS}office:1.0",
        "style": f"{_OASIS}style:1.0",
        "text": f"{_OASIS}text:1.0",
        "table": f"{_OASIS}table:1.0",
        "draw": f"{_OASIS}drawing:1.0",
        "fo": f"{_OASIS}xsl-fo-compatible:1.0",
        "svg": f"{_OASIS}svg-compatible:1.0",
        "number": f"{_OASIS}datastyle:1.0",
        "meta": f"{_OASIS}meta:1.0",
        "config": f"{_OASIS}config:1.0",
        "form": f"{_OASIS}form:1.0",
        "script": f"{_OASIS}script:1.0",
        "xlink": "http://www.w3.org/1999/xlink",
        "dc": "http://purl.org/dc/elements/1.1/",
        "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
        "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
        "math": "http://www.w3.org/1998/Math/MathML",
    }.items()
)

COMMON_PLACES = [
    *("author", "between", "core", "custom_property", "directory_comment", "embedded", "extra", "keyword", "macro"),
    *(
        "manifest",
        "object",
        "picture_packed",
        "picture_text",
        "prefix",
        "property_name",
        "rdf",
        "remark",
        "replacement",
    ),
    *("setting", "suffix", "thumbnail", "unknown"),
]
ODT_PLACES = [
    *COMMON_PLACES,
    *("alt", "alt_title", "bibliography", "bookmark", "case", "cdata", "charref", "comment", "comment_author"),
    *("condition", "content_control", "cross_reference", "database", "deleted", "endnote", "event", "field", "footer"),
    *("footnote", "foreign_attribute", "foreign_text", "form", "form_text", "formula", "header", "hidden"),
    *("hidden_paragraph", "hidden_section", "hidden_style", "hidden_text", "index_mark", "inserted", "instruction"),
    *("link", "link_title", "list_suffix", "name_of_part", "number_text", "object_name", "outside", "picture_data"),
    *("picture_link", "placeholder", "ruby", "script", "section", "sequence", "split", "style_name", "style_title"),
    *("table", "table_name", "text_box", "user_field", "variable", "white_space", "table_of_contents"),
]


def manifest(kind: str, parts: Collection[str], more: str = "") -> bytes:
    """The list of an archive's parts."""
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{part}" '
        f'manifest:media-type="{"text/xml" if part.endswith(".xml") else "image/png" if "png" in part else ""}"/>'
        for part in parts
    )
    return (
        f'<manifest:manifest xmlns:manifest="{_OASIS}manifest:1.0" manifest:version="1.3"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{kind}"/>{listed}{more}</manifest:manifest>'
    ).encode()


def odf(kind: str, parts: dict[str, bytes], **around: bytes) -> bytes:
    """An archive of these parts, with its media type and its list of them."""
    listed = around.pop("manifest", b"").decode()
    return archive(
        {"mimetype": kind.encode(), **parts, "META-INF/manifest.xml": manifest(kind, parts, listed)}, **around
    )


def odt_of(body: str, styles: str = "") -> bytes:
    """A text with this content of its body and these automatic styles."""
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    return odf("application/vnd.oasis.opendocument.text", {"content.xml": content.encode()})


def beside(secret: str, places: Collection[str]) -> dict[str, bytes]:
    """The parts of any file that are not its text."""
    written = escape(secret)

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    latin = secret.encode()
    parts = {
        "meta.xml": f"<office:document-meta {NAMESPACES}><office:meta><dc:title>{at('core')}</dc:title><meta:keyword>"
        f"{at('keyword')}</meta:keyword><dc:creator>{at('author')}</dc:creator><meta:user-defined meta:name="
        f'"{at("property_name")}">{at("custom_property")}</meta:user-defined><meta:generator>Us</meta:generator>'
        f"<dc:date>2020-01-01T00:00:00</dc:date><meta:document-statistic meta:character-count="
        f'"{len(secret)}"/></office:meta></office:document-meta>'.encode(),
        "settings.xml": f"<office:document-settings {NAMESPACES}><office:settings><config:config-item-set config:name="
        f'"s"><config:config-item config:name="PrinterName" config:type="string">{at("setting")}</config:config-item>'
        "</config:config-item-set></office:settings></office:document-settings>".encode(),
        "manifest.rdf": f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about='
        f'"content.xml">{at("rdf")}</rdf:Description></rdf:RDF>'.encode(),
        "Thumbnails/thumbnail.png": png(at("thumbnail").encode()),
        "Pictures/1.png": png(latin if "picture_text" in places else b"", latin if "picture_packed" in places else b""),
        "Object 1/content.xml": f"<math:math {NAMESPACES}><math:annotation>{at('object')}</math:annotation>"
        "</math:math>".encode(),
        "ObjectReplacements/Object 1": png(at("replacement").encode()),
        "Object 2": at("embedded", secret).encode(),
        "Basic/Standard/Module1.xml": '<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" '
        f'"module.dtd"><script:module>{at("macro")}</script:module>'.encode(),
        "other.xyz": at("unknown", secret).encode("utf-16"),
    }
    if "name_of_part" in places:
        parts[f"Pictures/{secret.replace(' ', '_')}.png"] = png()
    return parts


def around(secret: str, places: Collection[str]) -> dict[str, bytes]:
    """What is around the parts of an archive."""
    latin = secret.encode()
    at = {"directory_comment": "comment", "extra": "extra", "between": "between", "prefix": "before"}
    told = {name: latin for place, name in at.items() if place in places}
    if "manifest" in places:
        told["manifest"] = f'<manifest:file-entry manifest:full-path="{escape(secret)}"/>'.encode()
    return told


def odt(secret: str, places: Collection[str] = (), *, body_tells: bool = True) -> bytes:
    """A text that says `secret` in its second paragraph, from character 5 on, and in `places`."""
    written = escape(secret)
    name = written.replace(" ", "_20_")

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    def only(place: str, form: str) -> str:
        return form if place in places else ""

    half = len(secret) // 2
    p = "<text:p>{}</text:p>".format
    body = [
        only(
            "form",
            f'<office:forms><form:form><form:text form:name="one" form:current-value="{written}"/>'
            f"</form:form></office:forms>",
        ),
        only("variable", f'<text:variable-decls><text:variable-decl text:name="{written}"/></text:variable-decls>'),
        only(
            "user_field",
            f'<text:user-field-decls><text:user-field-decl office:string-value="{written}" text:name="u"/>'
            f"</text:user-field-decls>",
        ),
        only("sequence", f'<text:sequence-decls><text:sequence-decl text:name="{written}"/></text:sequence-decls>'),
        only(
            "deleted",
            f'<text:tracked-changes><text:changed-region text:id="c1"><text:deletion>'
            f"<office:change-info><dc:creator>A</dc:creator></office:change-info>{p(written)}</text:deletion>"
            f"</text:changed-region></text:tracked-changes>",
        ),
        p("A report"),
        p(f"Ship {written if body_tells else 'one'} leaves at noon"),
        p(
            f'<draw:frame draw:name="{at("object_name", other="one")}" svg:width="2cm">'
            f'<draw:image xlink:href="Pictures/1.png"/><svg:title>{at("alt_title")}</svg:title>'
            f"<svg:desc>{at('alt')}</svg:desc></draw:frame>"
        ),
        only(
            "formula",
            f'<table:table><table:table-row><table:table-cell table:formula="ooow:&quot;{written}&quot;">'
            f"{p('7')}</table:table-cell></table:table-row></table:table>",
        ),
        f'<table:table table:name="{at("table_name", other="T1")}"><table:table-column/>'
        f"<table:table-row><table:table-cell>{p(at('table'))}</table:table-cell></table:table-row>"
        f"</table:table>",
        only("inserted", p(f'<text:change-start text:change-id="c2"/>{written}<text:change-end text:change-id="c2"/>')),
        only("hidden", p(f'<text:span text:style-name="T2">{written}</text:span>')),
        only("hidden_style", f'<text:p text:style-name="Secret">{written}</text:p>'),
        only(
            "hidden_text",
            p(f'x<text:hidden-text text:condition="ooow:1" text:string-value="{written}">{written}</text:hidden-text>'),
        ),
        only("hidden_paragraph", p(f'<text:hidden-paragraph text:is-hidden="true" text:condition="ooow:1"/>{written}')),
        only("hidden_section", f'<text:section text:name="s" text:display="none">{p(written)}</text:section>'),
        only("section", f'<text:section text:name="{written}">{p("in a section")}</text:section>'),
        only(
            "condition",
            p(
                f'<text:conditional-text text:condition="ooow:1" text:string-value-if-true="{written}">'
                f"x</text:conditional-text>"
            ),
        ),
        only("field", p(f"by <text:initial-creator>{written}</text:initial-creator>")),
        only(
            "placeholder",
            p(f'<text:placeholder text:placeholder-type="text" text:description="{written}">x</text:placeholder>'),
        ),
        only(
            "cross_reference",
            p(
                f'<text:reference-mark text:name="{written}"/><text:bookmark-ref text:ref-name="{written}">'
                f"2</text:bookmark-ref>"
            ),
        ),
        only(
            "database",
            p(f'<text:database-display text:database-name="{written}" text:column-name="c">x</text:database-display>'),
        ),
        only("bibliography", p(f'<text:bibliography-mark text:author="{written}">[1]</text:bibliography-mark>')),
        only("index_mark", p(f'x<text:alphabetical-index-mark text:string-value="{written}"/>')),
        only("script", p(f'x<text:script script:language="js">{written}</text:script>')),
        only(
            "event",
            p(
                '<text:a xlink:href="http://x/"><office:event-listeners><script:event-listener '
                f'script:event-name="dom:click" xlink:href="macro://{written}"/>'
                f"</office:event-listeners>x</text:a>"
            ),
        ),
        only(
            "ruby",
            p(f"<text:ruby><text:ruby-base>x</text:ruby-base><text:ruby-text>{written}</text:ruby-text></text:ruby>"),
        ),
        only("content_control", p(f'<loext:content-control loext:alias="{written}">x</loext:content-control>')),
        only(
            "table_of_contents",
            f'<text:table-of-content text:name="t"><text:table-of-content-source><text:index-title-template>'
            f"{written}</text:index-title-template></text:table-of-content-source><text:index-body>"
            f"{p('one 1')}</text:index-body></text:table-of-content>",
        ),
        only("bookmark", p(f'<text:bookmark text:name="{written}"/>x')),
        p(f'<text:a xlink:href="http://x/{at("link")}" office:title="{at("link_title")}">here</text:a>'),
        only(
            "footnote",
            p(
                f'x<text:note text:id="n" text:note-class="footnote"><text:note-citation>'
                f"1</text:note-citation><text:note-body>{p(written)}</text:note-body></text:note>"
            ),
        ),
        only(
            "endnote",
            p(
                f'x<text:note text:id="e" text:note-class="endnote"><text:note-citation>i</text:note-citation>'
                f"<text:note-body>{p(written)}</text:note-body></text:note>"
            ),
        ),
        only("comment", p(f"x<office:annotation><dc:creator>A</dc:creator>{p(written)}</office:annotation>")),
        only(
            "comment_author", p(f"x<office:annotation><dc:creator>{written}</dc:creator>{p('y')}</office:annotation>")
        ),
        only("text_box", p(f"x<draw:frame><draw:text-box>{p(written)}</draw:text-box></draw:frame>")),
        only("form_text", p(f'<draw:control draw:name="c"><draw:glue-point draw:id="4"/>{p(written)}</draw:control>')),
        only(
            "picture_data",
            p(f"<draw:frame><draw:image><office:binary-data>{written}</office:binary-data></draw:image></draw:frame>"),
        ),
        only("picture_link", p(f'<draw:frame><draw:image xlink:href="http://x/{written}"/></draw:frame>')),
        p("see " + only("split", f"{escape(secret[:half])}<text:span>{escape(secret[half:])}</text:span>")),
        p(at("case", escape(secret.swapcase()))),
        p(at("white_space", escape(" \n\t ".join(secret.split(" "))))),
        p(at("charref", "".join(f"&#x{ord(c):X};" for c in secret))),
        p(at("cdata", f"<![CDATA[{secret}]]>")),
        only("remark", f"<!-- {secret.replace('-', ' ')} -->"),
        only("instruction", f"<?say {secret.replace('?', ' ')}?>"),
        only("foreign_attribute", f'<text:p f:said="{written}" xmlns:f="urn:others">x</text:p>'),
        only("foreign_text", f'<f:said xmlns:f="urn:others">{written}</f:said>'),
        only("outside", f"{written}"),
    ]
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles>'
        f"<style:style style:name="
        '"T2" style:family="text"><style:text-properties text:display="none"/></style:style></office:automatic-styles>'
        f"<office:body><office:text>{''.join(body)}</office:text></office:body></office:document-content>"
    )
    style = at("style_name", name, "Wind")
    styles = (
        f"<office:document-styles {NAMESPACES} office:version='1.3'><office:styles><style:style style:name='Hide' "
        "style:family='paragraph'><style:text-properties text:display='none'/></style:style><style:style style:name="
        "'Secret' style:family='paragraph' style:parent-style-name='Hide'/><style:style style:family='paragraph' "
        f'style:name="{style}" style:display-name="{at("style_title", other="Wind")}"/>'
        f'<text:list-style style:name="L9">'
        f'<text:list-level-style-number text:level="1" style:num-suffix="{at("list_suffix", other=".")}"/>'
        f"</text:list-style>"
        f'<number:date-style style:name="N9"><number:text>{at("number_text", other="-")}</number:text>'
        f"</number:date-style>"
        "</office:styles><office:master-styles><style:master-page style:name='Standard'>"
        f"<style:header>{p(at('header'))}</style:header><style:footer>{p(at('footer'))}</style:footer>"
        "</style:master-page></office:master-styles></office:document-styles>"
    )
    parts = {"content.xml": content.encode(), "styles.xml": styles.encode(), **beside(secret, places)}
    made = odf("application/vnd.oasis.opendocument.text", parts, **around(secret, places))
    return made + (secret.encode() if "suffix" in places else b"")


ODS_PLACES = [
    *COMMON_PLACES,
    *(
        "cell_comment",
        "cell_link",
        "column",
        "condition",
        "covered",
        "database",
        "defined_name",
        "drawn_text",
        "filter",
    ),
    *("footer", "foreign_attribute", "formula", "header", "hidden_column", "hidden_row", "hidden_sheet", "link_source"),
    *("low_row", "message", "name_of_part", "number_text", "other_sheet", "outside", "pivot", "repeated", "scenario"),
    *("sheet_name", "shown", "split", "string_value", "style_name", "tracked", "validation", "white_space"),
]


def ods_of(sheets: str, styles: str = "") -> bytes:
    """A workbook with these tables and automatic styles."""
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    return odf("application/vnd.oasis.opendocument.spreadsheet", {"content.xml": content.encode()})


def ods(secret: str, places: Collection[str] = ()) -> bytes:
    """A workbook that says `secret` in cell B2 of the sheet Pay, and in `places`."""
    written = escape(secret)
    half = len(secret) // 2

    def at(place: str, form: str = written, other: str = "nothing") -> str:
        return form if place in places else other

    def only(place: str, form: str) -> str:
        return form if place in places else ""

    def cell(text: str, more: str = "") -> str:
        return f'<table:table-cell office:value-type="string"{more}><text:p>{text}</text:p></table:table-cell>'

    def row(*cells: str, more: str = "") -> str:
        return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"

    def number(value: str, shown: str, kind: str = "float") -> str:
        return (
            f'<table:table-cell table:style-name="ce1" office:value-type="{kind}" office:value="{value}">'
            f"<text:p>{shown}</text:p></table:table-cell>"
        )

    pay = [
        '<table:table-column table:number-columns-repeated="3"/><table:table-column table:visibility="collapse"/>',
        row(cell("name"), cell("told"), number("7", "7"), cell(at("hidden_column"))),
        row(number("12.5", "12.50 EUR", "currency"), cell(written), number("3", at("shown", other="3"))),
        row(
            f'<table:table-cell table:formula="of:=&quot;{at("formula")}&quot;" office:value-type="string">'
            f"<text:p>{at('formula')}</text:p></table:table-cell>",
            f'<table:table-cell office:value-type="string" office:string-value="{at("string_value", other="x")}"/>',
            f"<table:table-cell><office:annotation><dc:creator>A</dc:creator><text:p>{at('cell_comment')}</text:p>"
            "</office:annotation><text:p>noted</text:p></table:table-cell>",
        ),
        row(
            f'<table:table-cell office:value-type="string"><text:p><text:a xlink:href="http://x/{at("cell_link")}">'
            "there</text:a></text:p></table:table-cell>",
            cell(only("split", f"{escape(secret[:half])}<text:span>{escape(secret[half:])}</text:span>") or "y"),
            cell(at("white_space", escape(" \n\t ".join(secret.split(" "))))),
        ),
        row(cell(at("repeated"), ' table:number-columns-repeated="3"'), more=' table:number-rows-repeated="2"'),
        row(cell(at("hidden_row")), more=' table:visibility="filter"'),
        row(cell(at("low_row")), more=' table:style-name="ro9"'),
        row(
            '<table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell>'
            f"<table:covered-table-cell><text:p>{at('covered', other='')}</text:p></table:covered-table-cell>",
            cell(at("column")),
        ),
    ]
    drawn = f"<table:shapes><draw:frame><draw:text-box><text:p>{at('drawn_text')}</text:p></draw:text-box></draw:frame>"
    said = f' f:said="{written}" xmlns:f="urn:others"'
    name = at("sheet_name", other="Texts")
    sheets = [
        f'<table:table table:name="Pay"{only("foreign_attribute", said)}>{drawn}</table:shapes>{"".join(pay)}'
        "</table:table>",
        f'<table:table table:name="{name}">{row(cell(at("other_sheet")))}</table:table>',
        f'<table:table table:name="Hidden" table:style-name="ta9">{row(cell(at("hidden_sheet")))}</table:table>',
        f'<table:table table:name="Linked"><table:table-source xlink:href="http://x/{at("link_source")}"/>'
        f"{row(number('2', '2'))}</table:table>",
    ]
    before = (
        f"<table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell><text:p>"
        f"{at('tracked')}</text:p></table:change-track-table-cell></table:previous></table:cell-content-change>"
        "</table:tracked-changes><table:content-validations><table:content-validation table:name='v' "
        f'table:condition="of:cell-content-is-in-list(&quot;{at("validation")}&quot;)"><table:help-message '
        f'table:title="{at("message")}"><text:p>{at("message")}</text:p></table:help-message>'
        "</table:content-validation></table:content-validations>"
    )
    after = (
        f'<table:named-expressions><table:named-range table:name="{only("defined_name", written.replace(" ", "_"))}" '
        'table:base-cell-address="$Pay.$A$1" table:cell-range-address="$Pay.$A$1"/></table:named-expressions>'
        f'<table:database-ranges><table:database-range table:name="d" table:target-range-address="Pay.A1:Pay.C3">'
        f'<table:database-source-sql table:database-name="{at("database")}" table:sql-statement="SELECT"/>'
        f'<table:filter><table:filter-condition table:value="{at("filter")}" table:operator="="/></table:filter>'
        "</table:database-range></table:database-ranges>"
        + only(
            "pivot",
            '<table:data-pilot-tables><table:data-pilot-table table:name="p" table:target-range-address="Texts.A1:'
            f'Texts.B2"><table:data-pilot-field table:source-field-name="{written}"/></table:data-pilot-table>'
            "</table:data-pilot-tables>",
        )
        + f'<table:scenario table:comment="{at("scenario")}"/>'
        + only("outside", written)
    )
    styles = (
        f'<style:style style:name="ro9" style:family="table-row"><style:table-row-properties style:row-height="0.1pt"/>'
        f'</style:style><style:style style:name="ta9" style:family="table"><style:table-properties '
        f'table:display="false"/></style:style><style:style style:name="ce1" style:family="table-cell" '
        f'style:data-style-name="N1"><style:map style:condition="cell-content()=&quot;{at("condition")}&quot;" '
        f'style:apply-style-name="x"/></style:style><number:number-style style:name="N1"><number:number/>'
        f"<number:text>{at('number_text', other=' EUR')}</number:text></number:number-style>"
    )
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:spreadsheet>{before}{''.join(sheets)}{after}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    header = at("header", other="<text:sheet-name>???</text:sheet-name>")
    style = at("style_name", written.replace(" ", "_20_"), "Good")
    common = (
        f"<office:document-styles {NAMESPACES} office:version='1.3'><office:styles><style:style style:family="
        f'"table-cell" style:name="{style}"/></office:styles><office:master-styles><style:master-page '
        f"style:name='Default'><style:header><text:p>{header}</text:p></style:header><style:footer><text:p>"
        f"Page <text:page-number>1</text:page-number>{only('footer', ' of ' + written)}</text:p></style:footer>"
        "</style:master-page></office:master-styles></office:document-styles>"
    )
    parts = {"content.xml": content.encode(), "styles.xml": common.encode(), **beside(secret, places)}
    made = odf("application/vnd.oasis.opendocument.spreadsheet", parts, **around(secret, places))
    return made + (secret.encode() if "suffix" in places else b"")
