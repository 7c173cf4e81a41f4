"""Small PDFs in clear, and changes of them that keep to how a PDF is written: for the fuzzer.

Invariant: a file is objects, each a text, and a table that leads to them. What is changed is what an object says; the
table is made again around it, and then perhaps spoilt on purpose. So nearly every input gets past the first look, and
there is no library in the way: thousands are made in a second.
"""

import re
import zlib
from random import Random
from typing import Final

Objects = dict[int, bytes]

_TOKEN: Final = re.compile(
    rb"<<|>>|\[|\]|\d+ \d+ R|/[^\s/<>\[\]()]*|\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f]*>|[+-]?[\d.]+|\w+"
)
_NAMES: Final = (
    b"/Kids /Count /Parent /Type /Page /Pages /Contents /Resources /Annots /Annot /Filter /DecodeParms "
    b"/FlateDecode /LZWDecode /ASCIIHexDecode /ASCII85Decode /RunLengthDecode /DCTDecode /Length /Names /Dests "
    b"/Outlines /First /Last /Next /Prev /Dest /A /S /URI /AcroForm /Fields /T /V /AP /N /XObject /Form /Image "
    b"/SMask /Font /Type0 /Type3 /DescendantFonts /ToUnicode /Encoding /CharProcs /StructTreeRoot /K /MCID "
    b"/ObjStm /XRef /Extends /Metadata /Root /Info /ID /Encrypt /OCProperties /OCGs /EmbeddedFiles /EF /F "
    b"/MediaBox /Rotate /UserUnit /Tabs /B /PieceInfo"
).split()
_VALUES: Final = (
    b"0 1 -1 2 9 65535 2147483648 -2147483649 99999999999999999999 0.00001 1e9 true false null () (x) <> <FEFF> [] "
    b"<< >> [[[[[[]]]]]] endobj endstream stream R obj"
).split()
_OPERATORS: Final = b"q Q BT ET Tf Td Tj TJ ' Do cm re f W n BI ID EI BDC EMC BMC gs sh Tr Tm T* d0 d1".split()


def small_pdfs() -> list[bytes]:
    """Some, of what readers look at in several ways: a plain one, one with all that hides, one packed, one revised."""
    return [written(_plain()), written(_hiding()), _packed(_hiding()), _revised(_plain())]


def _plain() -> Objects:
    return {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 200 200]/Resources<</Font<</F 5 0 R>>>>>>",
        3: b"<</Type/Page/Parent 2 0 R/Contents 6 0 R>>",
        4: b"<</Type/Page/Parent 2 0 R/Contents[6 0 R 7 0 R]/Rotate 90>>",
        5: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        6: _stream(b"BT /F 12 Tf 20 100 Td (Berta met us) Tj ET"),
        7: _stream(b"q 1 0 0 1 5 5 cm BT /F 9 Tf 20 50 Td [(in) -20 <204f736c6f>] TJ ET Q"),
    }


def _hiding() -> Objects:
    objects = _plain()
    objects[1] = (
        b"<</Type/Catalog/Pages 2 0 R/Outlines 8 0 R/AcroForm<</Fields[10 0 R]>>"
        b"/Names<</Dests<</Names[(d)[3 0 R/Fit]]>>"
        b"/EmbeddedFiles<</Names[(e)13 0 R]>>>>/Metadata 12 0 R/OCProperties<</OCGs[15 0 R]/D<</OFF[15 0 R]>>>>"
        b"/StructTreeRoot<</Type/StructTreeRoot/K<</S/P/P 3 0 R/Pg 3 0 R/K 0/Alt(Berta)>>>>>>"
    )
    objects[3] = b"<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots[10 0 R 11 0 R]/Resources 16 0 R>>"
    return objects | {
        8: b"<</Type/Outlines/First 9 0 R/Last 9 0 R/Count 1>>",
        9: b"<</Title(Berta)/Parent 8 0 R/Dest[3 0 R/Fit]>>",
        10: b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Berta)/Rect[0 0 9 9]/P 3 0 R/AP<</N 17 0 R>>>>",
        11: b"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/Berta)>>>>",
        12: _stream(b"<x>Berta</x>", b"/Type/Metadata/Subtype/XML"),
        13: b"<</Type/Filespec/F(b.txt)/EF<</F 14 0 R>>>>",
        14: _stream(b"Berta", b"/Type/EmbeddedFile"),
        15: b"<</Type/OCG/Name(Berta)>>",
        16: b"<</Font<</F 5 0 R/G 19 0 R>>/XObject<</X 17 0 R/I 18 0 R>>/Properties<</O 15 0 R>>>>",
        17: _stream(
            b"/OC /O BDC BT /F 9 Tf (Berta) Tj ET EMC", b"/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources 16 0 R"
        ),
        18: _stream(
            zlib.compress(bytes(16)),
            b"/Type/XObject/Subtype/Image/Width 4/Height 4/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode",
        ),
        19: b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a 7 0 R>>"
        b"/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]/Resources 16 0 R>>",
    }


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%b>>\nstream\n%b\nendstream" % (len(data), entries, data)


