"""What a zip archive contains besides its files: comments, and data that no reader of the archive would show.

Invariant: every byte that is no data of a file must be what the format requires there, occur once, and match the rest
of the archive. Only times and owners are accepted in addition, in the fields that programs write them into. Times,
attributes and versions are numbers of fixed size and are not checked.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from sieve.formats.zip.container import FULL16, FULL32, Entry, ZipContainer

_LOCAL: Final = struct.Struct("<14x3L2H")
_DIRECTORY: Final = struct.Struct("<28x3H12x")
_END: Final = struct.Struct("<10xH2LH")
_END64: Final = struct.Struct("<4sQ4x2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_DESCRIBED: Final = b"PK\7\x08"
_NTFS_TIMES: Final = bytes((0, 0, 0, 0, 1, 0, 24, 0))


class ExtraData(NamedTuple):
    """`unexplained`: whether there is anything besides files, comments and the records of both."""

    comments: list[bytes]
    unexplained: bool


def extra_data(container: ZipContainer) -> ExtraData:
    """The extra data of a whole archive."""
    data = container.whole
    comments = [data[container.end.stop :]]
    clear = _end_is_clear(container)
    at = container.directory.start
    # `entries` has the order of the directory.
    for entry in container.entries.values():
        name, extra, comment = _DIRECTORY.unpack_from(data, at)
        extra_at = at + _DIRECTORY.size + name
        at = extra_at + extra + comment
        clear = clear and _tells_numbers(data[extra_at : extra_at + extra], entry) and _header_is_clear(data, entry)
        comments.append(data[at - comment : at])
    return ExtraData([one for one in comments if one], not clear or any(_between(container)))


def _end_is_clear(container: ZipContainer) -> bool:
    """Whether the records after the directory only state its position, up to the end of the file."""
    data, directory, end = container.whole, container.directory, container.end
    count, size, start = len(container.entries), len(directory), directory.start
    *stated, comment = _END.unpack_from(data, end.start)
    right = ((count, FULL16), (size, FULL32), (start, FULL32))
    if not all(one in values for one, values in zip(stated, right, strict=True)) or end.stop + comment != len(data):
        return False
    wide = data[directory.stop : end.start]
    if not wide:
        return True
    record = _END64.pack(b"PK\6\6", _END64.size - 12, 0, 0, count, count, size, start)
    # Between them, the versions of the programs.
    locator = _LOCATOR.pack(b"PK\6\7", 0, directory.stop, 1)
    return wide[:12] + bytes(4) + wide[16:] == record + locator


def _header_is_clear(data: bytes, entry: Entry) -> bool:
    """Whether the header before the file tells nothing else than the directory."""
    *stated, _, extra = _LOCAL.unpack_from(data, entry.header)
    packed = entry.end - entry.start
    fits = all(one in (0, right, FULL32) for one, right in zip(stated, (entry.crc, packed, entry.size), strict=True))
    return fits and _tells_numbers(data[entry.start - extra : entry.start], entry)


def _tells_numbers(extra: bytes, entry: Entry) -> bool:
    """Whether the fields contain correct sizes, times and owners, each once."""
    known, at = {0, entry.size, entry.end - entry.start, entry.header}, 0
    seen: set[int] = set()
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<2H", extra, at)
        field = extra[at + 4 : at + 4 + length]
        if len(field) < length or tag in seen or not _is_numbers(tag, field, known):
            return False
        seen.add(tag)
        at += 4 + length
    return at == len(extra)


def _is_numbers(tag: int, field: bytes, known: set[int]) -> bool:
    match tag:
        case 0x0001:  # Zip64: sizes, place, and a volume
            values = struct.unpack_from(f"<{len(field) // 8}Q", field)
            return known.issuperset(values) and len(field) % 8 in (0, 4) and not any(field[len(values) * 8 :])
        case 0x5455:  # times, as Unix has them
            return len(field) in (5, 9, 13) and field[0] < 8
        case 0x7875:  # numbers of user and group
            return len(field) == 11 and field[:2] == b"\1\4" and field[6] == 4
        case 0x000A:  # times, as Windows has them
            return len(field) == 32 and field.startswith(_NTFS_TIMES)
        case 0xCAFE:  # Java's, which is empty
            return not field
        case _:
            return False


def _between(container: ZipContainer) -> Iterator[bool]:
    """Whether there is data between two files, or before the directory, that does not describe the file before it."""
    data, at = container.whole, 0
    allowed = {b""}
    for entry in sorted(container.entries.values(), key=lambda entry: entry.header):
        yield data[at : entry.header] not in allowed
        at, allowed = entry.end, _descriptions(entry)
    yield data[at : container.directory.start] not in allowed


def _descriptions(entry: Entry) -> set[bytes]:
    """The records that may follow a file."""
    if not entry.sizes_follow:
        return {b""}
    stated = entry.crc, entry.end - entry.start, entry.size
    forms = [struct.pack("<L2Q", *stated)]
    if max(stated) <= FULL32:
        forms.append(struct.pack("<3L", *stated))
    return {*forms, *(_DESCRIBED + form for form in forms)}
