"""The formats: a row for each, with its reader, its redactor, what its files are called and how people see them.

To add a format, write a package that reads it and add a row here; a format of zip archives is recognised by its parts
(`_archive`). The web interface's table of formats and the API's
type of a draft come from these rows (`make api`).

Invariant: a file's bytes count more than its name, and its name more than its media type, since browsers guess. A file
that claims a format and breaks its rules is refused and never read as a simpler format: a table read as bytes would
have no cell that a policy could find. The exceptions are zip archives that are encrypted or packed in other ways, and
pictures of unusual pixels: they are bytes, which nobody can read, and can be classified as a whole.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from pkgutil import resolve_name
from typing import Final, Literal, NamedTuple, Protocol, cast

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.units import Mark, Unit
from sieve.formats.errors import Protected, Unsupported

View = Literal["text", "rows", "sheets", "paragraphs", "pages", "bytes"]
"""How the web interface shows a file."""


class Format(NamedTuple):
    """A format. `reader`, `redactor` and `highlighter` are names that `pkgutil.resolve_name` takes, so that a format's
    modules are imported only when the first file of it is read.
    """

    label: str
    """What people call a file of it."""
    view: View
    reader: str
    """A function from the bytes of a file to its `Reading`."""
    redactor: str | None = None
    """A function from a `Reading` and marks to the bytes of the redacted edition; None if there is no such edition."""
    highlighter: str | None = None
    """A function from a `Reading` and marks to the bytes of the file with the marked text highlighted; None if there is
    no such file."""
    media_type: str | None = None
    """The type to send files as; None to keep the type that a file came with."""
    endings: tuple[str, ...] = ()
    """Endings of file names, in lower case, the usual one first."""
    other_media_types: tuple[str, ...] = ()
    """Types that files of this format come with, too."""
    starts_marked: bool = False
    """Whether a new draft of a file has `initial_marks`, which cover all of it: nobody else can say what it shows."""


_OFFICE_TYPE: Final = "application/vnd.openxmlformats-officedocument."
_OPENDOCUMENT_TYPE: Final = "application/vnd.oasis.opendocument."
_TABLE_REDACTOR: Final = "sieve.formats.tables.reading:TableReading.redacted"
FORMATS: Final[dict[str, Format]] = {
    "text": Format(
        label="Text",
        view="text",
        reader="sieve.formats.text.reading:read_text",
        redactor="sieve.formats.text.reading:TextReading.redacted",
    ),
    "docx": Format(
        label="Word document",
        view="paragraphs",
        reader="sieve.formats.docx.reading:DocxReading",
        redactor="sieve.formats.docx.redaction:redact_docx",
        highlighter="sieve.formats.docx.highlighting:highlight_docx",
        media_type=f"{_OFFICE_TYPE}wordprocessingml.document",
        endings=("docx", "docm"),
    ),
    "xlsx": Format(
        label="Excel workbook",
        view="sheets",
        reader="sieve.formats.xlsx.reading:XlsxReading",
        redactor="sieve.formats.xlsx.redaction:redact_xlsx",
        highlighter="sieve.formats.xlsx.highlighting:highlight_xlsx",
        media_type=f"{_OFFICE_TYPE}spreadsheetml.sheet",
        endings=("xlsx", "xlsm"),
    ),
    "pptx": Format(
        label="PowerPoint presentation",
        view="paragraphs",
        reader="sieve.formats.pptx.reading:PptxReading",
        redactor="sieve.formats.pptx.redaction:redact_pptx",
        highlighter="sieve.formats.pptx.highlighting:highlight_pptx",
        media_type=f"{_OFFICE_TYPE}presentationml.presentation",
        endings=("pptx", "pptm", "ppsx", "potx"),
        other_media_types=(
            f"{_OFFICE_TYPE}presentationml.slideshow",
            f"{_OFFICE_TYPE}presentationml.template",
            "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
        ),
    ),
    "odt": Format(
        label="OpenDocument text",
        view="paragraphs",
        reader="sieve.formats.odt.reading:OdtReading",
        redactor="sieve.formats.odt.redaction:redact_odt",
        highlighter="sieve.formats.odt.highlighting:highlight_odt",
        media_type=f"{_OPENDOCUMENT_TYPE}text",
        endings=("odt", "ott"),
        other_media_types=(f"{_OPENDOCUMENT_TYPE}text-template",),
    ),
    "ods": Format(
        label="OpenDocument workbook",
        view="sheets",
        reader="sieve.formats.ods.reading:OdsReading",
        redactor="sieve.formats.ods.redaction:redact_ods",
        highlighter="sieve.formats.ods.highlighting:highlight_ods",
        media_type=f"{_OPENDOCUMENT_TYPE}spreadsheet",
        endings=("ods", "ots"),
        other_media_types=(f"{_OPENDOCUMENT_TYPE}spreadsheet-template",),
    ),
    "pdf": Format(
        label="PDF",
        view="pages",
        reader="sieve.formats.pdf.reading:PdfReading",
        redactor="sieve.formats.pdf.reading:PdfReading.redacted",
        highlighter="sieve.formats.pdf.highlighting:highlight_pdf",
        media_type="application/pdf",
        endings=("pdf",),
    ),
    "csv": Format(
        label="Table (.csv)",
        view="rows",
        reader="sieve.formats.tables.delimited:read_csv",
        redactor=_TABLE_REDACTOR,
        media_type="text/csv",
        endings=("csv",),
    ),
    "tsv": Format(
        label="Table (.tsv)",
        view="rows",
        reader="sieve.formats.tables.delimited:read_tsv",
        redactor=_TABLE_REDACTOR,
        media_type="text/tab-separated-values",
        endings=("tsv",),
    ),
    "jsonl": Format(
        label="Table (.jsonl)",
        view="rows",
        reader="sieve.formats.tables.json_lines:read_jsonl",
        redactor=_TABLE_REDACTOR,
        media_type="application/x-ndjson",
        endings=("jsonl", "ndjson"),
        other_media_types=("application/jsonl",),
    ),
    "html": Format(
        label="Web page",
        view="paragraphs",
        reader="sieve.formats.html.reading:HtmlReading",
        redactor="sieve.formats.html.redaction:redact_html",
        highlighter="sieve.formats.html.highlighting:highlight_html",
        # Not text/html: documents of a text type are UTF-8, and uncleared readers get their plain stream.
        media_type="application/html",
        endings=("html", "htm"),
        other_media_types=("text/html",),
    ),
    "rtf": Format(
        label="RTF document",
        view="paragraphs",
        reader="sieve.formats.rtf.reading:RtfReading",
        redactor="sieve.formats.rtf.redaction:redact_rtf",
        highlighter="sieve.formats.rtf.highlighting:highlight_rtf",
        media_type="application/rtf",
        endings=("rtf",),
        # Not the first: documents of a text type are UTF-8, and uncleared readers get their plain stream.
        other_media_types=("text/rtf", "application/x-rtf", "text/richtext"),
    ),
    "eml": Format(
        label="E-mail",
        view="paragraphs",
        reader="sieve.formats.mail.reading:MailReading",
        redactor="sieve.formats.mail.redaction:redact_mail",
        highlighter="sieve.formats.mail.highlighting:highlight_mail",
        media_type="message/rfc822",
        endings=("eml",),
    ),
    "zip": Format(
        label="Zip archive",
        view="paragraphs",
        reader="sieve.formats.archive.reading:ZipReading",
        redactor="sieve.formats.archive.redaction:redact_zip",
        media_type="application/zip",
        endings=("zip",),
        other_media_types=("application/x-zip-compressed",),
    ),
    "png": Format(
        label="Picture (.png)",
        view="pages",
        reader="sieve.formats.images.reading:read_png",
        redactor="sieve.formats.images.redaction:redact_image",
        media_type="image/png",
        endings=("png",),
        starts_marked=True,
    ),
    "jpeg": Format(
        label="Picture (.jpg)",
        view="pages",
        reader="sieve.formats.images.reading:read_jpeg",
        redactor="sieve.formats.images.redaction:redact_image",
        media_type="image/jpeg",
        endings=("jpg", "jpeg"),
        starts_marked=True,
    ),
    "tiff": Format(
        label="Picture (.tiff)",
        view="pages",
        reader="sieve.formats.images.reading:read_tiff",
        redactor="sieve.formats.images.redaction:redact_image",
        media_type="image/tiff",
        endings=("tiff", "tif"),
        starts_marked=True,
    ),
    "bytes": Format(label="File of another format", view="bytes", reader="sieve.formats.bytes_reading:read_bytes"),
}
"""By name, in the order in which lists show them."""

MEDIA_TYPES: Final = {name: row.media_type for name, row in FORMATS.items() if row.media_type}
"""The type to send a file of each format as."""
_BY_ENDING: Final = {ending: name for name, row in FORMATS.items() for ending in row.endings}
_BY_MEDIA_TYPE: Final = {media_type: name for name, media_type in MEDIA_TYPES.items()} | {
    media_type: name for name, row in FORMATS.items() for media_type in row.other_media_types
}
TABLES: Final = frozenset(name for name, row in FORMATS.items() if row.view == "rows")
_ARCHIVES: Final = ("docx", "xlsx", "pptx", "odt", "ods")
PICTURES: Final = frozenset({"png", "jpeg", "tiff"})
_PICTURE_SIGNS: Final = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
_CONTAINERS: Final = ("pdf", *_ARCHIVES)
"""Formats in which only their own reader finds text."""


class Reading(Protocol):
    """A file that was read: its units, and which bytes marks on them classify."""

    @property
    def name(self) -> str:
        """The name of the format, such as "docx"."""

    def units(self) -> Iterable[Unit]:
        """In reading order, hidden ones too."""

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the file that must travel classified.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """A function that says whether hidden text at an address may travel plain with these marks. It also says yes
        for text that is not hidden.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """A function that says whether unmarked text at an address travels plain with these marks. If not, only readers
        of the redacted edition see it.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """


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


