"""Which format a file is of, and the file read as it.

The law: what the bytes are counts more than what the name says, and the name more than the media type, for browsers
guess. A file that claims to be of a format and is not is refused, never taken for something simpler: a table read as
mere bytes would have no cell that a policy could find.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from sieve.core.document import Spans
from sieve.core.errors import NotUtf8
from sieve.core.units import Mark, Unit
from sieve.formats.bytes_reading import BytesReading
from sieve.formats.text.reading import read_text


class Reading(Protocol):
    """A file of some format, read: its units, and what marks on them come to."""

    @property
    def name(self) -> str:
        """Of the format, such as "docx"."""

    def units(self) -> Iterable[Unit]:
        """In reading order, hidden ones too."""

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """The bytes of the file that must travel classified.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Whether what hides at an address may travel plain with these marks. What shows counts as if it did.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """

    def redacted(self, marks: Sequence[Mark]) -> bytes:
        """A file of the same format with nothing in it of what is classified.

        Raises:
            UnknownPlace: a mark does not fit the file.
            Unsupported: files of this format have no redacted edition.
        """


_BY_ENDING: Final = {
    ".csv": "csv",
    ".docx": "docx",
    ".docm": "docx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".pdf": "pdf",
    ".tsv": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_BY_MEDIA_TYPE: Final = {
    "application/jsonl": "jsonl",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/x-ndjson": "jsonl",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "jsonl": "application/x-ndjson",
    "pdf": "application/pdf",
    "tsv": "text/tab-separated-values",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""What a file of each format is sent as."""
_PDF: Final = b"%PDF-"
# Where the programs that show PDF look for its beginning, and what any PDF has: a text that names the one has no other.
_PDF_WITHIN: Final = 1024
_PDF_OBJECT: Final = re.compile(rb"[0-9][\0\t\n\f\r ]+[0-9]+[\0\t\n\f\r ]+obj")
_ZIP: Final = b"PK\x03\x04"
_OFFICE: Final = ("docx", "xlsx")
# The end record of a zip archive, which a comment may follow; in the directory before it, a name in each entry.
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_WITHIN: Final = 22 + 0xFFFF
_MAX_DIRECTORY: Final = 4 << 20
_OFFICE_PART: Final = re.compile(rb"PK\x01\x02.{42}(\[Content_Types\]\.xml|word/|xl/)", re.DOTALL)


def read(name: str, data: bytes, media_type: str | None = None) -> Reading:
    """The file `data`, which is called `name`, read as what it is.

    Raises:
        FormatError: the file is damaged, protected or too large for its format.
        NotUtf8: a table is in another encoding.
    """
    kind = _kind(name, data, media_type)
    return _read_other(data) if kind is None else read_as(kind, data)


def read_as(kind: str, data: bytes) -> Reading:
    """The file `data`, known to be of the format `kind`: the `name` of the reading that `read` gave of it.

    Raises:
        FormatError, NotUtf8: as `read` does.
    """
    # Imported here, because a table need not wait for what reads PDF to be loaded.
    match kind:
        case "csv":
            from sieve.formats.tables.delimited import read_csv

            return read_csv(data)
        case "tsv":
            from sieve.formats.tables.delimited import read_tsv

            return read_tsv(data)
        case "jsonl":
            from sieve.formats.tables.json_lines import read_jsonl

            return read_jsonl(data)
        case "docx":
            from sieve.formats.docx.reading import read_docx

            return read_docx(data)
        case "xlsx":
            from sieve.formats.xlsx.reading import read_xlsx

            return read_xlsx(data)
        case "pdf":
            from sieve.formats.pdf import read_pdf

            return read_pdf(data)
        case "text":
            return read_text(data)
        case "bytes":
            return BytesReading(len(data))
        case _:
            raise ValueError(f"there is no format called {kind}")


def container_of(data: bytes) -> str | None:
    """The format that only its own reader finds text in: what the first bytes and an archive's parts say, and nobody's
    word; None for anything else. Bytes that stand before it count as little as they do for the programs that show it.
    """
    if data.startswith(_PDF):
        return "pdf"
    if office := _office(data):
        return office
    return "pdf" if data.find(_PDF, 0, _PDF_WITHIN) >= 0 and _PDF_OBJECT.search(data) else None


def container_said(name: str, media_type: str | None) -> str | None:
    """The format with a reader of its own that a file is called; None if it is called no such."""
    said = _said(name, media_type)
    return said if said in ("pdf", *_OFFICE) else None


def _read_other(data: bytes) -> Reading:
    try:
        return read_text(data)
    except NotUtf8:
        return BytesReading(len(data))


def _kind(name: str, data: bytes, media_type: str | None) -> str | None:
    if data.startswith(_ZIP) and (office := _office(data)):
        return office
    return "pdf" if data.startswith(_PDF) else _said(name, media_type)


def may_be(kind: str, name: str, begins: bytes, media_type: str | None) -> bool:
    """Whether `read` can have found a file to be of the format `kind`, as far as its first bytes tell: for who had
    somebody else read it.
    """
    if begins.startswith(_PDF):
        return kind == "pdf"
    if begins.startswith(_ZIP) and kind in _OFFICE:
        return True
    said = _said(name, media_type)
    return kind == said if said else kind in ("text", "bytes")


def table_of(name: str, media_type: str | None) -> str | None:
    """The kind of table that a text is, as its name says, or else its media type; None if it is none."""
    said = _said(name, media_type)
    return said if said in ("csv", "tsv", "jsonl") else None


def _said(name: str, media_type: str | None) -> str | None:
    """What a file is by its name, or else by its media type."""
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    essence = (media_type or "").split(";")[0].strip().lower()
    return _BY_ENDING.get(ending) or _BY_MEDIA_TYPE.get(essence)


def _office(data: bytes) -> str | None:
    """The kind of office document that an archive is, by the names of its parts; whether it is sound is not asked."""
    end = data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_WITHIN))
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    if end < 0 or size > min(end, _MAX_DIRECTORY):
        return None
    parts = set(_OFFICE_PART.findall(data[end - size : end]))
    if b"[Content_Types].xml" not in parts:
        return None
    # The main part may be called anything, but no program puts it elsewhere.
    if b"word/" in parts:
        return "docx"
    return "xlsx" if b"xl/" in parts else None
