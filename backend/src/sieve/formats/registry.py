"""The formats: a row for each, with its reader, its redactor, what its files are called and how people see them.

To add a format, write a package that reads it and add a row here; `recognition.py` tells formats of zip archives apart.
The web interface's table of formats and the API's type of a draft come from these rows (`make api`).
"""

from typing import Final, Literal, NamedTuple

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
    """A function from the bytes of a file to its `Reading` (`reading.py`)."""
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
TABLES: Final = frozenset(name for name, row in FORMATS.items() if row.view == "rows")
PICTURES: Final = frozenset({"png", "jpeg", "tiff"})
