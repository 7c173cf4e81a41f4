"""How far lossy compression spreads what an area of a picture shows, in pixels around it."""

from io import BytesIO
from typing import Final

from PIL import Image

from sieve.formats.pictures.metadata import is_refined

_LARGEST_BLOCK: Final = 64
"""Pixels of a block of compressions other than JPEG, more or less."""
_BLEEDING: Final = 4
"""Pixels across the edge of a block, into which its colours bleed."""
LARGEST_MARGIN: Final = _LARGEST_BLOCK + _BLEEDING


def jpeg_margin(data: bytes) -> int:
    """Pixels around an area of this JPEG picture that may reveal it, since JPEG compresses blocks.

    Raises:
        OSError: it is no such picture.
    """
    with Image.open(BytesIO(data), formats=["JPEG"]) as image:
        layers = getattr(image, "layer", None) or [(0, 4, 4, 0)]
    block: int = 8 * max(max(layer[1], layer[2]) for layer in layers)
    # Decoders smooth a picture of which refinements are missing, over two blocks.
    blocks = 1 if is_refined(data) else 3
    return block * blocks + _BLEEDING
