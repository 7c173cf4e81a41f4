"""The texts in a picture's file other than its pixels: EXIF, XMP, comments, tags, and bytes that no program reads.

Nothing rests on them but what the leak check reports: the file travels classified as a whole, and no edition has them.
"""

import re
import warnings
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from typing import Final

from PIL import Image

from sieve.formats.pictures.exif import exif_categories
from sieve.formats.pictures.metadata import is_fully_known, metadata_summary, unpacked_metadata

MAX_CHARACTERS: Final = 200_000
_WORDS: Final = re.compile(r"[^\W_][\w \t.,:;/@'()<>=\"#&+!?%-]{3,}")
_WIDE: Final = re.compile(rb"(?:[\x20-\x7e]\0){4,}")
_PLACES: Final = ((273, 279), (324, 325))
"""Tags of a TIFF with the places and sizes of its pixels."""
_MAX_PAGES: Final = 200


def texts_of(data: bytes, kind: str) -> str:
    """Each of them on a line; empty if there are none."""
    lines: dict[str, None] = {}
    left = MAX_CHARACTERS
    for piece in _outside_pixels(data) if kind == "tiff" else unpacked_metadata(data):
        wide = (found[0].decode("utf-16-le") for found in _WIDE.finditer(piece))
        narrow = (found[0].strip() for found in _WORDS.finditer(piece.decode("utf-8", "replace")))
        for line in (*wide, *narrow):
            left -= len(line)
            if left < 0:
                return "\n".join(lines)
            lines.setdefault(line)
    return "\n".join(lines)


def summary_of(data: bytes, kind: str) -> str:
    """The kinds of metadata, as a noun phrase; empty if there is none."""
    if kind == "tiff":
        found = [
            *dict.fromkeys(one for one in exif_categories(data) if one not in ("small preview", "data of programs"))
        ]
        listed = ", ".join(sorted(found, key=("place", "date", "camera", "text").index)) or "data of programs"
        return f"a picture with data about it ({listed})"
    known = metadata_summary(data)
    if known or is_fully_known(data, lambda text: False):
        return known
    return "a picture with data about it (data of programs)"


def _outside_pixels(data: bytes) -> Iterator[bytes]:
    """The bytes of a TIFF that belong to the pixels of no page."""
    taken: list[tuple[int, int]] = [(0, 8)]
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data), formats=["TIFF"]) as image:
            for page in range(_MAX_PAGES):
                image.seek(page)
                tags = getattr(image, "tag_v2", {})
                for places, sizes in _PLACES:
                    listed = zip(tags.get(places, ()), tags.get(sizes, ()), strict=False)
                    taken += [(start, start + size) for start, size in listed]
    except Exception:  # noqa: S110 -- the pages that Pillow reads are known; the rest is searched as it is
        pass
    taken.append((len(data), len(data)))
    end = 0
    for (_, before), (start, _) in pairwise(sorted(taken)):
        end = max(end, before)
        if end < start:
            yield data[end:start]
