"""A zip archive as its bytes: which of them are the data of which entry, and which are anything else.

Invariant: every byte of the file is either data of exactly one entry or belongs to none (headers, descriptors, the
directory, comments, bytes between them). Only an archive that every reader understands alike is accepted: entries that
overlap, share a name, state different sizes or names in two places, or have bytes after the end of their compressed
stream are refused. Sizes are checked against the limits before anything is inflated, and nothing is inflated past its
stated size.

The standard library's zipfile reports no exact ranges and ignores most contradictions, so the layout is read here.
Entries inside entries are data: an archive inside an archive is never opened.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sieve.formats.errors import Damaged, Protected, TooLarge, Unsupported

MAX_ENTRIES: Final = 10_000
MAX_ENTRY_BYTES: Final = 256 << 20
MAX_TOTAL_BYTES: Final = 512 << 20
MAX_RATIO: Final = 200
"""How much larger than its compressed form an entry may be, once it is larger than `RATIO_FREE_BYTES`."""
RATIO_FREE_BYTES: Final = 16 << 20

_OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")
_ZIP: Final = b"PK\x03\x04"
_END: Final = struct.Struct("<4s4H2LH")
_END64_LOCATOR: Final = struct.Struct("<4sLQL")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_DIRECTORY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
FULL16: Final = 0xFFFF
FULL32: Final = 0xFFFFFFFF
"""In fields whose values are in Zip64 records."""
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_UTF8_NAME: Final = 0x800
_STORED: Final = 0
_DEFLATED: Final = 8
_PIECE: Final = 1 << 18


@dataclass(frozen=True, slots=True, repr=False)
class Entry:
    """One file of the archive. Its compressed data is bytes `start` to `end`, without `end`."""

    name: str
    header: int
    start: int
    end: int
    size: int
    crc: int
    method: int
    sizes_follow: bool
    """Whether its sizes may follow its data."""


def is_container(data: bytes) -> bool:
    """Whether it begins as a zip archive or a file of the old container of Office does."""
    return data.startswith((_OLE, _ZIP))


class ZipContainer:
    """An archive of which every entry was inflated once and matches its stated size and checksum."""

    def __init__(self, data: bytes) -> None:
        """Raises Damaged, Protected, TooLarge or Unsupported."""
        if not data:
            raise Damaged("this file is empty; download it again")
        if data.startswith(_OLE):
            raise _ole(data)
        self.whole: Final = data
        """The file."""
        directory, self.end, count, shift = _directory_bounds(data)
        self.directory = directory
        """The range of the directory; `end`: the range of the last record after it, without its comment."""
        self.entries: dict[str, Entry] = {}
        folded: set[str] = set()
        total = 0
        for entry in _entries(data, directory, count, shift):
            total += entry.size
            if total > MAX_TOTAL_BYTES:
                raise TooLarge(f"the file unpacks to more than {MAX_TOTAL_BYTES >> 20} MiB; classify the whole file")
            # Office treats names that differ only in case as one part.
            if entry.name.casefold() in folded:
                raise Damaged("two entries of the archive have the same name; save the document again")
            folded.add(entry.name.casefold())
            self.entries[entry.name] = entry
        last = 0
        for entry in sorted(self.entries.values(), key=lambda entry: entry.header):
            if entry.header < last:
                raise Damaged("entries of the archive overlap; save the document again")
            last = entry.end
        if last > directory.start:
            raise Damaged("entries of the archive overlap its directory; save the document again")
        for entry in self.entries.values():
            for _ in self.pieces(entry):
                pass

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.whole)

    def read(self, name: str) -> bytes:
        """The entry's contents, inflated."""
        return b"".join(self.pieces(self.entries[name]))

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        """The entry's contents, piece by piece.

        Raises:
            Damaged: its size or checksum differs from the directory's.
        """
        view = memoryview(self.whole)[entry.start : entry.end]
        crc = size = 0
        for piece in _inflate(view, entry.size) if entry.method == _DEFLATED else _slices(view):
            size += len(piece)
            crc = zlib.crc32(piece, crc)
            yield piece
        if size != entry.size or crc != entry.crc:
            raise Damaged("an entry of the archive does not match the directory; download the file again")


