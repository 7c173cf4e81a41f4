"""Presentations, OpenDocument files, web pages, RTF documents, mails and archives for `benchmarks.file_samples`.

No program that makes them is among the packages of the tests, so they are written here in the form that usual programs
give them.
"""

import html
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from io import BytesIO
from random import Random
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

Make = Callable[[list[str], Random], bytes]

_DAY: Final = (2026, 11, 23, 9, 0, 0)
_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_ODF: Final = "urn:oasis:names:tc:opendocument:xmlns"
_ODF_NAMES: Final = (
    f'xmlns:office="{_ODF}:office:1.0" xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0" '
    f'xmlns:draw="{_ODF}:drawing:1.0" xmlns:svg="{_ODF}:svg-compatible:1.0" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3"'
)
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_SLIDE_TYPE: Final = "application/vnd.openxmlformats-officedocument.presentationml"
_SLIDE_NAMES: Final = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:r="{_OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)


def producers(picture: Callable[[Random, int], bytes]) -> dict[tuple[str, str], Make]:
    """How to make each kind of file. `picture`: makes a JPEG with a side of that many pixels."""

    def jpeg(random: Random) -> bytes:
        return picture(random, 400)

    return {
        (".pptx", "slides"): lambda texts, random: _slides(texts),
        (".pptx", "slides with pictures"): lambda texts, random: _slides(texts, lambda: jpeg(random)),
        (".odt", "text"): lambda texts, random: _odt(texts),
        (".odt", "text with pictures"): lambda texts, random: _odt(texts, lambda: jpeg(random)),
        (".ods", "numbers and text"): _ods,
        (".html", "text"): lambda texts, random: _page(texts),
        (".html", "text with pictures in it"): lambda texts, random: _page(texts, lambda: jpeg(random)),
        (".rtf", "text"): lambda texts, random: _rtf(texts),
        (".rtf", "text with pictures"): lambda texts, random: _rtf(texts, lambda: jpeg(random)),
        (".eml", "attached texts"): lambda texts, random: _mail(texts),
        (".eml", "attached texts and pictures"): lambda texts, random: _mail(texts, lambda: jpeg(random)),
        (".zip", "texts"): lambda texts, random: _archive(texts),
        (".zip", "texts and pictures"): lambda texts, random: _archive(texts, lambda: jpeg(random)),
    }


Picture = Callable[[], bytes] | None
"""Makes the picture of every second page, if pages have some."""


def _pictures(texts: list[str], picture: Picture) -> dict[int, bytes]:
    """The pictures by the number of their page, from 1."""
    return {number: picture() for number in range(1, len(texts) + 1, 2)} if picture else {}


def _zipped(parts: Mapping[str, str | bytes], stored: str = "") -> bytes:
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as file:
        for name, content in parts.items():
            is_stored = name == stored or name.endswith(".jpeg")
            file.writestr(ZipInfo(name, _DAY), content, ZIP_STORED if is_stored else ZIP_DEFLATED)
    return written.getvalue()


def _slides(texts: list[str], picture: Picture = None) -> bytes:
    pictures = _pictures(texts, picture)
    numbers = range(1, len(texts) + 1)
    types = "".join(
        f'<Override PartName="/ppt/slides/slide{number}.xml" ContentType="{_SLIDE_TYPE}.slide+xml"/>'
        for number in numbers
    )
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="jpeg" ContentType="image/jpeg"/>'
        f'<Override PartName="/ppt/presentation.xml" ContentType="{_SLIDE_TYPE}.presentation.main+xml"/>'
        f"{types}</Types>",
        "_rels/.rels": _relations({"rId1": ("officeDocument", "ppt/presentation.xml")}),
        "ppt/presentation.xml": f"{_XML}<p:presentation {_SLIDE_NAMES}><p:sldIdLst>{ids}</p:sldIdLst>"
        '<p:sldSz cx="9144000" cy="6858000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": _relations(
            {f"rId{number}": ("slide", f"slides/slide{number}.xml") for number in numbers}
        ),
    }
    for number, text in enumerate(texts, 1):
        lines = "".join(f"<a:p><a:r><a:t>{html.escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
        shown = _shape(2, "Title", f"<a:p><a:r><a:t>Section {number}</a:t></a:r></a:p>") + _shape(3, "Content", lines)
        if number in pictures:
            shown += (
                '<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
                '<p:blipFill><a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr/></p:pic>'
            )
            parts[f"ppt/media/image{number}.jpeg"] = pictures[number]
            parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations(
                {"rId1": ("image", f"../media/image{number}.jpeg")}
            )
        parts[f"ppt/slides/slide{number}.xml"] = (
            f"{_XML}<p:sld {_SLIDE_NAMES}><p:cSld><p:spTree>"
            '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
            f"{shown}</p:spTree></p:cSld></p:sld>"
        )
    return _zipped(parts)


def _shape(number: int, name: str, paragraphs: str) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name} {number - 1}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp>"
    )


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def _opendocument(kind: str, body: str, pictures: Mapping[str, bytes]) -> bytes:
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    files = [("/", media_type), ("content.xml", "text/xml"), ("styles.xml", "text/xml"), ("meta.xml", "text/xml")]
    files += [(name, "image/jpeg") for name in pictures]
    rows = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{said}"/>' for name, said in files
    )
    parts: dict[str, str | bytes] = {
        "mimetype": media_type,
        "content.xml": f"{_XML}<office:document-content {_ODF_NAMES}><office:body>{body}</office:body>"
        "</office:document-content>",
        "styles.xml": f"{_XML}<office:document-styles {_ODF_NAMES}><office:styles/></office:document-styles>",
        "meta.xml": f"{_XML}<office:document-meta {_ODF_NAMES}><office:meta/></office:document-meta>",
        **pictures,
        "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0" '
        f'manifest:version="1.3">{rows}</manifest:manifest>',
    }
    return _zipped(parts, stored="mimetype")


