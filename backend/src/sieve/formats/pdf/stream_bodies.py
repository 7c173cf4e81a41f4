"""The encoded bytes of a stream: their position in the file, and what they decode to.

Invariant: a stream's body is known only if the file's own table gives the position of its object, the object's header
is there, and the bytes that a parser reads as the stream are exactly those between `stream` and `endstream`, before the
next object. It decodes only if its filters are known and use every byte, so that nothing can be hidden after an end
mark. In doubt, a stream has no body, or does not decode.
"""

import re
import zlib
from bisect import bisect_right
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from sieve.formats.pdf.object_graph import ObjGen
from sieve.formats.pdf.opening import FAULTS
from sieve.formats.pdf.picture_ends import WHITE, is_whole
from sieve.formats.pictures.metadata import without_metadata

MAX_BODY: Final = 256 << 20
MAX_UNPACKED: Final = 64 << 20
"""Unpacked bytes of a stream that may travel plain."""
_MAX_DICTIONARY: Final = 64 << 10

_HEADER: Final = re.compile(rb"[\x00\t\n\f\r ]*(\d{1,10})[\x00\t\n\f\r ]+(\d{1,5})[\x00\t\n\f\r ]+obj")
_STREAM: Final = re.compile(rb"stream(?:\r\n|\n|\r)")
_END: Final = re.compile(rb"[\x00\t\n\f\r ]{0,4}endstream")
_OTHER_OBJECT: Final = re.compile(rb"endstream|endobj|\d[\x00\t\n\f\r ]+obj\b|startxref|%%EOF")
_PICTURES: Final = frozenset({"/DCTDecode", "/JPXDecode", "/CCITTFaxDecode", "/JBIG2Decode", "/DCT", "/CCF"})
_JPEG: Final = ("/DCTDecode", "/DCT")
_FLATE: Final = ("/FlateDecode", "/Fl")
_TEXTUAL: Final = ("/ASCII85Decode", "/A85", "/ASCIIHexDecode", "/AHx")


class Body(NamedTuple):
    """Bytes `start` to `end` of the file."""

    start: int
    end: int


class Bodies:
    """The bodies of the streams of one PDF."""

    def __init__(self, data: bytes, pdf: pikepdf.Pdf) -> None:
        self._data = data
        table = pdf.get_xref_table()
        self._offsets = {key: entry.offset for key, entry in table.items() if entry.type == 1 and entry.offset}
        self._order = sorted(self._offsets.values())
        self._steps = len(data) + (64 << 20)
        """Bytes of dictionaries that may be searched, so that overlapping objects cost no more than the file."""

    def find(self, key: ObjGen, encoded: bytes) -> Body | None:
        """The position of the bytes `encoded` in the object `key`."""
        at = self._offsets.get(key)
        if at is None or not encoded or len(encoded) > MAX_BODY or _OTHER_OBJECT.search(encoded):
            return None
        header = _HEADER.match(self._data, at)
        if header is None or (int(header[1]), int(header[2])) != key:
            return None
        after = bisect_right(self._order, at)
        limit = self._order[after] if after < len(self._order) else len(self._data)
        last = min(limit, header.end() + _MAX_DICTIONARY)
        for keyword in _STREAM.finditer(self._data, header.end(), last):
            start = keyword.end()
            self._steps -= start - at
            if self._steps < 0:
                return None
            end = start + len(encoded)
            if end <= limit and self._data.startswith(encoded, start) and _END.match(self._data, end):
                return Body(start, end)
        return None


def decoded(stream: Stream, encoded: bytes) -> bytes | None:
    """Decodes `encoded` as the body of `stream`; compressed pixels stay compressed. None if that is not certain."""
    filters = _filters(stream)
    if filters is None:
        return None
    is_image = stream.get("/Subtype") == Name.Image
    data = encoded
    for at, name in enumerate(filters):
        if name in _PICTURES:
            return data if at == len(filters) - 1 and is_image and is_whole(name, data) else None
        step = _step(name, data)
        if step is None:
            return None
        data = step
    if _predicted(stream):
        try:
            return data + stream.read_bytes() if is_image else None
        except FAULTS:
            return None
    return data


def has_tail(stream: Stream) -> bool:
    """Whether there may be data after the end of an image that is compressed in an image format."""
    filters = _filters(stream)
    if filters is None:
        return True
    if not _PICTURES.intersection(filters):
        return False
    data = _packed(stream, filters)
    return data is None or not is_whole(filters[-1], data)


def jpeg_in(stream: Stream) -> bytes | None:
    """The JPEG picture in the stream, if it is one; empty for one that cannot be unpacked."""
    filters = _filters(stream)
    if not filters or filters[-1] not in _JPEG:
        return None
    return (_packed(stream, filters) or b"").rstrip(WHITE)


def strip_metadata(stream: Stream) -> None:
    """Removes the metadata of a JPEG picture."""
    data = jpeg_in(stream)
    kept = without_metadata(data) if data is not None else None
    if kept is None or kept == data:
        return
    parameters = stream.get("/DecodeParms")
    last = parameters[-1] if isinstance(parameters, Array) and len(parameters) else parameters
    stream.write(kept, filter=Name.DCTDecode, decode_parms=last if isinstance(last, Dictionary) else None)


def _packed(stream: Stream, filters: list[str]) -> bytes | None:
    """An image in its image format; None if it cannot be read or has no such format."""
    try:
        data: bytes | None = stream.read_raw_bytes()
    except FAULTS:
        return None
    for name in filters[:-1]:
        data = _step(name, data) if data is not None else None
    return data if filters[-1] in _PICTURES else None


def _step(name: str, data: bytes) -> bytes | None:
    return _unpacked(data) if name in _FLATE else _from_text(name, data) if name in _TEXTUAL else None


def _filters(stream: Stream) -> list[str] | None:
    if "/F" in stream or "/FFilter" in stream:
        return None  # its bytes are in another file
    filters = stream.get("/Filter")
    if filters is None:
        return []
    listed = list(filters) if isinstance(filters, Array) else [filters]
    if len(listed) > 4 or not all(isinstance(name, Name) for name in listed):
        return None
    try:
        return [str(name) for name in listed]
    except UnicodeDecodeError:
        return None


def _unpacked(data: bytes) -> bytes | None:
    inflate = zlib.decompressobj()
    try:
        unpacked = inflate.decompress(data, MAX_UNPACKED)
    except zlib.error:
        return None
    # No reader shows data after the end of the compressed data, and it could be anything.
    return unpacked if inflate.eof and not inflate.unused_data.strip(WHITE) else None


def _from_text(name: str, data: bytes) -> bytes | None:
    end = b">" if "Hex" in name or name == "/AHx" else b"~>"
    stripped = data.rstrip(WHITE)
    if not stripped.endswith(end) or stripped.count(end) != 1:
        return None
    scratch = pikepdf.new()
    try:
        return bytes(Stream(scratch, data, Filter=Name(name)).read_bytes())
    except FAULTS:
        return None


def _predicted(stream: Stream) -> bool:
    parameters = stream.get("/DecodeParms", stream.get("/DP"))
    listed: list[Object | None] = list(parameters) if isinstance(parameters, Array) else [parameters]
    return any(isinstance(item, Dictionary) and item.get("/Predictor", 1) != 1 for item in listed)
