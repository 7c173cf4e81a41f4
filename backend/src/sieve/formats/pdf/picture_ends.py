"""Finds where the compressed pixels of a PDF's image end, according to the image format.

Invariant: an image is whole if its own markers, boxes and lengths lead from its first byte to its last. No reader shows
data after that, and it could be anything. Pixels are not unpacked.
"""

import re
import struct
from collections.abc import Iterable
from typing import Final

from sieve.formats.pictures.metadata import is_whole_jpeg

WHITE: Final = b"\x00\t\n\f\r "
"""White space, which may follow anything in a PDF."""

_END: Final = b"\xff\xd9"
_TILE: Final = 0xFF90
_BOXES: Final = frozenset({b"jP  ", b"ftyp", b"rreq", b"jp2h", b"jp2c", b"jp2i", b"xml ", b"uuid", b"uinf"})
# Compressed tiles contain no code from FF90 on.
_AFTER_TILE: Final = re.compile(rb"\xff[\x90-\xff]")
_SEGMENTS: Final = frozenset({0, 4, 6, 7, 16, 20, 22, 23, 36, 38, 39, 40, 42, 43, 48, 49, 50, 51, 52, 53})
"""Types of JBIG2 segments with pixels or measures."""
_UNKNOWN_LENGTH: Final = 0xFFFFFFFF
_TWO_LINE_ENDS: Final = 0x001001
_LINE_END: Final = "000000000001"


def is_whole(name: str, data: bytes) -> bool:
    """Whether an image compressed by the filter `name` ends where `data` does."""
    if name in ("/DCTDecode", "/DCT"):
        return is_whole_jpeg(data.rstrip(WHITE))
    if name == "/JPXDecode":
        return _is_whole_jpeg_2000(data)
    if name == "/JBIG2Decode":
        return _is_whole_jbig2(data)
    return _is_whole_fax(data)


def _is_whole_jpeg_2000(data: bytes) -> bool:
    if data.rstrip(WHITE).endswith(_END):
        data = data.rstrip(WHITE)
    if data.startswith(b"\xff\x4f"):
        return _is_codestream(data)
    at, pixels = 0, 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">L4s", data, at)
        start = at + 8
        if size == 1 and at + 16 <= len(data):
            (size,) = struct.unpack_from(">Q", data, start)
            start += 8
        end = at + size if size else len(data)
        if kind not in _BOXES or not start <= end <= len(data):
            return False
        if kind == b"jp2c":
            pixels += 1
            if not _is_codestream(data[start:end]):
                return False
        at = end
    return at == len(data) and pixels == 1


def _is_codestream(data: bytes) -> bool:
    at = 2
    while at + 4 <= len(data):
        marker, length = struct.unpack_from(">2H", data, at)
        if marker == _TILE:
            if at + 12 > len(data):
                return False
            (length,) = struct.unpack_from(">L", data, at + 6)
            if length == 0:  # up to the end
                after = _AFTER_TILE.search(data, data.find(b"\xff\x93", at) + 2)
                return after is not None and data[after.start() :] == _END
            if length < 14:
                return False
            at += length
        elif marker < 0xFF30 or length < 2:
            return False
        else:
            at += 2 + length
    return data[at:] == _END


def _is_whole_jbig2(data: bytes) -> bool:
    at, end = 0, len(data.rstrip(WHITE))
    while at < end:
        try:
            number, flags, referred = struct.unpack_from(">L2B", data, at)
            count, body = referred >> 5, at + 6
            if count == 7:
                (count,) = struct.unpack_from(">L", data, at + 5)
                count &= 0x1FFFFFFF
                body = at + 9 + (count + 8) // 8
            elif count > 4:
                return False
            body += count * (1 if number <= 256 else 2 if number <= 65_536 else 4) + (4 if flags & 0x40 else 1)
            (length,) = struct.unpack_from(">L", data, body)
        except struct.error:
            return False
        at = body + 4 + length
        if flags & 0x3F not in _SEGMENTS or length == _UNKNOWN_LENGTH or at > len(data):
            return False
    return end > 0


def _is_whole_fax(data: bytes) -> bool:
    """Whether only the required data follows two line ends in a row, which occur in no line."""
    ends = [found.start() * 8 - 8 + shift for shift, form in _FORMS if (found := form.search(data))]
    if not ends:
        return False
    at = min(ends) + 24
    following = "".join(f"{byte:08b}" for byte in data[at // 8 : at // 8 + 8])[at % 8 :]
    # Four more follow if each line has an end.
    for more in ("", 4 * _LINE_END):
        end = at + len(more)
        padding = following[len(more) : len(more) + -end % 8]
        if following.startswith(more) and "1" not in padding and not data[(end + 7) // 8 :].strip(WHITE):
            return True
    return False


def _form(shift: int) -> re.Pattern[bytes]:
    """The two line ends, `shift` bits into a byte: found from its second byte by two rare bytes."""
    middle = re.escape(struct.pack(">H", _TWO_LINE_ENDS >> shift & 0xFFFF))
    first = _one_of(code for code in range(256) if not code & 0xFF >> shift)
    last = _one_of(code for code in range(256) if code >> 8 - shift == _TWO_LINE_ENDS & (1 << shift) - 1)
    behind = b"(?=%b)" % last if shift else b""
    return re.compile(b"%b(?<=%b%b)%b" % (middle, first, middle, behind), re.DOTALL)


def _one_of(codes: Iterable[int]) -> bytes:
    return b"[" + b"".join(re.escape(bytes([code])) for code in codes) + b"]"


_FORMS: Final = [(shift, _form(shift)) for shift in range(8)]
