"""PNG and JPEG pictures of which every byte is known to be pixels, measures, or text that can be read here.

Invariant: a picture that cannot be parsed to its last byte is not known. JPEG and PNG can be; all other formats (EMF
with its text records, SVG, TIFF, GIF) count as unknown parts. A redacted edition gets the compressed pixels, and of the
metadata only what is needed to show them: colours, measures and orientation.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from sieve.formats.pictures.exif import exif_categories, orientation_only

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_SILENT: Final = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs hIST tIME".split())
_PNG_TELLING: Final = frozenset({b"tEXt", b"iTXt", b"eXIf"})
_PNG_PACKED: Final = frozenset({b"zTXt", b"iCCP"})
_PNG_NEEDED: Final = (_PNG_SILENT - {b"tIME"}) | {b"iCCP"}
"""Chunks that are needed to show the picture."""
_PNG_TEXTS: Final = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_PNG_LENGTHS: Final = {
    b"IHDR": range(13, 14),
    b"PLTE": range(3, 769, 3),
    b"IEND": range(1),
    b"tRNS": range(1, 257),
    b"gAMA": range(4, 5),
    b"cHRM": range(32, 33),
    b"sRGB": range(1, 2),
    b"sBIT": range(1, 5),
    b"bKGD": range(1, 7),
    b"pHYs": range(9, 10),
    b"hIST": range(2, 513, 2),
    b"tIME": range(7, 8),
}
"""Bytes that the standard allows in chunks without text. Others could contain anything."""
_IS_CRITICAL: Final = re.compile(rb"[A-Z]")
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples a pixel, by a PNG's colour type."""
_PASSES: Final = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""Of an interlaced PNG: the position of the first pixel, and the distance to the next."""
_MAX_PIXELS: Final = 256 << 20
"""Unpacked bytes of pixels."""
_PIECE: Final = 1 << 18
_MAX_PARTS: Final = 1 << 16
"""Segments of a JPEG, chunks of a PNG. More are only useful to keep a reader busy."""
_MAX_TEXT: Final = 1 << 20
# Among compressed pixels, FF is followed by 00 or by a restart marker.
_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7]")
_END: Final = b"\xff\xd9"
_COMMENT: Final = 0xFE
_SCAN: Final = 0xDA
_PROGRESSIVE: Final = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
"""Frames whose coefficients come in several scans."""
_NO_SEGMENT: Final = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers without a length: restarts, and the end."""
_APPLICATIONS: Final = range(0xE0, 0xF0)
_JPEG_NEEDED: Final = frozenset({*range(0xC0, 0xD0), *range(0xDA, 0xE0)} - {0xC8})
"""Frames, tables and scans."""
_JPEG_KNOWN: Final = _JPEG_NEEDED | {0xFE, *range(0xE0, 0xF0)}
"""With comments and the segments of programs, whose text is searched. Extensions, of which no standard says anything,
could contain it.
"""
_JFIF: Final = b"JFIF\0"
_JFIF_BYTES: Final = 14
"""Up to the sizes of a thumbnail, which are its last two."""
_ICC: Final = b"ICC_PROFILE\0"
_ADOBE: Final = b"Adobe"
_ADOBE_BYTES: Final = 12
_EXIF: Final = b"Exif\0\0"
_XMP: Final = b"http://ns.adobe.com/x"
_XMP_IN_PNG: Final = b"XML:com.adobe.xmp"
_OF_PROGRAMS: Final = "data of programs"
_TEXT: Final = "text"
_PREVIEW: Final = "small preview"
_JOINTS: Final = str.maketrans("_-.+", "    ")
_CATEGORIES: Final = ("place", "date", "camera", _TEXT, _PREVIEW, _OF_PROGRAMS)
"""Kinds of metadata, in the order in which they are listed."""


class _Unknown(Exception):
    """The picture is not known to its last byte."""


class _Segment(NamedTuple):
    """Of a JPEG: bytes `start` to `end`, with its marker and the compressed pixels after it."""

    marker: int
    start: int
    body: bytes
    end: int