def _slices(view: memoryview) -> Iterator[bytes]:
    for at in range(0, len(view), _PIECE):
        yield bytes(view[at : at + _PIECE])


def _inflate(view: memoryview, size: int) -> Iterator[bytes]:
    """Inflates to at most `size` bytes. The stream must end exactly where the entry does."""
    inflater = zlib.decompressobj(-15)
    left = size
    try:
        for at in range(0, len(view), _PIECE):
            pending: bytes | memoryview = view[at : at + _PIECE]
            while pending:
                piece = inflater.decompress(pending, min(left + 1, _PIECE))
                left -= len(piece)
                if left < 0:
                    raise Damaged("an entry of the archive is longer than it says; download the file again")
                pending = inflater.unconsumed_tail
                if inflater.eof and (inflater.unused_data or at + _PIECE < len(view)):
                    raise Damaged("an entry of the archive has bytes after its end; save the document again")
                if piece:
                    yield piece
                elif inflater.eof:
                    break
        # Output that is still inside the inflater after the last input.
        while not inflater.eof:
            piece = inflater.decompress(b"", min(left + 1, _PIECE))
            if not piece:
                break
            left -= len(piece)
            if left < 0:
                raise Damaged("an entry of the archive is longer than it says; download the file again")
            yield piece
    except zlib.error as error:
        raise Damaged("an entry of the archive cannot be unpacked; download the file again") from error
    if not inflater.eof:
        raise Damaged("an entry of the archive is cut short; download the file again")


def unpacked_size(data: bytes) -> int:
    """Stated size of all entries together, in bytes. Unpacks nothing.

    Raises:
        Damaged, Protected, TooLarge, Unsupported: the archive cannot be read.
    """
    directory, _, count, shift = _directory_bounds(data)
    return sum(entry.size for entry in _entries(data, directory, count, shift))


def _directory_bounds(data: bytes) -> tuple[range, range, int, int]:
    """The ranges of the central directory and of the last record, the number of entries, and the size of any data
    before the archive, by which all stated offsets are wrong.
    """
    found = data.rfind(b"PK\5\6", max(0, len(data) - _END.size - FULL16))
    if found < 0 or found + _END.size > len(data):
        raise Damaged("this is no archive, or its end is missing; download it again")
    _, disk, first_disk, here, count, size, offset, comment = _END.unpack_from(data, found)
    if found + _END.size + comment > len(data):
        raise Damaged("the file ends inside its last record; download it again")
    end = found
    if FULL16 in (disk, first_disk, here, count) or FULL32 in (size, offset):
        end, (disk, first_disk, here, count, size, offset) = _end64(data, found)
    if disk or first_disk or here != count:
        raise Unsupported("the archive is one of several volumes; join them first")
    if count > MAX_ENTRIES:
        raise TooLarge(f"the file has more than {MAX_ENTRIES:,} parts; classify the whole file")
    # Offsets count from the start of the file, or of the archive if data precedes it.
    start = offset if data[offset : offset + 4] == b"PK\1\2" else end - size
    if start < offset or start + size > end:
        raise Damaged("the directory of the archive is not where the file says; download the file again")
    return range(start, start + size), range(found, found + _END.size), count, start - offset


def _end64(data: bytes, end: int) -> tuple[int, tuple[int, int, int, int, int, int]]:
    at = end - _END64_LOCATOR.size
    if at >= 0:
        signature, _, record, _ = _END64_LOCATOR.unpack_from(data, at)
        # If data precedes the archive, the record is directly before its locator.
        for place in (record, at - _END64.size):
            if signature == b"PK\6\7" and 0 <= place <= at - _END64.size and data[place : place + 4] == b"PK\6\6":
                fields = _END64.unpack_from(data, place)
                return place, (fields[4], fields[5], fields[6], fields[7], fields[8], fields[9])
    raise Damaged("the end of the archive is damaged; download the file again")


