"""Pictures of which we know every byte to be pixels, measures, or text that can be read right here.

The law: a picture that is not walked through to its end is not known. JPEG and PNG are; all others (EMF with its text
records, SVG, TIFF, GIF) are taken for parts that are not understood.
"""

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
_MAX_TEXT: Final = 1 << 20


def is_understood(data: bytes, tells: Callable[[str], bool]) -> bool:
    """Whether the picture is one that we know to its last byte, and `tells` finds nothing in its texts."""
    if data.startswith(_PNG):
        texts = _png_texts(data)
    elif data.startswith(b"\xff\xd8\xff"):
        texts = _jpeg_texts(data)
    else:
        return False
    return texts is not None and not any(tells(form) for text in texts for form in _forms(text))


def _forms(text: bytes) -> list[str]:
    """Bytes of an unknown encoding, as all that they may say."""
    utf16 = [text[shift:].decode(code, "replace") for shift in (0, 1) for code in ("utf-16-le", "utf-16-be")]
    return [text.decode("utf-8", "replace"), text.decode("latin-1"), *utf16]


def _png_texts(data: bytes) -> list[bytes] | None:
    texts: list[bytes] = []
    at = len(_PNG)
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">L4s", data, at)
        body = data[at + 8 : at + 8 + length]
        at += 12 + length
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
            return texts if at == len(data) else None
    return None


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
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            return len(data)
        if data[at + 1] != 0 and not 0xD0 <= data[at + 1] <= 0xD7:
            return at
        at += 2
