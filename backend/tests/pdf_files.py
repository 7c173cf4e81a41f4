"""PDFs by several producers, in several forms, from the texts of their pages: the same texts, the same bytes."""

import base64
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from io import BytesIO

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, ObjectStreamMode, Pdf, String

Producer = Callable[[Sequence[str]], bytes]


def by_reportlab(pages: Sequence[str], secret: str = "", compress: int = 1) -> bytes:
    """With a bookmark, a title, a link and a note that say `secret`, if there is one."""
    from reportlab.pdfgen import canvas

    written = BytesIO()
    drawn = canvas.Canvas(written, invariant=1, pageCompression=compress)
    if secret:
        drawn.setTitle(f"About {secret}")
        drawn.bookmarkPage(f"to-{secret}")
        drawn.addOutlineEntry(f"Chapter {secret}", f"to-{secret}")
    for number, text in enumerate(pages):
        if secret and number == 0:
            drawn.linkURL(f"https://example.org/{secret}", (10, 10, 60, 30))
            drawn.textAnnotation(f"a note on {secret}", (10, 40, 60, 60))
        at = drawn.beginText(50, 750)
        at.setFont("Helvetica", 12)
        at.textLines(text)
        drawn.drawText(at)
        drawn.rect(50, 50, 100 + number, 100)
        drawn.showPage()
    drawn.save()
    return written.getvalue()


def by_reportlab_uncompressed(pages: Sequence[str]) -> bytes:
    """The content in clear."""
    return by_reportlab(pages, compress=0)


def by_reportlab_subset(pages: Sequence[str]) -> bytes:
    """One font for all pages, embedded in part: its codes go by the order of use."""
    from matplotlib import font_manager
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen import canvas

    pdfmetrics.registerFont(TTFont("Embedded", font_manager.findfont("DejaVu Sans")))
    written = BytesIO()
    drawn = canvas.Canvas(written, invariant=1)
    for text in pages:
        drawn.setFont("Embedded", 11)
        drawn.drawString(50, 700, text)
        drawn.showPage()
    drawn.save()
    return written.getvalue()


def by_matplotlib(pages: Sequence[str]) -> bytes:
    """One dictionary of resources for all pages, and Type 3 fonts."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
    from matplotlib.figure import Figure

    written = BytesIO()
    with PdfPages(written, metadata={"CreationDate": None}) as book:
        for text in pages:
            figure = Figure(figsize=(4, 3))
            FigureCanvasPdf(figure)
            figure.text(0.05, 0.5, text, parse_math=False)
            book.savefig(figure)
    return written.getvalue()


def by_pypdf(pages: Sequence[str]) -> bytes:
    """Each page from a document of its own."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for text in pages:
        writer.append(PdfReader(BytesIO(by_reportlab([text]))))
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


def by_pikepdf(pages: Sequence[str]) -> bytes:
    """A picture and a form on each page, in one dictionary of resources; one form says the text once more."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    )
    drawn = Dictionary()
    resources = pdf.make_indirect(Dictionary(Font=Dictionary(F1=font), XObject=drawn))
    for number, text in enumerate(pages):
        pixels = bytes((at * 7 + number) % 251 for at in range(16 * 16)) + text.encode()[:16].ljust(16)
        drawn[f"/Im{number}"] = pdf.make_stream(
            zlib.compress(pixels),
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=16,
            Height=17,
            ColorSpace=Name.DeviceGray,
            BitsPerComponent=8,
            Filter=Name.FlateDecode,
        )
        drawn[f"/Fm{number}"] = pdf.make_stream(
            b"BT /F1 9 Tf 50 100 Td " + _shown(text) + b" ET",
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=Array([0, 0, 612, 792]),
            Resources=Dictionary(Font=Dictionary(F1=font)),
        )
        page = pdf.add_blank_page(page_size=(612, 792))
        page.obj.Resources = resources
        page.obj.Contents = pdf.make_stream(
            b"q 100 0 0 100 50 300 cm /Im%d Do Q /Fm%d Do BT /F1 12 Tf 50 700 Td " % (number, number)
            + _shown(text)
            + b" ET"
        )
    return _saved(pdf)


def _shown(text: str) -> bytes:
    """Split as kerning does it."""
    half = len(text) // 2
    return (
        b"[<"
        + text[:half].encode("cp1252").hex().encode()
        + b"> -20 <"
        + text[half:].encode("cp1252").hex().encode()
        + b">] TJ"
    )


def _saved(pdf: Pdf, **options: object) -> bytes:
    written = BytesIO()
    pdf.save(written, **{"static_id": True, **options})  # type: ignore[arg-type]
    return written.getvalue()


def linearised(data: bytes) -> bytes:
    """For the web."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return _saved(pdf, linearize=True)