def written(objects: Objects, trailer: bytes = b"/Root 1 0 R", before: bytes = b"%PDF-1.7\n") -> bytes:
    """The file with its table."""
    body, places = bytearray(before), dict[int, int]()
    for number, said in objects.items():
        places[number] = len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, said)
    at = len(body)
    body += b"xref\n"
    for number, place in places.items():
        body += b"%d 1\n%010d 00000 n \n" % (number, place)
    body += b"trailer\n<</Size %d%b>>\nstartxref\n%d\n%%%%EOF\n" % (max(objects, default=0) + 1, trailer, at)
    return bytes(body)


def _packed(objects: Objects) -> bytes:
    """With what is no stream in an object stream, and a table that is a stream."""
    inside = {number: said for number, said in objects.items() if b"stream" not in said}
    heads, said = b"", b""
    for number, text in inside.items():
        heads += b"%d %d " % (number, len(said))
        said += text + b" "
    packed = b"/Type/ObjStm/N %d/First %d/Filter/FlateDecode" % (len(inside), len(heads))
    number = max(objects) + 1
    outside = {key: text for key, text in objects.items() if key not in inside}
    outside[number] = _stream(zlib.compress(heads + said), packed)
    body, rows = bytearray(b"%PDF-1.7\n"), {0: bytes(5)}
    for key, text in outside.items():
        rows[key] = b"\1" + len(body).to_bytes(3) + b"\0"
        body += b"%d 0 obj\n%b\nendobj\n" % (key, text)
    rows |= {key: b"\2" + number.to_bytes(3) + bytes([index]) for index, key in enumerate(inside)}
    rows[number + 1] = b"\1" + len(body).to_bytes(3) + b"\0"
    table = b"".join(rows.get(key, bytes(5)) for key in range(number + 2))
    entries = b"/Type/XRef/W[1 3 1]/Size %d/Root 1 0 R" % (number + 2)
    at = len(body)
    body += b"%d 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF\n" % (number + 1, _stream(table, entries), at)
    return bytes(body)


def _revised(objects: Objects) -> bytes:
    """With a second revision, in which a page says something else."""
    first = written(objects)
    at = first.rindex(b"startxref\n") + 10
    previous = first[at : first.index(b"\n", at)]
    return written({6: _stream(b"BT /F 12 Tf (Later) Tj ET")}, b"/Root 1 0 R/Prev " + previous, first)


_OBJECT: Final = re.compile(rb"(\d+) \d+ obj\n(.*?)\nendobj\n", re.DOTALL)


def rewritten(data: bytes, random: Random) -> bytes:
    """`data` with some objects saying something else, and a table that leads to them; spoilt at times, or not."""
    objects = {int(found[1]): found[2] for found in _OBJECT.finditer(data) if len(found[1]) < 6}
    if not objects:
        return data
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        number = random.choice([*objects])
        objects[number] = _changed(objects[number], random, [*objects])
    trailer = b"/Root 1 0 R"
    if random.random() < 0.2:
        trailer += random.choice(
            [b"/Prev 0", b"/Prev 9", b"/XRefStm 9", b"/Encrypt 2 0 R", b"/Info 3 0 R", b"/ID[()()]"]
        )
    made = written(objects, trailer)
    match random.randrange(12):
        case 0:  # a second revision, which leads back to the first, or to itself
            previous = random.choice([made.rindex(b"xref\n") - 5, len(made), 9])
            return written(dict(random.sample(sorted(objects.items()), 1)), trailer + b"/Prev %d" % previous, made)
        case 1:
            at = made.rindex(b"xref\n") + random.randrange(60)
            return made[:at] + b"%d" % random.randrange(10) + made[at + 1 :]
        case 2:
            return made[: random.randrange(len(made))]
        case 3:
            return made.replace(b"/Length ", b"/Length %d" % random.randrange(9), 1)
        case _:
            return made


def _changed(said: bytes, random: Random, numbers: list[int]) -> bytes:
    head, stream, content = said.partition(b"stream\n")
    if stream and random.random() < 0.4:
        return head + stream + _content(content, random)
    tokens = [*_TOKEN.finditer(head)]
    if not tokens:
        return said
    one, two = random.choice(tokens), random.choice(tokens)
    start, end = one.span()
    match random.randrange(6):
        case 0:
            new = b" %d 0 R" % random.choice(numbers)
        case 1:
            new = b" " + random.choice(_VALUES)
        case 2:
            new = random.choice(_NAMES)
        case 3:
            new = b" " + two[0] * random.choice([1, 2, 50])
        case 4:
            new = b""
        case _:
            # One more entry of the dictionary, whatever it is.
            start = end = 2
            new = random.choice(_NAMES) + b" " + random.choice([b"%d 0 R" % random.choice(numbers), *_VALUES])
    return head[:start] + new + head[end:] + stream + content


def _content(content: bytes, random: Random) -> bytes:
    tokens = [*_TOKEN.finditer(content)]
    if not tokens:
        return content
    start, end = random.choice(tokens).span()
    new = random.choice(
        [random.choice(_OPERATORS), random.choice(_VALUES), b"", content[start:end] * 30, b"/X Do /I Do"]
    )
    return content[:start] + b" " + new + b" " + content[end:]