def _entries(data: bytes, directory: range, count: int, shift: int) -> Iterator[Entry]:
    at, end = directory.start, directory.stop
    for _ in range(count):
        if at + _DIRECTORY.size > end:
            raise Damaged("the directory of the archive is cut short; download the file again")
        fields = _DIRECTORY.unpack_from(data, at)
        flags, method, crc, packed, size = fields[3], fields[4], fields[7], fields[8], fields[9]
        name_size, extra_size, comment_size, disk, offset = fields[10], fields[11], fields[12], fields[13], fields[16]
        name_at = at + _DIRECTORY.size
        extra_at = name_at + name_size
        at = extra_at + extra_size + comment_size
        if fields[0] != b"PK\1\2" or at > end:
            raise Damaged("the directory of the archive is damaged; download the file again")
        if flags & _ENCRYPTED:
            raise Protected("a part of the file is encrypted; remove the password and try again")
        if method not in (_STORED, _DEFLATED):
            raise Unsupported("a part of the file is compressed in an unusual way; save it again")
        size, packed, offset = _widened(data[extra_at : extra_at + extra_size], size, packed, offset)
        if disk not in (0, FULL16):
            raise Unsupported("the archive is one of several volumes; join them first")
        raw_name = data[name_at:extra_at]
        yield _entry(data, raw_name, flags, method, crc, packed, size, offset + shift)
    if at != end:
        raise Damaged("the directory of the archive has another size than it says; download the file again")


def _entry(
    data: bytes, raw_name: bytes, flags: int, method: int, crc: int, packed: int, size: int, offset: int
) -> Entry:
    if offset + _LOCAL.size > len(data):
        raise Damaged("an entry of the archive lies outside of the file; download it again")
    signature, _, flags_here, method_here, _, _, crc_here, packed_here, size_here, name_size, extra_size = (
        _LOCAL.unpack_from(data, offset)
    )
    name_at = offset + _LOCAL.size
    start = name_at + name_size + extra_size
    if signature != b"PK\3\4" or start + packed > len(data):
        raise Damaged("an entry of the archive lies outside of the file; download it again")
    if flags_here & _ENCRYPTED:
        raise Protected("a part of the file is encrypted; remove the password and try again")
    here = data[name_at + name_size : start]
    sizes_follow = bool(flags_here & 0x8)
    size_here, packed_here, _ = _widened(here, size_here, packed_here, 0)
    same = (crc_here, packed_here, size_here) == (crc, packed, size)
    if data[name_at : name_at + name_size] != raw_name or method_here != method or not (same or sizes_follow):
        raise Damaged("the archive describes an entry in two different ways; save the document again")
    if method == _STORED and packed != size:
        raise Damaged("an entry of the archive has another size than it says; download the file again")
    if size > MAX_ENTRY_BYTES or (size > RATIO_FREE_BYTES and size > MAX_RATIO * packed):
        raise TooLarge("a part of the file unpacks to far more than it should; classify the whole file")
    return Entry(_name(raw_name, flags), offset, start, start + packed, size, crc, method, sizes_follow)


def _widened(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """The three values, read from the Zip64 extra field where 32 bits are not enough for them."""
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<2H", extra, at)
        field = extra[at + 4 : at + 4 + length]
        at += 4 + length
        if tag == 1 and FULL32 in (size, packed, offset):
            wide = iter(struct.unpack_from(f"<{len(field) // 8}Q", field))
            size, packed, offset = (next(wide, value) if value == FULL32 else value for value in (size, packed, offset))
            break
    return size, packed, offset


def _name(raw: bytes, flags: int) -> str:
    try:
        name = raw.decode("utf-8" if flags & _UTF8_NAME else "cp437")
    except UnicodeDecodeError as error:
        raise Damaged("the name of an entry of the archive cannot be read; save the document again") from error
    steps = name.removesuffix("/").split("/")
    if "\\" in name or any(step in ("", ".", "..") for step in steps) or not name.isprintable() or ":" in steps[0]:
        raise Damaged("the name of an entry leads out of the archive; save the document again")
    return name


def _ole(data: bytes) -> Protected | Unsupported:
    """The reason why a file in the old container is not supported. Names in its directory are in UTF-16."""
    if "EncryptedPackage".encode("utf-16-le") in data or "EncryptionInfo".encode("utf-16-le") in data:
        return Protected("the file is protected by a password; remove it in the program that you use and try again")
    if "__substg1.0_".encode("utf-16-le") in data:
        return Unsupported("this is an e-mail of Outlook; save it as .eml and try again")
    return Unsupported("this is a file of Office 97 to 2003; save it as .docx, .xlsx or .pptx and try again")