def packed(data: bytes) -> bytes:
    """With object streams and a table that is a stream."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return _saved(pdf, object_stream_mode=ObjectStreamMode.generate)


def legible(data: bytes) -> bytes:
    """Everything unpacked."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return _saved(pdf, qdf=True)


def encrypted(data: bytes, user: str = "") -> bytes:
    """Under a password, by default an empty one."""
    with pikepdf.open(BytesIO(data)) as pdf:
        return _saved(pdf, static_id=False, encryption=pikepdf.Encryption(owner="owner", user=user, R=6))


def continued(data: bytes, text: str, page: int = 1) -> bytes:
    """With a revision appended in which the page number `page` says `text` and the title does, too."""
    with pikepdf.open(BytesIO(data)) as pdf:
        size = int(pdf.trailer.Size)
        root = pdf.Root.objgen
        shown = pdf.pages[page - 1].obj
        number, generation = shown.objgen
        content = b"BT /Fx 12 Tf 50 700 Td (" + text.encode("ascii") + b") Tj ET"
        shown.Contents = pdf.get_object(root)  # stands for the reference that is put in below
        entry = shown.unparse(resolved=True).replace(b"%d %d R" % root, b"%d 0 R" % size, -1)
        parent = shown.Parent.objgen
        entry = re.sub(rb"/Parent \d+ \d+ R", b"/Parent %d %d R" % parent, entry)
        fonts = b"<< /Font << /Fx << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        entry = re.sub(rb"/Resources (\d+ \d+ R|<<.*>>(?= /))", b"/Resources " + fonts, entry)
    before = int(re.findall(rb"startxref\s+(\d+)", data)[-1])
    added = bytearray(data if data.endswith(b"\n") else data + b"\n")
    places = []
    for key, body in (
        (number, entry),
        (size, b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)),
        (size + 1, b"<< /Title (%s) >>" % text.encode("ascii")),
    ):
        places.append((key, len(added)))
        added += b"%d %d obj\n%s\nendobj\n" % (key, generation if key == number else 0, body)
    start = len(added)
    added += b"xref\n0 0\n" + b"".join(b"%d 1\n%010d %05d n \n" % (key, at, 0) for key, at in places)
    added += b"trailer\n<< /Size %d /Root %d %d R /Info %d 0 R /Prev %d >>\n" % (size + 2, *root, size + 1, before)
    return bytes(added + b"startxref\n%d\n%%%%EOF\n" % start)


def with_hidden(pages: Sequence[str], secret: str) -> bytes:
    """Everything that may hide `secret` does."""
    with pikepdf.open(BytesIO(by_reportlab(pages, secret))) as pdf:
        said = String(f"see {secret}")
        with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
            metadata["dc:description"] = f"on {secret}"
        file = pikepdf.AttachedFileSpec(
            pdf,
            f"attached {secret}".encode(),
            description="",
            filename=f"{secret}.txt",
            mime_type="text/plain",
            creation_date="",
            mod_date="",
        )
        pdf.attachments[f"{secret}.txt"] = file
        names: Object = pdf.Root.Names
        names.JavaScript = Dictionary(
            Names=Array([String("go"), Dictionary(S=Name.JavaScript, JS=String(f"app.alert('{secret}')"))])
        )
        names.Dests = Dictionary(Names=Array([String(f"dest-{secret}"), Array([pdf.pages[-1].obj, Name.Fit])]))
        field = pdf.make_indirect(
            Dictionary(FT=Name.Tx, T=String("name"), V=said, Subtype=Name.Widget, Rect=Array([0, 0, 9, 9]))
        )
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
        layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(f"layer {secret}")))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
        page = pdf.pages[0].obj
        page.Resources.Properties = Dictionary(MC0=layer)
        off = b"/OC /MC0 BDC BT /F1 12 Tf 50 400 Td (off " + secret.encode() + b") Tj ET EMC"
        page.Contents = Array([page.Contents, pdf.make_stream(off)])
        pdf.Root.StructTreeRoot = Dictionary(
            Type=Name.StructTreeRoot, K=Dictionary(S=Name.Figure, Alt=String(f"picture of {secret}"))
        )
        # What no list of places names: any string may be shown by some program.
        pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.D, P=said)]))
        pdf.Root.PieceInfo = Dictionary(Any=Dictionary(Private=Array([Dictionary(Deep=String(f"deep {secret}"))])))
        page.AA = Dictionary(O=Dictionary(S=Name.Launch, F=String(f"launch {secret}")))
        return _saved(pdf)