class _Chunk(NamedTuple):
    """Of a PNG: bytes `start` to `end`, with its length and checksum."""

    kind: bytes
    start: int
    body: bytes
    end: int


def is_fully_known(data: bytes, has_marked: Callable[[str], bool]) -> bool:
    """Whether every byte of the picture is known, and `has_marked` finds nothing in its texts."""
    if data.startswith(_PNG):
        texts = _png_texts(data)
    elif _is_jpeg(data):
        texts = _jpeg_texts(data)
    else:
        return False
    return texts is not None and not any(has_marked(form) for text in texts for form in _forms(text))


def is_whole_jpeg(data: bytes) -> bool:
    """Whether `data` is a JPEG picture without anything after its end."""
    return _is_jpeg(data) and _jpeg_texts(data) is not None


def without_metadata(data: bytes) -> bytes | None:
    """The picture without metadata: its compressed pixels, and what is needed to show them.

    None for a picture that is not known to its last byte.
    """
    try:
        if data.startswith(_PNG):
            return _bare_png(data)
        return _bare_jpeg(data) if _is_jpeg(data) else None
    except _Unknown:
        return None


def metadata_summary(data: bytes) -> str:
    """The kinds of metadata in a picture, as a noun phrase; empty if there is none.

    Reads a picture that is not known to its last byte as far as possible.
    """
    found: set[str] = set()
    with suppress(_Unknown):
        if data.startswith(_PNG):
            for chunk in _png_chunks(data):
                found.update(_chunk_categories(chunk.kind, chunk.body))
        elif _is_jpeg(data):
            for segment in _jpeg_segments(data):
                found.update(_segment_categories(segment.marker, segment.body))
    listed = ", ".join(what for what in _CATEGORIES if what in found)
    return f"a picture with data about it ({listed})" if listed else ""


def unpacked_metadata(data: bytes) -> Iterator[bytes]:
    """The metadata of a PNG or JPEG picture, unpacked, up to its last byte; also of a damaged one."""
    end = len(_PNG)
    with suppress(_Unknown):
        if data.startswith(_PNG):
            for chunk in _png_chunks(data):
                end = chunk.end
                if chunk.kind not in _PNG_SILENT:
                    yield _unpacked(chunk.body)
        else:
            for segment in _jpeg_segments(data):
                end = segment.end
                if segment.marker == _COMMENT or segment.marker in _APPLICATIONS:
                    yield segment.body
            end += len(_END)
    yield data[end:]


def is_refined(data: bytes) -> bool:
    """Whether a JPEG has all of its coefficients: a progressive one may end before its last refinements, and decoders
    then guess from the pixels around."""
    missing: dict[int, set[int]] = {}
    is_progressive = False
    try:
        for segment in _jpeg_segments(data):
            if segment.marker in _PROGRESSIVE:
                is_progressive = True
                missing.update({number: {*range(64)} for number in segment.body[6::3]})
            elif segment.marker == _SCAN and is_progressive:
                names = segment.body[1 : 1 + 2 * segment.body[0] : 2]
                first, last, bits = segment.body[1 + 2 * segment.body[0] :][:3]
                for name in names if bits & 15 == 0 else b"":
                    missing.get(name, set()).difference_update(range(first, last + 1))
    except (_Unknown, ValueError, IndexError):
        return False
    return not any(missing.values())


def _unpacked(body: bytes) -> bytes:
    """The body of a chunk with the text that is packed in it."""
    _, _, rest = body.partition(b"\0")
    at = rest.find(b"\x78")
    if at < 0:
        return body
    try:
        return body + b"\0" + zlib.decompressobj().decompress(rest[at:], _MAX_TEXT)
    except zlib.error:
        return body


def _is_jpeg(data: bytes) -> bool:
    return data.startswith(b"\xff\xd8\xff")


