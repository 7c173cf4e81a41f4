"""PDFs in one embedded font whose characters have codes by some rule, as different programs choose them."""

import struct
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO

import pikepdf
from pikepdf import Array, Dictionary, Name

TOTAL = "69"
"""Digits that a program may fill in last."""
Numbering = Callable[[Sequence[str]], dict[str, int]]
"""The code of each character of some texts."""


def by_glyph_id(texts: Sequence[str]) -> dict[str, int]:
    """As in the whole font: Chromium, Word, TeX engines."""
    return {character: glyph_id(character) for text in texts for character in text}


def by_use(texts: Sequence[str]) -> dict[str, int]:
    """In the order of first use: LibreOffice, cairo, fpdf2."""
    return {character: at for at, character in enumerate(dict.fromkeys("".join(texts)), 1)}


def by_use_around_ascii(texts: Sequence[str]) -> dict[str, int]:
    """ASCII as it is, anything else in the order of first use: reportlab."""
    used = dict.fromkeys("".join(texts))
    other = [character for character in used if not character.isascii()]
    return {character: ord(character) for character in used if character.isascii()} | {
        character: at for at, character in enumerate(other, 128)
    }


def by_alphabet(texts: Sequence[str]) -> dict[str, int]:
    """In the order of an alphabet: programs that take parts of fonts when a document is complete."""
    return {character: at for at, character in enumerate(sorted(set("".join(texts))), 1)}


def by_alphabet_from_ascii(texts: Sequence[str]) -> dict[str, int]:
    """The same, from the first visible ASCII character on."""
    return {character: code + 31 for character, code in by_alphabet(texts).items()}


def by_use_from_the_end(texts: Sequence[str]) -> dict[str, int]:
    """Last page first."""
    return by_use([text[::-1] for text in texts[::-1]])


def by_use_with_late_totals(texts: Sequence[str]) -> dict[str, int]:
    """In the order of first use, but for a number that is filled in last: fpdf2's number of pages."""
    return by_use([*("".join(one for one in text if one not in TOTAL) for text in texts), TOTAL])


def by_frequency(texts: Sequence[str]) -> dict[str, int]:
    """What occurs most is first."""
    text = "".join(texts)
    return {character: at for at, character in enumerate(sorted(set(text), key=lambda one: (-text.count(one), one)), 1)}


NUMBERINGS: dict[str, Numbering] = {
    numbering.__name__: numbering
    for numbering in (
        *(by_glyph_id, by_use, by_use_around_ascii, by_alphabet, by_alphabet_from_ascii),
        *(by_use_from_the_end, by_use_with_late_totals, by_frequency),
    )
}


def glyph_id(character: str) -> int:
    """Fonts have their letters in this order, if not from this number on."""
    return ord(character) - 29 if ord(character) < 127 else ord(character) % 400 + 100


def made(numbering: str, texts: Sequence[str], producer: str | None = None) -> bytes:
    """A page for each text. `producer`: the usual one by default."""
    codes = NUMBERINGS[numbering](texts)
    pdf = pikepdf.new()
    pdf.docinfo["/Producer"] = producer or ("Skia/PDF m117" if numbering == "by_glyph_id" else "cairo 1.16.0")
    descriptor = Dictionary(
        Type=Name.FontDescriptor,
        FontName=Name("/ABCDEF+Some"),
        Flags=4,
        FontBBox=Array([0, -200, 1000, 900]),
        ItalicAngle=0,
        Ascent=900,
        Descent=-200,
        CapHeight=700,
        StemV=80,
        FontFile2=pdf.make_stream(_program(codes.values())),
    )
    below = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name("/ABCDEF+Some"),
        CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        FontDescriptor=pdf.make_indirect(descriptor),
        CIDToGIDMap=Name.Identity,
        DW=600,
    )
    listed = [*codes.items()]
    if numbering == "by_use_around_ascii":  # reportlab embeds all of ASCII
        listed += [(chr(code), code) for code in range(128) if chr(code) not in codes]
    pairs = b"\n".join(
        b"<%04x> <%s>" % (code, character.encode("utf-16-be").hex().encode()) for character, code in listed
    )
    font = pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name("/ABCDEF+Some"),
            Encoding=Name("/Identity-H"),
            DescendantFonts=Array([pdf.make_indirect(below)]),
            ToUnicode=pdf.make_stream(
                b"begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n"
                b"%d beginbfchar\n%s\nendbfchar endcmap" % (len(listed), pairs)
            ),
        )
    )
    for text in texts:
        page = pdf.add_blank_page(page_size=(2000, 800))
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
        shown = b"".join(b"%04x" % codes[character] for character in text)
        page.obj.Contents = pdf.make_stream(b"BT /F1 12 Tf 50 700 Td <" + shown + b"> Tj ET")
    written = BytesIO()
    pdf.save(written, static_id=True, compress_streams=False)
    return written.getvalue() if producer else as_by_cairo(written.getvalue())


def as_by_cairo(data: bytes) -> bytes:
    """With cairo's comment after the header, instead of qpdf's."""
    return data.replace(b"%\xbf\xf7\xa2\xfe", b"%\xb5\xed\xae\xfb", 1)


def as_by_typst(pdf: pikepdf.Pdf, creator: str = "Typst 0.15.1") -> bytes:
    """The file with Typst's name, and its comment after the header."""
    if "/Info" in pdf.trailer:
        del pdf.trailer.Info
    pdf.docinfo["/Creator"] = creator
    written = BytesIO()
    pdf.save(written, static_id=True, compress_streams=False)
    return written.getvalue().replace(b"%\xbf\xf7\xa2\xfe", b"%\x80\x80\x80\x80", 1)


def _program(codes: Iterable[int]) -> bytes:
    """A TrueType font with an empty glyph for each number that is no code."""
    used = set(codes)
    places, at = [0], 0
    for glyph in range(max(used) + 1):
        at += 12 if glyph in used or not glyph else 0
        places.append(at)
    head = bytearray(54)
    struct.pack_into(">H", head, 50, 1)
    tables = {b"head": bytes(head), b"loca": struct.pack(f">{len(places)}L", *places), b"glyf": bytes(at)}
    program = struct.pack(">LHHHH", 0x00010000, len(tables), 0, 0, 0)
    start = len(program) + 16 * len(tables)
    for tag, table in tables.items():
        program += struct.pack(">4sLLL", tag, 0, start, len(table))
        start += len(table)
    return program + b"".join(tables.values())
