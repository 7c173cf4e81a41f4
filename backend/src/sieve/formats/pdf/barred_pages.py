"""A page of a redacted edition on which bars replace the marked words and images.

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
from typing import Final, NamedTuple

import pikepdf
import pypdfium2 as pdfium
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageStat

from sieve.formats.marker import MARKER
from sieve.formats.pdf.bars import Bar, bars, is_drawn
from sieve.formats.pdf.redrawn_pages import Ink, Redrawn, add_redrawn
from sieve.formats.pdf.rendering import NOWHERE, Box, RenderedPdf, Shown, drawn
from sieve.formats.pdf.search_terms import SearchTerms, folded
from sieve.formats.pdf.text_objects import TextObject, em_box, image_boxes, slope, text_objects, tight_box
from sieve.formats.pdf.words import around

GRID: Final = 0.25
"""Points. The place of each character is rounded to it, so that what is removed cannot be measured in fractions."""
CLEAN: Final = 64
"""The most by which the grey values of a line without ink differ, of 255."""
_BLANKS: Final = re.compile(r"\s+")
_WHITE: Final = (255, 255)
_CHECK_SCALE: Final = 1.5
_MOST_DIFFERENT: Final = 36
"""The mean by which the blurred grey values in the box of a character may differ from the original, of 255."""
_MOST_SLOPE: Final = 0.02
"""Of a line with a bar. On a steeper one, bars would show where letters were."""
_MOST_GROWTH: Final = 0.5
"""The part of its height by which a bar over a scanned word may grow."""

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
        lines = [
            em_box(textpage, self._shown, place, box) if place >= 0 and is_drawn(text[at], box) else box
            for at, (place, box) in enumerate(zip(self._places, boxes, strict=True))
        ]
        self._bars = bars(text, lines, secrets.ranges, self._size)
        self.removed = {at for start, end in secrets.ranges for at in range(start, end)}
        sloped = any(slope(textpage, places[at]) > _MOST_SLOPE for bar in self._bars for at in bar.replaced)
        textpage.close()
        if sloped:
            raise NotBarred(NOT_REMOVED)
        placed = {at for bar in self._bars for at in bar.replaced}
        for start, end in secrets.ranges:
            if any(not text[at].isspace() for at in range(start, end)) and placed.isdisjoint(range(start, end)):
                raise NotBarred(NOT_PLACED)
        images = image_boxes(page, secrets.images) if secrets.images else []
        if secrets.images and not images:
            raise NotBarred(NOT_PLACED)
        self._images = [Bar(_within(box, self._size), ()) for box in images]

    def redrawn(self, in_picture: set[int]) -> Redrawn:
        """`in_picture`: code points that are not drawn as outlines, nor what the same instruction shows."""
        kept_in = {self._places[at] for at in in_picture}
        textpage = self._page.get_textpage()
        try:
            objects = text_objects(self._page, textpage)
            for item in objects:
                if not kept_in.isdisjoint(item.characters):
                    item.glyphs = None
            self._refuse_unsafe(objects)
            secret = {self._places[at] for at in self.removed}
            over = self._over_pictures(objects, secret)
            for item in objects:
                item.show()
                # A text without characters may be the shadow of a marked one.
                if item.glyphs is not None or (not item.characters and self._is_near(item.box)):
                    item.hide()
            picture = drawn(self._page, self._scale)
            found = [*(over.get(bar.replaced, bar) for bar in self._bars), *self._images]
            if picture.convert("L").getextrema() != _WHITE:
                self._blacken(picture, found)
            for item in objects:
                if item.glyphs is None:
                    self._blacken_ink(picture, textpage, secret.intersection(item.characters))
        finally:
            textpage.close()
        glyphs = [
            Ink(glyph.outline, (*glyph.matrix[:4], _snapped(glyph.matrix[4]), _snapped(glyph.matrix[5])), item.color)
            for item in objects
            if item.color is not None
            for glyph in item.glyphs or ()
            if glyph.outline and glyph.character not in secret
        ]
        text, boxes = self._kept(found)
        return Redrawn(self._size, picture, glyphs, found, text, boxes)

    def _refuse_unsafe(self, objects: Iterable[TextObject]) -> None:
        """Each marked character must belong to an object, to be hidden, and have no strokes, which reach out of its box
        and so out of the bar.
        """
        known = {at for item in objects if not item.is_stroked for at in item.characters}
        if any(self._places[at] not in known for bar in self._bars for at in bar.replaced):
            raise NotBarred(NOT_REMOVED)

    def _over_pictures(self, objects: Sequence[TextObject], secret: set[int]) -> dict[tuple[int, ...], Bar]:
        """The bars over marked characters that draw nothing, as in a scan with its text. They grow until no ink of the
        picture crosses their edges.
        """
        for item in objects:
            item.hide()
        background = drawn(self._page, self._scale).convert("L")
        if background.getextrema() == _WHITE:
            return {}
        for item in objects:
            item.show()
        whole = drawn(self._page, self._scale)
        for item in objects:
            if not secret.isdisjoint(item.characters):
                item.hide()
        without = drawn(self._page, self._scale)
        grown = {}
        for bar in self._bars:
            if all(self._differs(whole, without, self._boxes[at]) for at in bar.replaced):
                continue
            box = bar.box
            for at in bar.replaced:
                box = around(box, self._boxes[at])
            grown[bar.replaced] = Bar(self._clean(background, box), bar.replaced)
        return grown

    def _differs(self, one: Image.Image, other: Image.Image, box: Box) -> bool:
        area = self._pixels(box, one)
        return ImageChops.difference(one.crop(area), other.crop(area)).getbbox() is not None

    def _clean(self, picture: Image.Image, box: Box) -> Box:
        """`box` with edges that no ink crosses.

        Raises:
            NotBarred: there are none close to it, or there is no ink in it: the word is elsewhere in the picture.
        """
        left, top, right, bottom = self._pixels(box, picture)
        most = round((bottom - top) * _MOST_GROWTH)

        def clean(*area: *tuple[int, int, int, int]) -> bool:
            low, high = picture.crop(area).getextrema()
            return float(high) - float(low) <= CLEAN  # type: ignore[arg-type]

        rows = [(top - step, bottom + step) for step in range(most)]
        top = next((up for up, _ in rows if up <= 0 or clean(left, up - 1, right, up)), -1)
        bottom = next((low for _, low in rows if low >= picture.height or clean(left, low, right, low + 1)), -1)
        if top < 0 or bottom < 0:
            raise NotBarred(NOT_REMOVED)
        columns = [(left - step, right + step) for step in range(most)]
        left = next((start for start, _ in columns if start <= 0 or clean(start - 1, top, start, bottom)), -1)
        right = next((end for _, end in columns if end >= picture.width or clean(end, top, end + 1, bottom)), -1)
        if left < 0 or right < 0 or clean(left, top, right, bottom):
            raise NotBarred(NOT_REMOVED)
        return Box(left / self._scale, top / self._scale, right / self._scale, bottom / self._scale)

    def _is_near(self, box: Box) -> bool:
        return any(
            box.left < bar.box.right and bar.box.left < box.right and box.top < low and high < box.bottom
            for bar in self._bars
            for half in [(bar.box.bottom - bar.box.top) / 2]
            for high, low in [(bar.box.top - half, bar.box.bottom + half)]
        )

    def _blacken(self, picture: Image.Image, found: Iterable[Bar]) -> None:
        for bar in found:
            _fill(picture, self._pixels(bar.box, picture))

    def _blacken_ink(self, picture: Image.Image, textpage: pdfium.PdfTextPage, characters: set[int]) -> None:
        """Covers marked glyphs that the picture shows, with what of them is outside their boxes."""
        for at, place in enumerate(self._places):
            if place in characters and at in self.removed:
                for box in (self._boxes[at], tight_box(textpage, self._shown, place)):
                    if box.right > box.left:
                        left, top, right, bottom = self._pixels(box, picture)
                        _fill(picture, (left - 1, top - 1, right + 1, bottom + 1))

    def _pixels(self, box: Box, picture: Image.Image) -> tuple[int, int, int, int]:
        """The pixels that the box touches, at least one."""
        left = min(max(0, int(box.left * self._scale)), picture.width - 1)
        top = min(max(0, int(box.top * self._scale)), picture.height - 1)
        right = min(picture.width, max(left + 1, int(box.right * self._scale) + 1))
        return left, top, right, min(picture.height, max(top + 1, int(box.bottom * self._scale) + 1))

    def _kept(self, found: Sequence[Bar]) -> tuple[str, list[Box]]:
        """The text without what is marked but in no bar, and the boxes on the grid; of the same length."""
        in_bars = {at for bar in found for at in bar.replaced}
        text = "".join(
            character if at not in self.removed or at in in_bars or character == "\n" else " "
            for at, character in enumerate(self._text)
        )
        boxes = [
            Box(*map(_snapped, box)) if at not in self.removed or at in in_bars else NOWHERE
            for at, box in enumerate(self._boxes)
        ]
        for blanks in _BLANKS.finditer(text):
            start, end = blanks.span()
            # At a line's end, blanks beside a bar would tell where the marked text began or ended.
            if (start - 1 in in_bars or end in in_bars) and (start == 0 or end == len(text) or "\n" in blanks[0]):
                boxes[start:end] = [NOWHERE] * (end - start)
        return text, boxes


def _within(box: Box, size: tuple[float, float]) -> Box:
    width, height = size
    return Box(
        min(max(0.0, box.left), width),
        min(max(0.0, box.top), height),
        min(max(0.0, box.right), width),
        min(max(0.0, box.bottom), height),
    )


def _snapped(value: float) -> float:
    return round(value / GRID) * GRID


def _fill(picture: Image.Image, area: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = area
    ImageDraw.Draw(picture).rectangle((left, top, right - 1, bottom - 1), fill=(0, 0, 0))


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
    covered = [_scaled(bar.box, 2 / _CHECK_SCALE) for bar in made.bars]
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
        if any(_overlap(area, bar) for bar in covered):
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


def _overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