def _bare_png(data: bytes) -> bytes:
    kept = bytearray(_PNG)
    for kind, start, body, end in _png_chunks(data):
        if kind in _PNG_NEEDED:
            kept += data[start:end]
        elif kind == b"eXIf":
            if turned := orientation_only(body):
                kept += struct.pack(">L", len(turned)) + kind + turned
                kept += struct.pack(">L", zlib.crc32(kind + turned))
        elif _IS_CRITICAL.match(kind):
            raise _Unknown
    return bytes(kept)


def _bare_jpeg(data: bytes) -> bytes:
    kept = bytearray(data[:2])
    for marker, start, body, end in _jpeg_segments(data):
        if marker in _JPEG_NEEDED:
            kept += data[start:end]
        elif needed := _needed(marker, body):
            kept += struct.pack(">2BH", 0xFF, marker, 2 + len(needed)) + needed
    return bytes(kept + _END)


def _needed(marker: int, body: bytes) -> bytes:
    """The part of a program's segment that is needed to show the picture."""
    if marker == 0xE0 and body.startswith(_JFIF) and len(body) >= _JFIF_BYTES:
        return body[: _JFIF_BYTES - 2] + b"\0\0"
    if marker == 0xE1 and body.startswith(_EXIF):
        turned = orientation_only(body[len(_EXIF) :])
        return _EXIF + turned if turned else b""
    if marker == 0xE2 and body.startswith(_ICC):
        return body
    if marker == 0xEE and body.startswith(_ADOBE) and len(body) >= _ADOBE_BYTES:
        return body[:_ADOBE_BYTES]
    return b""


def _segment_categories(marker: int, body: bytes) -> Iterator[str]:
    if marker == _COMMENT:
        yield _TEXT
    elif marker == 0xE0 and body.startswith(_JFIF):
        if len(body) > _JFIF_BYTES:
            yield _PREVIEW
    elif marker == 0xE0 and body.startswith(b"JFXX\0"):
        yield _PREVIEW
    elif marker == 0xE1 and body.startswith(_EXIF):
        yield from exif_categories(body[len(_EXIF) :])
    elif marker == 0xE1 and body.startswith(_XMP):
        yield from _xmp_categories(body)
    elif marker in _APPLICATIONS and len(body) > len(_needed(marker, body)):
        yield _OF_PROGRAMS
        if b"8BIM\x04\x0c" in body or b"8BIM\x04\x09" in body:
            yield _PREVIEW
        if b"8BIM\x04\x04" in body:
            yield _TEXT


def _chunk_categories(kind: bytes, body: bytes) -> Iterator[str]:
    keyword = body.partition(b"\0")[0] if kind in _PNG_TEXTS else b""
    if kind == b"eXIf":
        yield from exif_categories(body)
    elif kind == b"tIME" or b"date" in keyword.lower() or b"time" in keyword.lower():
        yield "date"
    elif keyword == _XMP_IN_PNG:
        yield from _xmp_categories(body)
    elif kind in _PNG_TEXTS:
        # Only programs write this, and only their own names.
        if keyword != b"Software":
            yield _TEXT
    elif kind not in _PNG_NEEDED:
        yield _OF_PROGRAMS


def _xmp_categories(body: bytes) -> Iterator[str]:
    yield _OF_PROGRAMS
    if b"GPSL" in body:
        yield "place"
    if b'Date="' in body or b"Date>" in body:
        yield "date"
    if b":Thumbnails" in body:
        yield _PREVIEW


def _forms(text: bytes) -> list[str]:
    """All texts that bytes of an unknown encoding may be."""
    utf16 = [text[shift:].decode(code, "replace") for shift in (0, 1) for code in ("utf-16-le", "utf-16-be")]
    said = [text.decode("utf-8", "replace"), text.decode("latin-1"), *utf16]
    # Programs join the words of a name.
    return [*said, *(one.translate(_JOINTS) for one in said[:2])]