def _odt(texts: list[str], picture: Picture = None) -> bytes:
    pictures = {f"Pictures/{number}.jpeg": content for number, content in _pictures(texts, picture).items()}
    body = []
    for number, text in enumerate(texts, 1):
        body.append(f'<text:h text:outline-level="1">Section {number}</text:h>')
        body += [f"<text:p>{html.escape(line)}</text:p>" for line in text.split("\n")]
        if (name := f"Pictures/{number}.jpeg") in pictures:
            body.append(
                '<text:p><draw:frame svg:width="8cm" svg:height="8cm">'
                f'<draw:image xlink:href="{name}" xlink:type="simple"/></draw:frame></text:p>'
            )
    return _opendocument("text", f"<office:text>{''.join(body)}</office:text>", pictures)


def _ods(texts: list[str], random: Random) -> bytes:
    sheets = []
    for number, text in enumerate(texts, 1):
        rows = []
        for line in text.split("\n"):
            sums = [random.randrange(100_000) / 100 for _ in range(10)]
            cells = "".join(
                f'<table:table-cell office:value-type="float" office:value="{one}"><text:p>{one}</text:p>'
                "</table:table-cell>"
                for one in sums
            )
            said = (
                f'<table:table-cell office:value-type="string"><text:p>{html.escape(line)}</text:p></table:table-cell>'
            )
            rows.append(f"<table:table-row>{said}{cells}</table:table-row>")
        sheets.append(f'<table:table table:name="Sheet {number}">{"".join(rows)}</table:table>')
    return _opendocument("spreadsheet", f"<office:spreadsheet>{''.join(sheets)}</office:spreadsheet>", {})


def _page(texts: list[str], picture: Picture = None) -> bytes:
    pictures = _pictures(texts, picture)
    body = []
    for number, text in enumerate(texts, 1):
        body.append(f"<h1>Section {number}</h1>")
        body += [f"<p>{html.escape(line, quote=False)}</p>" for line in text.split("\n")]
        if number in pictures:
            body.append(f'<p><img src="data:image/jpeg;base64,{b64encode(pictures[number]).decode()}" alt=""></p>')
    head = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Report</title></head>\n<body>\n'
    return (head + "\n".join(body) + "\n</body>\n</html>\n").encode()


def _rtf(texts: list[str], picture: Picture = None) -> bytes:
    pictures = _pictures(texts, picture)
    body = []
    for number, text in enumerate(texts, 1):
        body.append(rf"\pard\b\fs32 Section {number}\b0\fs22\par")
        body += [rf"\pard {line}\par" for line in text.split("\n")]
        if number in pictures:
            body.append(rf"{{\pict\jpegblip\picwgoal4000\pichgoal4000 {pictures[number].hex()}}}\par")
    head = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}}{\colortbl;\red0\green0\blue0;}\f0\fs22"
    return (head + "\n" + "\n".join(body) + "\n}\n").encode()


def _mail(texts: list[str], picture: Picture = None) -> bytes:
    pictures = _pictures(texts, picture)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ann Lee <ann@example.org>", "Tom Reed <tom@example.org>", "The reports"
    mail["Date"] = format_datetime(datetime(2026, 11, 23, 9, tzinfo=UTC))
    mail.set_content("Dear Tom,\n\nhere are the reports.\n\nAnn\n")
    for number, text in enumerate(texts, 1):
        if number in pictures:
            mail.add_attachment(pictures[number], "image", "jpeg", filename=f"picture {number}.jpeg")
        else:
            mail.add_attachment(text, filename=f"report {number}.txt")
    if mail.is_multipart():
        mail.set_boundary("=" * 15 + "reports")
    return mail.as_bytes()


def _archive(texts: list[str], picture: Picture = None) -> bytes:
    pictures = _pictures(texts, picture)
    return _zipped(
        {
            f"picture {number}.jpeg" if number in pictures else f"report {number}.txt": pictures.get(number, text)
            for number, text in enumerate(texts, 1)
        }
    )
