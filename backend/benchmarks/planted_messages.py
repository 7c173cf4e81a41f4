"""Web pages, mails, archives and pictures with a sentence in any of the places that they have."""

import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from html import escape
from io import BytesIO

from PIL import Image, PngImagePlugin, TiffImagePlugin

from benchmarks import planted_pages, planted_parts
from picture_files import drawn

HTML_PLACES = (
    *("title", "comment", "script", "style", "alternative text", "link", "hidden text", "description", "heading"),
    *("table", "text area", "attribute for programs", "two runs", "choice", "tooltip"),
)
EML_PLACES = (
    *("subject", "header field", "name of a recipient", "attachment", "name of an attachment", "table attached"),
    *("page attached", "document attached", "other version", "before the parts", "attached mail"),
)
ZIP_PLACES = (
    *("name", "remark", "text", "table", "page", "document", "pages", "archive", "picture", "remark of a file"),
)
PICTURE_PLACES = ("description", "comment", "XMP", "after the end")


def html(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A web page."""
    said = {place: escape(asides.get(place, "")) for place in HTML_PLACES}
    half = len(asides.get("two runs", "")) // 2
    two = asides.get("two runs", "")
    extra = {
        "comment": f"<!-- {said['comment']} -->",
        "script": f"<script>let who = `{asides.get('script', '')}`;</script>",
        "style": f"<style>.x:before {{ content: '{asides.get('style', '')}' }}</style>",
        "alternative text": f'<img src="x.png" alt="{said["alternative text"]}">',
        "link": f'<a href="http://example.org/{said["link"]}">more</a>',
        "hidden text": f'<p style="display:none">{said["hidden text"]}</p>',
        "heading": f"<h2>{said['heading']}</h2>",
        "table": f"<table><tr><td>{said['table']}</td><td>1</td></tr></table>",
        "text area": f"<textarea>{said['text area']}</textarea>",
        "attribute for programs": f'<p data-who="{said["attribute for programs"]}">x</p>',
        "two runs": f"<p>{escape(two[:half])}<b>{escape(two[half:])}</b></p>",
        "choice": f"<select><option>{said['choice']}</option></select>",
        "tooltip": f'<p title="{said["tooltip"]}">y</p>',
    }
    body = "".join(f"<p>{escape(text).replace(chr(10), '<br>')}</p>\n" for text in paragraphs)
    rest = "\n".join(extra[place] for place in asides if place in extra)
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{said["title"] or "A report"}</title><meta '
        f'name="description" content="{said["description"]}"></head><body>\n{body}{rest}</body></html>'
    ).encode()


def eml(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A mail with attachments."""
    mail = EmailMessage()
    mail["From"] = "office@example.org"
    name = asides.get("name of a recipient", "Somebody").replace("\n", " ").replace('"', "")
    mail["To"] = f'"{name}" <x@example.org>'
    mail["Subject"] = asides.get("subject", "A report").replace("\n", " ")
    if "header field" in asides:
        mail["X-About"] = asides["header field"].replace("\n", " ")
    mail.set_content("\n\n".join(paragraphs) + "\n", cte="quoted-printable")
    if "other version" in asides:
        mail.add_alternative(f"<p>{escape(asides['other version'])}</p>", subtype="html")
    if "attachment" in asides or "name of an attachment" in asides:
        called = f"{asides.get('name of an attachment', 'more')}.txt".replace("\n", " ")
        mail.add_attachment(asides.get("attachment", "nothing"), filename=called)
    if "table attached" in asides:
        mail.add_attachment(f'a,b\n1,"{asides["table attached"].replace(chr(34), "")}"\n', "csv", filename="t.csv")
    if "page attached" in asides:
        mail.add_attachment(f"<p>{escape(asides['page attached'])}</p>", "html", filename="p.html")
    if "document attached" in asides:
        data = planted_parts.docx(["Nothing."], {"comment": asides["document attached"]})
        mail.add_attachment(data, "application", "octet-stream", filename="d.docx")
    if "attached mail" in asides:
        other = EmailMessage()
        other["Subject"] = "Before"
        other.set_content(asides["attached mail"])
        mail.add_attachment(other)
    if "before the parts" in asides and mail.is_multipart():
        mail.preamble = asides["before the parts"].encode().decode("ascii", "surrogateescape") + "\n"
    elif "before the parts" in asides:
        mail.add_attachment("nothing", filename="n.txt")
        mail.preamble = asides["before the parts"].encode().decode("ascii", "surrogateescape") + "\n"
    return mail.as_bytes()


def archived(paragraphs: Sequence[str], asides: dict[str, str]) -> bytes:
    """A zip archive with the paragraphs as a text."""
    files: dict[str, bytes] = {"report.txt": "\n\n".join(paragraphs).encode()}
    for where, text in asides.items():
        match where:
            case "name":
                files[f"{text}.txt".replace("/", "_")] = b"nothing"
            case "text":
                files["notes/more.txt"] = text.encode()
            case "table":
                files["t.csv"] = f'a,b\n1,"{text.replace(chr(34), "")}"\n'.encode()
            case "page":
                files["p.html"] = html(["Nothing."], {"alternative text": text})
            case "document":
                files["d.docx"] = planted_parts.docx(["Nothing."], {"header": text})
            case "pages":
                files["p.pdf"] = planted_pages.pdf(["Nothing."], {"keywords": text})
            case "archive":
                files["in.zip"] = archived([text], {})
            case "picture":
                files["p.png"] = png([], {"description": text})
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.comment = asides.get("remark of a file", "").encode()
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
        archive.comment = asides.get("remark", "").encode()
    return out.getvalue()


def png(_: Sequence[str], asides: dict[str, str]) -> bytes:
    """A PNG."""
    info = PngImagePlugin.PngInfo()
    if "description" in asides:
        info.add_itxt("Description", asides["description"])
    if "comment" in asides:
        info.add_itxt("Comment", asides["comment"], zip=True)
    if "XMP" in asides:
        info.add_itxt("XML:com.adobe.xmp", f"<x>{escape(asides['XMP'])}</x>")
    out = BytesIO()
    drawn().save(out, "PNG", pnginfo=info)
    return out.getvalue() + asides.get("after the end", "").encode()


def jpg(_: Sequence[str], asides: dict[str, str]) -> bytes:
    """A JPEG."""
    exif = Image.Exif()
    if "description" in asides:
        exif[0x010E] = asides["description"]
    out = BytesIO()
    told = {name: asides[where].encode() for name, where in (("comment", "comment"), ("xmp", "XMP")) if where in asides}
    drawn().save(out, "JPEG", exif=exif, **told)
    return out.getvalue() + asides.get("after the end", "").encode()


def pages(_: Sequence[str], asides: dict[str, str]) -> bytes:
    """A TIFF of two pages."""
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    for tag, where, kind in ((270, "description", 2), (65000, "comment", 2), (700, "XMP", 1)):
        if where in asides:
            tags[tag] = asides[where] if kind == 2 else asides[where].encode()
            tags.tagtype[tag] = kind
    out = BytesIO()
    drawn().save(out, "TIFF", save_all=True, append_images=[drawn(1, "L")], tiffinfo=tags)
    return out.getvalue() + asides.get("after the end", "").encode()