def _png_texts(data: bytes) -> list[bytes] | None:
    texts: list[bytes] = []
    packed: list[bytes] = []
    header = b""
    seen: set[bytes] = set()
    try:
        for kind, _, body, _ in _png_chunks(data):
            if kind == b"IDAT":
                packed.append(body)
            elif kind == b"IHDR":
                header = body
            if kind in _PNG_LENGTHS and (kind in seen or len(body) not in _PNG_LENGTHS[kind]):
                return None
            seen.add(kind)
            if kind in _PNG_TELLING:
                keyword, _, rest = body.partition(b"\0")
                if kind == b"iTXt" and rest[:1] != b"\0":
                    return None
                texts.append(body)
            elif kind in _PNG_PACKED:
                keyword, _, rest = body.partition(b"\0")
                inflater = zlib.decompressobj()
                texts += [keyword, inflater.decompress(rest[1:], _MAX_TEXT)]
                if not inflater.eof or inflater.unused_data:
                    return None
            elif kind not in _PNG_SILENT:
                return None
    except (_Unknown, zlib.error):
        return None
    return texts if _are_just_pixels(header, packed) else None


def _png_chunks(data: bytes) -> Iterator[_Chunk]:
    """All of it, to the last byte; raises _Unknown at the first part that is not known."""
    at, left = len(_PNG), _MAX_PARTS
    while at + 12 <= len(data) and left:
        left -= 1
        length, kind = struct.unpack_from(">L4s", data, at)
        end = at + 12 + length
        if end > len(data):
            break
        yield _Chunk(kind, at, data[at + 8 : end - 4], end)
        at = end
        if kind == b"IEND":
            if at == len(data):
                return
            break
    raise _Unknown


def _are_just_pixels(header: bytes, packed: list[bytes]) -> bool:
    """Whether the compressed data of a PNG is exactly its pixels."""
    if len(header) != 13:
        return False
    width, height, depth, colours, _, _, interlaced = struct.unpack(">2L5B", header)
    bits = depth * _SAMPLES.get(colours, 0)
    passes = _PASSES if interlaced else [(0, 0, 1, 1)]
    sizes = [((width - x + right - 1) // right, (height - y + down - 1) // down) for x, y, right, down in passes]
    left = sum(rows * (1 + (columns * bits + 7) // 8) for columns, rows in sizes if columns > 0 and rows > 0)
    if not 0 < left <= _MAX_PIXELS:
        return False
    inflater = zlib.decompressobj()
    try:
        for piece in [*packed, b""]:
            pending = piece
            while pending or not piece:
                unpacked = inflater.decompress(pending, min(left, _PIECE) + 1)
                left -= len(unpacked)
                pending = inflater.unconsumed_tail
                if left < 0 or inflater.unused_data or (inflater.eof and pending):
                    return False
                if not unpacked and not pending:
                    break
    except zlib.error:
        return False
    return inflater.eof and left == 0


def _jpeg_texts(data: bytes) -> list[bytes] | None:
    try:
        segments = [(marker, body) for marker, _, body, _ in _jpeg_segments(data)]
    except _Unknown:
        return None
    if not _JPEG_KNOWN.issuperset(marker for marker, _ in segments):
        return None
    return [body for marker, body in segments if marker == _COMMENT or marker in _APPLICATIONS]


def _jpeg_segments(data: bytes) -> Iterator[_Segment]:
    """All of it, to the last byte; raises _Unknown at the first part that is not known."""
    at, left = 2, _MAX_PARTS
    while at + 4 <= len(data):
        marker = data[at + 1]
        if data[at] != 0xFF or marker in _NO_SEGMENT or left == 0:
            raise _Unknown
        if marker == 0xFF:
            at += 1
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        left -= 1
        start, at = at, at + 2 + length
        body = data[start + 4 : at]
        if marker == _SCAN:
            at = _after_scan(data, at)
        yield _Segment(marker, start, body, at)
    # The last two bytes are the end marker.
    if data[at:] != _END:
        raise _Unknown


def _after_scan(data: bytes, at: int) -> int:
    """The position of the next marker after compressed pixels."""
    marker = _MARKER.search(data, at)
    return len(data) if marker is None else marker.start()
