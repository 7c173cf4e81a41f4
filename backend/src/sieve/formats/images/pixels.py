"""The pictures of a file as Pillow decodes them: every page within limits, without transparency and turned upright.

Invariant: what `picture` returns is all that a person sees of the page and all that an edition is made of. It has no
colours under transparent pixels, no palettes, and no further frames of an animation.
"""

import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Final

from PIL import Image

from sieve.formats.errors import Damaged, TooLarge, UnknownPlace, Unsupported
from sieve.formats.pictures.lossy import LARGEST_MARGIN, jpeg_margin

MAX_PIXELS: Final = 50_000_000
"""Of a page."""
MAX_ALL_PIXELS: Final = 200_000_000
"""Of all pages."""
MAX_PAGES: Final = 200
MAX_SIDE: Final = 65_000
"""JPEG has no longer side."""

_NAMES: Final = {"png": "PNG", "jpeg": "JPEG", "tiff": "TIFF"}
_ORIENTATION: Final = 0x0112
_DEEP: Final = ("I;16", "I;16L", "I;16B", "I;16N")
_PLAIN_MODES: Final = ("1", "L", "RGB")
_KNOWN_MODES: Final = ("LA", "La", "P", "PA", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr")
_WITHOUT_LOSS: Final = frozenset(
    ("raw", "packbits", "tiff_lzw", "tiff_deflate", "tiff_adobe_deflate", "tiff_ccitt", "group3", "group4", "zstd")
)
_FAULTS: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error)
_MORE_FAULTS: Final = (OverflowError, ZeroDivisionError, AttributeError, NotImplementedError, RuntimeError)


class Pictures:
    """The pictures of one file: one, or the pages of a TIFF."""

    def __init__(self, data: bytes, kind: str) -> None:
        """`kind`: "png", "jpeg" or "tiff".

        Raises:
            Damaged: it is no such file.
            TooLarge: it has too many pages or pixels.
            Unsupported: its pixels are of a kind that is not supported.
        """
        if not data:
            raise Damaged("this file is empty; download it again")
        self._data, self._kind = data, kind
        self.sizes: Final = self._measured()
        """Width and height of each page, as it is shown."""

    def _measured(self) -> list[tuple[int, int]]:
        sizes: list[tuple[int, int]] = []
        left = MAX_ALL_PIXELS
        with self._opened() as image:
            while True:
                width, height = image.size
                if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE) or width * height > MAX_PIXELS:
                    raise TooLarge(
                        f"page/{len(sizes) + 1}: this picture has more than {MAX_PIXELS:,} pixels, or a side of more "
                        f"than {MAX_SIDE:,}; classify the whole file, or make it smaller"
                    )
                left -= width * height
                if left < 0 or len(sizes) == MAX_PAGES:
                    raise TooLarge(
                        f"this file has more than {MAX_PAGES} pages or {MAX_ALL_PIXELS:,} pixels; "
                        "classify the whole file, or split it"
                    )
                if image.mode not in (*_PLAIN_MODES, *_KNOWN_MODES, *_DEEP):
                    raise Unsupported("the pixels of this picture are of a kind that is not supported")
                is_turned = self._kind != "tiff" and self._orientation(image) >= 5
                sizes.append((height, width) if is_turned else (width, height))
                if self._kind != "tiff":
                    return sizes
                try:
                    image.seek(len(sizes))
                except EOFError:
                    return sizes

    def picture(self, index: int) -> Image.Image:
        """A page, in black and white, grey or RGB.

        Raises:
            Damaged: it cannot be decoded.
        """
        self._check(index)
        with self._opened() as image:
            if index:
                image.seek(index)
            image.load()
            # Pillow turns pages of a TIFF when it loads them.
            upright = image if self._kind == "tiff" else self._upright(image)
            return _flat(upright)

    def margin(self, index: int) -> int:
        """Pixels around an area that may reveal it, since lossy compression works on blocks."""
        self._check(index)
        if self._kind == "png":
            return 0
        with self._opened() as image:
            if self._kind == "jpeg":
                return jpeg_margin(self._data)
            if index:
                image.seek(index)
            is_exact = image.info.get("compression", "raw") in _WITHOUT_LOSS
        return 0 if is_exact else LARGEST_MARGIN

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self.sizes):
            raise UnknownPlace(f"page/{index + 1}", f"the file has {len(self.sizes)} pages")

    def _upright(self, image: Image.Image) -> Image.Image:
        turned = {
            2: Image.Transpose.FLIP_LEFT_RIGHT,
            3: Image.Transpose.ROTATE_180,
            4: Image.Transpose.FLIP_TOP_BOTTOM,
            5: Image.Transpose.TRANSPOSE,
            6: Image.Transpose.ROTATE_270,
            7: Image.Transpose.TRANSVERSE,
            8: Image.Transpose.ROTATE_90,
        }.get(self._orientation(image))
        return image if turned is None else image.transpose(turned)

    def _orientation(self, image: Image.Image) -> int:
        found = image.getexif().get(_ORIENTATION, 1)
        return found if isinstance(found, int) and 1 <= found <= 8 else 1

    @contextmanager
    def _opened(self) -> Iterator[Image.Image]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with Image.open(BytesIO(self._data), formats=[_NAMES[self._kind]]) as image:
                    yield image
        except Image.DecompressionBombError:
            raise TooLarge(f"this picture has more than {MAX_PIXELS:,} pixels; classify the whole file") from None
        except (*_FAULTS, *_MORE_FAULTS):
            raise Damaged("this picture is damaged; save it again in its program, or classify the whole file") from None


def _flat(image: Image.Image) -> Image.Image:
    """The same picture in one of the plain modes, over white where it is transparent."""
    if image.mode in _DEEP:
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode in _PLAIN_MODES and "transparency" not in image.info:
        return image.copy()
    if image.has_transparency_data:
        over = image.convert("RGBA")
        flat = Image.new("RGBA", over.size, "white")
        flat.alpha_composite(over)
        return flat.convert("RGB")
    return image.convert("RGB")