def read(name: str, data: bytes, media_type: str | None = None) -> Reading:
    """The file `data`, called `name`, read as the format that its bytes, name or media type say.

    Raises:
        FormatError: the file is damaged, protected or too large for its format.
        NotUtf8: a table is in another encoding.
    """
    kind = _kind(name, data, media_type)
    if kind == "zip" or kind in PICTURES:
        try:
            return read_as(kind, data)
        except (Protected, Unsupported):
            return read_as("bytes", data)
    if kind:
        return read_as(kind, data)
    try:
        return read_as("text", data)
    except NotUtf8:
        return read_as("bytes", data)


def read_as(name: str, data: bytes) -> Reading:
    """The file `data`, known to be of the format `name`: the `name` of the reading that `read` returned for it.

    Raises:
        FormatError, NotUtf8: as `read` does.
    """
    if name not in FORMATS:
        raise ValueError(f"there is no format called {name}")
    reader = cast("Callable[[bytes], Reading]", resolve_name(FORMATS[name].reader))
    return reader(data)


def redact(reading: Reading, marks: Sequence[Mark]) -> bytes:
    """The redacted edition: a file of the same format that contains nothing that is marked.

    Raises:
        UnknownPlace: a mark does not fit the file.
        RedactionFailed: a marked text would still be in the edition.
        Unsupported: files of this format have no redacted edition.
    """
    row = FORMATS.get(reading.name)
    if row is None or row.redactor is None:
        raise Unsupported(
            f"files of this format have no redacted edition; text and these formats have one: {_known('redactor')}"
        )
    redactor = cast("Callable[[Reading, Sequence[Mark]], bytes]", resolve_name(row.redactor))
    return redactor(reading, marks)


def highlight(reading: Reading, marks: Sequence[Mark]) -> bytes:
    """The file with the marked text highlighted: a file of the same format, for cleared readers.

    Raises:
        UnknownPlace: a mark does not fit the file.
        Unsupported: this file, or its format, cannot be highlighted.
    """
    row = FORMATS.get(reading.name)
    if row is None or row.highlighter is None:
        raise Unsupported(f"files of this format cannot be highlighted; only these can: {_known('highlighter')}")
    highlighter = cast("Callable[[Reading, Sequence[Mark]], bytes]", resolve_name(row.highlighter))
    return highlighter(reading, marks)


def _known(what: Literal["redactor", "highlighter"]) -> str:
    """The endings of the formats that have this function."""
    return ", ".join(f".{row.endings[0]}" for row in FORMATS.values() if getattr(row, what) and row.endings)


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


def _kind(name: str, data: bytes, media_type: str | None) -> str | None:
    if data.startswith(_ZIP) and (office := _archive(data)):
        return office
    if data.startswith(_PDF):
        return "pdf"
    if data.startswith(_RTF):
        return "rtf"
    return _picture(data) or _said(name, media_type)


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
