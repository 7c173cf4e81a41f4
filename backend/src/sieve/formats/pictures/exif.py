"""EXIF, the metadata of a photograph: how the picture is turned, and a name for each kind of other data in it.

Each directory is read once, as far as possible; what cannot be read counts as data of programs.
"""

import struct
from collections.abc import Iterator
from typing import Final

_ORIENTATION: Final = 0x0112
_MORE: Final = 0x8769
_PLACE: Final = 0x8825
_LATITUDE: Final = 0x0002
_CATEGORIES: Final = {
    **dict.fromkeys((0x0132, 0x9003, 0x9004), "date"),
    **dict.fromkeys((0x010F, 0x0110, 0xA430, 0xA431, 0xA435), "camera"),
    **dict.fromkeys((0x010E, 0x013B, 0x8298, 0x9286, *range(0x9C9B, 0x9CA0)), "text"),
}
_ORDERS: Final = {b"II*\0": "<", b"MM\0*": ">"}
_SHORT: Final = 3
_ORIENTATION_ALONE: Final = 26
"""Bytes of EXIF that contains nothing else."""


def orientation_only(tiff: bytes) -> bytes:
    """EXIF with only the picture's orientation; empty if the picture is neither turned nor mirrored."""
    order = _ORDERS.get(tiff[:4], "")
    value = _first(tiff, order)[0].get(_ORIENTATION)
    (orientation,) = struct.unpack_from(f"{order}H", value) if value else (1,)
    if not 2 <= orientation <= 8:
        return b""
    return b"MM\0*" + struct.pack(">LHHHLHHL", 8, 1, _ORIENTATION, _SHORT, 1, orientation, 0, 0)


def exif_categories(tiff: bytes) -> Iterator[str]:
    """Names of the kinds of data in it; nothing for what `orientation_only` returns."""
    order = _ORDERS.get(tiff[:4], "")
    tags, following = _first(tiff, order)
    more = _directory(tiff, order, tags[_MORE])[0] if _MORE in tags else {}
    found = {_CATEGORIES[tag] for tag in (*tags, *more) if tag in _CATEGORIES}
    if _PLACE in tags and _LATITUDE in _directory(tiff, order, tags[_PLACE])[0]:
        found.add("place")
    if following:
        found.add("small preview")
    yield from found
    if not found and (tags.keys() != {_ORIENTATION} or len(tiff) > _ORIENTATION_ALONE):
        yield "data of programs"


def _first(tiff: bytes, order: str) -> tuple[dict[int, bytes], bool]:
    return _directory(tiff, order, tiff[4:8]) if order else ({}, False)


def _directory(tiff: bytes, order: str, pointer: bytes) -> tuple[dict[int, bytes], bool]:
    """The values, or their positions, by tag; and whether another directory follows."""
    if len(pointer) < 4:
        return {}, False
    (at,) = struct.unpack(f"{order}L", pointer)
    if at + 2 > len(tiff):
        return {}, False
    (count,) = struct.unpack_from(f"{order}H", tiff, at)
    end = min(at + 2 + 12 * count, len(tiff) - 11)
    starts = range(at + 2, end, 12)
    tags = {struct.unpack_from(f"{order}H", tiff, start)[0]: tiff[start + 8 : start + 12] for start in starts}
    after = at + 2 + 12 * count
    return tags, any(tiff[after : after + 4])
