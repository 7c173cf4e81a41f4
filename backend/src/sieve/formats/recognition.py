"""Of which format a file is: what its first bytes, its parts, its name and its media type say.

Invariant: a file's bytes count more than its name, and its name more than its media type, since browsers guess.
"""

import re
import zlib
from typing import Final

from sieve.formats.registry import FORMATS, MEDIA_TYPES, PICTURES, TABLES

_BY_ENDING: Final = {ending: name for name, row in FORMATS.items() for ending in row.endings}
_BY_MEDIA_TYPE: Final = {media_type: name for name, media_type in MEDIA_TYPES.items()} | {
    media_type: name for name, row in FORMATS.items() for media_type in row.other_media_types
}
_ARCHIVES: Final = ("docx", "xlsx", "pptx", "odt", "ods")
_CONTAINERS: Final = ("pdf", *_ARCHIVES)
"""Formats in which only their own reader finds text."""
_PICTURE_SIGNS: Final = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
_PDF: Final = b"%PDF-"
# PDF viewers accept a header within this many bytes. An object must follow: a text that only mentions "%PDF-" has none.
_PDF_WITHIN: Final = 1024
_PDF_OBJECT: Final = re.compile(rb"[0-9][\0\t\n\f\r ]+[0-9]+[\0\t\n\f\r ]+obj")
_ZIP: Final = b"PK\x03\x04"
# The end record of a zip archive, which a comment may follow; in the directory before it, a name in each entry.
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_WITHIN: Final = 22 + 0xFFFF
_MAX_DIRECTORY: Final = 4 << 20
_OFFICE_PART: Final = re.compile(rb"PK\x01\x02.{42}(\[Content_Types\]\.xml|word/|xl/|ppt/)", re.DOTALL)
# The record of the entry that says of which format an OpenDocument file is.
_MEDIA_TYPE_PART: Final = re.compile(rb"PK\x01\x02.{6}(..).{8}(.{4}).{4}\x08\0.{12}(.{4})mimetype", re.DOTALL)
_LONGEST_MEDIA_TYPE: Final = 100
_HEAD_WITHIN: Final = 1 << 20
# Header fields, and among them one that says that the body may be encoded.
_MAIL: Final = re.compile(
    rb"(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t]+[^\n]*\n)*)*?(?:MIME-Version|Content-Transfer-Encoding)[ \t]*:",
    re.IGNORECASE,
)
_RTF: Final = b"{\\rtf"
_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[!?][^>]*>\s*)*<(?:html|head|body|title)\b", re.IGNORECASE)


def format_of(name: str, data: bytes, media_type: str | None) -> str | None:
    """The format to read the file as; None if only its text can say whether it is text or bytes."""
    if data.startswith(_ZIP) and (office := _archive(data)):
        return office
    if data.startswith(_PDF):
        return "pdf"
    if data.startswith(_RTF):
        return "rtf"
    return _picture(data) or _said(name, media_type)


def container_of(data: bytes) -> str | None:
    """The format in which only its own reader finds text, judged by the bytes alone; None for any other format. Bytes
    before a PDF's header are ignored, as PDF viewers ignore them.
    """
    if data.startswith(_PDF):
        return "pdf"
    if office := _archive(data):
        return office
    return "pdf" if data.find(_PDF, 0, _PDF_WITHIN) >= 0 and _PDF_OBJECT.search(data) else None


def container_said(name: str, media_type: str | None) -> str | None:
    """The format with a reader of its own that the name or media type claims; None if they claim no such format."""
    said = _said(name, media_type)
    return said if said in _CONTAINERS else None


def decoded_as(data: bytes, name: str, media_type: str | None) -> str | None:
    """The format, "eml", "html" or "rtf", in which a program would decode the text `data`: the bytes show it, or
    else the name or media type claims it; None for any other text.
    """
    if _MAIL.match(data, 0, _HEAD_WITHIN):
        return "eml"
    if _PAGE.match(data, 0, _HEAD_WITHIN):
        return "html"
    if data.startswith(_RTF):
        return "rtf"
    said = _said(name, media_type)
    return said if said in ("eml", "html", "rtf") else None


def can_highlight(name: str, media_type: str | None) -> bool:
    """Whether files of the format that the name or media type claims can be highlighted."""
    said = _said(name, media_type)
    return said is not None and FORMATS[said].highlighter is not None


def may_be(kind: str, name: str, begins: bytes, media_type: str | None) -> bool:
    """Whether `read` can have found the format `kind`, as far as the first bytes show. Checks the answer of another
    process that read the file.
    """
    if begins.startswith(_PDF):
        return kind == "pdf"
    if begins.startswith(_RTF):
        return kind == "rtf"
    if begins.startswith(_ZIP) and kind in _ARCHIVES:
        return True
    said = _picture(begins) or _said(name, media_type)
    if said == "zip" or said in PICTURES:
        return kind in (said, "bytes")
    return kind == said if said else kind in ("text", "bytes")


def table_of(name: str, media_type: str | None) -> str | None:
    """The format of the table that the name, or else the media type, claims; None if they claim no table."""
    said = _said(name, media_type)
    return said if said in TABLES else None


def _said(name: str, media_type: str | None) -> str | None:
    """The format that the name, or else the media type, claims."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    essence = (media_type or "").split(";")[0].strip().lower()
    return _BY_ENDING.get(ending) or _BY_MEDIA_TYPE.get(essence)


def _picture(data: bytes) -> str | None:
    """The format of a picture, which its first bytes show. Those of a TIFF may be a photograph of any camera."""
    return next((name for sign, name in _PICTURE_SIGNS.items() if data.startswith(sign)), None)


def _archive(data: bytes) -> str | None:
    """The format of an office document, which the names of an archive's parts show, or its media type. The archive may
    still be damaged.
    """
    end = data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_WITHIN))
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    if end < 0 or size > min(end, _MAX_DIRECTORY):
        return None
    directory = data[end - size : end]
    parts = set(_OFFICE_PART.findall(directory))
    if b"[Content_Types].xml" not in parts:
        shift = end - size - int.from_bytes(data[end + 16 : end + 20], "little")
        return _opendocument(data, directory, shift)
    # The main part may have any name, but every program puts it into this folder.
    if b"word/" in parts:
        return "docx"
    if b"ppt/" in parts:
        return "pptx"
    return "xlsx" if b"xl/" in parts else None


def _opendocument(data: bytes, directory: bytes, shift: int) -> str | None:
    """The OpenDocument format that an archive's media type shows. `shift`: bytes before the archive."""
    record = _MEDIA_TYPE_PART.search(directory)
    if record is None:
        return None
    method, packed, offset = (int.from_bytes(field, "little") for field in record.groups())
    at = offset + shift
    if at < 0 or data[at : at + 4] != _ZIP:
        return None
    start = (
        at + 30 + int.from_bytes(data[at + 26 : at + 28], "little") + int.from_bytes(data[at + 28 : at + 30], "little")
    )
    media_type = data[start : start + min(packed, _LONGEST_MEDIA_TYPE)]
    if method:
        try:
            media_type = zlib.decompressobj(-15).decompress(media_type, _LONGEST_MEDIA_TYPE)
        except zlib.error:
            return None
    found = _BY_MEDIA_TYPE.get(media_type.decode("ascii", "replace").strip())
    return found if found in _ARCHIVES else None
