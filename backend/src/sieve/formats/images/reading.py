"""A PNG, JPEG or TIFF file: its pages, the areas that marks name on them, and its redacted edition.

A page has the address page/1, an area of it page/1/area/LEFT,TOP-RIGHT,BOTTOM, in pixels from the upper left corner of
the page as it is shown, without the right column and the lower row. metadata is what the file contains beside pixels.

Invariant: with any mark, every byte of the file travels classified. Compressed pixels depend on all pixels before them,
and nothing else of the file is safe without them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from typing import ClassVar, Final

from PIL import Image

from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.areas import Area, check_area, marked_area
from sieve.formats.errors import UnknownPlace
from sieve.formats.images.pixels import Pictures
from sieve.formats.images.texts import summary_of, texts_of
from sieve.formats.text_ranges import characters, everywhere

METADATA: Final = "metadata"

_PAGE: Final = re.compile(r"page/([1-9][0-9]{0,3})")


class ImageReading:
    """A picture, or the pages of a TIFF file."""

    name: str
    note: ClassVar[str] = ""

    def __init__(self, data: bytes, name: str) -> None:
        """`name`: of the format.

        Raises:
            Damaged, TooLarge, Unsupported: see `Pictures`.
        """
        self.name = name
        self._data = data
        self.pictures: Final = Pictures(data, name)

    @property
    def pages(self) -> int:
        """How many there are."""
        return len(self.pictures.sizes)

    @property
    def initial_marks(self) -> list[Mark]:
        """Those of a new draft: all pages. Nobody but the author can say what they show."""
        return [Mark(f"page/{number}") for number in range(1, self.pages + 1)]

    @cached_property
    def _metadata(self) -> Unit | None:
        hidden = summary_of(self._data, self.name)
        texts = texts_of(self._data, self.name)
        if not hidden or (self.name == "tiff" and not texts):
            return None
        return Unit(METADATA, texts, "metadata", hidden)

    def units(self) -> Iterator[Unit]:
        """The pages, which have no text, and the file's metadata."""
        for number in range(1, self.pages + 1):
            yield Unit(f"page/{number}", "", "picture")
        if self._metadata is not None:
            yield self._metadata

    def spans(self, marks: Sequence[Mark]) -> Spans:
        """All of the file; nothing without a mark.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        self.areas(marks)
        return Spans.of([(0, len(self._data))]) if marks else Spans.EMPTY

    def plain_places(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """Any address without a mark, otherwise none.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        self.areas(marks)
        return _nowhere if marks else everywhere

    def in_plain_stream(self, marks: Sequence[Mark]) -> Callable[[str], bool]:
        """The same as `plain_places`."""
        return self.plain_places(marks)

    def areas(self, marks: Sequence[Mark]) -> dict[int, list[Area]]:
        """What is marked of each page, by its index.

        Raises:
            UnknownPlace: a mark does not fit the file.
        """
        found: dict[int, list[Area]] = {}
        for mark in marks:
            if self._metadata is not None and mark.address == METADATA:
                characters(mark, len(self._metadata.text))
                continue
            page, on_page = _PAGE.fullmatch(mark.address), marked_area(mark)
            number = on_page[0] if on_page else int(page[1]) if page else 0
            if not 1 <= number <= self.pages:
                count = "1 page" if self.pages == 1 else f"{self.pages} pages"
                hint = f"it has {count}, and areas such as page/1/area/LEFT,TOP-RIGHT,BOTTOM in pixels"
                raise UnknownPlace(mark.address, f"this picture has no such address; {hint}")
            width, height = self.pictures.sizes[number - 1]
            area = on_page[1] if on_page else Area(0, 0, width, height)
            check_area(mark, area, width, height, "pixels")
            found.setdefault(number - 1, []).append(area)
        return found

    def page_size(self, number: int) -> tuple[float, float]:
        """Width and height of a page in pixels.

        Raises:
            UnknownPlace: there is no such page.
        """
        if not 1 <= number <= self.pages:
            raise UnknownPlace(f"page/{number}", f"the file has {self.pages} pages")
        return self.pictures.sizes[number - 1]

    def page_image(self, number: int, scale: float = 1.0) -> bytes:
        """A PNG picture of page `number`, counted from 1; not larger than the page, whatever the scale.

        Raises:
            UnknownPlace: there is no such page.
            Damaged: it cannot be decoded.
        """
        width, height = self.page_size(number)
        picture = self.pictures.picture(number - 1)
        if scale < 1:
            wanted = max(1, round(width * scale)), max(1, round(height * scale))
            picture = (picture.convert("L") if picture.mode == "1" else picture).resize(
                wanted, Image.Resampling.BOX, reducing_gap=2.0
            )
        written = BytesIO()
        picture.save(written, "PNG", compress_level=1)
        return written.getvalue()


def _nowhere(address: str) -> bool:
    return False


def read_png(data: bytes) -> ImageReading:
    """A PNG file. Raises as `ImageReading` does."""
    return ImageReading(data, "png")


def read_jpeg(data: bytes) -> ImageReading:
    """A JPEG file. Raises as `ImageReading` does."""
    return ImageReading(data, "jpeg")


def read_tiff(data: bytes) -> ImageReading:
    """A TIFF file. Raises as `ImageReading` does."""
    return ImageReading(data, "tiff")