PRODUCERS: dict[str, Producer] = {
    "reportlab": by_reportlab,
    "reportlab uncompressed": by_reportlab_uncompressed,
    "reportlab, embedded font": by_reportlab_subset,
    "matplotlib": by_matplotlib,
    "pypdf": by_pypdf,
    "pikepdf": by_pikepdf,
}
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "linearised": linearised,
    "packed": packed,
    "legible": legible,
    "continued": lambda data: continued(data, "a public revision"),
}


@cache
def made(producer: str, form: str, pages: tuple[str, ...]) -> bytes:
    """The same texts, the same file."""
    return FORMS[form](PRODUCERS[producer](pages))


_LITERAL = re.compile(rb"\(((?:[^()\\]++|\\.)*+)\)", re.DOTALL)
_HEX = re.compile(rb"<([0-9A-Fa-f\s]+)>")
_ZLIB = re.compile(
    b"|".join(
        re.escape(bytes([method]))
        + b"(?=[%s])" % b"".join(re.escape(bytes([flags])) for flags in range(256) if (method << 8 | flags) % 31 == 0)
        for method in range(0x08, 0x79, 0x10)
    )
)
"""Where a stream of zlib may begin."""
_FIRST, _MOST = 1 << 16, 1 << 22
_DIGITS_85 = bytes(range(ord("!"), ord("u") + 1)) + b"z" + b" \t\n\r\f\v"


@lru_cache(maxsize=4)  # Tests look for several words in the same bytes, one after the other.
def everything_said(data: bytes, depth: int = 3) -> bytes:
    """The bytes, and all that they come to however they are decoded: for a search, not for reading."""
    said = [data]
    if depth:
        said += [everything_said(_inflated(data, found.start()), depth - 1) for found in _ZLIB.finditer(data)]
        said += [everything_said(_from_85(text), depth - 1) for text in _texts_85(data)]
    octal = re.sub(rb"\\([0-7]{1,3})", lambda digits: bytes([int(digits[1], 8) & 255]), data)
    said.append(b"".join(_LITERAL.findall(octal)))
    said.append(b"".join(_from_hex(b"".join(digits.split())) for digits in _HEX.findall(data)))
    return b"\x00\x00".join(said)


def _inflated(data: bytes, start: int) -> bytes:
    """What unpacks from `start` on. Few bytes first: of what is soon over or wrong, zlib copies all that follows."""
    rest, unpacking = memoryview(data)[start:], zlib.decompressobj()
    try:
        first = unpacking.decompress(rest[:_FIRST], _MOST)
        if unpacking.eof or len(rest) <= _FIRST or len(first) == _MOST:
            return first
        return first + unpacking.decompress(unpacking.unconsumed_tail + rest[_FIRST:], _MOST - len(first))
    except zlib.error:
        return b""


def _from_hex(digits: bytes) -> bytes:
    return bytes.fromhex(digits.decode()[: len(digits) // 2 * 2])


def _texts_85(data: bytes) -> Iterator[bytes]:
    """What may be text in base 85, with its end mark."""
    start = 0
    while (end := data.find(b"~>", start)) >= 0:
        digits = end - start - len(data[start:end].rstrip(_DIGITS_85))
        start = end + 1
        if digits >= 4:
            start = end + 2
            yield data[end - digits : start]


def _from_85(text: bytes) -> bytes:
    try:
        return base64.a85decode(text, adobe=False) if not text.endswith(b"~>") else base64.a85decode(text[:-2].lstrip())
    except ValueError:
        return b""


def holds(data: bytes, secret: str) -> bool:
    """Whether `data` says `secret`, however it is written."""
    said = everything_said(data)
    lower = said.lower()
    forms = [secret.encode(form) for form in ("utf-8", "utf-16-be", "utf-16-le")]
    with suppress(UnicodeEncodeError):
        forms.append(secret.encode("cp1252"))
    return any(form in said or form.hex().encode() in lower for form in forms)
