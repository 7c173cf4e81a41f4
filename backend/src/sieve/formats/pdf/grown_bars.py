"""Bars that grow until they cover everything in a picture that belongs to a marked word: its ink in a scan, or an
underline, a frame or a coloured box around it, whose ends would reveal the width of the word.
"""

import math
from collections.abc import Callable
from typing import Final, cast

from PIL import Image, ImageChops

from sieve.formats.pdf.rendering import Box

CLEAN: Final = 64
"""The most by which the grey values of a line without ink differ, of 255."""
_MOST_GROWTH: Final = 0.5
"""The part of its height by which a bar over a scanned word may grow, at each edge."""
_DECORATED: Final = 1.0
"""The part of its height by which a bar may grow over what is drawn around a word, at each edge."""
_BETWEEN: Final = 0.06
"""The part of its height that may be free between a bar and such a drawing, as between two underlines."""
_STEP: Final = 0.1
"""The part of its height in steps of which a bar grows over such a drawing: a shadow has the shape of its word."""

Pixels = tuple[int, int, int, int]


def pixels(box: Box, picture: Image.Image, scale: float) -> Pixels:
    """The pixels that the box touches, at least one. `scale`: pixels a point."""
    left = min(max(0, int(box.left * scale)), picture.width - 1)
    top = min(max(0, int(box.top * scale)), picture.height - 1)
    right = min(picture.width, max(left + 1, int(box.right * scale) + 1))
    return left, top, right, min(picture.height, max(top + 1, int(box.bottom * scale) + 1))


def over_word(picture: Image.Image, scale: float, box: Box) -> Box | None:
    """`box` with edges that no ink of the grey `picture` crosses. None if there are none close to it, or if there is no
    ink in it: the word is elsewhere in the picture.
    """
    left, top, right, bottom = pixels(box, picture, scale)
    most = round((bottom - top) * _MOST_GROWTH)

    def clean(*area: *Pixels) -> bool:
        return _range_of(picture.crop(area)) <= CLEAN

    rows = [(top - step, bottom + step) for step in range(most)]
    top = next((up for up, _ in rows if up <= 0 or clean(left, up - 1, right, up)), -1)
    bottom = next((low for _, low in rows if low >= picture.height or clean(left, low, right, low + 1)), -1)
    if top < 0 or bottom < 0:
        return None
    columns = [(left - step, right + step) for step in range(most)]
    left = next((start for start, _ in columns if start <= 0 or clean(start - 1, top, start, bottom)), -1)
    right = next((end for _, end in columns if end >= picture.width or clean(end, top, end + 1, bottom)), -1)
    if left < 0 or right < 0 or clean(left, top, right, bottom):
        return None
    return Box(left / scale, top / scale, right / scale, bottom / scale)


def over_decoration(picture: Image.Image, scale: float, box: Box, is_vertical: bool) -> Box:
    """`box`, grown over what the `picture` shows around the word at its upper and lower edge; at the edges to the left
    and the right if `is_vertical`.

    What has no end nearby, such as the rules of a table, belongs to no word.
    """
    if is_vertical:
        turned = over_decoration(picture.transpose(Image.Transpose.TRANSPOSE), scale, _turned(box), False)
        return _turned(turned)
    left, top, right, bottom = pixels(box, picture, scale)
    height = bottom - top
    most, between = round(height * _DECORATED), max(2, round(height * _BETWEEN))

    def row(at: int) -> Image.Image:
        return picture.crop((left, at, right, at + 1))

    above = _drawn(row, range(top - 1, max(-1, top - 1 - most), -1), between)
    below = _drawn(row, range(bottom, min(picture.height, bottom + most)), between)
    step = (box.bottom - box.top) * _STEP
    steps = (math.ceil(rows / scale / step) for rows in (above, below))
    return Box(box.left, max(0.0, box.top - next(steps) * step), box.right, box.bottom + next(steps) * step)


def _drawn(row: Callable[[int], Image.Image], rows: range, between: int) -> int:
    """How many of the `rows` a drawing takes that begins at the first ones and ends before the last one; 0 if there is
    none.
    """
    taken = free = 0
    for count, at in enumerate(rows, 1):
        # What differs along the row begins or ends under the bar.
        if _range_of(ImageChops.difference(row(at), row(rows[-1]))) > 0:
            taken, free = count, 0
            continue
        free += 1
        if free > between:
            return taken
    return 0


def _range_of(picture: Image.Image) -> int:
    """The difference between the highest and the lowest value of a colour."""
    # Of one band Pillow gives two numbers; its type covers pictures of several, too.
    edges = (cast(tuple[int, int], band.getextrema()) for band in picture.split())
    return max(high - low for low, high in edges)


def _turned(box: Box) -> Box:
    return Box(box.top, box.left, box.bottom, box.right)
