"""A page of a redacted edition on which bars replace the marked words, images and areas.

The page is drawn again from what pdfium shows of it. Invariant: nothing of the original file is copied. The glyphs of
unmarked characters are drawn as outlines, one by one; everything else is a picture that was made without them and
without the marked ones. The finished page is read and drawn again, and must show what the original shows outside the
bars, and nothing in them. Text that looks different as outlines becomes part of the picture. In doubt, the page is
withheld.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import chain
from typing import Final, NamedTuple

import pikepdf
import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageStat

from sieve.formats.marker import MARKER
from sieve.formats.pdf.bars import Bar, bars, is_drawn
from sieve.formats.pdf.grid import placed, snapped
from sieve.formats.pdf.grown_bars import over_decoration, over_word, pixels
from sieve.formats.pdf.redrawn_pages import Ink, Redrawn, add_redrawn
from sieve.formats.pdf.rendering import NOWHERE, Box, RenderedPdf, Shown, drawn
from sieve.formats.pdf.search_terms import SearchTerms, folded
from sieve.formats.pdf.text_objects import (
    Glyph,
    Matrix,
    TextObject,
    em_box,
    image_boxes,
    image_contents,
    overlap,
    slope,
    text_objects,
    tight_box,
    with_margins,
)
from sieve.formats.pdf.words import around

_BLANKS: Final = re.compile(r"\s+")
_WHITE: Final = (255, 255)
_SMOOTHED: Final = 2
"""Pixels around the box of a letter in which its smoothed edges may be."""
_CHECK_SCALE: Final = 1.5
_MOST_DIFFERENT: Final = 36
"""The mean by which the blurred grey values in the box of a character may differ from the original, of 255."""
_MOST_SLOPE: Final = 0.02
"""Of a line with a bar. On a steeper one, bars would show where letters were."""
_IN_PICTURE: Final = 0.1
"""The part of its height by which a bar grows at each edge if the picture shows the letters below it."""

NOT_PLACED: Final = "The classified text has no visible place on it."
NOT_REMOVED: Final = "The classified text cannot be removed from it safely."
SHOWN_TWICE: Final = "It also shows a classified text where that is not marked."


class NotBarred(Exception):
    """The page must be withheld. The message says why, and shows nothing of its content."""


class Secrets(NamedTuple):
    """What is marked on a page."""

    ranges: Sequence[tuple[int, int]]
    """Code points of its text."""
    images: set[bytes]
    """Encoded contents of images."""
    areas: Sequence[Box]
    """All that is shown in them."""
    drawn: set[bytes]
    """With areas, the encoded contents of all images that it draws, in whatever way."""


def barred(rendered: RenderedPdf, index: int, secrets: Secrets, terms: SearchTerms, scale: float) -> Redrawn:
    """Page `index` with bars. `terms`: the texts that it must not show. `scale`: pixels a point of its picture.

    Raises:
        NotBarred: it cannot be made safely.
        Damaged, TooLarge: pdfium cannot draw the page.
    """
    text, boxes, places = rendered.characters(index)
    in_picture: set[int] = set()
    while True:
        page = rendered.page(index)
        try:
            made = _Barred(page, rendered.size(index), secrets, text, boxes, places, scale)
            result = made.redrawn(in_picture)
        finally:
            page.close()
        fault = _fault(result, rendered, index, text, boxes, made.removed, terms)
        if not fault:
            return result
        if isinstance(fault, str):
            raise NotBarred(fault)
        if fault <= in_picture:
            raise NotBarred(NOT_REMOVED)
        # The next time, more of its text is in the picture.
        in_picture |= fault if not in_picture else {*range(len(text))}


class _Barred:
    """One page, loaded."""

    def __init__(
        self,
        page: pdfium.PdfPage,
        size: tuple[float, float],
        secrets: Secrets,
        text: str,
        boxes: list[Box],
        places: list[int],
        scale: float,
    ) -> None:
        self._page, self._text, self._boxes, self._scale = page, text, boxes, scale
        self._size, self._places = size, places
        self._shown = Shown(page)
        textpage = page.get_textpage()
        self._in_areas = {at for at, box in enumerate(boxes) if any(overlap(box, area) for area in secrets.areas)}
        self.removed = self._in_areas | {at for start, end in secrets.ranges for at in range(start, end)}
        self._placed = placed(text, boxes, self.removed)
        lines = [
            em_box(textpage, self._shown, place, one.box) if place >= 0 and is_drawn(text[at], one.box) else one.box
            for at, (place, one) in enumerate(zip(places, self._placed, strict=True))
        ]
        self._bars = bars(text, [Box(*map(snapped, box)) for box in lines], secrets.ranges, self._size)
        sloped = any(slope(textpage, places[at]) > _MOST_SLOPE for bar in self._bars for at in bar.replaced)
        textpage.close()
        if sloped:
            raise NotBarred(NOT_REMOVED)
        in_bars = {at for bar in self._bars for at in bar.replaced}
        for start, end in secrets.ranges:
            if any(not text[at].isspace() for at in range(start, end)) and in_bars.isdisjoint(range(start, end)):
                raise NotBarred(NOT_PLACED)
        images = image_boxes(page, secrets.images) if secrets.images else []
        if secrets.images and not images:
            raise NotBarred(NOT_PLACED)
        if secrets.areas and not secrets.drawn <= image_contents(page):
            # In patterns, masks and glyphs, nobody knows how far an image spreads what is in an area.
            raise NotBarred(NOT_REMOVED)
        areas = [with_margins(page, area, scale) for area in secrets.areas]
        self._over_pixels = [Bar(_within(box, self._size), ()) for box in (*images, *areas)]

    def redrawn(self, in_picture: set[int]) -> Redrawn:
        """`in_picture`: code points that are not drawn as outlines, nor what the same instruction shows."""
        kept_in = {self._places[at] for at in in_picture}
        secret = {self._places[at] for at in self.removed}
        textpage = self._page.get_textpage()
        try:
            objects = text_objects(self._page, textpage, secret)
            for item in objects:
                if not kept_in.isdisjoint(item.characters):
                    item.glyphs = None
            self._refuse_unsafe(objects)
            mixed = [item for item in objects if item.glyphs is None and not secret.isdisjoint(item.characters)]
            grown = self._grown(objects, secret, {at for item in mixed for at in item.characters})
            for item in objects:
                item.show()
                if item.glyphs is not None or self._may_be_shadow(item):
                    item.hide()
            picture = drawn(self._page, self._scale)
            if mixed:
                self._refuse_visible(picture, textpage, mixed, secret, [*grown, *self._over_pixels])
        finally:
            textpage.close()
        found = [*grown, *self._over_pixels]
        if not _is_white(picture):
            for bar in found:
                _fill(picture, pixels(bar.box, picture, self._scale))
        code_points = {place: at for at, place in enumerate(self._places)}
        glyphs = [
            Ink(glyph.outline, self._matrix(glyph, code_points[glyph.character]), item.color)
            for item in objects
            if item.color is not None
            for glyph in item.glyphs or ()
            if glyph.outline
        ]
        text, boxes = self._kept(found)
        return Redrawn(self._size, picture, glyphs, found, text, boxes)

    def _matrix(self, glyph: Glyph, at: int) -> Matrix:
        """That of the glyph of code point `at`, at its place on the grid."""
        a, b, c, d, x, y = glyph.matrix
        old, (new, is_vertical) = self._boxes[at], self._placed[at]
        if is_vertical:
            return a, b, c, d, snapped(x), round(y + old.bottom - new.bottom, 2)
        return a, b, c, d, round(x + new.left - old.left, 2), snapped(y)

    def _refuse_unsafe(self, objects: Iterable[TextObject]) -> None:
        """Each marked character must belong to an object, to be hidden, and nothing else may depend on its edges."""
        known = {at for item in objects if not item.is_traced for at in item.characters}
        in_areas = (at for at in self._in_areas if not self._text[at].isspace())
        if any(self._places[at] not in known for at in chain(in_areas, *(bar.replaced for bar in self._bars))):
            raise NotBarred(NOT_REMOVED)

    def _grown(self, objects: Sequence[TextObject], secret: set[int], in_picture: set[int]) -> list[Bar]:
        """The bars over all that belongs to the marked words. `in_picture`: characters that the picture will show."""
        for item in objects:
            item.hide()
        background = drawn(self._page, self._scale)
        if _is_white(background) and not in_picture:
            return self._bars
        scanned, grey = self._scanned(objects, secret), background.convert("L")
        grown = []
        for bar in self._bars:
            box = bar.box
            if bar.replaced in scanned:
                for at in bar.replaced:
                    box = around(box, self._boxes[at])
                clean = over_word(grey, self._scale, box)
                if clean is None:
                    raise NotBarred(NOT_REMOVED)
                box = clean
            else:
                if any(self._places[at] in in_picture for at in bar.replaced):
                    box = _within(_higher(bar), self._size)
                box = over_decoration(background, self._scale, box, bar.is_vertical)
            grown.append(bar._replace(box=box))
        return grown

    def _scanned(self, objects: Sequence[TextObject], secret: set[int]) -> set[tuple[int, ...]]:
        """What the bars replace whose characters draw nothing, as in a scan with its text."""
        for item in objects:
            item.show()
        whole = drawn(self._page, self._scale)
        for item in objects:
            if not secret.isdisjoint(item.characters) or self._may_be_shadow(item):
                item.hide()
        without = drawn(self._page, self._scale)
        return {
            bar.replaced
            for bar in self._bars
            if not all(self._differs(whole, without, self._boxes[at]) for at in bar.replaced)
        }

    def _differs(self, one: Image.Image, other: Image.Image, box: Box) -> bool:
        area = pixels(box, one, self._scale)
        return ImageChops.difference(one.crop(area), other.crop(area)).getbbox() is not None

    def _may_be_shadow(self, item: TextObject) -> bool:
        """Whether it is text without characters near a bar: pdfium drops those that another text repeats."""
        box = item.box
        return not item.characters and any(
            box.left < bar.box.right and bar.box.left < box.right and box.top < low and high < box.bottom
            for bar in self._bars
            for half in [(bar.box.bottom - bar.box.top) / 2]
            for high, low in [(bar.box.top - half, bar.box.bottom + half)]
        )

    def _refuse_visible(
        self,
        picture: Image.Image,
        textpage: pdfium.PdfTextPage,
        mixed: Sequence[TextObject],
        secret: set[int],
        found: Iterable[Bar],
    ) -> None:
        """Refuses the page if the `picture` shows ink of `mixed` objects outside the bars and the letters that stay."""
        for item in mixed:
            item.hide()
        ink = ImageChops.difference(picture, drawn(self._page, self._scale))
        for bar in found:
            _fill(ink, pixels(bar.box, ink, self._scale))
        stays = {at for item in mixed for at in item.characters} - secret
        for place, loose in zip(self._places, self._boxes, strict=True):
            if place in stays:
                for box in (loose, tight_box(textpage, self._shown, place)):
                    if box.right > box.left:
                        left, top, right, bottom = pixels(box, ink, self._scale)
                        _fill(ink, (left - _SMOOTHED, top - _SMOOTHED, right + _SMOOTHED, bottom + _SMOOTHED))
        if ink.getbbox() is not None:
            raise NotBarred(NOT_REMOVED)

    def _kept(self, found: Sequence[Bar]) -> tuple[str, list[Box]]:
        """The text without what is marked but in no bar, and the boxes on the grid; of the same length."""
        in_bars = {at for bar in found for at in bar.replaced}
        text = "".join(
            character if at not in self.removed or at in in_bars or character == "\n" else " "
            for at, character in enumerate(self._text)
        )
        boxes = [one.box if at not in self.removed or at in in_bars else NOWHERE for at, one in enumerate(self._placed)]
        for blanks in _BLANKS.finditer(text):
            start, end = blanks.span()
            # At a line's end, blanks beside a bar would reveal where the marked text began or ended.
            if (start - 1 in in_bars or end in in_bars) and (start == 0 or end == len(text) or "\n" in blanks[0]):
                boxes[start:end] = [NOWHERE] * (end - start)
        return text, boxes


def _is_white(picture: Image.Image) -> bool:
    return picture.convert("L").getextrema() == _WHITE


def _higher(bar: Bar) -> Box:
    left, top, right, bottom = bar.box
    if bar.is_vertical:
        more = (right - left) * _IN_PICTURE
        return Box(left - more, top, right + more, bottom)
    more = (bottom - top) * _IN_PICTURE
    return Box(left, top - more, right, bottom + more)


def _within(box: Box, size: tuple[float, float]) -> Box:
    width, height = size
    return Box(
        min(max(0.0, box.left), width),
        min(max(0.0, box.top), height),
        min(max(0.0, box.right), width),
        min(max(0.0, box.bottom), height),
    )


def _fill(picture: Image.Image, area: tuple[int, int, int, int], grey: int = 0) -> None:
    left, top, right, bottom = area
    color = grey if picture.mode == "L" else (grey, grey, grey)
    ImageDraw.Draw(picture).rectangle((left, top, right - 1, bottom - 1), fill=color)


def _fault(
    made: Redrawn,
    rendered: RenderedPdf,
    index: int,
    text: str,
    boxes: Sequence[Box],
    removed: set[int],
    terms: SearchTerms,
) -> str | set[int]:
    """What is wrong with the finished page, read and drawn again: a reason, or code points that look different. Empty
    if nothing is.
    """
    with pikepdf.new() as alone:
        add_redrawn(alone, made)
        written = BytesIO()
        alone.save(written)
    again = RenderedPdf(written.getvalue())
    shown = again.text(0)
    if terms and terms.in_text(shown):
        return SHOWN_TWICE
    kept = Counter(folded("".join(character for at, character in enumerate(text) if at not in removed)))
    extra = Counter(folded(shown)) - kept
    if extra.keys() - set(MARKER) or extra.total() > len(MARKER) * len(made.bars):
        return NOT_REMOVED
    before, after = (
        one.picture(at, _CHECK_SCALE, annotations=False).convert("L") for one, at in ((rendered, index), (again, 0))
    )
    covered = Image.new("L", after.size)
    for bar in made.bars:
        _fill(covered, _scaled(bar.box, 2 / _CHECK_SCALE), 255)
    for left, top, right, bottom in (_scaled(bar.box, -1 / _CHECK_SCALE) for bar in made.bars):
        if right - left >= 1 and bottom - top >= 1 and after.crop((left, top, right, bottom)).getextrema() != (0, 0):
            return NOT_REMOVED
    # What is compared is the ink, not how each renderer smooths the edges of small letters.
    difference = ImageChops.difference(*(one.filter(ImageFilter.GaussianBlur(_CHECK_SCALE)) for one in (before, after)))
    found = set()
    for at, box in enumerate(boxes):
        if at in removed or not is_drawn(text[at], box):
            continue
        area = _scaled(box, 0)
        if covered.crop(area).getbbox() is not None:
            continue
        if ImageStat.Stat(difference.crop(area)).mean[0] > _MOST_DIFFERENT:
            found.add(at)
    return found


def _scaled(box: Box, grown: float) -> tuple[int, int, int, int]:
    """The pixels of the check that the box, `grown` by so many points, touches; if it shrinks, those inside it."""
    left, top, right, bottom = (edge * _CHECK_SCALE for edge in box)
    more = grown * _CHECK_SCALE
    if grown < 0:
        return math.ceil(left - more), math.ceil(top - more), math.floor(right + more), math.floor(bottom + more)
    return (
        math.floor(left - more),
        math.floor(top - more),
        max(math.floor(left) + 1, math.ceil(right + more)),
        max(math.floor(top) + 1, math.ceil(bottom + more)),
    )
