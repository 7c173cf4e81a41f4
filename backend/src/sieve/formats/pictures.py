"""Pictures of which we know every byte to be pixels, measures, or text that can be read right here.

The law: a picture that is not walked through to its end is not known. JPEG and PNG are; all others (EMF with its text
records, SVG, TIFF, GIF) are taken for parts that are not understood.
"""

import re
import struct
import zlib
from collections.abc import Callable
from typing import Final

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
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Of each pixel, by how a PNG has its colours."""
_PASSES: Final = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""Of an interlaced PNG: where its first pixel stands, and how far the next one is."""
_MAX_PIXELS: Final = 256 << 20
"""Bytes of pixels, unpacked."""
_PIECE: Final = 1 << 18
_MAX_TEXT: Final = 1 << 20
# Among compressed pixels, FF is followed by 00, or begins anew what can be read by itself.
_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7]")


def is_understood(data: bytes, tells: Callable[[str], bool]) -> bool:
    """Whether the picture is one that we know to its last byte, and `tells` finds nothing in its texts."""
    if data.startswith(_PNG):
        texts = _png_texts(data)
    elif data.startswith(b"\xff\xd8\xff"):
        texts = _jpeg_texts(data)
    else:
        return False
    return texts is not None and not any(tells(form) for text in texts for form in _forms(text))


def is_whole_jpeg(data: bytes) -> bool:
    """Whether `data` is a JPEG picture, and nothing stands behind its end."""
    return data.startswith(b"\xff\xd8\xff") and _jpeg_texts(data) is not None


def _forms(text: bytes) -> list[str]:
    """Bytes of an unknown encoding, as all that they may say."""
    utf16 = [text[shift:].decode(code, "replace") for shift in (0, 1) for code in ("utf-16-le", "utf-16-be")]
    return [text.decode("utf-8", "replace"), text.decode("latin-1"), *utf16]


def _png_texts(data: bytes) -> list[bytes] | None:
    texts: list[bytes] = []
    packed: list[bytes] = []
    at, header = len(_PNG), b""
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">L4s", data, at)
        body = data[at + 8 : at + 8 + length]
        at += 12 + length
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
            try:
                texts += [keyword, inflater.decompress(rest[1:], _MAX_TEXT)]
            except zlib.error:
                return None
            if not inflater.eof or inflater.unused_data:
                return None
        elif kind not in _PNG_SILENT:
            return None
        if kind == b"IEND":
            return texts if at == len(data) and _are_just_pixels(header, packed) else None
    return None


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
    texts: list[bytes] = []
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xD9:
            return texts if at + 2 == len(data) else None
        if marker in (0x01, *range(0xD0, 0xD9)):
            return None
        (length,) = struct.unpack_from(">H", data, at + 2)
        if marker == 0xFE or 0xE0 <= marker <= 0xEF:
            texts.append(data[at + 4 : at + 2 + length])
        at += 2 + length
        if marker == 0xDA:
            at = _after_scan(data, at)
    # The end of the picture stands in the last two bytes.
    return texts if data[at:] == b"\xff\xd9" else None


def _after_scan(data: bytes, at: int) -> int:
    """Where the next marker stands after compressed pixels."""
    marker = _MARKER.search(data, at)
    return len(data) if marker is None else marker.start()
