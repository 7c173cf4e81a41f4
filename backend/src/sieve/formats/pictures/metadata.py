"""Pictures of which we know every byte to be pixels, measures, or text that can be read right here.

The law: a picture that is not walked through to its end is not known. JPEG and PNG are; all others (EMF with its text
records, SVG, TIFF, GIF) are taken for parts that are not understood. What goes into a redacted edition has its pixels
as they were packed, and of what is said about them only what they are shown by: colours, measures, which side is up.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from sieve.formats.pictures.exif import exif_categories, orientation_only

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_SILENT: Final = frozenset(
    {
        b"IHDR",
        b"PLTE",
        b"IDAT",
        b"IEND",
        b"tRNS",
        b"gAMA",
        b"cHRM",
        b"sRGB",
        b"sBIT",
        b"bKGD",
        b"pHYs",
        b"hIST",
        b"tIME",
    }
)
_PNG_TELLING: Final = frozenset({b"tEXt", b"iTXt", b"eXIf"})
_PNG_PACKED: Final = frozenset({b"zTXt", b"iCCP"})
_PNG_NEEDED: Final = (_PNG_SILENT - {b"tIME"}) | {b"iCCP"}
"""What a picture is shown by."""
_PNG_TEXTS: Final = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_IS_CRITICAL: Final = re.compile(rb"[A-Z]")
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Of each pixel, by how a PNG has its colours."""
_PASSES: Final = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""Of an interlaced PNG: where its first pixel stands, and how far the next one is."""
_MAX_PIXELS: Final = 256 << 20
"""Bytes of pixels, unpacked."""
_PIECE: Final = 1 << 18
_MAX_PARTS: Final = 1 << 16
"""Segments of a JPEG, chunks of a PNG: of what has more, only who would keep a reader busy has use."""
_MAX_TEXT: Final = 1 << 20
# Among compressed pixels, FF is followed by 00, or begins anew what can be read by itself.
_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7]")
_END: Final = b"\xff\xd9"
_COMMENT: Final = 0xFE
_NO_SEGMENT: Final = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers that have no length: of what they are in, or of the end."""
_APPLICATIONS: Final = range(0xE0, 0xF0)
_JPEG_NEEDED: Final = frozenset({*range(0xC0, 0xD0), *range(0xDA, 0xE0)} - {0xC8})
"""Frames, tables and scans."""
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
_SAID: Final = ("place", "date", "camera", _TEXT, _PREVIEW, _OF_PROGRAMS)
"""What a picture may have beside its pixels, in the order in which it is told."""


class _Unknown(Exception):
    """The picture is not known to its last byte."""


class _Segment(NamedTuple):
    """Of a JPEG: bytes `start` to `end`, with its marker, and with the compressed pixels behind it."""

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


def is_fully_known(data: bytes, tells: Callable[[str], bool]) -> bool:
    """Whether the picture is one that we know to its last byte, and `tells` finds nothing in its texts."""
    if data.startswith(_PNG):
        texts = _png_texts(data)
    elif _is_jpeg(data):
        texts = _jpeg_texts(data)
    else:
        return False
    return texts is not None and not any(tells(form) for text in texts for form in _forms(text))


def is_whole_jpeg(data: bytes) -> bool:
    """Whether `data` is a JPEG picture, and nothing stands behind its end."""
    return _is_jpeg(data) and _jpeg_texts(data) is not None


def without_metadata(data: bytes) -> bytes | None:
    """The picture without what is said about it: its pixels as they are packed, and what they are shown by.

    None for one that is not known to its last byte.
    """
    try:
        if data.startswith(_PNG):
            return _bare_png(data)
        return _bare_jpeg(data) if _is_jpeg(data) else None
    except _Unknown:
        return None


def metadata_summary(data: bytes) -> str:
    """How a picture hides what is said about it, as a noun phrase; empty if it has nothing of the kind.

    Of one that is not known to its last byte, as far as it is.
    """
    said: set[str] = set()
    with suppress(_Unknown):
        if data.startswith(_PNG):
            for chunk in _png_chunks(data):
                said.update(_chunk_said(chunk.kind, chunk.body))
        elif _is_jpeg(data):
            for segment in _jpeg_segments(data):
                said.update(_segment_said(segment.marker, segment.body))
    listed = ", ".join(what for what in _SAID if what in said)
    return f"a picture with data about it ({listed})" if listed else ""


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
    """What a segment of a program has that the picture is shown by."""
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


def _segment_said(marker: int, body: bytes) -> Iterator[str]:
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
        yield from _xmp_said(body)
    elif marker in _APPLICATIONS and len(body) > len(_needed(marker, body)):
        yield _OF_PROGRAMS
        if b"8BIM\x04\x0c" in body or b"8BIM\x04\x09" in body:
            yield _PREVIEW
        if b"8BIM\x04\x04" in body:
            yield _TEXT


def _chunk_said(kind: bytes, body: bytes) -> Iterator[str]:
    keyword = body.partition(b"\0")[0] if kind in _PNG_TEXTS else b""
    if kind == b"eXIf":
        yield from exif_categories(body)
    elif kind == b"tIME" or b"date" in keyword.lower() or b"time" in keyword.lower():
        yield "date"
    elif keyword == _XMP_IN_PNG:
        yield from _xmp_said(body)
    elif kind in _PNG_TEXTS:
        # Programs write their own names, and nobody else does.
        if keyword != b"Software":
            yield _TEXT
    elif kind not in _PNG_NEEDED:
        yield _OF_PROGRAMS


def _xmp_said(body: bytes) -> Iterator[str]:
    yield _OF_PROGRAMS
    if b"GPSL" in body:
        yield "place"
    if b'Date="' in body or b"Date>" in body:
        yield "date"
    if b":Thumbnails" in body:
        yield _PREVIEW


def _forms(text: bytes) -> list[str]:
    """Bytes of an unknown encoding, as all that they may say."""
    utf16 = [text[shift:].decode(code, "replace") for shift in (0, 1) for code in ("utf-16-le", "utf-16-be")]
    return [text.decode("utf-8", "replace"), text.decode("latin-1"), *utf16]


def _png_texts(data: bytes) -> list[bytes] | None:
    texts: list[bytes] = []
    packed: list[bytes] = []
    header = b""
    try:
        for kind, _, body, _ in _png_chunks(data):
            if kind == b"IDAT":
                packed.append(body)
            elif kind == b"IHDR":
                header = body
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
    """All of it, to the last byte; raises _Unknown once it is no further known."""
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
    """Whether what is packed in a PNG comes to its pixels, and nothing stands behind them."""
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
        return [body for marker, _, body, _ in _jpeg_segments(data) if marker == _COMMENT or marker in _APPLICATIONS]
    except _Unknown:
        return None


def _jpeg_segments(data: bytes) -> Iterator[_Segment]:
    """All of it, to the last byte; raises _Unknown once it is no further known."""
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
        if marker == 0xDA:
            at = _after_scan(data, at)
        yield _Segment(marker, start, body, at)
    # The end of the picture stands in the last two bytes.
    if data[at:] != _END:
        raise _Unknown


def _after_scan(data: bytes, at: int) -> int:
    """Where the next marker stands after compressed pixels."""
    marker = _MARKER.search(data, at)
    return len(data) if marker is None else marker.start()
