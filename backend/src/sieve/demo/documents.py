"""The documents of the experiments: xMB-P, five classified segments alternating with five equal plain ones in each MB.

Invariant: the same arguments give the same bytes, on any machine; 1 MB is 10^6 bytes of content, tags not counted.
"""

import random
from collections.abc import Iterator

MB = 1_000_000
SEGMENTS = 5
_WORDS = (  # noqa: SIM905 -- easier to read than 28 quoted words
    "the of a to in is with on by from this report archive meeting budget river winter station letter engine harbour "
    "signal garden committee delivery northern estimate schedule"
).split()


def marked(size: int, p: float, repeats: int = 1) -> bytes:
    """Marked text of `size` bytes of content, of which `p` (0 to 1) are classified, `repeats` times over."""
    return b"".join(_segments(size, p)) * repeats


def x_mb(x: int, p: float) -> bytes:
    """The document xMB-P."""
    return marked(MB, p, x)


def pieces(size: int, p: float, repeats: int) -> Iterator[bytes]:
    """`marked` in pieces of one repeat each, for a document that does not fit into memory."""
    once = marked(size, p)
    for _ in range(repeats):
        yield once


def content(marked_text: bytes) -> bytes:
    """The bytes without the tags; these documents have no literal tags."""
    return marked_text.replace(b"<$S>", b"").replace(b"<$E>", b"")


def _segments(size: int, p: float) -> Iterator[bytes]:
    text = _text(size)
    at = 0
    for index in range(SEGMENTS):
        end = round(size * (index + 1) / SEGMENTS)
        classified_end = at + round((end - at) * p)
        if classified_end > at:
            yield b"<$S>" + text[at:classified_end] + b"<$E>"
        yield text[classified_end:end]
        at = end


def _text(size: int) -> bytes:
    # The text must be the same each time.
    draw = random.Random(size)  # noqa: S311 -- no secret
    words: list[str] = []
    length = 0
    while length < size:
        words.append(draw.choice(_WORDS))
        length += len(words[-1]) + 1
    return " ".join(words).encode()[: size - 1] + b"\n"
