"""The words of a page and their boxes, for an overlay on its picture.

A word is a run of characters without white space that are drawn next to each other. A word that is split at the end of
a line becomes two, each with its own box.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sieve.formats.pdf.rendering import Box


class Word(NamedTuple):
    """Code points `start` to `end` of the page's text, and the box around all of them."""

    start: int
    end: int
    box: Box


def words(text: str, boxes: Sequence[Box]) -> Iterator[Word]:
    """The words of `text`. `boxes`: the box of each character. Characters that are not drawn belong to no word."""
    start = 0
    held: Box | None = None
    for at, (character, box) in enumerate(zip(text, boxes, strict=True)):
        drawn = box.right > box.left and not character.isspace()
        if held is not None and (not drawn or not share_line(held, box)):
            yield Word(start, at, held)
            held = None
        if drawn:
            start = at if held is None else start
            held = box if held is None else around(held, box)
    if held is not None:
        yield Word(start, len(text), held)


def share_line(held: Box, box: Box) -> bool:
    """Whether the two boxes are on one line in any direction: they share half of the smaller height or width."""
    across = min(held.right, box.right) - max(held.left, box.left)
    down = min(held.bottom, box.bottom) - max(held.top, box.top)
    return down * 2 > min(held.bottom - held.top, box.bottom - box.top) or across * 2 > min(
        held.right - held.left, box.right - box.left
    )


def around(one: Box, other: Box) -> Box:
    """The smallest box with both in it."""
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
