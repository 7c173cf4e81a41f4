"""Files of every format, and files that mean harm; stored, as what is read of them is."""

import zlib
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from pathlib import Path

import pikepdf
from blake3 import blake3
from pikepdf import Array, Dictionary, Name

import picture_files
from mail_files import attachments, mail
from odf_files import ods, odt
from office_files import archive, docx, xlsx
from pdf_files import by_reportlab, encrypted
from pptx_files import pptx
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.gateway.reading.file import File
from sieve.gateway.stored_document import StoredDocument, tail
from sieve.store.blobs import BlobStore
from sieve.store.models import new_id

SECRET = "XQZVK PLMRT"
_SAMPLES = Path(__file__).parent / "formats" / "samples"

GOOD: dict[str, tuple[str, bytes]] = {
    "memo.docx": ("docx", docx(SECRET, ["header", "comment", "deleted"])),
    "pay.xlsx": ("xlsx", xlsx(SECRET, ["shared", "hidden_sheet", "formula"])),
    "plan.pptx": ("pptx", pptx(SECRET, ["notes", "comment", "hidden_slide", "chart"])),
    "memo.odt": ("odt", odt(SECRET, ["header", "comment", "hidden", "footnote"])),
    "pay.ods": ("ods", ods(SECRET, ["header", "cell_comment", "hidden_sheet", "formula"])),
    "report.pdf": ("pdf", by_reportlab(["The first page.", f"The harbour code is {SECRET}.", "The end."], SECRET)),
    "page.html": ("html", f"<title>Harbours</title><h1>Codes</h1><p>The code is {SECRET}.</p><p>The end.</p>".encode()),
    "letter.rtf": (
        "rtf",
        rf"{{\rtf1\ansi{{\info{{\title Codes}}}}\pard The code is {SECRET}.\par The end.\par}}".encode(),
    ),
    "code.eml": ("eml", mail(SECRET, is_page=True, attached=attachments(SECRET))),
    "files.zip": ("zip", archive({"note.txt": f"The code is {SECRET}.".encode(), "memo.docx": docx("one")})),
    "pay.csv": ("csv", f'name,pay\nBerta,"1,200"\n{SECRET},7\n'.encode()),
    "pay.tsv": ("tsv", f"name\tpay\nBerta\t1200\n{SECRET}\t7\n".encode()),
    "log.jsonl": ("jsonl", f'{{"who": "Berta"}}\n{{"what": "{SECRET}", "who": "B"}}\n'.encode()),
    "memo.txt": ("text", f"The code is {SECRET}.\n".encode()),
    "scan.png": ("png", picture_files.png(picture_files.drawn(), [("Title", f"The code is {SECRET}")])),
    "photo.jpeg": ("jpeg", picture_files.jpeg(picture_files.drawn(), SECRET)),
    "pages.tiff": ("tiff", picture_files.tiff([picture_files.drawn(), picture_files.drawn(1)], SECRET)),
    "photo.heic": ("bytes", b"\0\0\0\x18ftypheic\xff\xfe" + bytes(300)),
    **{
        name.rpartition("/")[2]: (name.rpartition(".")[2], (_SAMPLES / name).read_bytes())
        for name in (
            *("office/every-place.docx", "office/every-place.xlsx", "office/python-docx-1.2.0.docx"),
            *("producers/libreoffice.docx", "producers/libreoffice.xlsx", "producers/libreoffice-writer.pdf"),
            *("pdf/hidden-everywhere.pdf", "pdf/earlier-revision.pdf", "pdf/qpdf-encrypted-empty-password.pdf"),
            *("pdf/ghostscript-matplotlib.pdf", "pdf/chromium.pdf"),
        )
    },
}
"""A file of each format, and those that real programs made, by name: format and bytes."""


def _laughing() -> bytes:
    entities = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    laughs = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><x>&a12;</x>'
    return _with_part(laughs.encode())


@cache
def _pdf() -> bytes:
    return by_reportlab(["one", "two"])


HOSTILE: dict[str, Callable[[], bytes]] = {
    "bomb.docx": lambda: _with_part(b"\0" * (64 << 20)),
    "laughing.docx": _laughing,
    "outside.docx": lambda: _with_part(b"<x/>", name="../../etc/passwd"),
    "cut.docx": lambda: docx(SECRET)[: len(docx(SECRET)) // 2],
    "office97.docx": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000),
    "password.pdf": lambda: encrypted(_pdf(), user="secret"),
    "cut.pdf": lambda: _pdf()[: len(_pdf()) // 3],
    "lying.pdf": lambda: (
        b"%PDF-1.7\n1 0 obj\n<< /Length 99999999999 >>\nstream\nx\nendstream\nendobj\nstartxref\n7\n%%EOF"
    ),
    "nested.pdf": lambda: b"%PDF-1.7\n1 0 obj\n" + b"[" * 1_000_000,
    "looping.pdf": lambda: _pdf().replace(b"/Type /Pages", b"/Type /Pages /Kids [2 0 R]"),
    "bomb.png": lambda: picture_files.claiming(60_000, 60_000),
    "cut.jpg": lambda: picture_files.jpeg(picture_files.drawn())[:60],
    "cut.tiff": lambda: picture_files.tiff([picture_files.drawn()])[:9],
    "latin.csv": lambda: "name\nM\u00fcller\n".encode("latin-1"),
    "wide.csv": lambda: b"a," * 200_000 + b"\n",
    "deep.rtf": lambda: b"{\\rtf1 " + b"{" * 1_000_000,
    "cut.rtf": lambda: b"{\\rtf1 {\\pict\\bin999999999 x}}",
    "nested.jsonl": lambda: b'{"a": ' + b"[" * 1_000_000 + b"\n",
    "no.jsonl": lambda: b"{]\n",
    "nameless.xlsx": lambda: archive({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}),
}
"""Files that mean harm, by name; made when a test needs them, and not when tests are collected."""


def harmless_looking() -> bytes:
    """A PDF that can be read, but whose form draws itself, and whose metadata need much time and memory."""
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        page = pdf.pages[0].obj
        form = pdf.make_stream(b"/X Do", Subtype=Name.Form, Type=Name.XObject, BBox=Array([0, 0, 9, 9]))
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        page.Resources = Dictionary(XObject=Dictionary(X=form))
        page.Contents = pdf.make_stream(b"/X Do")
        packed = zlib.compress(b"\0" * (130 << 20), 1)
        pdf.Root.Metadata = pikepdf.Stream(pdf, packed, Filter=Name.FlateDecode)
        written = BytesIO()
        pdf.save(written, fix_metadata_version=False)
    return written.getvalue()


def _with_part(data: bytes, name: str = "word/document.xml") -> bytes:
    return archive({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>", name: data})


def stored(blobs: BlobStore, data: bytes, spans: Iterable[tuple[int, int]] = ()) -> StoredDocument:
    """`data` as it lies in the blobs."""
    document = Document(data, spans)
    streams, owner = separate(document), new_id()
    plain = blobs.new_plain(owner=owner, purpose="document")
    plain.write_at(0, [streams.plain])
    sealed = blobs.new_sealed(owner=owner, purpose="document")
    sealed.write(streams.secure)
    sealed.write(tail(blake3(streams.secure).digest(), document.spans))
    refs = plain.finish(document.plain_size), sealed.finish()
    return StoredDocument(blobs, *refs, document.size, document.classified_size)


def file_of(blobs: BlobStore, name: str, data: bytes, format_name: str, key: str = "") -> File:
    """A file that nothing is marked in, as the reading service is asked about it."""
    return File(key or name, name, "", format_name, stored(blobs, data), None, unmarked=True)
